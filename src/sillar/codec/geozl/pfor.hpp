// Patched frame of reference: blocks of 256 words in few bits each, and the high bits of the few
// that need more.
#pragma once

#include <sillar/codec/geozl/codec.hpp>
#include <sillar/codec/geozl/words.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace sillar::codec::geozl {

/// A block as it lies in the stream.
///
///     u8 b | u8 k | u8 f | positions | high parts | base
///                 '------ only if k > 0 ---------'
struct PforBlock {
  static constexpr std::size_t samples = 256;
  static constexpr std::size_t bitmap_size = samples / 8;

  unsigned base_bits = 0;
  unsigned exceptions = 0;
  unsigned high_bits = 0;                 ///< of an exception
  bool has_bitmap = false;                ///< else `positions` holds a byte for each
  std::span<const std::byte> positions;   ///< increasing
  std::span<const std::byte> high_parts;  ///< packed, least significant bit first
  std::span<const std::byte> base;        ///< 32 * base_bits bytes, in 16-byte words
};

/// Takes a block of words of `word_bits` bits off the front of `stream`, whole and consistent, or
/// nothing.
[[nodiscard]] std::optional<PforBlock> take_pfor_block(std::span<const std::byte>& stream,
                                                       unsigned word_bits);

/// Unpacks the 256 words of a block. Precondition: it came from `take_pfor_block` for words of this
/// width. AVX2 where the name says so and the processor has it.
template <Word T>
void unpack_pfor_plainly(const PforBlock& block, std::span<T, PforBlock::samples> out);
template <Word T>
void unpack_pfor_avx2(const PforBlock& block, std::span<T, PforBlock::samples> out);

[[nodiscard]] Result<> decode_pfor(std::span<const std::byte> header, std::span<const Input> inputs,
                                   Output& out);

/// The planar predictor's zigzag residuals as pfor; each sample is written once.
[[nodiscard]] Result<> decode_planar_zigzag_pfor(std::span<const std::byte> header,
                                                 std::span<const Input> inputs, Output& out);

}  // namespace sillar::codec::geozl
