// Recognises a graph, lets zstd decode its streams, restores rows from them.
#include <sillar/codec/openzl_native.hpp>

#include <sillar/base/checked.hpp>
#include <sillar/codec/openzl_frame.hpp>
#include <sillar/codec/restore.hpp>

#define ZSTD_STATIC_LINKING_ONLY  // frames without a magic number
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

namespace sillar::codec::openzl {
namespace {

/// Where stored words come from.
struct Source {
  enum class Kind : std::uint8_t { stored, zstd, constant };

  Kind kind = Kind::stored;
  std::span<const std::byte> bytes;  ///< as they are, a frame of zstd, or the one element
  std::uint64_t size = 0;            ///< decoded bytes
};

constexpr std::size_t most_planes = 8;

/// A graph, in the form in which it is carried out.
struct Recipe {
  Words words;
  std::array<Source, most_planes> sources;
  std::size_t source_count = 1;
  std::uint64_t first = 0;  ///< the sample before the differences
  std::uint64_t count = 0;  ///< samples
};

[[nodiscard]] bool is_number_width(std::uint64_t width) {
  return width == 1 || width == 2 || width == 4 || width == 8;
}

/// The one varint of a private header.
[[nodiscard]] std::optional<std::uint64_t> only_varint(std::span<const std::byte> header) {
  const auto value = take_varint(header);
  return header.empty() ? value : std::nullopt;
}

/// zstd's stream: the width of its elements, 1 for bytes, then a frame that states its size.
[[nodiscard]] std::optional<Source> zstd_source(std::span<const std::byte> stream,
                                                std::uint64_t most) {
  if (take_varint(stream) != 1) return std::nullopt;
  ZSTD_frameHeader header;
  if (ZSTD_getFrameHeader_advanced(&header, stream.data(), stream.size(),
                                   ZSTD_f_zstd1_magicless) != 0 ||
      header.frameContentSize > most)  // so are the values for "unknown" and "error"
    return std::nullopt;
  return Source{.kind = Source::Kind::zstd, .bytes = stream, .size = header.frameContentSize};
}

/// A stream of bytes that is stored, or the output of one codec over a stored one.
[[nodiscard]] std::optional<Source> byte_source(const FrameGraph& graph, std::size_t index) {
  const Stream& stream = graph.streams[index];
  if (stream.producer == Stream::stored) {
    if (stream.content.size() > graph.decoded_size) return std::nullopt;
    return Source{
        .kind = Source::Kind::stored, .bytes = stream.content, .size = stream.content.size()};
  }
  const Node& node = graph.nodes[stream.producer];
  const Stream& input = graph.streams[node.first_input];
  if (input.producer != Stream::stored) return std::nullopt;
  if (node.codec == Codec::zstd && node.header.empty())
    return zstd_source(input.content, graph.decoded_size);
  if (node.codec == Codec::constant_serial && input.content.size() == 1) {
    const auto count = only_varint(node.header);
    if (count.value_or(0) == 0 || *count > graph.decoded_size) return std::nullopt;
    return Source{.kind = Source::Kind::constant, .bytes = input.content, .size = *count};
  }
  return std::nullopt;
}

/// A stream as OpenZL sees it: the codecs ask for its type.
struct Typed {
  OutputType type = OutputType::serial;
  std::uint64_t width = 1;  ///< bytes of an element
  std::uint64_t count = 0;  ///< elements
};

[[nodiscard]] std::optional<Typed> planes_source(const FrameGraph& graph, const Node& node,
                                                 Recipe& recipe) {
  const std::size_t planes = node.input_count;
  if (!is_number_width(planes) || !node.header.empty()) return std::nullopt;
  for (std::size_t k = 0; k < planes; ++k) {
    const auto source = byte_source(graph, node.first_input + planes - 1 - k);
    if (!source || source->size > graph.decoded_size / planes) return std::nullopt;
    recipe.sources[k] = *source;
    if (source->size != recipe.sources[0].size) return std::nullopt;
  }
  recipe.source_count = planes;
  recipe.words.planar = planes > 1;
  return Typed{.type = OutputType::structure, .width = planes, .count = recipe.sources[0].size};
}

/// The structures that one stored structure, `node`'s input, is repeated to.
[[nodiscard]] std::optional<Typed> constant_source(const FrameGraph& graph, const Node& node,
                                                   Recipe& recipe) {
  const Stream& element = graph.streams[node.first_input];
  if (element.producer == Stream::stored) return std::nullopt;
  const Node& as_structure = graph.nodes[element.producer];
  const Stream& input = graph.streams[as_structure.first_input];
  if (as_structure.codec != Codec::structure_to_serial || input.producer != Stream::stored ||
      !is_number_width(input.content.size()) ||
      only_varint(as_structure.header) != input.content.size())
    return std::nullopt;
  const auto count = only_varint(node.header);
  if (count.value_or(0) == 0) return std::nullopt;
  const auto size = checked_mul(*count, input.content.size());
  if (!size || *size > graph.decoded_size) return std::nullopt;
  recipe.sources[0] = {.kind = Source::Kind::constant, .bytes = input.content, .size = *size};
  return Typed{.type = OutputType::structure, .width = input.content.size(), .count = *count};
}

/// What `node` makes of `stream`; notes in `recipe` what it does to the values.
[[nodiscard]] bool apply(const Node& node, Typed& stream, Recipe& recipe) {
  const bool numeric = stream.type == OutputType::numeric;
  switch (node.codec) {
    case Codec::structure_to_serial: {
      const std::uint64_t width = only_varint(node.header).value_or(0);
      if (stream.type != OutputType::serial || width == 0 || stream.count % width != 0)
        return false;
      stream = {.type = OutputType::structure, .width = width, .count = stream.count / width};
      return true;
    }
    case Codec::number_to_serial: {
      constexpr unsigned most = 3;
      if (stream.type != OutputType::serial || node.header.size() != 1 ||
          std::to_integer<unsigned>(node.header[0]) > most)
        return false;
      const std::uint64_t width = std::uint64_t{1} << std::to_integer<unsigned>(node.header[0]);
      if (stream.count % width != 0) return false;
      stream = {.type = OutputType::numeric, .width = width, .count = stream.count / width};
      return true;
    }
    case Codec::serial_to_structure:
    case Codec::serial_to_number:
      if (!node.header.empty() || numeric != (node.codec == Codec::serial_to_number) ||
          stream.type == OutputType::serial)
        return false;
      stream = {.type = OutputType::serial, .width = 1, .count = stream.count * stream.width};
      return true;
    case Codec::number_to_structure:
      if (!node.header.empty() || stream.type != OutputType::structure ||
          !is_number_width(stream.width))
        return false;
      stream.type = OutputType::numeric;
      return true;
    case Codec::structure_to_number:
      if (!node.header.empty() || !numeric) return false;
      stream.type = OutputType::structure;
      return true;
    case Codec::zigzag:
      if (!node.header.empty() || !numeric || recipe.words.zigzag || recipe.words.delta)
        return false;
      recipe.words.zigzag = true;
      recipe.words.width = static_cast<std::uint8_t>(stream.width);
      return true;
    case Codec::delta:
      if (!numeric || recipe.words.delta || node.header.size() != stream.width ||
          (recipe.words.zigzag && recipe.words.width != stream.width))
        return false;
      recipe.words.delta = true;
      recipe.words.width = static_cast<std::uint8_t>(stream.width);
      std::memcpy(&recipe.first, node.header.data(), node.header.size());
      ++stream.count;
      return true;
    default:
      return false;
  }
}

/// How `graph` is carried out, or nothing where it is not one of those of `NativeDecoder`. The
/// sources give together what the samples need, which is no more than the decoded size.
[[nodiscard]] std::optional<Recipe> recognise(const FrameGraph& graph) {
  if (graph.decoded_size == 0) return std::nullopt;
  // From the output back to where a chain of one input each ends.
  std::array<std::uint8_t, FrameGraph::most_nodes> chain{};
  std::size_t steps = 0;
  std::size_t index = graph.stream_count - 1;
  std::optional<Recipe> recipe(std::in_place);
  std::optional<Typed> stream;
  for (;;) {
    const std::uint8_t producer = graph.streams[index].producer;
    const Codec codec = producer == Stream::stored ? Codec::zstd : graph.nodes[producer].codec;
    if (codec == Codec::transpose_split) {
      stream = planes_source(graph, graph.nodes[producer], *recipe);
      break;
    }
    if (codec == Codec::constant_structure) {
      stream = constant_source(graph, graph.nodes[producer], *recipe);
      break;
    }
    if (codec == Codec::zstd || codec == Codec::constant_serial) {
      const auto source = byte_source(graph, index);
      if (!source) return std::nullopt;
      recipe->sources[0] = *source;
      stream = Typed{.type = OutputType::serial, .width = 1, .count = source->size};
      break;
    }
    chain[steps++] = producer;
    index = graph.nodes[producer].first_input;
  }
  if (!stream) return std::nullopt;
  const std::uint64_t stored_width = stream->width;
  while (steps > 0) {
    if (!apply(graph.nodes[chain[--steps]], *stream, *recipe)) return std::nullopt;
  }
  const auto size = checked_mul(stream->count, stream->width);
  if (stream->type != graph.type || size != graph.decoded_size) return std::nullopt;

  Words& words = recipe->words;
  const bool is_constant = !words.planar && recipe->sources[0].kind == Source::Kind::constant;
  if (!words.zigzag && !words.delta) {
    words.width = words.planar || is_constant ? static_cast<std::uint8_t>(stored_width) : 1;
  } else if (words.planar ? stored_width != words.width
                          : is_constant && words.width % stored_width != 0) {
    return std::nullopt;
  }
  if (graph.decoded_size % words.width != 0) return std::nullopt;
  recipe->count = graph.decoded_size / words.width;
  return recipe;
}

[[nodiscard]] bool holds(const std::optional<Seal>& seal, const Xxh3& hash, std::uint64_t mask) {
  return !seal || (hash.of(seal->covered) & mask) == seal->expected;
}

/// Samples are restored in pieces that stay in the nearest cache until they are hashed and copied;
/// a multiple of every vector.
constexpr std::size_t piece_size = std::size_t{16} << 10;

/// Restores the samples of a recipe in order.
class Samples {
 public:
  Samples(const Recipe& recipe, const std::array<const std::byte*, most_planes>& planes)
      : kernel_(restore_kernel(recipe.words)),
        width_(recipe.words.width),
        planes_(planes),
        last_(recipe.first),
        first_pending_(recipe.words.delta) {
    const std::size_t step = recipe.words.planar ? 1 : width_;
    for (std::size_t k = 0; k < recipe.source_count; ++k)
      steps_[k] = recipe.sources[k].kind == Source::Kind::constant ? 0 : step;
  }

