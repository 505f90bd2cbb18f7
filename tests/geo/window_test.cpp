// Windows of pixels and bounds of the world, each from the other.
#include <sillar/geo/affine.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace sillar::geo {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t int64_min = std::numeric_limits<std::int64_t>::min();
constexpr std::uint64_t uint64_max = std::numeric_limits<std::uint64_t>::max();

constexpr Window whole(std::int64_t height, std::int64_t width) {
  return {.row = 0, .col = 0, .height = height, .width = width};
}

void expect_near(const Bounds& got, const Bounds& expected, double tolerance) {
  EXPECT_NEAR(got.left, expected.left, tolerance);
  EXPECT_NEAR(got.bottom, expected.bottom, tolerance);
  EXPECT_NEAR(got.right, expected.right, tolerance);
  EXPECT_NEAR(got.top, expected.top, tolerance);
}

TEST(Bounds, of_a_north_up_grid_hang_below_the_origin) {
  EXPECT_EQ(bounds_of({10, 0, 500000, 0, -10, 4600000}, whole(100, 200)),
            (Bounds{500000, 4599000, 502000, 4600000}));
}

TEST(Bounds, of_a_planetary_label_start_at_the_upper_left_corner) {
  EXPECT_EQ(bounds_of({10, 0, 0, 0, -10, 0}, whole(3, 3)), (Bounds{0, -30, 30, 0}));
}

TEST(Bounds, of_south_up_and_mirrored_grids_are_ordered) {
  EXPECT_EQ(bounds_of({1, 0, 0, 0, 1, 0}, whole(8, 8)), (Bounds{0, 0, 8, 8}));
  EXPECT_EQ(bounds_of({-1, 0, 8, 0, -1, 8}, whole(8, 8)), (Bounds{0, 0, 8, 8}));
}

TEST(Bounds, of_a_sar_scene_come_from_all_four_corners) {
  // (4,0) is leftmost, (0,0) lowest, (0,4) rightmost, (4,4) highest.
  expect_near(bounds_of({-0.346, 0.292, 366317.96, 0.292, 0.346, 130406.04}, whole(4, 4)),
              {366316.576, 130406.04, 366319.128, 130408.592}, 1e-9);
}

TEST(Bounds, of_a_window_turned_by_30_degrees_come_from_all_four_corners) {
  const double cosine = 0.8660254037844386;
  const double sine = 0.5;
  expect_near(
      bounds_of({cosine, -sine, 0, sine, cosine, 0}, {.row = 2, .col = 1, .height = 3, .width = 3}),
      {-1.6339745962, 2.2320508076, 2.4641016151, 6.3301270189}, 1e-9);
}

TEST(Bounds, of_a_sheared_scene_come_from_all_four_corners) {
  expect_near(bounds_of({1.5e-5, 2.5e-6, -72.4, -4e-6, 1.4e-5, -14.17}, whole(100, 100)),
              {-72.4, -14.1704, -72.39825, -14.1686}, 1e-12);
}

TEST(Bounds, of_a_window_start_at_its_own_corner) {
  EXPECT_EQ(
      bounds_of({10, 0, 500000, 0, -10, 4600000}, {.row = 5, .col = -3, .height = 2, .width = 4}),
      (Bounds{499970, 4599930, 500010, 4599950}));
}

TEST(Bounds, are_never_negative_zero) {
  const Bounds bounds = bounds_of({-1, -0.0, 0, -0.0, -1, 0}, whole(2, 2));
  EXPECT_EQ(bounds, (Bounds{-2, -2, 0, 0}));
  EXPECT_FALSE(std::signbit(bounds.right));
  EXPECT_FALSE(std::signbit(bounds.top));
}

TEST(Bounds, are_nan_where_the_transform_is) {
  const Bounds bounds = bounds_of({nan, 0, 0, 0, -1, 0}, whole(2, 2));
  EXPECT_TRUE(std::isnan(bounds.left));
  EXPECT_TRUE(std::isnan(bounds.right));
  EXPECT_EQ(bounds.top, 0);
}

TEST(Bounds, of_a_window_at_the_end_of_int64_do_not_overflow) {
  const Bounds bounds =
      bounds_of({1, 0, 0, 0, 1, 0}, {.row = int64_max, .col = 0, .height = int64_max, .width = 1});
  EXPECT_EQ(bounds.bottom, 9223372036854775808.0);
  EXPECT_EQ(bounds.top, 18446744073709551616.0);
}

