// Affine transforms: application, inversion, and the half pixel of PixelIsPoint.
#include <sillar/geo/affine.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

namespace sillar::geo {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Affine, maps_columns_and_rows_by_all_six_coefficients) {
  // x = 2 * 5 + 3 * 7 + 100, y = 11 * 5 + 13 * 7 + 200
  const Affine transform{2, 3, 100, 11, 13, 200};
  EXPECT_EQ(transform.apply(5, 7), (Point{131, 346}));
  EXPECT_EQ(transform.apply(0, 0), (Point{100, 200}));
  EXPECT_EQ(transform.apply(-1, 0.5), (Point{99.5, 195.5}));
}

TEST(Affine, lists_its_values_in_the_order_of_its_members) {
  const Affine transform{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(transform.values(), (std::array<double, 6>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Affine::of({1, 2, 3, 4, 5, 6}), transform);
}

TEST(Affine, of_epsg_4326_has_longitude_as_x) {
  const Affine transform{0.1, 0, 10, 0, -0.1, 50};
  EXPECT_EQ(transform.apply(0, 0), (Point{10, 50}));
  EXPECT_DOUBLE_EQ(transform.apply(10, 0).x, 11);
  EXPECT_DOUBLE_EQ(transform.apply(0, 10).y, 49);
}

TEST(Affine, of_a_south_up_grid_has_ascending_pixel_centres) {
  const Affine transform{1, 0, 0, 0, 1, 0};
  const double expected[] = {0.5, 1.5, 2.5, 3.5};
  for (int row = 0; row < 4; ++row) EXPECT_EQ(transform.apply(0.5, row + 0.5).y, expected[row]);
}

TEST(Affine, moves_its_origin_by_whole_and_half_pixels) {
  const Affine transform{10, 0, 500000, 0, -10, 4600000};
  EXPECT_EQ(transform.shifted(3, 2), (Affine{10, 0, 500030, 0, -10, 4599980}));
  EXPECT_EQ(transform.shifted(-0.5, -0.5), (Affine{10, 0, 499995, 0, -10, 4600005}));
  const Affine sheared{2, 3, 100, 11, 13, 200};
  EXPECT_EQ(sheared.shifted(5, 7), (Affine{2, 3, 131, 11, 13, 346}));
}

TEST(Affine, moved_origin_is_where_the_pixel_was) {
  const Affine transform{-0.346, 0.292, 366317.96, 0.292, 0.346, 130406.04};
  for (const double col : {-0.5, 0.5, 17.0, 12345.25}) {
    for (const double row : {-3.0, 0.5, 1e6}) {
      EXPECT_EQ(transform.shifted(col, row).apply(0, 0), transform.apply(col, row));
    }
  }
}

TEST(AffineInverse, of_a_north_up_grid_is_exact) {
  const Affine transform{8, 0, 500000, 0, -4, 4600000};
  EXPECT_EQ(transform.inverse(), (Affine{0.125, 0, -62500, 0, -0.25, 1150000}));
}

TEST(AffineInverse, of_a_rotated_grid_inverts_the_full_matrix) {
  // Determinant 3 * 3 - (-4) * 4 = 25.
  const Affine transform{3, -4, 1000, 4, 3, 2000};
  EXPECT_EQ(transform.determinant(), 25);
  const auto inverse = transform.inverse();
  ASSERT_TRUE(inverse.has_value());
  const double expected[] = {0.12, 0.16, -440, -0.16, 0.12, -80};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(inverse->values()[i], expected[i], 1e-12);
}

TEST(AffineInverse, of_a_quarter_turn_is_exact) {
  // x = 2 * row + 10, y = 4 * col + 20
  const Affine transform{0, 2, 10, 4, 0, 20};
  EXPECT_EQ(transform.inverse(), (Affine{0, 0.25, -5, 0.5, 0, -5}));
}

TEST(AffineInverse, leads_back_to_the_pixel_of_a_sar_scene) {
  const Affine transform{-0.346, 0.292, 366317.96, 0.292, 0.346, 130406.04};
  const auto inverse = transform.inverse();
  ASSERT_TRUE(inverse.has_value());
  // x = 366317.96 - 0.346 * 2 + 0.292 * 3, y = 130406.04 + 0.292 * 2 + 0.346 * 3
  const Point pixel = inverse->apply(366318.144, 130407.662);
  EXPECT_NEAR(pixel.x, 2, 1e-6);
  EXPECT_NEAR(pixel.y, 3, 1e-6);
}

TEST(AffineInverse, of_a_sheared_scene_exists) {
  const Affine transform{1.5e-5, 2.5e-6, -72.4, -4e-6, 1.4e-5, -14.17};
  // 1.5e-5 * 1.4e-5 + 2.5e-6 * 4e-6
  EXPECT_NEAR(transform.determinant(), 2.2e-10, 1e-24);
  const auto inverse = transform.inverse();
  ASSERT_TRUE(inverse.has_value());
  EXPECT_NEAR(inverse->x_res, 1.4e-5 / 2.2e-10, 1e-8);
  EXPECT_NEAR(inverse->row_rot, -2.5e-6 / 2.2e-10, 1e-8);
  EXPECT_NEAR(inverse->col_rot, 4e-6 / 2.2e-10, 1e-8);
  EXPECT_NEAR(inverse->y_res, 1.5e-5 / 2.2e-10, 1e-8);
}

TEST(AffineInverse, has_no_negative_zero_for_an_origin_of_zero) {
  const auto inverse = Affine{10, 0, 0, 0, -10, 0}.inverse();
  ASSERT_TRUE(inverse.has_value());
  for (const double value : inverse->values()) {
    EXPECT_FALSE(value == 0 && std::signbit(value));
  }
}

TEST(AffineInverse, does_not_exist_for_singular_matrices) {
  const Affine cases[] = {
      {0, 0, 0, 0, 0, 0},          // all zero
      {0, 0, 5, 0, 1, 5},          // no width
      {1, 0, 5, 0, 0, 5},          // no height
      {1, 2, 0, 2, 4, 0},          // rows that depend on each other
      {0.1, 0.2, 0, 0.3, 0.6, 0},  // the same in decimals: 0.2 and 0.6 are twice 0.1 and 0.3
      {1e-200, 2e-200, 0, 1e-200, 2e-200, 0},
      {1e200, 2e200, 0, 1e200, 2e200, 0},
  };
  for (const Affine& transform : cases) {
    EXPECT_TRUE(transform.finite());
    EXPECT_FALSE(transform.invertible()) << transform.x_res << " " << transform.row_rot;
    EXPECT_EQ(transform.inverse(), std::nullopt);
  }
}

TEST(AffineInverse, does_not_exist_where_a_coefficient_is_not_finite) {
  for (const double value : {nan, infinity, -infinity}) {
    for (std::size_t i = 0; i < 6; ++i) {
      auto values = Affine{10, 0, 500000, 0, -10, 4600000}.values();
      values[i] = value;
      const Affine transform = Affine::of(values);
      EXPECT_FALSE(transform.finite());
      EXPECT_FALSE(transform.invertible());
      EXPECT_EQ(transform.inverse(), std::nullopt);
    }
  }
}

TEST(AffineInverse, exists_where_rounded_products_would_cancel) {
  // (1 + 2^-30) * (1 - 2^-30) - 1 * 1 = -2^-60, and the first product rounds to 1.
  const double step = std::ldexp(1.0, -30);
  const Affine transform{1 + step, 1, 0, 1, 1 - step, 0};
  EXPECT_EQ(transform.determinant(), -std::ldexp(1.0, -60));
  const auto inverse = transform.inverse();
  ASSERT_TRUE(inverse.has_value());
  EXPECT_EQ(inverse->row_rot, std::ldexp(1.0, 60));
}

TEST(AffineInverse, exists_with_a_determinant_of_1e_minus_300) {
  const auto flat = Affine{1, 0, 0, 0, 1e-300, 0}.inverse();
  ASSERT_TRUE(flat.has_value());
  EXPECT_EQ(flat->x_res, 1);
  EXPECT_DOUBLE_EQ(flat->y_res, 1e300);
  const auto small = Affine{1e-150, 0, 0, 0, 1e-150, 0}.inverse();
  ASSERT_TRUE(small.has_value());
  EXPECT_DOUBLE_EQ(small->x_res, 1e150);
  EXPECT_DOUBLE_EQ(small->y_res, 1e150);
}

TEST(AffineInverse, does_not_depend_on_a_determinant_that_underflows) {
  // The determinant of the second is 25e-400, of the third 25e400.
  for (const double unit : {1.0, 1e-200, 1e200}) {
    const Affine transform{3 * unit, -4 * unit, 0, 4 * unit, 3 * unit, 0};
    const auto inverse = transform.inverse();
    ASSERT_TRUE(inverse.has_value()) << unit;
    EXPECT_NEAR(inverse->x_res * unit, 0.12, 1e-15);
    EXPECT_NEAR(inverse->row_rot * unit, 0.16, 1e-15);
    EXPECT_NEAR(inverse->col_rot * unit, -0.16, 1e-15);
    EXPECT_NEAR(inverse->y_res * unit, 0.12, 1e-15);
  }
}

TEST(AffineInverse, does_not_exist_where_it_leaves_the_range_of_double) {
  EXPECT_FALSE((Affine{1, 0, 0, 0, 1e-310, 0}.invertible()));     // 1e310 pixels a unit
  EXPECT_FALSE((Affine{1, 0, 0, 0, 1e-300, 1e10}.invertible()));  // the origin at pixel -1e310
}

TEST(PixelIsPoint, puts_the_corner_half_a_pixel_before_the_stored_origin) {
  const Affine stored{1, 0, 100, 0, -1, 50};
  const Affine corner = corner_transform(stored, true);
  EXPECT_EQ(corner, (Affine{1, 0, 99.5, 0, -1, 50.5}));
  EXPECT_EQ(bounds_of(corner, {.row = 0, .col = 0, .height = 4, .width = 4}),
            (Bounds{99.5, 46.5, 103.5, 50.5}));
}

TEST(PixelIsPoint, shifts_along_both_axes_of_a_sheared_grid) {
  // Half of (2 + 6, 4 + 12).
  const Affine stored{2, 6, 100, 4, 12, 200};
  EXPECT_EQ(corner_transform(stored, true), (Affine{2, 6, 96, 4, 12, 192}));
  EXPECT_EQ(stored_transform({2, 6, 96, 4, 12, 192}, true), stored);
}

TEST(PixelIsArea, leaves_the_stored_matrix_alone) {
  for (const Affine& stored : {Affine{1, 0, 100, 0, -1, 50}, Affine{0.1, 0.2, 1e300, 3, 4, -0.7}}) {
    EXPECT_EQ(corner_transform(stored, false), stored);
    EXPECT_EQ(stored_transform(stored, false), stored);
  }
}

TEST(PixelIsPoint, leads_from_stored_to_corner_to_stored_without_a_changed_bit) {
  const Affine cases[] = {
      {10, 0, 500000, 0, -10, 4600000},               // Sentinel-2
      {30, 0, 367515, 0, -30, -1203585},              // Landsat, south
      {0.5, 0, 733601.5, 0, -0.5, 3725139.25},        // air photograph
      {0.3, 0, 431000.1, 0, -0.3, 5381000.7},         // decimals without an exact double
      {1.0 / 3600, 0, 11, 0, -1.0 / 3600, 47},        // one arc second
      {1.0 / 10800, 0, -72.5, 0, -1.0 / 10800, -14},  // a third of one
      {0.1, 0, 10, 0, -0.1, 50},
      {0.25, 0, -179.875, 0, -0.25, 89.875},
      {0.05, 0, -179.975, 0, -0.05, 89.975},
      {1, 0, 100, 0, -1, 50},
      {1, 0, -0.5, 0, -1, 1.5},
      {5, 0, 0, 0, -5, 0},
      {1000, 0, 0.25, 0, 1000, -0.75},  // origin far smaller than a pixel
      {-0.346, 0.292, 366317.96, 0.292, 0.346, 130406.04},
      {1.5e-5, 2.5e-6, -72.4, -4e-6, 1.4e-5, -14.17},
      {463.3127165, 0, -20015109.354, 0, -463.3127165, 10007554.677},  // MODIS sinusoidal
  };
  for (const Affine& stored : cases) {
    const Affine corner = corner_transform(stored, true);
    EXPECT_NE(corner, stored);
    EXPECT_EQ(stored_transform(corner, true), stored) << stored.x_origin << " " << stored.y_origin;
  }
}

TEST(PixelIsPoint, loses_at_most_the_last_bit_of_a_corner_past_a_power_of_two) {
  // Doubles below -128 lie 2^-45 apart, those above 2^-46.
  const Affine stored{0.0031, 0, -127.9991, 0, -0.0031, 50};
  const Affine back = stored_transform(corner_transform(stored, true), true);
  EXPECT_LE(std::abs(back.x_origin - stored.x_origin), std::ldexp(1.0, -45));
}

}  // namespace
}  // namespace sillar::geo