  /// Writes the next `count` samples, at most a piece of them.
  void next(std::byte* out, std::size_t count) {
    if (first_pending_ && count != 0) {
      std::memcpy(out, &last_, width_);
      out += width_;
      --count;
      first_pending_ = false;
    }
    kernel_(planes_.data(), out, count, last_);
    skip(count);
  }

  /// Passes over samples; for words without differences.
  void skip(std::size_t count) {
    for (std::size_t k = 0; k < planes_.size(); ++k) planes_[k] += count * steps_[k];
  }

 private:
  RestoreKernel kernel_;
  std::size_t width_;
  std::array<const std::byte*, most_planes> planes_;
  std::array<std::size_t, most_planes> steps_{};
  std::uint64_t last_;
  bool first_pending_;
};

/// Where the bytes of a frame go. Positions count bytes of the decoded frame.
class Rows {
 public:
  Rows(const Rectangle& wanted, const RowTarget& target)
      : row_size_(wanted.frame_width * wanted.sample_width),
        left_(wanted.column * wanted.sample_width),
        piece_(wanted.columns * wanted.sample_width),
        first_row_(wanted.row),
        rows_(piece_ == 0 ? 0 : wanted.rows),
        target_(target),
        seamless_(piece_ == row_size_ && (rows_ <= 1 || std::cmp_equal(target.stride, row_size_))) {
  }

