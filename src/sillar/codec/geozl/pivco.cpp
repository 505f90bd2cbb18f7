#include <sillar/codec/geozl/pivco.hpp>

#include <sillar/codec/cpu.hpp>
#include <sillar/codec/geozl/geometry.hpp>
#include <sillar/codec/geozl/planar_rows.hpp>
#include <sillar/codec/geozl/row_sums.hpp>
#include <sillar/codec/geozl/words.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

#if SILLAR_X86
#include <immintrin.h>
#endif

namespace sillar::codec::geozl {
namespace {

constexpr unsigned most_weight = 12;

/// Symbols of one length of code. `flat` groups have 2^depth symbols each, and one leaf for all.
struct Bucket {
  std::array<std::uint8_t, PivcoTree::most_symbols> single;
  std::size_t singles = 0;

  struct Flat {
    std::uint8_t depth;
    std::uint16_t first;  // in the list of grouped symbols
  };
  std::array<Flat, most_weight + 1> flat;
  std::size_t flats = 0;
};

unsigned byte_of(std::byte value) { return std::to_integer<unsigned>(value); }

}  // namespace

/// Symbols in the order of their codes.
struct PivcoTree::Ranks {
  std::array<std::uint8_t, most_symbols> depth;  // of the leaf that a rank belongs to
  std::array<std::uint16_t, most_symbols> code;  // from the top bit down
  std::size_t count = 0;
};

std::optional<PivcoTree> PivcoTree::make(std::span<const std::byte> weights) {
  if (weights.size() > most_symbols) return std::nullopt;
  std::array<Bucket, most_weight + 2> buckets;
  std::uint32_t sum = 0;
  for (std::size_t symbol = 0; symbol < weights.size(); ++symbol) {
    const unsigned weight = byte_of(weights[symbol]);
    if (weight > most_weight) return std::nullopt;
    if (weight == 0) continue;
    sum += 1u << (weight - 1);
    Bucket& bucket = buckets[weight];
    bucket.single[bucket.singles++] = static_cast<std::uint8_t>(symbol);
  }
  if (!std::has_single_bit(sum)) return std::nullopt;
  const auto longest = static_cast<unsigned>(std::countr_zero(sum));
  if (longest > most_weight) return std::nullopt;

  // From short codes to long ones, the last 2^k symbols become one leaf k levels up.
  std::array<std::uint8_t, most_symbols> grouped;
  std::size_t grouped_count = 0;
  for (unsigned weight = longest; weight > 0; --weight) {
    Bucket& bucket = buckets[weight];
    while (bucket.singles > 2) {
      const auto depth = static_cast<unsigned>(std::bit_width(bucket.singles) - 1);
      const std::size_t size = std::size_t{1} << depth;
      Bucket& above = buckets[weight + depth];
      above.flat[above.flats++] = {static_cast<std::uint8_t>(depth),
                                   static_cast<std::uint16_t>(grouped_count)};
      bucket.singles -= size;
      std::copy_n(bucket.single.begin() + static_cast<std::ptrdiff_t>(bucket.singles), size,
                  grouped.begin() + static_cast<std::ptrdiff_t>(grouped_count));
      grouped_count += size;
    }
  }

  PivcoTree tree;
  Ranks ranks;
  const auto add_leaf = [&](std::uint32_t code, unsigned level, unsigned depth,
                            const std::uint8_t* symbols) {
    for (std::uint32_t i = 0; i < 1u << depth; ++i) {
      tree.symbols_[ranks.count] = symbols[i];
      ranks.depth[ranks.count] = static_cast<std::uint8_t>(depth);
      ranks.code[ranks.count] =
          static_cast<std::uint16_t>(((code << depth) + i) << (16 - level - depth));
      ++ranks.count;
    }
  };
  std::uint32_t code = 0;
  for (unsigned level = 0; level <= longest; ++level, code <<= 1) {
    const Bucket& bucket = buckets[longest + 1 - level];
    for (std::size_t i = 0; i < bucket.singles; ++i, ++code) {
      add_leaf(code, level, 0, bucket.single.data() + i);
    }
    for (std::size_t i = 0; i < bucket.flats; ++i, ++code) {
      add_leaf(code, level, bucket.flat[i].depth, grouped.data() + bucket.flat[i].first);
    }
  }
  std::size_t index = 0;
  if (!tree.add_node(ranks, 0, 0, ranks.count, index)) return std::nullopt;
  return tree;
}

bool PivcoTree::add_node(const Ranks& ranks, unsigned level, std::size_t first, std::size_t end,
                         std::size_t& index) {
  if (first == end || level > 15 || node_count_ == nodes_.size()) return false;
  index = node_count_++;
  const unsigned depth = ranks.depth[first];
  if (end - first == std::size_t{1} << depth) {
    nodes_[index] = {.is_leaf = true,
                     .depth = static_cast<std::uint8_t>(depth),
                     .first = static_cast<std::uint8_t>(first)};
    return true;
  }
  std::size_t split = first;
  while (split < end && (ranks.code[split] >> (15 - level) & 1) == 0) ++split;
  std::size_t left = 0;
  std::size_t right = 0;
  if (!add_node(ranks, level + 1, first, split, left)) return false;
  if (!add_node(ranks, level + 1, split, end, right)) return false;
  nodes_[index] = {.left = static_cast<std::uint16_t>(left),
                   .right = static_cast<std::uint16_t>(right)};
  return true;
}

namespace {

/// out[i] is the next byte of `one` where bit i is set, else of `zero`.
void merge_plainly(const std::byte* bitmap, std::size_t count, const std::byte* zero,
                   const std::byte* one, std::byte* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned bit = byte_of(bitmap[i / 8]) >> (i % 8) & 1;
    out[i] = bit != 0 ? *one : *zero;
    one += bit;
    zero += 1 - bit;
  }
}

#if SILLAR_X86

/// For each byte of a bitmap, which of 8 + 8 bytes come out.
constexpr auto merge_orders = [] {
  std::array<std::uint64_t, 256> orders{};
  for (unsigned bits = 0; bits < 256; ++bits) {
    std::uint64_t zero = 0;
    std::uint64_t one = 8;
    for (unsigned i = 0; i < 8; ++i) {
      orders[bits] |= ((bits >> i & 1) != 0 ? one++ : zero++) << (8 * i);
    }
  }
  return orders;
}();

/// Reads up to 8 bytes behind what it merges.
SILLAR_AVX2 void merge_avx2(const std::byte* bitmap, std::size_t count, const std::byte* zero,
                            const std::byte* one, std::byte* out) {
  const std::size_t whole = count / 8;
  for (std::size_t i = 0; i < whole; ++i) {
    const unsigned bits = byte_of(bitmap[i]);
    const __m128i both = _mm_unpacklo_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(zero)),
                                            _mm_loadl_epi64(reinterpret_cast<const __m128i*>(one)));
    const __m128i order = _mm_cvtsi64_si128(static_cast<long long>(merge_orders[bits]));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out + 8 * i), _mm_shuffle_epi8(both, order));
    const auto ones = static_cast<std::size_t>(_mm_popcnt_u32(bits));
    one += ones;
    zero += 8 - ones;
  }
  merge_plainly(bitmap + whole, count % 8, zero, one, out + 8 * whole);
}

