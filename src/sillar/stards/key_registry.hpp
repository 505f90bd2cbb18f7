// "Global key registry": all names once, found by text.
#pragma once

#include <sillar/stards/format.hpp>
#include <sillar/wire/cursor.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sillar::stards {

/// The hash that is written beside a key: the 64-bit `std::hash<std::string>` of libstdc++, on
/// every platform. No reader depends on it.
[[nodiscard]] std::uint64_t hash_of(std::string_view key);

/// FNV-1a with 64 bits, which another standard library has in its place.
[[nodiscard]] std::uint64_t fnv1a_of(std::string_view key);

/// The keys of a file. Moves; views of its names stay valid as long as it lives.
class KeyRegistry {
 public:
  KeyRegistry() = default;
  KeyRegistry(KeyRegistry&&) = default;
  KeyRegistry& operator=(KeyRegistry&&) = default;
  KeyRegistry(const KeyRegistry&) = delete;
  KeyRegistry& operator=(const KeyRegistry&) = delete;
  ~KeyRegistry() = default;

  /// Reads `count` keys; `wire` stands at the first of them, and is not ok afterwards where they
  /// do not fit. Reports `file` rules.
  [[nodiscard]] static KeyRegistry check(wire::Reader& wire, std::uint32_t count, Report& report);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const KeyEntry& operator[](std::size_t index) const { return entries_[index]; }
  [[nodiscard]] const std::vector<KeyEntry>& entries() const { return entries_; }

  /// The index of a name, or nothing.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const;

 private:
  std::vector<KeyEntry> entries_;
  std::unordered_map<std::string_view, std::uint32_t> index_;  // views of entries_
};

}  // namespace sillar::stards
