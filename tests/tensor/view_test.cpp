// Views and tensors: counts, strides, slices, memory.
#include <sillar/tensor/tensor.hpp>

#include <gtest/gtest.h>

#include <array>

namespace sillar {
namespace {

constexpr std::uint64_t huge = std::uint64_t{1} << 40;

TEST(Count, of_a_shape_tells_overflow_even_behind_a_zero) {
  EXPECT_EQ(count_of(Shape{}), 1u);
  EXPECT_EQ(count_of(Shape{2, 3, 5}), 30u);
  EXPECT_EQ(count_of(Shape{2, 0, 5}), 0u);
  EXPECT_EQ(count_of(Shape{huge, huge}), std::nullopt);
  EXPECT_EQ(count_of(Shape{0, huge, huge}), std::nullopt);
  EXPECT_EQ(count_of(Shape{huge, 0, huge}), std::nullopt);
  EXPECT_EQ(count_of(Shape{huge, huge, 0}), std::nullopt);
  EXPECT_EQ(count_of(Shape{~std::uint64_t{0}, 1}), ~std::uint64_t{0});
}

TEST(View, slices_drops_turns_and_adds_axes) {
  std::array<std::uint8_t, 24> values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i);
  const auto* data = reinterpret_cast<const std::byte*>(values.data());
  const TensorView view(data, DType::u8, {2, 3, 4});
  EXPECT_EQ(view.strides(), (Strides{12, 4, 1}));
  EXPECT_TRUE(view.contiguous());
  EXPECT_EQ(view.byte_size(), 24u);

  const auto part = view.slice(1, 1, 2);
  EXPECT_EQ(part.shape(), (Shape{2, 2, 4}));
  EXPECT_EQ(part.data(), data + 4);
  EXPECT_FALSE(part.contiguous());
  EXPECT_TRUE(view.slice(0, 1, 1).contiguous());

  const auto row = view.at(0, 1).at(0, 2);
  EXPECT_EQ(row.shape(), Shape{4});
  EXPECT_EQ(row.data(), data + 20);

  const std::array<std::size_t, 3> order = {2, 0, 1};
  const auto turned = view.permuted(order);
  EXPECT_EQ(turned.shape(), (Shape{4, 2, 3}));
  EXPECT_EQ(turned.strides(), (Strides{1, 12, 4}));

  const auto wider = view.with_axis(1);
  EXPECT_EQ(wider.shape(), (Shape{2, 1, 3, 4}));
  EXPECT_TRUE(wider.contiguous());
  EXPECT_EQ(view.slice(0, 2, 0).byte_size(), 0u);
}

TEST(View, offsets_count_in_elements_of_its_dtype) {
  std::array<double, 6> values{};
  const auto* data = reinterpret_cast<const std::byte*>(values.data());
  const TensorView view(data, DType::f64, {2, 3});
  EXPECT_EQ(view.slice(0, 1, 1).data(), data + 24);
  EXPECT_EQ(view.slice(1, 2, 1).data(), data + 16);
  const TensorView back(data + 40, DType::f64, {6}, {-1});
  EXPECT_EQ(back.slice(0, 5, 1).data(), data);
}

TEST(Tensor, is_aligned_and_contiguous) {
  for (const std::uint64_t count : {1U, 63U, 64U, 1000U, 3'000'000U}) {
    const auto tensor = Tensor::allocate(DType::u8, {count});
    ASSERT_TRUE(tensor.has_value());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor->view().data()) % 64, 0u);
    EXPECT_EQ(tensor->bytes().size(), count);
    tensor->bytes().front() = std::byte{1};
    tensor->bytes().back() = std::byte{1};
  }
  EXPECT_TRUE(Tensor::allocate(DType::f32, {3, 0, 2}).has_value());
}

TEST(Tensor, past_its_limit_is_never_allocated) {
  EXPECT_EQ(Tensor::allocate(DType::u16, {100}, 199).error().code, Errc::over_limit);
  EXPECT_TRUE(Tensor::allocate(DType::u16, {100}, 200).has_value());
  for (const Shape& shape : {Shape{huge, huge}, Shape{0, huge, huge}, Shape{~std::uint64_t{0}},
                             Shape{std::uint64_t{1} << 62}}) {
    const auto tensor = Tensor::allocate(DType::c128, shape);
    ASSERT_FALSE(tensor.has_value());
    EXPECT_EQ(tensor.error().code, Errc::over_limit);
  }
}

}  // namespace
}  // namespace sillar
