// Views: a dtype, a shape, strides and somebody else's bytes.
#pragma once

#include <sillar/base/checked.hpp>
#include <sillar/tensor/dtype.hpp>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace sillar {

/// Extents of the axes, outermost first. Rank 0 is a scalar.
using Shape = std::vector<std::uint64_t>;

/// Distances between neighbours along each axis, in elements; may be negative or zero.
using Strides = std::vector<std::int64_t>;

/// The number of elements, or nothing where it leaves 64 bits. A zero extent does not undo an
/// overflow of the others.
[[nodiscard]] inline std::optional<std::uint64_t> count_of(std::span<const std::uint64_t> shape) {
  std::optional<std::uint64_t> count = 1;
  bool empty = false;
  for (const std::uint64_t extent : shape) {
    if (extent == 0) {
      empty = true;
    } else if (count) {
      count = checked_mul(*count, extent);
    }
  }
  return count && empty ? 0 : count;
}

/// The strides of an array whose last axis varies fastest, without gaps.
[[nodiscard]] inline Strides contiguous_strides(std::span<const std::uint64_t> shape) {
  Strides strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= static_cast<std::int64_t>(shape[axis]);
  }
  return strides;
}

/// `Byte` is std::byte or const std::byte. The bytes must outlive the view. `data` is the first
/// element, all indices zero; with negative strides others lie before it.
template <class Byte>
class BasicTensorView {
  static_assert(std::is_same_v<std::remove_const_t<Byte>, std::byte>);

 public:
  BasicTensorView() = default;

  BasicTensorView(Byte* data, DType dtype, Shape shape, Strides strides)
      : data_(data), dtype_(dtype), shape_(std::move(shape)), strides_(std::move(strides)) {
    assert(shape_.size() == strides_.size());
  }

  /// Contiguous elements.
  BasicTensorView(Byte* data, DType dtype, Shape shape)
      : data_(data),
        dtype_(dtype),
        shape_(std::move(shape)),
        strides_(contiguous_strides(shape_)) {}

  /// A writable view is readable.
  template <class Other>
    requires(std::is_const_v<Byte> && std::is_same_v<Other, std::byte>)
  // NOLINTNEXTLINE(google-explicit-constructor): the conversion loses nothing
  BasicTensorView(const BasicTensorView<Other>& other)
      : BasicTensorView(other.data(), other.dtype(), other.shape(), other.strides()) {}

  [[nodiscard]] Byte* data() const { return data_; }
  [[nodiscard]] DType dtype() const { return dtype_; }
  [[nodiscard]] std::size_t rank() const { return shape_.size(); }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const Strides& strides() const { return strides_; }
  [[nodiscard]] std::uint64_t extent(std::size_t axis) const { return shape_[axis]; }
  [[nodiscard]] std::uint64_t count() const { return count_of(shape_).value_or(0); }
  [[nodiscard]] std::uint64_t byte_size() const { return count() * size_of(dtype_); }

  /// Elements lie in C order without gaps.
  [[nodiscard]] bool contiguous() const {
    std::int64_t stride = 1;
    for (std::size_t axis = rank(); axis-- > 0;) {
      if (shape_[axis] != 1 && strides_[axis] != stride) return false;
      stride *= static_cast<std::int64_t>(shape_[axis]);
    }
    return true;
  }

  /// The bytes of a contiguous view.
  [[nodiscard]] std::span<Byte> bytes() const {
    assert(contiguous());
    return {data_, static_cast<std::size_t>(byte_size())};
  }

  /// Indices [start, start + extent) of one axis.
  [[nodiscard]] BasicTensorView slice(std::size_t axis, std::uint64_t start,
                                      std::uint64_t extent) const {
    assert(axis < rank() && start + extent <= shape_[axis]);
    BasicTensorView part = *this;
    part.data_ += static_cast<std::int64_t>(start) * strides_[axis] *
                  static_cast<std::int64_t>(size_of(dtype_));
    part.shape_[axis] = extent;
    return part;
  }

  /// One index of one axis; the axis is gone.
  [[nodiscard]] BasicTensorView at(std::size_t axis, std::uint64_t index) const {
    BasicTensorView part = slice(axis, index, 1);
    part.shape_.erase(part.shape_.begin() + static_cast<std::ptrdiff_t>(axis));
    part.strides_.erase(part.strides_.begin() + static_cast<std::ptrdiff_t>(axis));
    return part;
  }

  /// The axes in another order: axis `k` of the result is axis `order[k]` of this.
  [[nodiscard]] BasicTensorView permuted(std::span<const std::size_t> order) const {
    assert(order.size() == rank());
    BasicTensorView turned = *this;
    for (std::size_t axis = 0; axis < order.size(); ++axis) {
      turned.shape_[axis] = shape_[order[axis]];
      turned.strides_[axis] = strides_[order[axis]];
    }
    return turned;
  }

  /// The same elements with an axis of extent 1 put before `axis`.
  [[nodiscard]] BasicTensorView with_axis(std::size_t axis) const {
    BasicTensorView wider = *this;
    wider.shape_.insert(wider.shape_.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    wider.strides_.insert(wider.strides_.begin() + static_cast<std::ptrdiff_t>(axis), 0);
    return wider;
  }

 private:
  Byte* data_ = nullptr;
  DType dtype_ = DType::u8;
  Shape shape_;
  Strides strides_;
};

using TensorView = BasicTensorView<const std::byte>;
using MutableTensorView = BasicTensorView<std::byte>;

}  // namespace sillar