#endif

void merge(const std::byte* bitmap, std::size_t count, const std::byte* zero, const std::byte* one,
           std::byte* out) {
#if SILLAR_X86
  if (has_avx2()) return merge_avx2(bitmap, count, zero, one, out);
#endif
  merge_plainly(bitmap, count, zero, one, out);
}

/// out[i] is the symbol at index i of `packed`, `depth` bits each.
void look_up(std::span<const std::byte> packed, unsigned depth, const std::uint8_t* symbols,
             std::size_t count, std::byte* out) {
  const std::uint64_t mask = (std::uint64_t{1} << depth) - 1;
  std::size_t i = 0;
  // `depth` bytes have 8 indices.
  for (std::size_t at = 0; at + 8 <= packed.size() && i + 8 <= count; at += depth, i += 8) {
    const auto bits = wire::load<std::uint64_t>(packed.data() + at);
    for (unsigned k = 0; k < 8; ++k) {
      out[i + k] = static_cast<std::byte>(symbols[bits >> (k * depth) & mask]);
    }
  }
  for (; i < count; ++i) {
    const std::size_t bit = i * depth;
    unsigned pair = byte_of(packed[bit / 8]);
    if (bit / 8 + 1 < packed.size()) pair |= byte_of(packed[bit / 8 + 1]) << 8;
    out[i] = static_cast<std::byte>(symbols[pair >> (bit % 8) & mask]);
  }
}

