// Bit-packed arrays against a loop over single bits.
#include <sillar/wire/bits.hpp>

#include "golden.hpp"
#include "random.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace sillar::wire {
namespace {

using testing::Bytes;

/// Bit `j` of value `i` is bit `i * bits + j`, counted from the least significant of each byte.
Bytes packed_by_bits(const std::vector<std::uint64_t>& values, unsigned bits) {
  Bytes packed((values.size() * bits + 7) / 8);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (unsigned j = 0; j < bits; ++j) {
      const std::size_t position = i * bits + j;
      if ((values[i] >> j & 1) != 0) packed[position / 8] |= std::byte{1} << (position % 8);
    }
  }
  return packed;
}

TEST(Bits, of_every_width_lie_where_a_loop_over_bits_puts_them) {
  testing::Random random(1);
  SCOPED_TRACE(random.trace());
  for (unsigned bits = 0; bits <= 64; ++bits) {
    for (const std::size_t count : {0U, 1U, 2U, 7U, 8U, 9U, 31U, 64U, 65U}) {
      std::vector<std::uint64_t> values(count);
      const std::uint64_t most = bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits);
      for (auto& value : values) value = random.below(4) == 0 ? most : random.next() & most;
      const Bytes expected = packed_by_bits(values, bits);
      ASSERT_EQ(packed_size(count, bits), expected.size());
      Bytes packed(expected.size());
      for (std::size_t i = 0; i < count; ++i) pack_at(packed, bits, i, values[i]);
      ASSERT_EQ(packed, expected) << bits << " bits, " << count << " values";
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(unpack_at(expected, bits, i), values[i]);
    }
  }
}

TEST(Bits, of_the_last_byte_that_are_unused_must_be_zero) {
  for (unsigned bits = 1; bits <= 64; ++bits) {
    for (std::size_t count = 1; count <= 9; ++count) {
      const std::size_t used = count * bits;
      Bytes packed((used + 7) / 8, std::byte{0});
      EXPECT_TRUE(padding_is_zero(packed, count, bits));
      for (std::size_t position = 0; position < packed.size() * 8; ++position) {
        Bytes marked = packed;
        marked[position / 8] |= std::byte{1} << (position % 8);
        EXPECT_EQ(padding_is_zero(marked, count, bits), position < used)
            << bits << " " << count << " " << position;
      }
    }
  }
  EXPECT_TRUE(padding_is_zero({}, 5, 0));
}

TEST(Bits, are_counted_without_overflow) {
  const std::uint64_t many = ~std::uint64_t{0};
  EXPECT_EQ(packed_size(many, 0), 0u);
  EXPECT_EQ(packed_size(many, 8), many);
  EXPECT_EQ(packed_size(many, 1), std::uint64_t{1} << 61);  // (2^64 - 1) / 8, rounded up
  EXPECT_EQ(packed_size(many, 9), std::nullopt);
  EXPECT_EQ(packed_size(many, 64), std::nullopt);
  EXPECT_EQ(packed_size(std::uint64_t{1} << 61, 64), std::nullopt);
  EXPECT_EQ(packed_size((std::uint64_t{1} << 61) - 1, 64), many - 7);
}

}  // namespace
}  // namespace sillar::wire
