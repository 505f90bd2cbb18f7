// Random numbers that are the same on every machine, and that say how to have them again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sillar::testing {

/// A generator for one property test. SILLAR_TEST_SEED replaces its seed; put `trace()` into a
/// SCOPED_TRACE, so that a failure prints it.
class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(chosen(seed)), engine_(seed_) {}

  [[nodiscard]] std::string trace() const { return "SILLAR_TEST_SEED=" + std::to_string(seed_); }

  [[nodiscard]] std::uint64_t next() { return engine_(); }

  /// 0 to count - 1.
  [[nodiscard]] std::uint64_t below(std::uint64_t count) { return engine_() % count; }

  /// least to most.
  [[nodiscard]] std::uint64_t between(std::uint64_t least, std::uint64_t most) {
    return least + below(most - least + 1);
  }

  [[nodiscard]] bool coin() { return below(2) == 1; }

  template <class List>
  [[nodiscard]] const auto& pick(const List& list) {
    return list[static_cast<std::size_t>(below(list.size()))];
  }

  template <class T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
  }

  void fill(std::span<std::byte> bytes) {
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(below(256));
  }

 private:
  static std::uint64_t chosen(std::uint64_t seed) {
    const char* wanted = std::getenv("SILLAR_TEST_SEED");
    return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : seed;
  }

  std::uint64_t seed_;
  std::mt19937_64 engine_;
};

}  // namespace sillar::testing
