// A sink that keeps the file in memory.
#include <sillar/base/checked.hpp>
#include <sillar/io/sink.hpp>
#include <sillar/io/sink_order.hpp>

#include <algorithm>
#include <utility>

namespace sillar::io {
namespace {

class MemorySpool final : public Spool {
 public:
  Result<std::uint64_t> put(std::span<const std::byte> bytes) override {
    const std::uint64_t offset = bytes_.size();
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return offset;
  }

  Result<> get(std::uint64_t offset, std::span<std::byte> out) const override {
    if (offset > bytes_.size() || out.size() > bytes_.size() - offset) {
      return fail(Errc::bad_argument, "these bytes were never put into the spool", offset);
    }
    std::ranges::copy(std::span(bytes_).subspan(static_cast<std::size_t>(offset), out.size()),
                      out.begin());
    return {};
  }

 private:
  std::vector<std::byte> bytes_;
};

class MemorySink final : public Sink {
 public:
  explicit MemorySink(std::vector<std::byte>& out) : out_(out) {}

  Result<> reserve(std::uint64_t size) override {
    const auto front = narrow<std::size_t>(size);
    if (!front || *front > bytes_.max_size()) {
      return fail(Errc::over_limit, std::to_string(size) + " bytes do not fit into memory");
    }
    SILLAR_TRY(order_.reserve(size));
    bytes_.resize(*front);
    return {};
  }

  Result<> append(std::span<const std::byte> bytes) override {
    SILLAR_TRY(order_.append());
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return {};
  }

  Result<> put_front(std::span<const std::byte> bytes) override {
    SILLAR_TRY(order_.put_front(bytes.size()));
    std::ranges::copy(bytes, bytes_.begin());
    return {};
  }

  Result<> finish() override {
    SILLAR_TRY(order_.finish());
    out_ = std::move(bytes_);
    return {};
  }

  Result<std::unique_ptr<Spool>> spool() override { return std::make_unique<MemorySpool>(); }

 private:
  std::vector<std::byte>& out_;
  std::vector<std::byte> bytes_;
  SinkOrder order_;
};

}  // namespace

std::unique_ptr<Sink> memory_sink(std::vector<std::byte>& out) {
  return std::make_unique<MemorySink>(out);
}

}  // namespace sillar::io
