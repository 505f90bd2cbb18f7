// Puts the samples of a decoded frame where a plan wants them.
#pragma once

#include <sillar/codec/openzl.hpp>
#include <sillar/rumi/plan.hpp>
#include <sillar/tensor/view.hpp>

#include <cstddef>
#include <optional>
#include <span>

namespace sillar::rumi {

/// Where a frame's decoded samples lie in the output without a gap and in the frame's own order, so
/// that it can be decoded in place; else empty. `out` is the output in (t, b, y, x), aligned as the
/// decoder wants it.
[[nodiscard]] std::span<std::byte> in_place(const Plan& plan, const FramePlace& place,
                                            const MutableTensorView& out);

/// A frame whose wanted samples are a rectangle of its one plane, and rows of the output that take
/// them as they are.
struct Rows {
  codec::openzl::Rectangle wanted;
  codec::openzl::RowTarget target;
};

/// The rows that take a frame's samples, where it has one plane, that plane is wanted once, and
/// neighbours in a row are neighbours in the output; else nothing.
[[nodiscard]] std::optional<Rows> rows_of(const Plan& plan, const FramePlace& place,
                                          const MutableTensorView& out);

/// Copies the wanted part of a decoded frame into `out`, the output in (t, b, y, x).
void place_frame(const Plan& plan, const FramePlace& place, std::span<const std::byte> decoded,
                 const MutableTensorView& out);

/// Fills the part of `out` that lies outside the raster with the plan's pad value.
void fill_outside(const Plan& plan, const MutableTensorView& out);

}  // namespace sillar::rumi
