// pfor: blocks packed as its description says unpack to the words; damage is refused.
#include "geozl_support.hpp"
#include <sillar/codec/cpu.hpp>
#include <sillar/codec/geozl/pfor.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

namespace sillar::codec::geozl::testing {
namespace {

/// Bits of `value` at bit `at` of bytes, the least significant one first.
void put_bits(Bytes& bytes, std::size_t begin, std::size_t at, unsigned count,
              std::uint64_t value) {
  for (unsigned i = 0; i < count; ++i, ++at) {
    if ((value >> i & 1) != 0) bytes[begin + at / 8] |= static_cast<std::byte>(1u << (at % 8));
  }
}

enum class Positions { list, bitmap };

/// One block, bit by bit as the description has it. Words of more than `b` bits are exceptions.
template <class T>
Bytes pack_block(const std::vector<T>& words, unsigned b, Positions form) {
  constexpr unsigned bits = 8 * sizeof(T);
  constexpr std::size_t lanes = 128 / bits;
  const auto high = [b](T word) { return b >= 64 ? std::uint64_t{0} : std::uint64_t{word} >> b; };
  std::vector<std::size_t> exceptions;
  unsigned wx = 0;
  for (std::size_t i = 0; i < 256; ++i) {
    if (high(words[i]) == 0) continue;
    exceptions.push_back(i);
    wx = std::max(wx, static_cast<unsigned>(std::bit_width(high(words[i]))));
  }
  const std::size_t k = exceptions.size();
  EXPECT_LE(k, 255u);
  Bytes block = {static_cast<std::byte>(b), static_cast<std::byte>(k)};
  if (k > 0) {
    block.push_back(static_cast<std::byte>(wx | (form == Positions::list ? 0x80 : 0)));
    if (form == Positions::list) {
      for (const std::size_t i : exceptions) block.push_back(static_cast<std::byte>(i));
    } else {
      const std::size_t begin = block.size();
      block.resize(begin + 32);
      for (const std::size_t i : exceptions) put_bits(block, begin, i, 1, 1);
    }
    const std::size_t begin = block.size();
    block.resize(begin + (k * wx + 7) / 8);
    for (std::size_t j = 0; j < k; ++j) {
      put_bits(block, begin, j * wx, wx, high(words[exceptions[j]]));
    }
  }
  const std::size_t begin = block.size();
  block.resize(begin + std::size_t{32} * b);
  for (std::size_t i = 0; i < 256; ++i) {
    const std::size_t lane = i % lanes;
    const std::size_t row = i / lanes;
    for (unsigned j = 0; j < b; ++j) {
      const std::size_t p = row * b + j;  // in the lane
      const std::size_t at = p / bits * 128 + lane * bits + p % bits;
      put_bits(block, begin, at, 1, std::uint64_t{words[i]} >> j);
    }
  }
  return block;
}

template <class T>
Bytes pack(std::vector<T> words, unsigned b, Positions form, T pad = 0) {
  words.resize((words.size() + 255) / 256 * 256, pad);
  Bytes stream;
  for (std::size_t at = 0; at < words.size(); at += 256) {
    const std::vector<T> part(words.begin() + static_cast<std::ptrdiff_t>(at),
                              words.begin() + static_cast<std::ptrdiff_t>(at + 256));
    const Bytes block = pack_block(part, b, form);
    stream.insert(stream.end(), block.begin(), block.end());
  }
  return stream;
}

/// Words of `b` bits, and some of more.
template <class T>
std::vector<T> words_of_bits(Random& random, std::size_t count, unsigned b, std::size_t share) {
  constexpr unsigned bits = 8 * sizeof(T);
  std::vector<T> words(count);
  for (T& word : words) {
    const unsigned most = b < bits && share > 0 && random.below(share) == 0
                              ? static_cast<unsigned>(random.between(b, bits))
                              : b;
    word = most == 0 ? T{0} : static_cast<T>(random.next() >> (64 - most));
  }
  return words;
}

template <class T>
Bytes header_of(std::uint64_t count) {
  return Header().u64(count).u8(sizeof(T));
}

TEST(GeozlPfor, unpacks_every_width_with_and_without_exceptions) {
  Random random(4);
  SCOPED_TRACE(random.trace());
  for_each_width([&](auto word) {
    using T = decltype(word);
    for (unsigned b = 0; b <= 8 * sizeof(T); ++b) {
      for (const std::size_t share : {0u, 3u, 20u}) {
        const std::size_t count = random.between(1, 700);
        const auto words = words_of_bits<T>(random, count, b, share);
        for (const Positions form : {Positions::list, Positions::bitmap}) {
          const Bytes stream = pack(words, b, form);
          EXPECT_EQ(decoded<T>("pfor", header_of<T>(count), {serial(stream)}), words)
              << sizeof(T) << " b " << b;
        }
      }
    }
  });
}

TEST(GeozlPfor, is_alike_on_every_processor) {
  if (!has_avx2()) GTEST_SKIP() << "no AVX2";
  Random random(5);
  SCOPED_TRACE(random.trace());
  for_each_width([&](auto word) {
    using T = decltype(word);
    for (unsigned b = 0; b <= 8 * sizeof(T); ++b) {
      for (const std::size_t share : {0u, 4u}) {
        const auto words = words_of_bits<T>(random, 256, b, share);
        const Bytes stream = pack(words, b, random.coin() ? Positions::list : Positions::bitmap);
        std::span<const std::byte> rest = stream;
        const auto block = take_pfor_block(rest, 8 * sizeof(T));
        ASSERT_TRUE(block.has_value());
        EXPECT_TRUE(rest.empty());
        std::array<T, 256> plain;
        std::array<T, 256> vectors;
        unpack_pfor_plainly<T>(*block, plain);
        unpack_pfor_avx2<T>(*block, vectors);
        EXPECT_EQ(std::vector<T>(plain.begin(), plain.end()), words);
        EXPECT_EQ(plain, vectors) << sizeof(T) << " b " << b;
      }
    }
  });
}

TEST(GeozlPfor, follows_a_block_worked_by_hand) {
  // b = 1 of 16-bit words: row r of each lane is bit r, so words 0 and 1 of the base hold all rows.
  // Sample 0 (lane 0, row 0) is 1; sample 9 (lane 1, row 1) is 1 + 2 * 3 with one exception.
  Bytes stream = from_hex("01 01 82 09 03");
  stream.resize(stream.size() + 32);
  stream[5] = std::byte{0x01};  // lane 0, bit 0
  stream[7] = std::byte{0x02};  // lane 1, bit 1
  std::vector<std::uint16_t> words(256);
  words[0] = 1;
  words[9] = 7;
  EXPECT_EQ(decoded<std::uint16_t>("pfor", header_of<std::uint16_t>(256), {serial(stream)}), words);
}

TEST(GeozlPfor, ignores_what_pads_the_last_block) {
  Random random(6);
  const auto words = words_of_bits<std::uint16_t>(random, 300, 5, 9);
  // The padding is an exception too, behind the last sample.
  const Bytes stream = pack(words, 5, Positions::bitmap, std::uint16_t{0xFFFF});
  EXPECT_EQ(decoded<std::uint16_t>("pfor", header_of<std::uint16_t>(300), {serial(stream)}), words);
}

TEST(GeozlPfor, takes_nothing_from_nothing) {
  EXPECT_EQ(decoded<std::uint16_t>("pfor", header_of<std::uint16_t>(0), {serial({})}),
            std::vector<std::uint16_t>{});
}

TEST(GeozlPfor, refuses_headers_and_blocks_that_no_encoder_makes) {
  const auto refuses = [](const Bytes& header, const Bytes& stream) {
    return !decoded<std::uint16_t>("pfor", header, {serial(stream)}).has_value();
  };
  const Bytes empty_block = from_hex("0000");
  const Bytes one = header_of<std::uint16_t>(1);
  ASSERT_FALSE(refuses(one, empty_block));
  EXPECT_TRUE(refuses(header_of<std::uint16_t>(0), empty_block));
  EXPECT_TRUE(refuses(one, {}));
  EXPECT_TRUE(refuses(one, from_hex("000000")));
  EXPECT_TRUE(refuses(one, from_hex("00")));
  EXPECT_TRUE(refuses(header_of<std::uint16_t>(257), empty_block));
  EXPECT_TRUE(refuses(header_of<std::uint16_t>(0x8000000000000000), empty_block));
  EXPECT_TRUE(refuses(header_of<std::uint16_t>(~std::uint64_t{0}), empty_block));
  EXPECT_TRUE(refuses(Header().u64(1).u8(0), empty_block));
  EXPECT_TRUE(refuses(Header().u64(1).u8(3), empty_block));
  EXPECT_TRUE(refuses(Header().u64(1), empty_block));
  EXPECT_TRUE(refuses(Header().u64(1).u8(2).u8(0), empty_block));

  EXPECT_TRUE(refuses(one, Header().u8(17).u8(0).u64(0)));    // b > 16
  EXPECT_TRUE(refuses(one, from_hex("01 00 ffff")));          // base cut off
  EXPECT_FALSE(refuses(one, from_hex("00 01 90 05 ffff")));   // one exception of 16 bits
  EXPECT_TRUE(refuses(one, from_hex("00 01 91 05 ffffff")));  // of 17
  EXPECT_TRUE(refuses(one, from_hex("00 01 80 05")));         // of none
  EXPECT_TRUE(refuses(one, from_hex("00 01 90 05 ff")));      // cut off
  EXPECT_TRUE(refuses(one, from_hex("00 02 88 05")));         // positions cut off
  EXPECT_FALSE(refuses(one, from_hex("00 02 88 05 06 ffff")));
  EXPECT_TRUE(refuses(one, from_hex("00 02 88 05 05 ffff")));  // not increasing
  EXPECT_TRUE(refuses(one, from_hex("00 02 88 06 05 ffff")));
  Bytes bitmap = from_hex("00 02 08");
  bitmap.resize(3 + 32 + 2);
  bitmap[3] = std::byte{0x81};
  EXPECT_FALSE(refuses(one, bitmap));
  bitmap[3] = std::byte{0x80};
  EXPECT_TRUE(refuses(one, bitmap));  // one bit for two exceptions
  bitmap[3] = std::byte{0x83};
  EXPECT_TRUE(refuses(one, bitmap));
}

TEST(GeozlPfor, asks_for_no_more_than_the_ceiling) {
  const Bytes blocks = from_hex("0000 0000");
  EXPECT_TRUE(
      decoded<std::uint64_t>("pfor", header_of<std::uint64_t>(257), {serial(blocks)}, 257 * 8));
  EXPECT_FALSE(
      decoded<std::uint64_t>("pfor", header_of<std::uint64_t>(257), {serial(blocks)}, 257 * 8 - 1));
}

TEST(GeozlPfor, survives_any_bytes) {
  Random random(7);
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 3000; ++round) {
    const std::size_t count = random.between(1, 600);
    const auto words = words_of_bits<std::uint32_t>(random, count, 3, 10);
    Bytes stream = pack(words, 3, random.coin() ? Positions::list : Positions::bitmap);
    for (std::uint64_t i = random.between(1, 4); i > 0; --i) {
      stream[random.below(stream.size())] = static_cast<std::byte>(random.below(256));
    }
    if (random.below(4) == 0) stream.resize(random.below(stream.size()));
    for_each_width([&](auto word) {
      using T = decltype(word);
      // A vector of its exact size lets a sanitizer see every step beyond it.
      (void)decoded<T>("pfor", header_of<T>(count), {serial(Bytes(stream))});
    });
  }
}

TEST(GeozlPlanarZigzagPfor, is_pfor_and_then_planar_zigzag) {
  Random random(8);
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 60; ++round) {
    const std::size_t w = random.between(1, 400);
    const std::size_t planes = random.between(1, 3);
    const std::size_t count = w * planes * random.between(1, 9);
    for_each_width([&](auto word) {
      using T = decltype(word);
      const auto codes = words_of_bits<T>(random, count, 5, 15);
      const auto samples = decoded<T>("planar_zigzag", geometry(w, planes), {input_of(codes)});
      ASSERT_TRUE(samples.has_value());
      const Bytes header = Header().u64(count).u8(sizeof(T)).u32(w).u32(planes);
      EXPECT_EQ(decoded<T>("planar_zigzag_pfor", header, {serial(pack(codes, 5, Positions::list))}),
                samples);
    });
  }
}

