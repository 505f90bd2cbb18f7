// Affine transforms between pixels and world coordinates, windows and bounds.
#pragma once

#include <sillar/base/error.hpp>

#include <array>
#include <cstdint>
#include <optional>

namespace sillar::geo {

struct Point {
  double x = 0;
  double y = 0;

  friend bool operator==(const Point&, const Point&) = default;
};

/// left, bottom, right, top, in world units; left <= right and bottom <= top.
struct Bounds {
  double left = 0;
  double bottom = 0;
  double right = 0;
  double top = 0;

  friend bool operator==(const Bounds&, const Bounds&) = default;
};

/// A rectangle of pixels. `row` and `col` may be negative where a caller asks outside.
struct Window {
  std::int64_t row = 0;
  std::int64_t col = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;

  friend bool operator==(const Window&, const Window&) = default;
};

/// x = x_res * col + row_rot * row + x_origin, y = col_rot * col + y_res * row + y_origin.
/// The order of members is that of every list in JSON, Python and options.
struct Affine {
  double x_res = 1;
  double row_rot = 0;
  double x_origin = 0;
  double col_rot = 0;
  double y_res = 1;
  double y_origin = 0;

  friend bool operator==(const Affine&, const Affine&) = default;

  [[nodiscard]] constexpr std::array<double, 6> values() const {
    return {x_res, row_rot, x_origin, col_rot, y_res, y_origin};
  }
  [[nodiscard]] static constexpr Affine of(const std::array<double, 6>& v) {
    return {v[0], v[1], v[2], v[3], v[4], v[5]};
  }

  [[nodiscard]] Point apply(double col, double row) const;

  /// x_res * y_res - row_rot * col_rot, zero only where the 2x2 part is singular or the products
  /// underflow. `invertible` is the question to ask: it does not depend on the units.
  [[nodiscard]] double determinant() const;

  /// All six are finite.
  [[nodiscard]] bool finite() const;

  /// Finite, and world coordinates can be turned back into pixels in double arithmetic: the inverse
  /// exists and its six values are finite. A tiny determinant alone is no obstacle: pixels of
  /// 1e-150 have the determinant 1e-300 and an inverse.
  [[nodiscard]] bool invertible() const;

  /// World to pixel. Nothing where the transform is not invertible.
  [[nodiscard]] std::optional<Affine> inverse() const;

  /// The transform after moving the origin by (cols, rows) pixels: shifted(c, r).apply(0, 0) ==
  /// apply(c, r).
  [[nodiscard]] Affine shifted(double cols, double rows) const;
};

/// The corner-based transform of a raster whose stored matrix maps pixel centres
/// (PixelIsPoint) or corners (PixelIsArea).
[[nodiscard]] Affine corner_transform(const Affine& stored, bool pixel_is_point);

/// The stored matrix that `corner` stands for; the inverse of `corner_transform`, up to rounding.
///
/// stored -> corner -> stored gives back equal doubles always for PixelIsArea, and for PixelIsPoint
/// when half a pixel is a multiple of the last bit of both origins (metres and their binary
/// fractions: origin 500000, pixels of 10 or 0.5). Other values come back equal too, unless the
/// corner lies beyond the next power of two away from zero (stored -127.999, corner -128.001) or
/// half-way between two doubles: there the stored origin has digits that the corner cannot hold,
/// and comes back within one unit in the last place of the corner's. Who must keep bits keeps the
/// stored matrix.
[[nodiscard]] Affine stored_transform(const Affine& corner, bool pixel_is_point);

/// The world rectangle around all four corners of a window, by a corner-based transform. NaN where
/// a corner is.
[[nodiscard]] Bounds bounds_of(const Affine& corner, const Window& window);

/// The smallest window of whole pixels that covers `bounds`, by a corner-based transform; it may
/// reach outside the raster. Edges within 1e-9 pixels of a pixel edge, or within the rounding of
/// their own coordinates, count as on it: where the axes are not rotated,
/// window_of(corner, bounds_of(corner, w)) == w. Fails with bad_argument when the transform is not
/// invertible, or `bounds` is empty, not finite or gives pixels outside +-2^53.
[[nodiscard]] Result<Window> window_of(const Affine& corner, const Bounds& bounds);

/// The part of `window` inside a raster of height x width. Fails with bad_argument where nothing is
/// left.
[[nodiscard]] Result<Window> clip(const Window& window, std::uint64_t height, std::uint64_t width);

}  // namespace sillar::geo