std::size_t ones_of(std::span<const std::byte> bitmap, std::size_t count) {
  std::size_t ones = 0;
  std::size_t at = 0;
  for (; at + 8 <= count / 8; at += 8) {
    ones += static_cast<std::size_t>(std::popcount(wire::load<std::uint64_t>(bitmap.data() + at)));
  }
  for (; at < count / 8; ++at) ones += static_cast<std::size_t>(std::popcount(byte_of(bitmap[at])));
  if (count % 8 != 0) {
    // The rest of the last byte belongs to what follows.
    const unsigned last = byte_of(bitmap[at]) & ((1u << (count % 8)) - 1);
    ones += static_cast<std::size_t>(std::popcount(last));
  }
  return ones;
}

}  // namespace

std::optional<std::span<const std::byte>> PivcoStream::take_bitmap(std::size_t bits) {
  const std::size_t byte = (bit_ + 7) / 8;
  const std::size_t size = (bits + 7) / 8;
  if (byte > bits_.size() || size > bits_.size() - byte) return std::nullopt;
  bit_ = 8 * byte + bits;
  return bits_.subspan(byte, size);
}

std::optional<std::size_t> PivcoStream::take_number(unsigned bits) {
  if (bits > 8 * bits_.size() - bit_) return std::nullopt;
  std::size_t value = 0;
  for (unsigned have = 0; have < bits;) {
    const auto shift = static_cast<unsigned>(bit_ % 8);
    const unsigned count = std::min(8 - shift, bits - have);
    const unsigned piece = byte_of(bits_[bit_ / 8]) >> shift & ((1u << count) - 1);
    value |= std::size_t{piece} << have;
    have += count;
    bit_ += count;
  }
  return value;
}

bool PivcoStream::take(std::span<std::byte> out, std::span<std::byte> scratch) {
  const std::size_t half = scratch.size() / 2;
  return take_node(tree_->node(PivcoTree::root), out.size(), out.data(), scratch.data(),
                   scratch.data() + half);
}

// Children lie one behind the other in `children`. They work in `spare` and in their own place of
// `children`, which holds nothing until they write their result.
bool PivcoStream::take_node(const PivcoTree::Node& node, std::size_t count, std::byte* out,
                            std::byte* children, std::byte* spare) {
  if (node.is_leaf) {
    const std::uint8_t* symbols = tree_->symbols(node);
    if (node.depth == 0) {
      std::memset(out, symbols[0], count);
      return true;
    }
    const auto packed = take_bitmap(count * node.depth);
    if (!packed) return false;
    look_up(*packed, node.depth, symbols, count, out);
    return true;
  }
  const PivcoTree::Node& left = tree_->node(node.left);
  const PivcoTree::Node& right = tree_->node(node.right);
  const auto bitmap = take_bitmap(count);
  if (!bitmap) return false;
  if (left.is_leaf && left.depth == 0 && right.is_leaf && right.depth == 0) {
    const std::array<std::uint8_t, 2> symbols = {*tree_->symbols(left), *tree_->symbols(right)};
    look_up(*bitmap, 1, symbols.data(), count, out);
    return true;
  }
  const auto ones = take_number(static_cast<unsigned>(std::bit_width(count)));
  if (!ones || *ones > count || *ones != ones_of(*bitmap, count)) return false;
  const std::size_t zeros = count - *ones;
  if (!take_node(left, zeros, children, spare, children)) return false;
  if (!take_node(right, *ones, children + zeros, spare, children + zeros)) return false;
  merge(bitmap->data(), count, children, children + zeros, out);
  return true;
}