TEST(GeozlPlanarZigzagPfor, refuses_headers_that_do_not_fit) {
  const Bytes block = from_hex("0000");
  const auto refuses = [&](const Bytes& header) {
    return !decoded<std::uint16_t>("planar_zigzag_pfor", header, {serial(block)}).has_value();
  };
  EXPECT_FALSE(refuses(Header().u64(12).u8(2).u32(4).u32(3)));
  EXPECT_TRUE(refuses(Header().u64(12).u8(2).u32(4)));
  EXPECT_TRUE(refuses(Header().u64(12).u8(2).u32(4).u32(3).u8(0)));
  EXPECT_TRUE(refuses(Header().u64(12).u8(5).u32(4).u32(3)));
  EXPECT_TRUE(refuses(Header().u64(12).u8(2).u32(0).u32(3)));
  EXPECT_TRUE(refuses(Header().u64(12).u8(2).u32(4).u32(0)));
  EXPECT_TRUE(refuses(Header().u64(12).u8(2).u32(5).u32(1)));
  EXPECT_TRUE(refuses(Header().u64(0).u8(2).u32(4).u32(3)));
  EXPECT_TRUE(refuses(Header().u64(512).u8(2).u32(4).u32(1)));
  EXPECT_TRUE(refuses(Header().u64(0xFFFFFFFFFFFFFFF0).u8(2).u32(4).u32(1)));
}

}  // namespace
}  // namespace sillar::codec::geozl::testing
