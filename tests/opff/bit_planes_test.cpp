// Packed and unpacked pixels, bit by bit.
#include <sillar/opff/bit_planes.hpp>

#include "made_file.hpp"

#include <gtest/gtest.h>

#include <array>
#include <span>

namespace sillar::opff {
namespace {

using testing::Bytes;

TEST(BitPlanes, have_the_most_significant_bit_first_unless_told_otherwise) {
  const Bytes packed = testing::from_hex("a1");
  Bytes pixels(8);
  unpack_bits(packed, 0, BitOrder::msb_first, pixels);
  EXPECT_EQ(testing::to_hex(pixels), "0100010000000001");
  unpack_bits(packed, 0, BitOrder::lsb_first, pixels);
  EXPECT_EQ(testing::to_hex(pixels), "0100000000010001");
}

TEST(BitPlanes, are_unpacked_from_any_bit_on) {
  testing::Random random(15);
  SCOPED_TRACE(random.trace());
  Bytes packed(16);
  random.fill(packed);
  for (const BitOrder order : {BitOrder::msb_first, BitOrder::lsb_first}) {
    for (std::uint64_t first = 0; first < 128; ++first) {
      const std::uint64_t count = random.below(129 - first);
      Bytes pixels(static_cast<std::size_t>(count));
      unpack_bits(packed, first, order, pixels);
      for (std::uint64_t i = 0; i < count; ++i) {
        const auto byte = std::to_integer<unsigned>(packed[(first + i) / 8]);
        const unsigned bit = (first + i) % 8;
        const unsigned wanted = byte >> (order == BitOrder::msb_first ? 7 - bit : bit) & 1;
        EXPECT_EQ(pixels[i], static_cast<std::byte>(wanted));
      }
    }
    Bytes pixels(128);
    unpack_bits(packed, 0, order, pixels);
    Bytes again(16);
    pack_bits(pixels, order, again);
    EXPECT_EQ(again, packed);
  }
}

}  // namespace
}  // namespace sillar::opff
