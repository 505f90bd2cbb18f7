// Progress on standard error, counted at the source of the bytes.
#pragma once

#include <sillar/io/byte_source.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace sillar::cli {

enum class ProgressStyle { none, bar, json };

/// Shows how many bytes were used of those expected, from one second after its beginning on. May be
/// told from many threads.
class Progress {
 public:
  explicit Progress(ProgressStyle style, std::uint64_t total = 0) : style_(style), total_(total) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Takes the bar away.
  ~Progress();

  /// What is to come from now on.
  void expect(std::uint64_t total);

  void add(std::uint64_t bytes);

  [[nodiscard]] bool shown() const { return style_ != ProgressStyle::none; }

 private:
  using Clock = std::chrono::steady_clock;

  void show(std::uint64_t done, std::uint64_t total) const;

  ProgressStyle style_;
  Clock::time_point start_ = Clock::now();
  std::atomic<std::uint64_t> total_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<Clock::duration::rep> next_{Clock::duration(std::chrono::seconds(1)).count()};
  std::atomic<bool> drawn_{false};
};

/// `source`, with every delivered range told to `progress`, which must outlive it.
[[nodiscard]] std::shared_ptr<const io::ByteSource> watched(
    std::shared_ptr<const io::ByteSource> source, Progress& progress);

}  // namespace sillar::cli
