// The table of codecs, and the decoders that join streams or unpack blocks of bytes.
#include "geozl_support.hpp"
#include <sillar/codec/geozl/pivco.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#define ZSTD_STATIC_LINKING_ONLY  // frames without a magic number
#include <zstd.h>

namespace sillar::codec::geozl::testing {
namespace {

using U8 = std::vector<std::uint8_t>;
using U16 = std::vector<std::uint16_t>;
using U32 = std::vector<std::uint32_t>;
using U64 = std::vector<std::uint64_t>;

TEST(GeozlCodecs, have_increasing_numbers_and_names) {
  EXPECT_TRUE(std::ranges::is_sorted(codecs(), {}, &Codec::id));
  EXPECT_EQ(codecs().size(), 22u);
  for (const Codec& codec : codecs()) {
    EXPECT_EQ(name_of(codec.id), codec.name);
    EXPECT_TRUE(codec.name.starts_with("geozl."));
    EXPECT_EQ(codec.name.data()[codec.name.size()], '\0');
    EXPECT_TRUE(codec.input_count == 1 || codec.input_count == 2);
    EXPECT_EQ(codec.lossless, codec.id < 0x72D780);
  }
  EXPECT_EQ(name_of(0x72D700), "");
  EXPECT_EQ(name_of(0), "");
}

TEST(GeozlCodecs, are_unsupported_by_name_where_they_have_no_decoder) {
  const U32 words = {1, 2};
  for (const std::string_view name : {"floatmult", "quant"}) {
    MemoryOutput out(100);
    const std::vector<Input> inputs(2, input_of(words));
    const auto result = decode(codec_named(name), {}, inputs, out);
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, Errc::unsupported);
    EXPECT_NE(result.error().detail.find(name), std::string::npos);
  }
}

TEST(GeozlCodecs, refuse_streams_that_are_not_as_the_table_says) {
  const U32 words = {1, 2, 3};
  const Input good = input_of(words);
  EXPECT_TRUE(decoded<std::uint32_t>("planar", geometry(3), {good}));
  EXPECT_FALSE(decoded<std::uint32_t>("planar", geometry(3), {}));
  EXPECT_FALSE(decoded<std::uint32_t>("planar", geometry(3), {good, good}));
  EXPECT_FALSE(decoded<std::uint32_t>("planar", geometry(3), {{good.bytes, 3}}));
  EXPECT_FALSE(decoded<std::uint32_t>("planar", geometry(3), {{good.bytes.first(10), 4}}));
  EXPECT_FALSE(decoded<std::uint32_t>("planar", geometry(1), {{good.bytes.subspan(1, 8), 4}}));
  EXPECT_FALSE(decoded<std::uint32_t>("pfor", Header().u64(0).u8(4), {good}));
}

TEST(GeozlCodecs, survive_any_header) {
  Random random(40);
  SCOPED_TRACE(random.trace());
  const U64 memory = random_words<std::uint64_t>(random, 40);
  const auto bytes = std::as_bytes(std::span(memory));
  constexpr std::array<std::size_t, 4> widths = {1, 2, 4, 8};
  constexpr std::array<std::size_t, 12> sizes = {0, 1, 2, 4, 8, 9, 10, 13, 16, 17, 18, 28};
  for (const Codec& codec : codecs()) {
    for (int round = 0; round < 3000; ++round) {
      Bytes header(random.pick(sizes));
      random.fill(header);
      for (std::byte& byte : header) {
        if (random.coin()) byte = static_cast<std::byte>(random.below(5));
      }
      std::vector<Input> inputs;
      for (std::size_t i = 0; i < codec.input_count; ++i) {
        const std::size_t width = codec.inputs[i] == Kind::serial ? 1 : random.pick(widths);
        inputs.push_back({bytes.first(random.below(bytes.size() / width) * width), width});
      }
      MemoryOutput out(1 << 16);
      (void)decode(codec, header, inputs, out);
    }
  }
}

TEST(GeozlDeinterleave, weaves_two_halves) {
  EXPECT_EQ(decoded<std::uint16_t>("deinterleave", {}, {input_of(U16{1, 3}), input_of(U16{2, 4})}),
            (U16{1, 2, 3, 4}));
  EXPECT_EQ(decoded<std::uint16_t>("deinterleave", {}, {input_of(U16{1, 3}), input_of(U16{2})}),
            (U16{1, 2, 3}));
  EXPECT_EQ(decoded<std::uint16_t>("deinterleave", {}, {input_of(U16{}), input_of(U16{})}), U16{});
  EXPECT_FALSE(decoded<std::uint16_t>("deinterleave", {}, {input_of(U16{1}), input_of(U16{2, 4})}));
  EXPECT_FALSE(decoded<std::uint16_t>("deinterleave", {}, {input_of(U16{1, 2}), input_of(U16{})}));
  EXPECT_FALSE(decoded<std::uint16_t>("deinterleave", {}, {input_of(U16{1}), input_of(U8{1})}));
  EXPECT_FALSE(
      decoded<std::uint16_t>("deinterleave", from_hex("00"), {input_of(U16{1}), input_of(U16{2})}));
}

TEST(GeozlNodata, puts_the_pattern_where_the_mask_is_zero) {
  EXPECT_EQ(decoded<std::uint16_t>("nodata", from_hex("fffe"),
                                   {input_of(U16{1, 2, 3}), input_of(U8{1, 0, 7})}),
            (U16{1, 0xFEFF, 3}));
  EXPECT_EQ(
      decoded<std::uint8_t>("nodata", from_hex("2a"), {input_of(U8{1, 2}), input_of(U8{0, 1})}),
      (U8{42, 2}));
  const auto refuses = [](const Bytes& header, const U16& values, const U8& mask) {
    return !decoded<std::uint16_t>("nodata", header, {input_of(values), input_of(mask)});
  };
  EXPECT_TRUE(refuses(from_hex("fffe"), {1, 2}, {1}));
  EXPECT_TRUE(refuses(from_hex("fffe"), {}, {}));
  EXPECT_TRUE(refuses(from_hex("fffefffe"), {1}, {1}));
  EXPECT_TRUE(refuses({}, {1}, {1}));
  EXPECT_FALSE(
      decoded<std::uint16_t>("nodata", from_hex("fffe"), {input_of(U16{1}), input_of(U16{1})}));
}

TEST(GeozlNodata, guards_samples_that_became_the_pattern) {
  const Bytes header = from_hex("0a00 0b00 0900 0c00");  // 10, up 11, down 9, equal 12
  EXPECT_EQ(decoded<std::uint16_t>(
                "nodata", header,
                {input_of(U16{10, 10, 10, 10, 5, 6, 7, 8}), input_of(U8{0, 1, 2, 3, 0, 1, 2, 3})}),
            (U16{10, 11, 9, 12, 10, 6, 7, 8}));
  EXPECT_FALSE(decoded<std::uint16_t>("nodata", header, {input_of(U16{1}), input_of(U8{4})}));
  EXPECT_FALSE(decoded<std::uint16_t>("nodata", header, {input_of(U16{1}), input_of(U8{})}));
  EXPECT_FALSE(decoded<std::uint16_t>("nodata", header, {input_of(U16{}), input_of(U8{})}));
  EXPECT_EQ(decoded<std::uint8_t>("nodata", from_hex("0a0b090c"),
                                  {input_of(U8{10, 10}), input_of(U8{0, 2})}),
            (U8{10, 9}));
}

TEST(GeozlNodata, reads_the_form_with_a_code_in_front) {
  EXPECT_EQ(decoded<std::uint16_t>("nodata", from_hex("01 fffe"),
                                   {input_of(U16{1, 2}), input_of(U8{0, 1})}),
            (U16{0xFEFF, 2}));
  EXPECT_EQ(decoded<std::uint16_t>("nodata", from_hex("02"), {input_of(U16{1, 2}), input_of(U8{})}),
            (U16{1, 2}));
  EXPECT_EQ(decoded<std::uint8_t>("nodata", from_hex("02"), {input_of(U8{1, 2}), input_of(U8{})}),
            (U8{1, 2}));
  const Bytes all = Header().u8(3).u16(0xFEFF).u64(5);
  EXPECT_EQ(decoded<std::uint16_t>("nodata", all, {input_of(U16{}), input_of(U8{})}),
            U16(5, 0xFEFF));
  EXPECT_FALSE(decoded<std::uint16_t>("nodata", all, {input_of(U16{}), input_of(U8{})}, 9));
  EXPECT_FALSE(decoded<std::uint16_t>("nodata", all, {input_of(U16{1}), input_of(U8{})}));
  EXPECT_FALSE(decoded<std::uint16_t>("nodata", Header().u8(3).u16(1).u64(~std::uint64_t{0}),
                                      {input_of(U16{}), input_of(U8{})}));
  EXPECT_FALSE(decoded<std::uint16_t>("nodata", Header().u8(2).u16(1).u64(5),
                                      {input_of(U16{}), input_of(U8{})}));
  EXPECT_FALSE(
      decoded<std::uint16_t>("nodata", from_hex("03 fffe"), {input_of(U16{1}), input_of(U8{1})}));
  EXPECT_FALSE(
      decoded<std::uint16_t>("nodata", from_hex("01"), {input_of(U16{1}), input_of(U8{})}));
  EXPECT_FALSE(
      decoded<std::uint16_t>("nodata", from_hex("02"), {input_of(U16{1}), input_of(U8{1})}));
}

TEST(GeozlBinoffset, adds_offsets_to_bins) {
  const Bytes header = Header().u8(2).u16(100).u8(4).u16(65535).u8(0);
  EXPECT_EQ(
      decoded<std::uint16_t>("binoffset", header, {input_of(U8{0, 1, 0}), input_of(U16{15, 0, 3})}),
      (U16{115, 65535, 103}));
  const auto refuses = [](const Bytes& bytes, const U8& bins, const U16& offsets) {
    return !decoded<std::uint16_t>("binoffset", bytes, {input_of(bins), input_of(offsets)});
  };
  EXPECT_TRUE(refuses(header, {0}, {16}));
  EXPECT_TRUE(refuses(header, {1}, {1}));
  EXPECT_TRUE(refuses(header, {2}, {0}));
  EXPECT_TRUE(refuses(header, {0, 1}, {0}));
  EXPECT_TRUE(refuses(Header().u8(0), {}, {}));
  EXPECT_TRUE(refuses(Header().u8(2).u16(100).u8(4), {0}, {0}));
  EXPECT_TRUE(refuses(Header().u8(1).u16(100).u8(17), {0}, {0}));
  EXPECT_FALSE(refuses(Header().u8(1).u16(100).u8(16), {0}, {65535}));
  EXPECT_TRUE(refuses({}, {0}, {0}));
}

TEST(GeozlIntmult, multiplies_and_adds) {
  EXPECT_EQ(decoded<std::uint16_t>("intmult", Header().u16(1000),
                                   {input_of(U16{0, 7, 66}), input_of(U16{5, 999, 0})}),
            (U16{5, 7999, 464}));
  const auto refuses = [](const Bytes& bytes, const U16& multiples, const U16& rests) {
    return !decoded<std::uint16_t>("intmult", bytes, {input_of(multiples), input_of(rests)});
  };
  EXPECT_TRUE(refuses(Header().u16(1000), {1}, {1000}));
  EXPECT_TRUE(refuses(Header().u16(1), {1}, {0}));
  EXPECT_TRUE(refuses(Header().u16(9), {1, 2}, {0}));
  EXPECT_TRUE(refuses(Header().u32(9), {1}, {0}));
}

TEST(GeozlFloatquant, restores_the_order_of_numbers_and_their_bits) {
  // 1.0 is 3f800000; in order of size it is that with the sign turned. 3 bits are the fine part.
  const std::uint32_t one = 0xBF800000;
  EXPECT_EQ(decoded<std::uint32_t>("floatquant", Header().u8(3),
                                   {input_of(U32{one >> 3, (one >> 3) + 1}), input_of(U32{0, 5})}),
            (U32{0x3F800000, 0x3F80000D}));
  // -1.0 is bf800000, all bits turned 407fffff; its fine part counts from the other end.
  EXPECT_EQ(decoded<std::uint32_t>("floatquant", Header().u8(3),
                                   {input_of(U32{0x407FFFFF >> 3}), input_of(U32{0})}),
            (U32{0xBF800000}));
  const auto refuses = [](unsigned bits, const U32& coarse, const U32& fine) {
    return !decoded<std::uint32_t>("floatquant", Header().u8(bits),
                                   {input_of(coarse), input_of(fine)});
  };
  EXPECT_TRUE(refuses(3, {0}, {8}));
  EXPECT_TRUE(refuses(0, {0}, {0}));
  EXPECT_TRUE(refuses(24, {0}, {0}));
  EXPECT_FALSE(refuses(23, {0}, {0}));
  EXPECT_FALSE(
      decoded<std::uint16_t>("floatquant", Header().u8(3), {input_of(U16{0}), input_of(U16{0})}));
  EXPECT_TRUE(
      decoded<std::uint64_t>("floatquant", Header().u8(52), {input_of(U64{0}), input_of(U64{0})}));
}

// ------------------------------------------------------------------ blocks of zstd

Bytes zstd_without_magic(const Bytes& bytes) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_format, ZSTD_f_zstd1_magicless);
  Bytes frame(ZSTD_compressBound(bytes.size()));
  const std::size_t size =
      ZSTD_compress2(context, frame.data(), frame.size(), bytes.data(), bytes.size());
  EXPECT_FALSE(ZSTD_isError(size));
  ZSTD_freeCCtx(context);
  frame.resize(size);
  return frame;
}

