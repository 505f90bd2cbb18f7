// "Header section": all that stands before the data, as one value.
#pragma once

#include <sillar/base/report.hpp>
#include <sillar/io/byte_source.hpp>
#include <sillar/stards/index.hpp>
#include <sillar/stards/key_registry.hpp>
#include <sillar/stards/layers.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sillar::stards {

/// The five parts of the section, in their order.
struct HeaderSection {
  FixedHeader fixed;
  KeyRegistry keys;
  Layers layers;
  std::uint64_t presence_offset = 0;    ///< byte of the file at which the bitmaps begin
  std::vector<std::uint64_t> presence;  ///< words of all layers, one layer behind the other
  Index index;
};

/// The words of one presence bitmap.
[[nodiscard]] constexpr std::uint64_t presence_words(std::uint64_t entry_count) {
  return ceil_div(entry_count, 64);
}

/// Judges the fixed header: `bytes` is the first min(file_size, 31) bytes at least. Fails with
/// malformed or truncated.
[[nodiscard]] Result<FixedHeader> check_fixed_header(std::span<const std::byte> bytes,
                                                     std::uint64_t file_size, Report& report);

/// Judges a header section whose fixed header `check_fixed_header` gave; `bytes` is all of it.
/// Fails with malformed.
[[nodiscard]] Result<HeaderSection> check_header_section(const FixedHeader& fixed,
                                                         std::span<const std::byte> bytes,
                                                         Report& report);

/// Fetches and judges the header section of a file, in one request or two. Fails with malformed,
/// truncated, io, or over_limit where it has more than `size_limit` bytes.
[[nodiscard]] Result<HeaderSection> check_header_of(const io::ByteSource& source,
                                                    std::uint64_t size_limit, Report& report,
                                                    const io::ReadControl& control);

/// The bytes of a header section; its counts and its size are those of the parts.
[[nodiscard]] std::vector<std::byte> make_header_section(const std::vector<KeyEntry>& keys,
                                                         const std::vector<LayerEntry>& layers,
                                                         const std::vector<std::uint64_t>& presence,
                                                         const std::vector<IndexEntry>& entries);

}  // namespace sillar::stards