TEST(WindowOfBounds, covers_partial_pixels_of_a_north_up_grid) {
  // Columns 2.5 to 10, rows 1.5 to 10.
  EXPECT_EQ(window_of({10, 0, 500000, 0, -10, 4600000}, {500025, 4599900, 500100, 4599985}),
            (Window{.row = 1, .col = 2, .height = 9, .width = 8}));
}

TEST(WindowOfBounds, covers_partial_pixels_of_south_up_and_mirrored_grids) {
  EXPECT_EQ(window_of({1, 0, 0, 0, 1, 0}, {1, 2.5, 3, 4}),
            (Window{.row = 2, .col = 1, .height = 2, .width = 2}));
  // Columns 8 - x: 5 to 7; rows 8 - y: 4 to 5.5.
  EXPECT_EQ(window_of({-1, 0, 8, 0, -1, 8}, {1, 2.5, 3, 4}),
            (Window{.row = 4, .col = 5, .height = 2, .width = 2}));
}

TEST(WindowOfBounds, covers_all_corners_on_a_rotated_grid) {
  // (col, row) of the corners: (0,0), (3,-4), (8,6), (11,2).
  EXPECT_EQ(window_of({3, -4, 1000, 4, 3, 2000}, {1000, 2000, 1025, 2050}),
            (Window{.row = -4, .col = 0, .height = 10, .width = 11}));
}

TEST(WindowOfBounds, may_reach_outside_the_raster) {
  EXPECT_EQ(window_of({1, 0, 0, 0, -1, 10}, {-3, 0, 4, 10}),
            (Window{.row = 0, .col = -3, .height = 10, .width = 7}));
}

TEST(WindowOfBounds, does_not_add_a_pixel_for_rounded_decimals) {
  // (10.3 - 10) / 0.1 is 3.0000000000000071 in doubles.
  EXPECT_EQ(window_of({0.1, 0, 10, 0, -0.1, 50}, {10.3, 49.4, 10.7, 49.8}),
            (Window{.row = 2, .col = 3, .height = 4, .width = 4}));
}

TEST(WindowOfBounds, counts_edges_within_1e_minus_9_pixels_as_on_the_edge) {
  const Affine corner{1, 0, 0, 0, 1, 0};
  EXPECT_EQ(window_of(corner, {2 - 5e-10, 0, 4 + 5e-10, 1}),
            (Window{.row = 0, .col = 2, .height = 1, .width = 2}));
  EXPECT_EQ(window_of(corner, {2 - 5e-9, 0, 4 + 5e-9, 1}),
            (Window{.row = 0, .col = 1, .height = 1, .width = 4}));
}

TEST(WindowOfBounds, returns_the_window_that_the_bounds_came_from) {
  const Affine grids[] = {
      {10, 0, 500000, 0, -10, 4600000},
      {0.3, 0, 431000.1, 0, -0.3, 5381000.7},
      {2.7e-6, 0, -179.123456789, 0, -2.7e-6, 71.987654321},  // 30 cm in degrees
      {1.0 / 3600, 0, 11, 0, 1.0 / 3600, 47},
      {-0.1, 0, 33.3, 0, -0.7, 1e6},
  };
  const Window windows[] = {
      {.row = 0, .col = 0, .height = 1, .width = 1},
      {.row = 512, .col = 256, .height = 256, .width = 512},
      {.row = 99999, .col = 1234567, .height = 3, .width = 7},
      {.row = -17, .col = -1000003, .height = 100, .width = 999983},
  };
  for (const Affine& corner : grids) {
    for (const Window& window : windows) {
      EXPECT_EQ(window_of(corner, bounds_of(corner, window)), window)
          << corner.x_res << " row " << window.row << " col " << window.col;
    }
  }
}

TEST(WindowOfBounds, gives_one_pixel_to_bounds_thinner_than_the_slack) {
  EXPECT_EQ(window_of({1, 0, 0, 0, 1, 0}, {2 + 1e-10, 0, 2 + 2e-10, 1}),
            (Window{.row = 0, .col = 2, .height = 1, .width = 1}));
}