template <class T>
Bytes blocks_of(const std::vector<T>& words, std::size_t block) {
  Bytes stream;
  const std::size_t each = block / sizeof(T);
  for (std::size_t at = 0; at < words.size(); at += each) {
    const std::size_t count = std::min(each, words.size() - at);
    Bytes planes(count * sizeof(T));
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < sizeof(T); ++k) {
        planes[k * count + i] = static_cast<std::byte>(std::uint64_t{words[at + i]} >> (8 * k));
      }
    }
    const Bytes frame = zstd_without_magic(planes);
    const Bytes size = Header().u32(frame.size());
    stream.insert(stream.end(), size.begin(), size.end());
    stream.insert(stream.end(), frame.begin(), frame.end());
  }
  return stream;
}

Bytes block_header(unsigned width, std::uint64_t block, std::uint64_t count) {
  return Header().u8(1).u8(width).u16(0).u32(block).u64(count);
}

TEST(GeozlBlockedTransposeZstd, decodes_blocks_of_byte_planes) {
  Random random(41);
  SCOPED_TRACE(random.trace());
  for_each_width([&](auto word) {
    using T = decltype(word);
    for (const std::size_t count : {1u, 100u, 128u, 1000u}) {
      const auto words = random_words<T>(random, count);
      for (const std::size_t block : {std::size_t{1024}, sizeof(T), std::size_t{2} << 20}) {
        EXPECT_EQ(decoded<T>("blocked_transpose_zstd", block_header(sizeof(T), block, count),
                             {serial(blocks_of(words, block))}),
                  words);
      }
    }
    EXPECT_EQ(decoded<T>("blocked_transpose_zstd", block_header(sizeof(T), 1024, 0), {serial({})}),
              std::vector<T>{});
  });
}

