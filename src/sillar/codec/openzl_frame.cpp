// The layout of frames, as OpenZL's "wire_format.h" tells it.
#include <sillar/codec/openzl_frame.hpp>

#include <sillar/wire/endian.hpp>

#include <algorithm>
#include <bit>

namespace sillar::codec::openzl {
namespace {

constexpr std::uint32_t magic_of_version_0 = 0xD7B1A5C0;
constexpr unsigned least_version = 21;  // the first with chunks
constexpr unsigned comment_version = 22;
constexpr unsigned most_version = 27;
constexpr std::uint64_t most_comment = 10000;

// Properties of a frame, bits of one byte.
constexpr unsigned has_content_hash = 1;
constexpr unsigned has_compressed_hash = 2;
constexpr unsigned has_comment = 4;

/// Takes fields from a frame. After the first that is not there `ok()` is false, and every further
/// one is zero or empty.
class Fields {
 public:
  explicit Fields(std::span<const std::byte> frame) : frame_(frame) {}

  std::span<const std::byte> bytes(std::uint64_t size) {
    if (!ok_ || size > frame_.size() - position_) {
      ok_ = false;
      return {};
    }
    const auto piece = frame_.subspan(position_, size);
    position_ += size;
    return piece;
  }

  unsigned byte() {
    const auto piece = bytes(1);
    return piece.empty() ? 0 : std::to_integer<unsigned>(piece[0]);
  }

  std::uint32_t word() {
    const auto piece = bytes(4);
    return piece.empty() ? 0 : wire::load<std::uint32_t>(piece.data());
  }

  std::uint64_t varint() {
    auto rest = frame_.subspan(position_);
    const auto value = ok_ ? take_varint(rest) : std::nullopt;
    ok_ = value.has_value();
    if (ok_) position_ = frame_.size() - rest.size();
    return value.value_or(0);
  }

  /// Fills `values` with numbers of `bits` bits, at most 8 each, the lowest bits first.
  void packed(std::span<std::uint8_t> values, unsigned bits) {
    const auto raw = bytes((values.size() * bits + 7) / 8);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t at = i * bits;
      unsigned window = 0;
      if (at / 8 < raw.size()) window = std::to_integer<unsigned>(raw[at / 8]);
      if (at / 8 + 1 < raw.size()) window |= std::to_integer<unsigned>(raw[at / 8 + 1]) << 8;
      values[i] = static_cast<std::uint8_t>((window >> (at % 8)) & ((1U << bits) - 1));
    }
  }

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] std::span<const std::byte> since(std::size_t begin) const {
    return frame_.subspan(begin, position_ - begin);
  }

 private:
  std::span<const std::byte> frame_;
  std::size_t position_ = 0;
  bool ok_ = true;
};

[[nodiscard]] bool is_plain(unsigned codec) {
  constexpr std::array<unsigned, 12> plain = {1, 3, 4, 5, 6, 7, 8, 9, 10, 22, 44, 45};
  return std::ranges::find(plain, codec) != plain.end();
}

/// "Frame Header". False where it is not for here.
[[nodiscard]] bool carry_frame_header(Fields& fields, FrameGraph& graph, unsigned& properties) {
  const std::uint32_t version = fields.word() - magic_of_version_0;
  if (version < least_version || version > most_version) return false;
  graph.format_version = version;
  properties = fields.byte();
  if (properties > (has_content_hash | has_compressed_hash | has_comment)) return false;
  switch (fields.byte()) {  // one output, and its type
    case 0x01:
      graph.type = OutputType::serial;
      break;
    case 0x11:
      graph.type = OutputType::structure;
      break;
    case 0x21:
      graph.type = OutputType::numeric;
      break;
    default:
      return false;
  }
  const std::uint64_t size = fields.varint();  // plus one; zero says "unknown"
  if (size == 0) return false;
  graph.decoded_size = size - 1;
  if ((properties & has_comment) != 0) {
    const std::uint64_t comment = fields.varint();
    if (version < comment_version || comment == 0 || comment > most_comment) return false;
    (void)fields.bytes(comment);
  }
  if ((properties & has_compressed_hash) != 0) {
    const auto covered = fields.since(0);
    graph.header_seal = Seal{.covered = covered, .expected = fields.byte()};
  }
  return fields.ok();
}

