// Copies elements between layouts.
#pragma once

#include <sillar/tensor/view.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace sillar {

/// Copies every element of `from` to the same index of `to`. Same shape and dtype; the memory does
/// not overlap. Axes may have any strides; zero-size arrays copy nothing.
void copy(const MutableTensorView& to, const TensorView& from);

/// One axis of a copy; strides in bytes.
struct CopyAxis {
  std::uint64_t extent = 1;
  std::int64_t to_stride = 0;
  std::int64_t from_stride = 0;
};

/// The kernel beneath `copy`, without allocation: at most 8 axes in any order, none with extent 0,
/// `element_size` bytes an element. Reorders and merges the axes so that writes run forward.
void copy_strided(std::byte* to, const std::byte* from, std::size_t element_size,
                  std::span<const CopyAxis> axes);

}  // namespace sillar
