// A (t, b, y, x) array whose every access is a plain loop: what results are held against.
#pragma once

#include "random.hpp"
#include <sillar/tensor/view.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace sillar::testing {

struct Cube {
  DType dtype = DType::u8;
  std::array<std::uint64_t, 4> shape{};  // t, b, y, x
  std::vector<std::byte> bytes;          // in C order

  [[nodiscard]] std::span<const std::byte> at(std::uint64_t t, std::uint64_t b, std::uint64_t y,
                                              std::uint64_t x) const {
    const std::size_t size = size_of(dtype);
    const std::uint64_t index = ((t * shape[1] + b) * shape[2] + y) * shape[3] + x;
    return std::span(bytes).subspan(index * size, size);
  }

  [[nodiscard]] TensorView view() const {
    return {bytes.data(), dtype, Shape(shape.begin(), shape.end())};
  }
};

/// Calls `use(t, b, y, x)` for every sample.
template <class Use>
void for_each_sample(const std::array<std::uint64_t, 4>& shape, const Use& use) {
  for (std::uint64_t t = 0; t < shape[0]; ++t) {
    for (std::uint64_t b = 0; b < shape[1]; ++b) {
      for (std::uint64_t y = 0; y < shape[2]; ++y) {
        for (std::uint64_t x = 0; x < shape[3]; ++x) use(t, b, y, x);
      }
    }
  }
}

/// Random samples. Booleans are 0 or 1; of other types half of the cubes are smooth, so that
/// different graphs compress them.
inline Cube random_cube(Random& random, DType dtype, const std::array<std::uint64_t, 4>& shape) {
  Cube cube{.dtype = dtype, .shape = shape, .bytes = {}};
  cube.bytes.resize(shape[0] * shape[1] * shape[2] * shape[3] * size_of(dtype));
  const std::uint64_t kind = random.below(4);
  const std::uint64_t step = random.below(3);
  std::uint64_t smooth = random.below(256);
  for (std::size_t i = 0; i < cube.bytes.size(); ++i) {
    const std::uint64_t noise = random.below(256);
    if (i % size_of(dtype) == 0) smooth += step;
    cube.bytes[i] = static_cast<std::byte>(kind < 2    ? noise
                                           : kind == 2 ? smooth + i % size_of(dtype)
                                                       : 7);
    if (dtype == DType::boolean) cube.bytes[i] &= std::byte{1};
  }
  return cube;
}

/// The same samples in a buffer of another layout: axes in random order, gaps between them, some
/// running backwards.
struct Scattered {
  std::vector<std::byte> memory;
  Strides strides;
  std::int64_t first = 0;  // element of index (0, 0, 0, 0)

  [[nodiscard]] MutableTensorView view(DType dtype, const Shape& shape) {
    return {memory.data() + first * static_cast<std::int64_t>(size_of(dtype)), dtype, shape,
            strides};
  }
};

inline Scattered random_layout(Random& random, DType dtype, const Shape& shape) {
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(order);
  Scattered layout;
  layout.strides.resize(shape.size());
  std::int64_t stride = random.coin() ? 1 : static_cast<std::int64_t>(random.between(1, 3));
  for (const std::size_t axis : order) {
    const auto extent = static_cast<std::int64_t>(shape[axis]);
    layout.strides[axis] = stride;
    if (random.below(3) == 0) {
      layout.strides[axis] = -stride;
      layout.first += stride * (extent - 1);
    }
    stride *= extent;
    if (random.coin()) stride += static_cast<std::int64_t>(random.below(3));
  }
  layout.memory.resize(static_cast<std::size_t>(stride + 1) * size_of(dtype));
  return layout;
}

/// The bytes of element `index` of a view.
template <class Byte>
std::span<Byte> element(const BasicTensorView<Byte>& view, std::span<const std::uint64_t> index) {
  std::int64_t at = 0;
  for (std::size_t axis = 0; axis < view.rank(); ++axis)
    at += static_cast<std::int64_t>(index[axis]) * view.strides()[axis];
  const std::size_t size = size_of(view.dtype());
  return {view.data() + at * static_cast<std::int64_t>(size), size};
}

inline bool same(std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::ranges::equal(a, b);
}

}  // namespace sillar::testing