  [[nodiscard]] std::size_t begin() const { return first_row_ * row_size_; }
  [[nodiscard]] std::size_t end() const { return (first_row_ + rows_) * row_size_; }
  [[nodiscard]] bool seamless() const { return seamless_; }
  [[nodiscard]] std::byte* data() const { return target_.data; }

  /// Where `size` bytes from `at` on can be written at once; fewer where they reach beyond. Null
  /// where they are to be put instead: what lies outside, and rows with gaps, which are written
  /// quicker by a copy than by a kernel and a hash that begin anew in each.
  [[nodiscard]] std::byte* place(std::size_t at, std::size_t& size) const {
    if (at < begin()) size = std::min(size, begin() - at);
    if (!seamless_ || at < begin() || at >= end()) return nullptr;
    size = std::min(size, end() - at);
    return target_.data + (at - begin());
  }

  /// Copies what is wanted of `bytes`, which stand at `at`.
  void put(std::size_t at, std::span<const std::byte> bytes) const {
    const std::size_t stop = std::min(at + bytes.size(), end());
    std::size_t y = std::max(at, begin()) / row_size_;
    for (; y * row_size_ + left_ < stop; ++y) {
      const std::size_t row_begin = y * row_size_ + left_;
      const std::size_t from = std::max(row_begin, at);
      const std::size_t to = std::min(row_begin + piece_, stop);
      if (from < to)
        std::memcpy(row(y) + (from - row_begin), bytes.data() + (from - at), to - from);
    }
  }

 private:
  [[nodiscard]] std::byte* row(std::size_t y) const {
    return target_.data + static_cast<std::ptrdiff_t>(y - first_row_) * target_.stride;
  }

