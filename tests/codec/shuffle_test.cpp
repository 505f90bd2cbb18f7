// The byte shuffle against a plain loop.
#include <sillar/codec/shuffle.hpp>

#include "golden.hpp"
#include "random.hpp"

#include <gtest/gtest.h>

namespace sillar::codec {
namespace {

using testing::Bytes;

TEST(Shuffle, puts_byte_planes_one_behind_the_other_and_back) {
  testing::Random random(3);
  for (const std::size_t size : {1, 2, 3, 4, 5, 8, 16}) {
    for (const std::size_t count : {0, 1, 2, 15, 16, 17, 31, 32, 33, 100, 257}) {
      SCOPED_TRACE(std::to_string(count) + " elements of " + std::to_string(size));
      Bytes elements(count * size);
      random.fill(elements);
      Bytes planes(elements.size());
      codec::shuffle(elements, planes, size);
      Bytes want(elements.size());
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t byte = 0; byte < size; ++byte)
          want[byte * count + i] = elements[i * size + byte];
      }
      EXPECT_EQ(planes, want);
      Bytes back(elements.size());
      codec::unshuffle(planes, back, size);
      EXPECT_EQ(back, elements);
    }
  }
}

}  // namespace
}  // namespace sillar::codec
