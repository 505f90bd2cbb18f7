// "Index entries": the arrays of a file, and what can be said of each without its bytes.
#pragma once

#include <sillar/stards/format.hpp>
#include <sillar/stards/key_registry.hpp>
#include <sillar/wire/cursor.hpp>

#include <cstdint>
#include <vector>

namespace sillar::stards {

/// The entries of a file in their order, and the byte of the file at which each begins.
struct Index {
  std::vector<IndexEntry> entries;
  std::vector<std::uint64_t> offsets;
};

/// Reads `count` entries; `wire` stands at the first of them, and is not ok afterwards where they
/// do not fit. Reports `file` rules.
[[nodiscard]] Index check_index(wire::Reader& wire, std::uint64_t count, const KeyRegistry& keys,
                                Report& report);

/// Where the parts of an entry stand, from its start.
inline constexpr std::uint64_t entry_position_at = 2;
inline constexpr std::uint64_t entry_total_bytes_at = 10;
inline constexpr std::uint64_t entry_data_type_at = 18;
inline constexpr std::uint64_t entry_shape_at = 27;
[[nodiscard]] constexpr std::uint64_t entry_compression_at(const IndexEntry& entry) {
  return entry_shape_at + 8 * entry.shape.size();
}
[[nodiscard]] constexpr std::uint64_t entry_blocks_at(const IndexEntry& entry) {
  return entry_compression_at(entry) + 17;
}
[[nodiscard]] constexpr std::uint64_t entry_flag_at(const IndexEntry& entry) {
  return entry_blocks_at(entry) + 24 * entry.blocks.size();
}

/// Judges one array by its entry, which begins at the byte `at` of a file of `file_size` bytes.
/// Reports `array` rules and what is unsupported. Overlaps with others are not seen here.
void check_array(const IndexEntry& entry, std::uint64_t at, std::uint64_t header_size,
                 std::uint64_t file_size, Report& report);

/// The first error of a report that was run to its end, else the first unsupported part, else
/// success: what stops a reader.
[[nodiscard]] Result<> refusal_of(const Report& report);

}  // namespace sillar::stards