namespace {

/// Word i takes byte k from `planes[k * stride + i]`, the lowest byte first.
template <Word T>
void weave(const std::byte* planes, std::size_t stride, std::size_t count, T* words) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < sizeof(T); ++k) {
      value |= std::to_integer<std::uint64_t>(planes[k * stride + i]) << (8 * k);
    }
    words[i] = wrapped<T>(value);
  }
}

}  // namespace

Result<> decode_planar_zigzag_pivco(std::span<const std::byte> header,
                                    std::span<const Input> inputs, Output& out) {
  if (inputs[0].width != 1) return corrupt("weights that are no bytes");
  HeaderReader fields(header);
  const auto count = fields.take<std::uint64_t>();
  const auto width = fields.take<std::uint8_t>();
  const auto row = fields.take<std::uint32_t>();
  const auto planes = fields.take<std::uint32_t>();
  const auto block = fields.take<std::uint32_t>();
  SILLAR_TRY(const Geometry geometry, make_geometry(row, planes, count));
  if (block == 0 || block > PivcoStream::largest_block) return corrupt("blocks of a wrong size");
  return with_word(width, [&](auto word) -> Result<> {
    using T = decltype(word);
    constexpr std::size_t bytes = sizeof(T);
    auto all_weights = inputs[0].bytes;
    auto all_bits = inputs[1].bytes;
    std::array<std::span<const std::byte>, bytes> weights;
    std::array<std::span<const std::byte>, bytes> bits;
    for (std::size_t k = 0; k < bytes; ++k) {
      const auto kind = fields.take<std::uint8_t>();
      const std::size_t weight_size = fields.take<std::uint16_t>();
      const std::size_t bit_size = fields.take<std::uint32_t>();
      if (kind != 0) return corrupt("a plane of an unknown kind");
      if (weight_size > all_weights.size() || bit_size > all_bits.size()) {
        return corrupt("a plane that is cut off");
      }
      weights[k] = all_weights.first(weight_size);
      bits[k] = all_bits.first(bit_size);
      all_weights = all_weights.subspan(weight_size);
      all_bits = all_bits.subspan(bit_size);
    }
    if (!fields.whole()) return corrupt("a header of another size");
    if (!all_weights.empty() || !all_bits.empty()) return corrupt("bytes behind the last plane");
    SILLAR_TRY(const auto memory, out.words(count, bytes));
    const auto samples = words_of<T>(memory);
    if (samples.empty()) {
      if (!inputs[0].bytes.empty() || !inputs[1].bytes.empty()) return corrupt("planes of nothing");
      return {};
    }

    // Words first, so that they are aligned: codes, their planes, and room for one plane.
    const std::size_t most = std::min<std::size_t>(block, samples.size());
    const std::size_t room = PivcoStream::scratch_size(most);
    SILLAR_TRY(const auto scratch, out.scratch(2 * most * bytes + room));
    const auto codes = words_of<T>(scratch.first(most * bytes));
    const auto split = scratch.subspan(most * bytes, most * bytes);
    const auto working = scratch.subspan(2 * most * bytes);

    std::array<std::optional<PivcoTree>, bytes> trees;
    std::array<std::optional<PivcoStream>, bytes> streams;
    for (std::size_t k = 0; k < bytes; ++k) {
      trees[k] = PivcoTree::make(weights[k]);
      if (!trees[k]) return corrupt("weights that make no code");
      streams[k].emplace(*trees[k], bits[k]);
    }
    const bool decoded = with_kernels([&](auto kernels) {
      PlanarRows<decltype(kernels), Residuals::zigzag, T> rows(geometry, samples);
      for (std::size_t at = 0; at < samples.size(); at += most) {
        const std::size_t size = std::min(most, samples.size() - at);
        for (std::size_t k = 0; k < bytes; ++k) {
          if (!streams[k]->take(split.subspan(k * most, size), working)) return false;
        }
        weave(split.data(), most, size, codes.data());
        rows.take(codes.first(size));
      }
      return std::ranges::all_of(streams, [](const auto& stream) { return stream->is_done(); });
    });
    if (!decoded) return corrupt("a plane that is damaged");
    return {};
  });
}

}  // namespace sillar::codec::geozl
