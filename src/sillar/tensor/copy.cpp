// Strided copies: axes sorted and merged, the innermost loop specialised by element size.
#include <sillar/tensor/copy.hpp>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdlib>
#include <cstring>

namespace sillar {
namespace {

constexpr std::size_t max_axes = 8;

template <std::size_t Size>
struct Element {
  std::array<std::byte, Size> bytes;
};

/// `count` elements along one axis. The contiguous case is a memcpy at the call site.
template <std::size_t Size>
void copy_line(std::byte* to, std::int64_t to_stride, const std::byte* from,
               std::int64_t from_stride, std::uint64_t count) {
  using Item = Element<Size>;
  if (to_stride == static_cast<std::int64_t>(Size)) {
    for (std::uint64_t i = 0; i < count; ++i) {
      std::memcpy(to + i * Size, from, sizeof(Item));
      from += from_stride;
    }
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    std::memcpy(to, from, sizeof(Item));
    to += to_stride;
    from += from_stride;
  }
}

/// The two innermost axes when reads run along the outer and writes along the inner one: in blocks,
/// so that both sides stay in the first-level cache.
template <std::size_t Size>
void transpose(std::byte* to, const std::byte* from, const CopyAxis& outer, const CopyAxis& inner) {
  constexpr std::uint64_t block = 32;
  for (std::uint64_t i0 = 0; i0 < outer.extent; i0 += block) {
    const std::uint64_t i1 = std::min(i0 + block, outer.extent);
    for (std::uint64_t j0 = 0; j0 < inner.extent; j0 += block) {
      const std::uint64_t count = std::min(block, inner.extent - j0);
      for (std::uint64_t i = i0; i < i1; ++i) {
        const auto si = static_cast<std::int64_t>(i);
        const auto sj = static_cast<std::int64_t>(j0);
        copy_line<Size>(to + si * outer.to_stride + sj * inner.to_stride, inner.to_stride,
                        from + si * outer.from_stride + sj * inner.from_stride, inner.from_stride,
                        count);
      }
    }
  }
}

template <std::size_t Size>
void copy_axes(std::byte* to, const std::byte* from, std::span<const CopyAxis> axes) {
  const CopyAxis& inner = axes.back();
  if (axes.size() > 2) {
    const CopyAxis& outer = axes.front();
    for (std::uint64_t i = 0; i < outer.extent; ++i) {
      copy_axes<Size>(to, from, axes.subspan(1));
      to += outer.to_stride;
      from += outer.from_stride;
    }
    return;
  }
  constexpr auto size = static_cast<std::int64_t>(Size);
  const CopyAxis outer = axes.size() == 2 ? axes.front() : CopyAxis{};
  if (inner.to_stride == size && inner.from_stride == size) {
    for (std::uint64_t i = 0; i < outer.extent; ++i) {
      const auto at = static_cast<std::int64_t>(i);
      std::memcpy(to + at * outer.to_stride, from + at * outer.from_stride, inner.extent * Size);
    }
    return;
  }
  if (outer.extent > 1 && outer.from_stride == size) {
    transpose<Size>(to, from, outer, inner);
    return;
  }
  for (std::uint64_t i = 0; i < outer.extent; ++i) {
    const auto at = static_cast<std::int64_t>(i);
    copy_line<Size>(to + at * outer.to_stride, inner.to_stride, from + at * outer.from_stride,
                    inner.from_stride, inner.extent);
  }
}

}  // namespace

void copy_strided(std::byte* to, const std::byte* from, std::size_t element_size,
                  std::span<const CopyAxis> axes) {
  assert(axes.size() <= max_axes);
  // By falling stride of the writes; inserted one by one, since there are few and nothing may
  // allocate.
  std::array<CopyAxis, max_axes> order;
  std::size_t count = 0;
  for (const CopyAxis& axis : axes) {
    if (axis.extent == 1) continue;
    std::size_t at = count++;
    for (; at > 0 && std::abs(order[at - 1].to_stride) < std::abs(axis.to_stride); --at) {
      order[at] = order[at - 1];
    }
    order[at] = axis;
  }

  // An axis that continues the one inside it, on both sides, is the same run of memory.
  std::array<CopyAxis, max_axes> merged;
  std::size_t rank = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const CopyAxis& axis = order[i];
    const auto extent = static_cast<std::int64_t>(axis.extent);
    if (rank > 0 && merged[rank - 1].to_stride == axis.to_stride * extent &&
        merged[rank - 1].from_stride == axis.from_stride * extent) {
      merged[rank - 1] = {merged[rank - 1].extent * axis.extent, axis.to_stride, axis.from_stride};
    } else {
      merged[rank++] = axis;
    }
  }
  if (rank == 0) {
    const auto size = static_cast<std::int64_t>(element_size);
    merged[rank++] = {1, size, size};
  }
  const std::span<const CopyAxis> plan(merged.data(), rank);
  switch (element_size) {
    case 1:
      return copy_axes<1>(to, from, plan);
    case 2:
      return copy_axes<2>(to, from, plan);
    case 4:
      return copy_axes<4>(to, from, plan);
    case 8:
      return copy_axes<8>(to, from, plan);
    case 16:
      return copy_axes<16>(to, from, plan);
    default:
      assert(false && "no dtype has this size");
  }
}

void copy(const MutableTensorView& to, const TensorView& from) {
  assert(to.shape() == from.shape() && to.dtype() == from.dtype());
  if (to.count() == 0) return;
  assert(to.rank() <= max_axes);
  const auto size = static_cast<std::int64_t>(size_of(to.dtype()));
  std::array<CopyAxis, max_axes> axes;
  for (std::size_t axis = 0; axis < to.rank(); ++axis) {
    axes[axis] = {to.extent(axis), to.strides()[axis] * size, from.strides()[axis] * size};
  }
  copy_strided(to.data(), from.data(), size_of(to.dtype()), {axes.data(), to.rank()});
}

}  // namespace sillar
