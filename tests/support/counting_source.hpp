// A byte source that remembers which ranges were asked of it.
#pragma once

#include <sillar/io/byte_source.hpp>

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sillar::testing {

/// Bytes in memory, and a list of every request. Safe from many threads.
class CountingSource final : public io::ByteSource {
 public:
  using ByteSource::read;

  explicit CountingSource(std::vector<std::byte> bytes)
      : inner_(io::memory_source(std::move(bytes), "counted")) {}

  [[nodiscard]] const std::string& name() const override { return inner_->name(); }
  [[nodiscard]] Result<std::uint64_t> size() const override { return inner_->size(); }

  [[nodiscard]] Result<> read(std::span<const io::ByteRange> ranges, const io::OnReady& on_ready,
                              const io::ReadControl& control) const override {
    {
      const std::scoped_lock lock(mutex_);
      ++requests_;
      asked_.insert(asked_.end(), ranges.begin(), ranges.end());
    }
    return inner_->read(ranges, on_ready, control);
  }

  /// All ranges since the last `forget`, in the order of the requests.
  [[nodiscard]] std::vector<io::ByteRange> asked() const {
    const std::scoped_lock lock(mutex_);
    return asked_;
  }

  /// Calls of `read` since the last `forget`; one may have many ranges.
  [[nodiscard]] std::size_t requests() const {
    const std::scoped_lock lock(mutex_);
    return requests_;
  }

  void forget() const {
    const std::scoped_lock lock(mutex_);
    asked_.clear();
    requests_ = 0;
  }

 private:
  std::shared_ptr<const io::ByteSource> inner_;
  mutable std::mutex mutex_;
  mutable std::vector<io::ByteRange> asked_;
  mutable std::size_t requests_ = 0;
};

}  // namespace sillar::testing
