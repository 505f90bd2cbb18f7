// The table of GeoZL's codecs: what a frame's numbers mean, and what decodes them.
#pragma once

#include <sillar/codec/geozl/codec.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace sillar::codec::geozl {

/// Of a stream that a decoder consumes. All that it makes is numeric.
enum class Kind : std::uint8_t { numeric, serial };

/// Where the width of a decoder's output comes from.
enum class Width : std::uint8_t { first_input, second_input, header };

struct Codec {
  std::uint32_t id;       ///< in frames
  std::string_view name;  ///< ends with a zero
  std::uint8_t input_count;
  std::array<Kind, 2> inputs;
  Width width;    ///< of the output's elements
  bool lossless;  ///< false: the encoder's samples were others
  Decode decode;  ///< null where the codec is known by name only
};

/// All of them, in the order of their numbers. The number of inputs never varies.
[[nodiscard]] std::span<const Codec> codecs();

/// Decodes by `codec`, after the inputs were held against its row of the table: their number, and
/// widths and alignment of numeric ones. Fails with codec, or with unsupported where the table has
/// no decoder.
[[nodiscard]] Result<> decode(const Codec& codec, std::span<const std::byte> header,
                              std::span<const Input> inputs, Output& out);

/// "geozl.planar", or nothing for a number that is not GeoZL's.
[[nodiscard]] std::string_view name_of(std::uint32_t id);

}  // namespace sillar::codec::geozl