  std::size_t row_size_;
  std::size_t left_;
  std::size_t piece_;
  std::size_t first_row_;
  std::size_t rows_;
  RowTarget target_;
  bool seamless_;
};

constexpr std::size_t alignment = 64;

[[nodiscard]] std::size_t aligned(std::size_t size) {
  return (size + alignment - 1) / alignment * alignment;
}

}  // namespace

/// The memory that is kept from frame to frame.
struct NativeDecoder::Room {
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  std::unique_ptr<ZSTD_DCtx, Free> zstd;
  std::unique_ptr<std::byte, Free> bytes;
  std::size_t size = 0;

  Room() : zstd(ZSTD_createDCtx()) {
    if (zstd == nullptr ||
        ZSTD_isError(ZSTD_DCtx_setParameter(zstd.get(), ZSTD_d_format, ZSTD_f_zstd1_magicless)))
      throw std::bad_alloc();
  }

  std::byte* reserve(std::size_t wanted) {
    if (wanted > size) {
      bytes.reset();
      size = 0;
      bytes.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, aligned(wanted))));
      if (bytes == nullptr) throw std::bad_alloc();
      size = wanted;
    }
    return bytes.get();
  }

  [[nodiscard]] bool decompress(const Source& source, std::byte* out) const {
    const std::size_t done =
        ZSTD_decompressDCtx(zstd.get(), out, source.size, source.bytes.data(), source.bytes.size());
    return !ZSTD_isError(done) && done == source.size;
  }
};

NativeDecoder::NativeDecoder(std::unique_ptr<Xxh3> hash)
    : hash_(std::move(hash)), room_(std::make_unique<Room>()) {}

NativeDecoder::~NativeDecoder() = default;

bool NativeDecoder::decode(std::span<const std::byte> frame, const Rectangle& wanted,
                           const RowTarget& target, bool verify) {
  const auto graph = parse_frame(frame);
  if (!graph) return false;
  const auto size =
      checked_mul(std::uint64_t{wanted.frame_width}, std::uint64_t{wanted.frame_height},
                  std::uint64_t{wanted.sample_width});
  if (size != graph->decoded_size) return false;
  const auto recipe = recognise(*graph);
  if (!recipe || !holds(graph->header_seal, *hash_, 0xFF)) return false;
  if (verify && !holds(graph->chunk_seal, *hash_, 0xFFFFFFFF)) return false;
  const bool hashed = verify && graph->content_hash.has_value();
  const auto is_content = [&](std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash) == *graph->content_hash;
  };
  const Words& words = recipe->words;
  const Rows rows(wanted, target);

  // Bytes of zstd alone need no second place.
  if (recipe->source_count == 1 && recipe->sources[0].kind == Source::Kind::zstd &&
      words.width == 1 && !words.zigzag && !words.delta && rows.seamless() &&
      rows.end() - rows.begin() == *size) {
    return room_->decompress(recipe->sources[0], rows.data()) &&
           (!hashed || is_content(hash_->of({rows.data(), *size})));
  }

  std::size_t needed = piece_size;
  for (const Source& source : std::span(recipe->sources).first(recipe->source_count)) {
    if (source.kind == Source::Kind::zstd) needed += aligned(source.size);
    if (source.kind == Source::Kind::constant) needed += piece_size;
  }
  std::byte* const piece = room_->reserve(needed);
  std::byte* free = piece + piece_size;
  std::array<const std::byte*, most_planes> planes{};
  for (std::size_t k = 0; k < recipe->source_count; ++k) {
    const Source& source = recipe->sources[k];
    planes[k] = source.kind == Source::Kind::stored ? source.bytes.data() : free;
    if (source.kind == Source::Kind::zstd) {
      if (!room_->decompress(source, free)) return false;
      free += aligned(source.size);
    } else if (source.kind == Source::Kind::constant) {
      for (std::size_t at = 0; at < piece_size; at += source.bytes.size())
        std::memcpy(free + at, source.bytes.data(), source.bytes.size());
      free += piece_size;
    }
  }

  const std::size_t width = words.width;
  Samples samples(*recipe, planes);
  std::size_t at = 0;  // in bytes, always a whole sample
  std::size_t end = *size;
  if (!hashed) {
    end = std::min(end, ceil_div(rows.end(), width) * width);
    if (!words.delta) {
      at = std::min(rows.begin() / width * width, end);
      samples.skip(at / width);
    }
  } else {
    hash_->begin();
  }
  while (at < end) {
    std::size_t length = std::min(piece_size, end - at);
    std::byte* out = rows.place(at, length);
    // Rows need not be whole samples of the codec's width.
    if (length % width != 0) {
      out = nullptr;
      length = std::min(ceil_div(length, width) * width, end - at);
    }
    const bool direct = out != nullptr;
    if (!direct) out = piece;
    samples.next(out, length / width);
    if (hashed) hash_->add({out, length});
    if (!direct) rows.put(at, {out, length});
    at += length;
  }
  return !hashed || is_content(hash_->end());
}

}  // namespace sillar::codec::openzl