TEST(GeozlBlockedTransposeZstd, refuses_what_does_not_fit) {
  const U16 words(600, 7);
  const Bytes good = blocks_of(words, 1024);
  const auto refuses = [](const Bytes& header, const Bytes& stream) {
    return !decoded<std::uint16_t>("blocked_transpose_zstd", header, {serial(stream)});
  };
  EXPECT_FALSE(refuses(block_header(2, 1024, 600), good));
  EXPECT_TRUE(refuses(block_header(2, 1024, 601), good));
  EXPECT_TRUE(refuses(block_header(2, 1024, 599), good));
  EXPECT_TRUE(refuses(block_header(2, 1024, 512), good));
  EXPECT_TRUE(refuses(block_header(2, 2048, 600), good));
  EXPECT_TRUE(refuses(block_header(2, 1023, 600), good));
  EXPECT_TRUE(refuses(block_header(2, 0, 600), good));
  EXPECT_TRUE(refuses(block_header(2, (64 << 20) + 2, 600), good));
  EXPECT_TRUE(refuses(block_header(3, 1023, 600), good));
  EXPECT_TRUE(refuses(block_header(2, 1024, std::uint64_t{1} << 63), good));
  EXPECT_TRUE(refuses(Header().u8(2).u8(2).u16(0).u32(1024).u64(600), good));
  EXPECT_TRUE(refuses(Header().u8(1).u8(2).u16(1).u32(1024).u64(600), good));
  EXPECT_TRUE(refuses(Header().u8(1).u8(2).u16(0).u32(1024).u32(600), good));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_TRUE(refuses(block_header(2, 1024, 600),
                        Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size))));
  }
  Bytes longer = good;
  longer.push_back(std::byte{0});
  EXPECT_TRUE(refuses(block_header(2, 1024, 600), longer));
  Bytes none = good;
  std::fill_n(none.begin(), 4, std::byte{0});
  EXPECT_TRUE(refuses(block_header(2, 1024, 600), none));
}

