// Affine transforms carried out in double arithmetic.
#include <sillar/geo/affine.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

namespace sillar::geo {
namespace {

constexpr double largest_pixel = 9007199254740992.0;  // 2^53: beyond it doubles skip pixels
constexpr double snap_pixels = 1e-9;

/// a * b - c * d without cancellation: the rounding error of c * d is given back (Kahan).
double difference_of_products(double a, double b, double c, double d) {
  const double cd = c * d;
  const double error = std::fma(-c, d, cd);
  return std::fma(a, b, -cd) + error;
}

/// The inverse of the 2x2 part: pixels per world unit.
struct PixelsPerUnit {
  double col_x;
  double col_y;
  double row_x;
  double row_y;

  [[nodiscard]] bool finite() const {
    return std::isfinite(col_x) && std::isfinite(col_y) && std::isfinite(row_x) &&
           std::isfinite(row_y);
  }
};

/// The exponent that brings the larger of two finite numbers into [1, 2).
int exponent_of_larger(double a, double b) {
  return std::ilogb(std::max(std::abs(a), std::abs(b)));
}

PixelsPerUnit invert_full(const Affine& t) {
  // Each row is scaled by a power of two, so that the products neither overflow nor underflow.
  const int x_exponent = exponent_of_larger(t.x_res, t.row_rot);
  const int y_exponent = exponent_of_larger(t.col_rot, t.y_res);
  const double a = std::scalbn(t.x_res, -x_exponent);
  const double b = std::scalbn(t.row_rot, -x_exponent);
  const double c = std::scalbn(t.col_rot, -y_exponent);
  const double d = std::scalbn(t.y_res, -y_exponent);
  const double determinant = difference_of_products(a, d, b, c);
  return {.col_x = std::scalbn(d / determinant, -x_exponent),
          .col_y = std::scalbn(-b / determinant, -y_exponent),
          .row_x = std::scalbn(-c / determinant, -x_exponent),
          .row_y = std::scalbn(a / determinant, -y_exponent)};
}

std::optional<PixelsPerUnit> invert_scale(const Affine& t) {
  if (!t.finite()) return std::nullopt;
  const bool singular_row = (t.x_res == 0 && t.row_rot == 0) || (t.col_rot == 0 && t.y_res == 0);
  if (singular_row) return std::nullopt;

  PixelsPerUnit inverse{};
  if (t.row_rot == 0 && t.col_rot == 0) {
    inverse = {.col_x = 1 / t.x_res, .col_y = 0, .row_x = 0, .row_y = 1 / t.y_res};
  } else if (t.x_res == 0 && t.y_res == 0) {
    inverse = {.col_x = 0, .col_y = 1 / t.col_rot, .row_x = 1 / t.row_rot, .row_y = 0};
  } else {
    inverse = invert_full(t);
  }
  if (!inverse.finite()) return std::nullopt;
  return inverse;
}

/// The least and the greatest of some numbers; NaN where one of them is.
class Range {
 public:
  void add(double value) {
    if (std::isnan(value)) least = greatest = value;
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }

  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();
};

/// Pixels first .. end - 1.
struct PixelRange {
  std::int64_t first;
  std::int64_t end;
};

/// The pixels that cover `edges`, in pixel coordinates; an edge within `slack` of a pixel edge is
/// on it.
std::optional<PixelRange> covering(const Range& edges, double slack) {
  const auto snapped = [slack](double edge) {
    const double nearest = std::round(edge);
    return std::abs(edge - nearest) <= slack ? nearest : edge;
  };
  double first = std::floor(snapped(edges.least));
  double end = std::ceil(snapped(edges.greatest));
  if (first >= end) {  // thinner than the slack: the pixel that it lies in
    first = std::floor(edges.least);
    end = std::max(std::ceil(edges.greatest), first + 1);
  }
  if (!(first >= -largest_pixel && end <= largest_pixel)) return std::nullopt;
  return PixelRange{static_cast<std::int64_t>(first), static_cast<std::int64_t>(end)};
}

/// The shortest decimal number that reads back as `value`.
std::string text_of(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string text_of(const Bounds& b) {
  return "(" + text_of(b.left) + ", " + text_of(b.bottom) + ", " + text_of(b.right) + ", " +
         text_of(b.top) + ")";
}

/// a + b, or the end of the range of int64 where the sum lies outside.
std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b < 0 ? std::numeric_limits<std::int64_t>::min()
               : std::numeric_limits<std::int64_t>::max();
}

/// The part of first .. first + count - 1 that lies in 0 .. limit - 1; empty where first >= end.
PixelRange clip_range(std::int64_t first, std::int64_t count, std::uint64_t limit) {
  constexpr auto largest = std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  const auto end = static_cast<std::int64_t>(std::min(limit, largest));
  return {std::max<std::int64_t>(first, 0), std::min(saturating_add(first, count), end)};
}

}  // namespace

Point Affine::apply(double col, double row) const {
  return {.x = x_origin + (x_res * col + row_rot * row),
          .y = y_origin + (col_rot * col + y_res * row)};
}

double Affine::determinant() const {
  return difference_of_products(x_res, y_res, row_rot, col_rot);
}

bool Affine::finite() const {
  return std::ranges::all_of(values(), [](double value) { return std::isfinite(value); });
}

bool Affine::invertible() const { return inverse().has_value(); }

std::optional<Affine> Affine::inverse() const {
  const auto scale = invert_scale(*this);
  if (!scale) return std::nullopt;
  // Zero is added so that no -0 appears where the origin is zero.
  const Affine inverse{.x_res = scale->col_x,
                       .row_rot = scale->col_y,
                       .x_origin = -(scale->col_x * x_origin + scale->col_y * y_origin) + 0.0,
                       .col_rot = scale->row_x,
                       .y_res = scale->row_y,
                       .y_origin = -(scale->row_x * x_origin + scale->row_y * y_origin) + 0.0};
  if (!inverse.finite()) return std::nullopt;
  return inverse;
}

Affine Affine::shifted(double cols, double rows) const {
  const Point origin = apply(cols, rows);
  Affine moved = *this;
  moved.x_origin = origin.x;
  moved.y_origin = origin.y;
  return moved;
}

Affine corner_transform(const Affine& stored, bool pixel_is_point) {
  return pixel_is_point ? stored.shifted(-0.5, -0.5) : stored;
}

Affine stored_transform(const Affine& corner, bool pixel_is_point) {
  return pixel_is_point ? corner.shifted(0.5, 0.5) : corner;
}

Bounds bounds_of(const Affine& corner, const Window& window) {
  const auto top = static_cast<double>(window.row);
  const auto left = static_cast<double>(window.col);
  const double bottom = top + static_cast<double>(window.height);
  const double right = left + static_cast<double>(window.width);
  Range x;
  Range y;
  for (const Point& point : {corner.apply(left, top), corner.apply(right, top),
                             corner.apply(left, bottom), corner.apply(right, bottom)}) {
    x.add(point.x);
    y.add(point.y);
  }
  // Zero is added so that no bound is -0.
  return {.left = x.least + 0.0,
          .bottom = y.least + 0.0,
          .right = x.greatest + 0.0,
          .top = y.greatest + 0.0};
}

Result<Window> window_of(const Affine& corner, const Bounds& bounds) {
  if (!corner.invertible()) {
    return fail(Errc::bad_argument,
                "the transform is not finite or singular: world coordinates have no pixel");
  }
  const bool finite = std::isfinite(bounds.left) && std::isfinite(bounds.bottom) &&
                      std::isfinite(bounds.right) && std::isfinite(bounds.top);
  if (!finite || !(bounds.left < bounds.right) || !(bounds.bottom < bounds.top)) {
    return fail(Errc::bad_argument,
                "bounds " + text_of(bounds) +
                    " are not a rectangle; expected left < right and bottom < top");
  }

  const PixelsPerUnit scale = *invert_scale(corner);
  Range cols;
  Range rows;
  for (const Point& point :
       {Point{bounds.left, bounds.top}, Point{bounds.right, bounds.top},
        Point{bounds.left, bounds.bottom}, Point{bounds.right, bounds.bottom}}) {
    // The origin goes first: both are large and near each other, and their difference is not.
    const double dx = point.x - corner.x_origin;
    const double dy = point.y - corner.y_origin;
    cols.add(scale.col_x * dx + scale.col_y * dy);
    rows.add(scale.row_x * dx + scale.row_y * dy);
  }

  // What the coordinates lost in rounding, in pixels: a few units in the last place.
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  const double x_size =
      std::max(std::abs(bounds.left), std::abs(bounds.right)) + std::abs(corner.x_origin);
  const double y_size =
      std::max(std::abs(bounds.bottom), std::abs(bounds.top)) + std::abs(corner.y_origin);
  const auto slack = [&](double per_x, double per_y) {
    return snap_pixels + rounding * (std::abs(per_x) * x_size + std::abs(per_y) * y_size);
  };
  const auto col = covering(cols, slack(scale.col_x, scale.col_y));
  const auto row = covering(rows, slack(scale.row_x, scale.row_y));
  if (!col || !row) {
    return fail(Errc::bad_argument,
                "bounds " + text_of(bounds) + " reach pixels beyond 2^53 from the origin");
  }
  return Window{.row = row->first,
                .col = col->first,
                .height = row->end - row->first,
                .width = col->end - col->first};
}

Result<Window> clip(const Window& window, std::uint64_t height, std::uint64_t width) {
  const PixelRange rows = clip_range(window.row, window.height, height);
  const PixelRange cols = clip_range(window.col, window.width, width);
  if (rows.first >= rows.end || cols.first >= cols.end) {
    return fail(Errc::bad_argument,
                "window row " + std::to_string(window.row) + ", col " + std::to_string(window.col) +
                    ", height " + std::to_string(window.height) + ", width " +
                    std::to_string(window.width) + " has no pixel in a raster of height " +
                    std::to_string(height) + ", width " + std::to_string(width));
  }
  return Window{.row = rows.first,
                .col = cols.first,
                .height = rows.end - rows.first,
                .width = cols.end - cols.first};
}

}  // namespace sillar::geo
