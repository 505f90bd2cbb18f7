// LZ4 blocks: worked by hand, and back.
#include <sillar/codec/lz4.hpp>

#include "golden.hpp"
#include "random.hpp"

#include <gtest/gtest.h>

namespace sillar::codec {
namespace {

using testing::Bytes;
using testing::from_hex;

TEST(Lz4, decodes_blocks_worked_by_hand) {
  // Two literals, then a match of 4 at distance 2, then twelve literals.
  Bytes out(18);
  const auto size = decode_lz4(from_hex("20 6162 0200 c0 313233343536373839616263"), out);
  ASSERT_TRUE(size.has_value()) << size.error().message();
  EXPECT_EQ(*size, 18u);
  EXPECT_EQ(out, testing::bytes_of("ababab123456789abc"));
  EXPECT_EQ(decode_lz4(from_hex("00"), {}).value(), 0u);
}

TEST(Lz4, refuses_damage_and_what_does_not_fit) {
  Bytes out(18);
  for (const char* bad :
       {"", "20 6162 0000 c0 313233343536373839616263", "20 6162 0300 c0 313233343536373839616263",
        "20 6162 0200 c0 3132333435363738396162", "ff ff ff"}) {
    const auto size = decode_lz4(from_hex(bad), out);
    ASSERT_FALSE(size.has_value()) << bad;
    EXPECT_EQ(size.error().code, Errc::codec);
  }
  Bytes small(17);
  EXPECT_FALSE(decode_lz4(from_hex("20 6162 0200 c0 313233343536373839616263"), small).has_value());
  Bytes large(30);  // a block may give fewer bytes, and says how many
  EXPECT_EQ(decode_lz4(from_hex("20 6162 0200 c0 313233343536373839616263"), large).value(), 18u);
}

TEST(Lz4, encodes_what_it_decodes_at_every_level) {
  testing::Random random(1);
  for (const std::size_t size : {0, 1, 12, 13, 100, 5000}) {
    for (int level = 0; level <= lz4_level_most; ++level) {
      Bytes raw(size);
      for (std::byte& byte : raw) byte = static_cast<std::byte>(random.below(4));
      Bytes packed(lz4_bound(size));
      packed.resize(encode_lz4(raw, packed, level));
      Bytes back(size);
      ASSERT_EQ(decode_lz4(packed, back).value(), size);
      EXPECT_EQ(back, raw);
    }
  }
}

}  // namespace
}  // namespace sillar::codec