// ------------------------------------------------------------------ PivCo-Huffman

/// Writes what PivcoStream reads, walking the same tree.
class PivcoWriter {
 public:
  explicit PivcoWriter(const PivcoTree& tree) : tree_(&tree) {
    list_symbols(tree.node(PivcoTree::root), under_[PivcoTree::root], PivcoTree::root);
  }

  void block(const U8& symbols) { node(PivcoTree::root, symbols); }
  [[nodiscard]] const Bytes& bytes() const { return bytes_; }

 private:
  void list_symbols(const PivcoTree::Node& node, U8& under, std::size_t index) {
    if (node.is_leaf) {
      const std::uint8_t* first = tree_->symbols(node);
      under.assign(first, first + (std::size_t{1} << node.depth));
      return;
    }
    list_symbols(tree_->node(node.left), under_[node.left], node.left);
    list_symbols(tree_->node(node.right), under_[node.right], node.right);
    under = under_[node.left];
    under.insert(under.end(), under_[node.right].begin(), under_[node.right].end());
    (void)index;
  }

  void align() { bit_ = (bit_ + 7) / 8 * 8; }

  void put(std::uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i, ++bit_) {
      if (bit_ / 8 >= bytes_.size()) bytes_.resize(bit_ / 8 + 1);
      if ((value >> i & 1) != 0) bytes_[bit_ / 8] |= static_cast<std::byte>(1u << (bit_ % 8));
    }
  }

  void node(std::size_t index, const U8& symbols) {
    const PivcoTree::Node& node_here = tree_->node(index);
    if (node_here.is_leaf) {
      if (node_here.depth == 0) return;
      align();
      for (const std::uint8_t symbol : symbols) {
        const auto at = std::ranges::find(under_[index], symbol) - under_[index].begin();
        put(static_cast<std::uint64_t>(at), node_here.depth);
      }
      return;
    }
    U8 left;
    U8 right;
    align();
    for (const std::uint8_t symbol : symbols) {
      const bool is_right = std::ranges::count(under_[node_here.right], symbol) > 0;
      put(is_right ? 1 : 0, 1);
      (is_right ? right : left).push_back(symbol);
    }
    const auto is_constant = [&](std::size_t child) {
      return tree_->node(child).is_leaf && tree_->node(child).depth == 0;
    };
    if (!is_constant(node_here.left) || !is_constant(node_here.right)) {
      put(right.size(), static_cast<unsigned>(std::bit_width(symbols.size())));
    }
    node(node_here.left, left);
    node(node_here.right, right);
  }

  const PivcoTree* tree_;
  std::array<U8, 2 * PivcoTree::most_symbols> under_;
  Bytes bytes_;
  std::size_t bit_ = 0;
};

