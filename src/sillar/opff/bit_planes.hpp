// Bit planes: eight pixels a byte, one byte a pixel, and the way between them.
#pragma once

#include <sillar/base/error.hpp>
#include <sillar/opff/plan.hpp>
#include <sillar/tensor/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace sillar::opff {

/// Pixels [first, first + out.size()) of a plane as bytes 0 or 1. `packed` holds them. Rows have no
/// padding: pixel (y, x) is number y * width + x, and a row may begin inside a byte.
void unpack_bits(std::span<const std::byte> packed, std::uint64_t first, BitOrder order,
                 std::span<std::byte> out);

/// Eight bytes, each 0 or 1, to one: `out` is samples.size() / 8, which is whole.
void pack_bits(std::span<const std::byte> samples, BitOrder order, std::span<std::byte> out);

/// A window of packed planes, `packed` as `view_of` gives it, in a tensor of booleans (frame,
/// channel, y, x). Fails with over_limit.
[[nodiscard]] Result<Tensor> unpack(const TensorView& packed, const Geometry& geometry,
                                    const Window& window, BitOrder order,
                                    std::uint64_t byte_limit = UINT64_MAX);

}  // namespace sillar::opff