TEST(WindowOfBounds, is_refused_for_bounds_that_are_no_rectangle) {
  const Affine corner{1, 0, 0, 0, -1, 0};
  const Bounds cases[] = {
      {0, 0, 0, 1},   {0, 0, 1, 0},   {1, 0, 0, 1},        {0, 1, 1, 0},
      {nan, 0, 1, 1}, {0, nan, 1, 1}, {0, 0, infinity, 1}, {-infinity, 0, 1, 1},
  };
  for (const Bounds& bounds : cases) {
    const auto window = window_of(corner, bounds);
    ASSERT_FALSE(window.has_value());
    EXPECT_EQ(window.error().code, Errc::bad_argument);
  }
}

TEST(WindowOfBounds, is_refused_for_transforms_that_cannot_be_inverted) {
  for (const Affine& corner : {Affine{0, 0, 0, 0, 0, 0}, Affine{1, 2, 0, 2, 4, 0},
                               Affine{nan, 0, 0, 0, 1, 0}, Affine{1, 0, infinity, 0, 1, 0}}) {
    const auto window = window_of(corner, {0, 0, 1, 1});
    ASSERT_FALSE(window.has_value());
    EXPECT_EQ(window.error().code, Errc::bad_argument);
  }
}

TEST(WindowOfBounds, is_refused_beyond_2_to_the_53_pixels) {
  const Affine corner{1, 0, 0, 0, 1, 0};
  EXPECT_EQ(window_of(corner, {0, 0, 9007199254740992.0, 1}),
            (Window{.row = 0, .col = 0, .height = 1, .width = 9007199254740992}));
  for (const Bounds& bounds : {Bounds{0, 0, 9007199254740994.0, 1}, Bounds{-1e300, 0, 1e300, 1},
                               Bounds{0, -1.7e308, 1, 1.7e308}}) {
    const auto window = window_of(corner, bounds);
    ASSERT_FALSE(window.has_value());
    EXPECT_EQ(window.error().code, Errc::bad_argument);
  }
}

TEST(Clip, keeps_the_part_inside_and_says_which_it_is) {
  EXPECT_EQ(clip({.row = 0, .col = -3, .height = 10, .width = 7}, 10, 10),
            (Window{.row = 0, .col = 0, .height = 10, .width = 4}));
  EXPECT_EQ(clip({.row = 8, .col = 9, .height = 5, .width = 5}, 10, 10),
            (Window{.row = 8, .col = 9, .height = 2, .width = 1}));
  EXPECT_EQ(clip({.row = -5, .col = -5, .height = 100, .width = 100}, 10, 20),
            (Window{.row = 0, .col = 0, .height = 10, .width = 20}));
  EXPECT_EQ(clip({.row = 2, .col = 3, .height = 4, .width = 5}, 10, 10),
            (Window{.row = 2, .col = 3, .height = 4, .width = 5}));
}

TEST(Clip, is_refused_where_nothing_is_left) {
  const Window cases[] = {
      {.row = 10, .col = 0, .height = 1, .width = 1},
      {.row = 0, .col = 10, .height = 1, .width = 1},
      {.row = -3, .col = 0, .height = 3, .width = 3},
      {.row = 0, .col = 0, .height = 0, .width = 3},
      {.row = 0, .col = 0, .height = 3, .width = -1},
      {.row = int64_max, .col = 0, .height = int64_max, .width = 1},
      {.row = int64_min, .col = 0, .height = int64_min, .width = 1},
  };
  for (const Window& window : cases) {
    const auto inside = clip(window, 10, 10);
    ASSERT_FALSE(inside.has_value()) << window.row << " " << window.height;
    EXPECT_EQ(inside.error().code, Errc::bad_argument);
  }
  EXPECT_FALSE(clip({.row = 0, .col = 0, .height = 1, .width = 1}, 0, 10).has_value());
}

TEST(Clip, does_not_overflow_at_the_ends_of_int64) {
  EXPECT_EQ(clip({.row = int64_max - 1, .col = 0, .height = int64_max, .width = 1}, uint64_max, 1),
            (Window{.row = int64_max - 1, .col = 0, .height = 1, .width = 1}));
  EXPECT_EQ(clip({.row = 5, .col = 0, .height = int64_max, .width = int64_max}, 10, 10),
            (Window{.row = 5, .col = 0, .height = 5, .width = 10}));
}

}  // namespace
}  // namespace sillar::geo