/// Weights of a complete code: a leaf of weight w splits into two of w - 1.
Bytes random_weights(Random& random, std::size_t leaves) {
  const unsigned top = 12;
  std::vector<unsigned> weights = {top + 1};
  while (weights.size() < leaves) {
    const std::size_t at = random.coin() ? weights.size() - 1 : random.below(weights.size());
    if (weights[at] == 1) continue;
    --weights[at];
    weights.push_back(weights[at]);
  }
  const unsigned least = std::ranges::min(weights);
  std::vector<std::uint8_t> symbols(256);
  std::iota(symbols.begin(), symbols.end(), std::uint8_t{0});
  random.shuffle(symbols);
  Bytes out(256);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    out[symbols[i]] = static_cast<std::byte>(weights[i] - least + 1);
  }
  return out;
}

TEST(GeozlPivco, decodes_what_a_walk_over_its_tree_wrote) {
  Random random(42);
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 300; ++round) {
    const std::size_t leaves = random.between(1, round % 3 == 0 ? 6 : 256);
    const Bytes weights = random_weights(random, leaves);
    const auto tree = PivcoTree::make(weights);
    ASSERT_TRUE(tree.has_value());
    U8 alphabet;
    for (std::size_t s = 0; s < 256; ++s) {
      if (weights[s] != std::byte{0}) alphabet.push_back(static_cast<std::uint8_t>(s));
    }
    std::vector<U8> blocks(random.between(1, 3));
    PivcoWriter writer(*tree);
    for (U8& block : blocks) {
      block.resize(random.between(1, 400));
      const std::size_t used = random.between(1, alphabet.size());
      for (auto& symbol : block) symbol = alphabet[random.below(used)];
      writer.block(block);
    }
    PivcoStream stream(*tree, writer.bytes());
    for (const U8& block : blocks) {
      Bytes out(block.size());
      Bytes scratch(PivcoStream::scratch_size(block.size()));
      ASSERT_TRUE(stream.take(out, scratch));
      EXPECT_TRUE(std::ranges::equal(out, std::as_bytes(std::span(block))));
    }
    EXPECT_TRUE(stream.is_done());
  }
}

