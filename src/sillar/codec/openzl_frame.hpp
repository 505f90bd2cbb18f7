// What a plain OpenZL frame is made of: nodes, stored streams, checksums.
#pragma once

#include <sillar/codec/openzl.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace sillar::codec::openzl {

/// The standard codecs that plain graphs of numbers are made of, by their numbers in frames. Each
/// is named by what the encoder did; the decoder undoes it.
enum class Codec : std::uint8_t {
  delta = 1,
  zigzag = 3,
  transpose_split = 4,
  serial_to_structure = 5,
  structure_to_serial = 6,
  structure_to_number = 7,
  number_to_structure = 8,
  serial_to_number = 9,
  number_to_serial = 10,
  zstd = 22,
  constant_serial = 44,
  constant_structure = 45,
};

/// One codec of a frame. It takes `input_count` consecutive streams, the last of them being its
/// first input, and gives one.
struct Node {
  Codec codec = Codec::delta;
  std::uint8_t first_input = 0;  ///< index of a stream
  std::uint8_t input_count = 0;
  std::uint8_t output = 0;            ///< index of a stream, behind all inputs
  std::span<const std::byte> header;  ///< private to the codec
};

struct Stream {
  static constexpr std::uint8_t stored = 0xFF;

  std::uint8_t producer = stored;      ///< index of the node that gives it
  std::span<const std::byte> content;  ///< of a stored stream
};

/// The low bits of XXH3-64 over bytes of a frame.
struct Seal {
  std::span<const std::byte> covered;
  std::uint32_t expected = 0;
};

/// The one chunk of a frame with one output. Spans point into the frame, which must outlive them.
struct FrameGraph {
  static constexpr std::size_t most_nodes = 24;
  static constexpr std::size_t most_streams = 48;

  unsigned format_version = 0;
  OutputType type = OutputType::serial;
  std::uint64_t decoded_size = 0;  ///< bytes
  std::size_t node_count = 0;
  std::size_t stream_count = 0;        ///< the last one is the output
  std::array<Node, most_nodes> nodes;  ///< in the order of decoding
  std::array<Stream, most_streams> streams;
  std::optional<Seal> header_seal;            ///< 8 bits; OpenZL checks it always
  std::optional<Seal> chunk_seal;             ///< 32 bits
  std::optional<std::uint32_t> content_hash;  ///< low bits of XXH3-64 over the decoded bytes
};

/// Reads a frame of format version 21 to 27 that has one output of samples, one chunk and none but
/// the codecs above. Nothing where it is another frame or no whole one: OpenZL judges those. Proves
/// that all spans lie in the frame and that every stream has one origin; checksums, private headers
/// and the types of streams are not looked at.
[[nodiscard]] std::optional<FrameGraph> parse_frame(std::span<const std::byte> frame);

/// The number in OpenZL's variable length at the front of `bytes`, which loses it. Nothing where
/// they end before the number does, or where it has more than 63 bits.
[[nodiscard]] std::optional<std::uint64_t> take_varint(std::span<const std::byte>& bytes);

}  // namespace sillar::codec::openzl