/// "Decoding Map": codecs, sizes of private headers, and streams of all nodes.
[[nodiscard]] bool carry_nodes(Fields& fields, FrameGraph& graph, std::size_t stored_count,
                               std::span<std::uint32_t> header_sizes) {
  std::array<std::uint8_t, FrameGraph::most_nodes> lane{};
  const auto values = std::span(lane).first(graph.node_count);
  const auto none = [&values] {
    return std::ranges::all_of(values, [](std::uint8_t value) { return value == 0; });
  };

  fields.packed(values, 1);  // custom codecs
  if (!none()) return false;

  constexpr unsigned bits_until_23 = 6;
  constexpr unsigned bits_since_24 = 7;
  fields.packed(values, graph.format_version < 24 ? bits_until_23 : bits_since_24);
  for (std::size_t i = 0; i < graph.node_count; ++i) {
    if (!is_plain(lane[i])) return false;
    graph.nodes[i].codec = static_cast<Codec>(lane[i]);
    graph.nodes[i].input_count = graph.nodes[i].codec == Codec::transpose_split ? 0 : 1;
  }

  fields.packed(values, 1);
  for (std::size_t i = 0; i < graph.node_count; ++i) {
    const std::uint64_t size = lane[i] != 0 ? fields.varint() + 1 : 0;
    constexpr std::uint64_t most = 64;  // no codec of these has so much
    if (size > most) return false;
    header_sizes[i] = static_cast<std::uint32_t>(size);
  }

  fields.packed(values, 1);  // variable inputs
  for (std::size_t i = 0; i < graph.node_count; ++i) {
    if (lane[i] == 0) continue;
    const std::uint64_t inputs = fields.varint() + 1;
    if (graph.nodes[i].input_count != 0 || inputs > FrameGraph::most_streams) return false;
    graph.nodes[i].input_count = static_cast<std::uint8_t>(inputs);
  }

  fields.packed(values, 1);  // several outputs
  if (!none()) return false;

  graph.stream_count = graph.node_count + stored_count;
  if (graph.stream_count == 0 || graph.stream_count > FrameGraph::most_streams) return false;
  fields.packed(values, static_cast<unsigned>(std::bit_width(graph.stream_count - 1)));
  std::size_t next = 0;
  for (std::size_t i = 0; i < graph.node_count; ++i) {
    Node& node = graph.nodes[i];
    const std::size_t end = next + node.input_count;
    const std::size_t output = end + lane[i];
    if (node.input_count == 0 || output >= graph.stream_count) return false;
    if (graph.streams[output].producer != Stream::stored) return false;
    node.first_input = static_cast<std::uint8_t>(next);
    node.output = static_cast<std::uint8_t>(output);
    graph.streams[output].producer = static_cast<std::uint8_t>(i);
    next = end;
  }
  // Every stream but the output is an input, so nothing in the frame is without use.
  return fields.ok() && next == graph.stream_count - 1;
}

[[nodiscard]] bool carry_chunk(Fields& fields, FrameGraph& graph, unsigned properties) {
  const std::size_t begin = fields.position();
  const std::uint64_t nodes = fields.varint();  // plus one; zero ends the frame
  const std::uint64_t stored_count = fields.varint();
  if (nodes == 0 || nodes - 1 > FrameGraph::most_nodes || stored_count > FrameGraph::most_streams)
    return false;
  graph.node_count = nodes - 1;
  std::array<std::uint32_t, FrameGraph::most_nodes> header_sizes{};
  if (!carry_nodes(fields, graph, stored_count, header_sizes)) return false;

  std::array<std::uint64_t, FrameGraph::most_streams> sizes{};
  for (std::size_t i = 0; i < stored_count; ++i) sizes[i] = fields.varint();
  for (std::size_t i = 0; i < graph.node_count; ++i)
    graph.nodes[i].header = fields.bytes(header_sizes[i]);
  std::size_t stored = 0;
  for (Stream& stream : std::span(graph.streams).first(graph.stream_count)) {
    if (stream.producer == Stream::stored) stream.content = fields.bytes(sizes[stored++]);
  }

  if ((properties & has_content_hash) != 0) graph.content_hash = fields.word();
  if ((properties & has_compressed_hash) != 0) {
    const auto covered = fields.since(begin);
    graph.chunk_seal = Seal{.covered = covered, .expected = fields.word()};
  }
  return fields.ok();
}

}  // namespace

std::optional<std::uint64_t> take_varint(std::span<const std::byte>& bytes) {
  constexpr std::size_t most_bytes = 9;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < std::min(bytes.size(), most_bytes); ++i) {
    const auto part = std::to_integer<std::uint64_t>(bytes[i]);
    value |= (part & 0x7F) << (7 * i);
    if (part < 0x80) {
      bytes = bytes.subspan(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

std::optional<FrameGraph> parse_frame(std::span<const std::byte> frame) {
  Fields fields(frame);
  std::optional<FrameGraph> graph(std::in_place);
  unsigned properties = 0;
  if (!carry_frame_header(fields, *graph, properties) || !carry_chunk(fields, *graph, properties) ||
      fields.byte() != 0 || !fields.ok() || fields.position() != frame.size())
    return std::nullopt;
  return graph;
}

}  // namespace sillar::codec::openzl