TEST(GeozlPivco, has_the_tree_worked_by_hand) {
  // Four symbols of 3 bits and one of 1: a leaf of one symbol left, a leaf of four right.
  const auto tree = PivcoTree::make(from_hex("01 03 01 01 01"));
  ASSERT_TRUE(tree.has_value());
  const auto& root = tree->node(PivcoTree::root);
  ASSERT_FALSE(root.is_leaf);
  const auto& left = tree->node(root.left);
  const auto& right = tree->node(root.right);
  EXPECT_TRUE(left.is_leaf && right.is_leaf);
  EXPECT_EQ(left.depth, 0);
  EXPECT_EQ(*tree->symbols(left), 1);
  EXPECT_EQ(right.depth, 2);
  EXPECT_EQ(U8(tree->symbols(right), tree->symbols(right) + 4), (U8{0, 2, 3, 4}));
  // 1 4 1 0: bits 0 1 0 1; two ones in 3 bits behind them; then 3 and 0 of 2 bits each.
  const Bytes packed = from_hex("2a 03");
  PivcoStream stream(*tree, packed);
  Bytes out(4);
  Bytes scratch(PivcoStream::scratch_size(4));
  ASSERT_TRUE(stream.take(out, scratch));
  EXPECT_EQ(out, from_hex("01 04 01 00"));
  EXPECT_TRUE(stream.is_done());
}

