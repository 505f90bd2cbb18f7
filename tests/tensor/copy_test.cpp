// Copies between layouts against loops over single elements.
#include <sillar/tensor/copy.hpp>

#include "cube.hpp"
#include "random.hpp"

#include <gtest/gtest.h>

namespace sillar {
namespace {

using testing::Random;

constexpr std::array one_of_each_size = {DType::u8, DType::u16, DType::f32, DType::i64,
                                         DType::c128};

/// Calls `use(index)` for every element of a shape.
template <class Use>
void for_each_index(const Shape& shape, const Use& use) {
  if (std::ranges::find(shape, 0u) != shape.end()) return;
  std::vector<std::uint64_t> index(shape.size());
  while (true) {
    use(std::span<const std::uint64_t>(index));
    std::size_t axis = shape.size();
    while (axis > 0 && ++index[axis - 1] == shape[axis - 1]) index[--axis] = 0;
    if (axis == 0) return;
  }
}

TEST(Copy, moves_every_element_whatever_the_strides) {
  Random random(2);
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 1500; ++round) {
    const DType dtype = random.pick(one_of_each_size);
    Shape shape(random.between(0, 6));
    for (auto& extent : shape) extent = random.below(8) == 0 ? 1 : random.between(1, 5);
    auto from = testing::random_layout(random, dtype, shape);
    auto to = testing::random_layout(random, dtype, shape);
    random.fill(from.memory);
    random.fill(to.memory);
    const auto source = from.view(dtype, shape);
    const auto target = to.view(dtype, shape);

    auto expected = to;
    const auto wanted = expected.view(dtype, shape);
    for_each_index(shape, [&](auto index) {
      std::ranges::copy(testing::element(source, index), testing::element(wanted, index).begin());
    });
    copy(target, source);
    ASSERT_EQ(to.memory, expected.memory)
        << "round " << round;  // nothing between the elements is touched
  }
}

TEST(Copy, of_large_planes_transposes_by_blocks_without_a_gap) {
  Random random(3);
  SCOPED_TRACE(random.trace());
  for (const DType dtype : one_of_each_size) {
    for (const auto& [rows, cols] : {std::pair{33, 65}, {1, 200}, {200, 1}, {64, 32}, {31, 31}}) {
      const Shape shape = {static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(cols)};
      const std::size_t size = size_of(dtype);
      std::vector<std::byte> from(shape[0] * shape[1] * size);
      random.fill(from);
      std::vector<std::byte> to(from.size());
      copy({to.data(), dtype, shape}, {from.data(), dtype, shape, {1, rows}});
      for (std::size_t r = 0; r < shape[0]; ++r) {
        for (std::size_t c = 0; c < shape[1]; ++c) {
          const auto got = std::span(to).subspan((r * shape[1] + c) * size, size);
          const auto want = std::span(from).subspan((c * shape[0] + r) * size, size);
          ASSERT_TRUE(testing::same(got, want)) << r << " " << c;
        }
      }
    }
  }
}

TEST(Copy, from_a_stride_of_zero_repeats_one_element) {
  const std::array<std::uint16_t, 1> value = {0x1234};
  std::vector<std::uint16_t> out(60);
  copy({reinterpret_cast<std::byte*>(out.data()), DType::u16, {3, 4, 5}},
       {reinterpret_cast<const std::byte*>(value.data()), DType::u16, {3, 4, 5}, {0, 0, 0}});
  EXPECT_EQ(out, std::vector<std::uint16_t>(60, 0x1234));
}

TEST(Copy, of_nothing_touches_nothing) {
  copy({nullptr, DType::f64, {3, 0, 5}}, {nullptr, DType::f64, {3, 0, 5}});
  std::byte to{7};
  const std::byte from{9};
  copy({&to, DType::u8, {}}, {&from, DType::u8, {}});  // a scalar
  EXPECT_EQ(to, std::byte{9});
}

TEST(Copy, by_axes_repeats_planes_forwards_and_backwards) {
  // Three planes of two samples; the picks 2, 1, 0 and then 1, 1.
  const std::array<std::uint8_t, 6> from = {10, 11, 20, 21, 30, 31};
  std::array<std::uint8_t, 6> to{};
  const std::array<CopyAxis, 2> back = {{{3, 2, -2}, {2, 1, 1}}};
  copy_strided(reinterpret_cast<std::byte*>(to.data()),
               reinterpret_cast<const std::byte*>(from.data() + 4), 1, back);
  EXPECT_EQ(to, (std::array<std::uint8_t, 6>{30, 31, 20, 21, 10, 11}));
  const std::array<CopyAxis, 2> twice = {{{2, 2, 0}, {2, 1, 1}}};
  copy_strided(reinterpret_cast<std::byte*>(to.data()),
               reinterpret_cast<const std::byte*>(from.data() + 2), 1, twice);
  EXPECT_EQ(to, (std::array<std::uint8_t, 6>{20, 21, 20, 21, 10, 11}));
}

}  // namespace
}  // namespace sillar
