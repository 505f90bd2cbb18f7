// Raw LZ4 blocks: no frame, no size.
#pragma once

#include <sillar/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace sillar::codec {

/// No LZ4 block decodes to more than this many bytes a stored byte.
inline constexpr std::uint64_t lz4_ratio_most = 255;

/// The most bytes that one block may decode to, and be stored in.
inline constexpr std::uint64_t lz4_raw_most = 0x7E000000;

/// Decodes one block, all of `packed`, into `out`; returns how many bytes it gave. Fails with codec
/// where the block is damaged or gives more than `out` holds.
[[nodiscard]] Result<std::size_t> decode_lz4(std::span<const std::byte> packed,
                                             std::span<std::byte> out);

/// The levels of `encode_lz4`: 0 is the fast search, 1 to 12 the thorough one.
inline constexpr int lz4_level_most = 12;

/// The room that `encode_lz4` needs for `size` bytes, at most lz4_raw_most.
[[nodiscard]] std::size_t lz4_bound(std::size_t size);

/// `raw` as one block at the start of `out`, which holds `lz4_bound(raw.size())`. Returns the size
/// of the block.
[[nodiscard]] std::size_t encode_lz4(std::span<const std::byte> raw, std::span<std::byte> out,
                                     int level = 0);

}  // namespace sillar::codec