TEST(GeozlPivco, refuses_weights_that_make_no_code) {
  EXPECT_FALSE(PivcoTree::make({}));
  EXPECT_FALSE(PivcoTree::make(from_hex("0000")));
  EXPECT_FALSE(PivcoTree::make(from_hex("010101")));
  EXPECT_FALSE(PivcoTree::make(from_hex("0d")));
  EXPECT_FALSE(PivcoTree::make(from_hex("ff")));
  EXPECT_FALSE(PivcoTree::make(Bytes(257, std::byte{1})));
  EXPECT_FALSE(PivcoTree::make(Bytes(3, std::byte{12})));
  EXPECT_TRUE(PivcoTree::make(from_hex("01")));
  EXPECT_TRUE(PivcoTree::make(Bytes(2, std::byte{12})));
  EXPECT_TRUE(PivcoTree::make(Bytes(256, std::byte{1})));
}

TEST(GeozlPlanarZigzagPivco, is_planar_zigzag_over_byte_planes) {
  Random random(43);
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 60; ++round) {
    for_each_width([&](auto word) {
      using T = decltype(word);
      const std::size_t w = random.between(1, 60);
      const std::size_t planes = random.between(1, 3);
      const std::size_t count = w * planes * random.between(1, 12);
      const std::size_t block = random.between(1, 900);
      const auto codes = random_words<T>(random, count);
      Header header;
      header.u64(count).u8(sizeof(T)).u32(w).u32(planes).u32(block);
      U8 weights;
      Bytes bits;
      for (std::size_t k = 0; k < sizeof(T); ++k) {
        const Bytes here = random_weights(random, 256);
        const auto tree = PivcoTree::make(here);
        ASSERT_TRUE(tree.has_value());
        PivcoWriter writer(*tree);
        for (std::size_t at = 0; at < count; at += block) {
          U8 plane;
          for (std::size_t i = at; i < std::min(count, at + block); ++i) {
            plane.push_back(static_cast<std::uint8_t>(std::uint64_t{codes[i]} >> (8 * k)));
          }
          writer.block(plane);
        }
        for (const std::byte weight : here)
          weights.push_back(std::to_integer<std::uint8_t>(weight));
        bits.insert(bits.end(), writer.bytes().begin(), writer.bytes().end());
        header.u8(0).u16(256).u32(writer.bytes().size());
      }
      const auto samples = decoded<T>("planar_zigzag", geometry(w, planes), {input_of(codes)});
      const std::vector<Input> inputs = {input_of(weights), serial(bits)};
      ASSERT_TRUE(samples.has_value());
      EXPECT_EQ(decoded<T>("planar_zigzag_pivco", header, inputs), samples);

      // No byte more or less, and no other header.
      for (std::size_t i = 0; i < 8; ++i) {
        Bytes damaged = header;
        damaged[random.below(damaged.size())] ^= static_cast<std::byte>(random.between(1, 255));
        (void)decoded<T>("planar_zigzag_pivco", damaged, inputs);
        Bytes other = bits;
        other[random.below(other.size())] ^= static_cast<std::byte>(random.between(1, 255));
        (void)decoded<T>("planar_zigzag_pivco", header, {inputs[0], serial(other)});
      }
      Bytes longer = bits;
      longer.push_back(std::byte{0});
      EXPECT_FALSE(decoded<T>("planar_zigzag_pivco", header, {inputs[0], serial(longer)}));
      longer.resize(bits.size() - 1);
      EXPECT_FALSE(decoded<T>("planar_zigzag_pivco", header, {inputs[0], serial(longer)}));
    });
  }
}

}  // namespace
}  // namespace sillar::codec::geozl::testing
