// Deflate streams: worked by hand, and back.
#include <sillar/codec/deflate.hpp>

#include "golden.hpp"
#include "random.hpp"

#include <gtest/gtest.h>

namespace sillar::codec {
namespace {

using testing::Bytes;
using testing::from_hex;

// "abc" stored, in a zlib and in a gzip wrapper.
const Bytes zlib_abc = from_hex("78 01 01 0300 fcff 616263 024d0127");
const Bytes gzip_abc = from_hex("1f8b 08 00 00000000 00 ff 01 0300 fcff 616263 c2412435 03000000");

TEST(Deflate, decodes_both_wrappers_and_says_which) {
  Inflater inflater;
  for (const auto& [packed, wrapper] :
       {std::pair{zlib_abc, DeflateWrapper::zlib}, std::pair{gzip_abc, DeflateWrapper::gzip}}) {
    Bytes out(3);
    const auto inflated = inflater.decode(packed, out);
    ASSERT_TRUE(inflated.has_value()) << inflated.error().message();
    EXPECT_EQ(out, testing::bytes_of("abc"));
    EXPECT_EQ(inflated->size, 3u);
    EXPECT_EQ(inflated->used, packed.size());
    EXPECT_EQ(inflated->wrapper, wrapper);
    EXPECT_EQ(deflate_wrapper_of(packed), wrapper);
  }
}

TEST(Deflate, tells_how_much_of_the_input_a_stream_has) {
  Inflater inflater;
  Bytes longer = zlib_abc;
  longer.push_back(std::byte{7});
  Bytes out(9);
  const auto inflated = inflater.decode(longer, out);
  ASSERT_TRUE(inflated.has_value());
  EXPECT_EQ(inflated->size, 3u);
  EXPECT_EQ(inflated->used, zlib_abc.size());
}

TEST(Deflate, tells_damage_from_a_lack_of_room) {
  Inflater inflater;
  Bytes out(3);
  for (std::size_t at = 0; at < zlib_abc.size(); ++at) {
    Bytes bad = zlib_abc;
    bad[at] ^= std::byte{0x02};
    EXPECT_FALSE(inflater.decode(bad, out).has_value()) << at;
    EXPECT_FALSE(inflater.decode(std::span(zlib_abc).first(at), out).has_value()) << at;
  }
  Bytes small(2);
  EXPECT_EQ(inflater.decode(zlib_abc, small).error().code, Errc::over_limit);
  EXPECT_EQ(inflater.decode({}, {}).error().code, Errc::codec);
}

TEST(Deflate, encodes_what_it_decodes_at_every_level) {
  testing::Random random(2);
  Inflater inflater;
  for (int level = deflate_level_least; level <= deflate_level_most; ++level) {
    Deflater deflater(level);
    for (const std::size_t size : {0, 1, 100, 70000}) {
      Bytes raw(size);
      for (std::byte& byte : raw) byte = static_cast<std::byte>(random.below(4));
      Bytes packed(deflater.bound(size));
      packed.resize(deflater.encode(raw, packed));
      Bytes back(size);
      ASSERT_TRUE(inflater.decode(packed, back).has_value());
      EXPECT_EQ(back, raw);
      EXPECT_EQ(deflate_wrapper_of(packed), DeflateWrapper::zlib);
    }
  }
}

}  // namespace
}  // namespace sillar::codec
