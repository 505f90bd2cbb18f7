// Georeferences: what a writer refuses, and what a reader still opens.
#include "made_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sillar::rumi {
namespace {

using testing::Bytes;
using testing::Cube;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

Georeference utm(const geo::Affine& transform) {
  return {
      .model = CrsModel::projected, .epsg = 32719, .pixel_is_point = false, .transform = transform};
}

Content content_with(const Georeference& georeference) {
  Content content = testing::content_for({1, 1, 2, 2}, DType::u8, 2, 2, 0);
  content.georeference = georeference;
  return content;
}

/// A file of 2 x 2 pixels. Both tags stand in the 160 bytes before its only frame, at 292.
Bytes file_with(const Georeference& georeference) {
  const Cube cube{.dtype = DType::u8, .shape = {1, 1, 2, 2}, .bytes = Bytes(4)};
  return testing::write_all(content_with(georeference), cube.view()).bytes;
}

void patch_double(Bytes& bytes, std::size_t element, double value) {
  std::memcpy(bytes.data() + 292 + 8 * element, &value, 8);
}

TEST(Writer, refuses_affines_that_lead_nowhere) {
  const geo::Affine singular[] = {
      {0, 0, 0, 0, 0, 0},           {nan, 0, 0, 0, -10, 0},      {10, nan, 0, 0, -10, 0},
      {10, 0, nan, 0, -10, 0},      {10, 0, 0, nan, -10, 0},     {10, 0, 0, 0, nan, 0},
      {10, 0, 0, 0, -10, nan},      {infinity, 0, 0, 0, -10, 0}, {10, 0, -infinity, 0, -10, 0},
      {10, 0, 0, 0, -10, infinity}, {10, 0, 0, 0, 0, 0},         {0, 0, 0, 0, -10, 0},
      {2, 4, 0, 1, 2, 0},            // parallel axes
      {1e-150, 0, 0, 0, 1e-150, 0},  // determinant 1e-300
      {1e-300, 0, 0, 0, 1, 0},
  };
  for (const geo::Affine& affine : singular) {
    const auto checked = check_content(content_with(utm(affine)));
    ASSERT_FALSE(checked.has_value()) << ::testing::PrintToString(affine.values());
    EXPECT_EQ(checked.error().code, Errc::bad_argument);
    EXPECT_EQ(checked.error().rule, &rules::write_affine);
  }
}

TEST(Writer, takes_affines_that_are_sheared_rotated_small_or_south_up_and_keeps_their_bits) {
  const geo::Affine affines[] = {
      {1.5e-5, 2.5e-6, -72.4, -4e-6, 1.4e-5, -14.17},  // sheared
      {-0.346, 0.292, 366317.96, 0.292, 0.346, 130406.04},
      {1, 0, 0, 0, 1, 0},
      {-1, 0, 8, 0, -1, 8},
      {0, 10, 0, 10, 0, 0},
      {1e-9, 0, 0, 0, -1e-9, 0},
      {1e9, 0, -1e15, 0, -1e9, 1e15},
  };
  for (const geo::Affine& affine : affines) {
    for (const bool point : {false, true}) {
      Georeference georeference = utm(affine);
      georeference.pixel_is_point = point;
      const auto file = testing::open_bytes(file_with(georeference)).value();
      EXPECT_EQ(file.georeference().value(), georeference);
    }
  }
}

TEST(Writer, keeps_the_affine_of_another_file_whatever_it_is) {
  Bytes bytes = file_with(utm({10, 0, 500000, 0, -10, 8000000}));
  patch_double(bytes, 0, nan);
  patch_double(bytes, 5, -0.0);
  const auto again = testing::rewrite(testing::open_bytes(bytes).value());
  ASSERT_TRUE(again.has_value()) << again.error().message();
  EXPECT_EQ(again->bytes, bytes);
}

TEST(Writer, has_no_place_for_a_transform_without_a_CRS) {
  Georeference georeference;
  georeference.transform = {1, 0, -0.5, 0, -1, 1.5};
  const auto checked = check_content(content_with(georeference));
  ASSERT_FALSE(checked.has_value());
  EXPECT_EQ(checked.error().rule, &rules::write_transform_without_crs);
  EXPECT_EQ(checked.error().code, Errc::bad_argument);
  EXPECT_TRUE(check_content(content_with({})).has_value());
  EXPECT_TRUE(
      check_content(
          content_with(
              {.model = CrsModel::none, .epsg = 0, .pixel_is_point = true, .transform = {}}))
          .has_value());
}

TEST(Writer, refuses_a_code_without_a_model) {
  Georeference georeference;
  georeference.epsg = 32719;
  const auto checked = check_content(content_with(georeference));
  ASSERT_FALSE(checked.has_value());
  EXPECT_EQ(checked.error().rule, &rules::geo_undefined_code);
  EXPECT_EQ(checked.error().code, Errc::bad_argument);
}

TEST(GeoreferenceOf, takes_the_kind_of_a_code_from_the_registry) {
  const geo::Affine affine{10, 0, 0, 0, -10, 0};
  const auto model_of = [&](std::uint32_t code) {
    const auto made = georeference_of(code, geo::builtin_registry(), affine, true);
    EXPECT_TRUE(made.has_value()) << made.error().message();
    EXPECT_EQ(made.value_or(Georeference{}).epsg, code);
    EXPECT_TRUE(made.value_or(Georeference{}).pixel_is_point);
    return made.value_or(Georeference{}).model;
  };
  EXPECT_EQ(model_of(32719), CrsModel::projected);
  EXPECT_EQ(model_of(3857), CrsModel::projected);
  EXPECT_EQ(model_of(4326), CrsModel::geographic);
  EXPECT_EQ(model_of(4979), CrsModel::geographic);  // geographic 3D
}

TEST(GeoreferenceOf, refuses_other_kinds_by_name) {
  const struct {
    std::uint32_t code;
    const char* text;
  } table[] = {{6349, "compound"},
               {5498, "compound"},
               {7415, "compound"},
               {5773, "vertical"},
               {3855, "vertical"},
               {4978, "geocentric"},
               {0, ""},
               {1023, ""},
               {32767, ""},
               {1'000'000, ""},
               {9999, ""}};
  for (const auto& [code, text] : table) {
    const auto made = georeference_of(code, geo::builtin_registry(), {}, false);
    ASSERT_FALSE(made.has_value()) << code;
    EXPECT_EQ(made.error().code, Errc::bad_argument);
    EXPECT_NE(made.error().rule, nullptr);
    EXPECT_NE(made.error().detail.find(text), std::string::npos) << made.error().detail;
    EXPECT_NE(made.error().detail.find(std::to_string(code)), std::string::npos)
        << made.error().detail;
  }
}

TEST(Reader, opens_files_whose_affine_leads_nowhere_and_warns) {
  for (const double value : {nan, infinity, 0.0}) {
    Bytes bytes = file_with(utm({10, 0, 500000, 0, -10, 8000000}));
    patch_double(bytes, 0, value);
    const auto file = testing::open_bytes(bytes);
    ASSERT_TRUE(file.has_value()) << file.error().message();
    const auto georeference = file->georeference();
    ASSERT_TRUE(georeference.has_value()) << georeference.error().message();
    EXPECT_EQ(georeference->epsg, 32719);
    EXPECT_FALSE(georeference->transform.inverse().has_value());  // world to pixel is undefined
    EXPECT_TRUE(file->read().has_value());
    const auto report = validate(*io::memory_source(bytes));
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(testing::broken_rules(*report), std::vector<std::string>{});
    EXPECT_EQ(testing::broken_rules(*report, Severity::warning),
              std::vector<std::string>{"rumi.geo.affine_singular"});
  }
}

TEST(Reader, ignores_the_matrix_of_an_undefined_georeference) {
  Bytes bytes = file_with({});
  patch_double(bytes, 0, 30.0);
  patch_double(bytes, 3, nan);
  patch_double(bytes, 9, 1.0);
  const auto file = testing::open_bytes(bytes).value();
  const auto georeference = file.georeference();
  ASSERT_TRUE(georeference.has_value());
  EXPECT_FALSE(georeference->defined());
  EXPECT_EQ(georeference->transform, geo::Affine{});
  EXPECT_FALSE(georeference->corner_transform().has_value());
  // Hence the file can be written again, with the fixed matrix.
  const auto again = testing::rewrite(file);
  ASSERT_TRUE(again.has_value()) << again.error().message();
  EXPECT_EQ(again->bytes, file_with({}));
}

TEST(Reader, never_refuses_a_code_for_not_being_in_a_registry) {
  Bytes bytes = file_with(utm({10, 0, 0, 0, -10, 0}));
  bytes[292 + 128 + 30] = std::byte{0x01};  // 1025, which EPSG does not define
  bytes[292 + 128 + 31] = std::byte{0x04};
  const auto file = testing::open_bytes(bytes).value();
  EXPECT_EQ(file.georeference().value().epsg, 1025);
  EXPECT_EQ(file.georeference().value().model, CrsModel::projected);
  const auto report = validate(*io::memory_source(bytes)).value();
  EXPECT_EQ(testing::broken_rules(report), std::vector<std::string>{});
  EXPECT_EQ(testing::broken_rules(report, Severity::warning),
            std::vector<std::string>{"rumi.geo.epsg_registry"});
}

TEST(Point, moves_the_corner_by_half_a_pixel_and_keeps_the_stored_matrix) {
  // Tie point (100, 50), pixels of 1, raster type Point.
  Georeference georeference = utm({1, 0, 100, 0, -1, 50});
  georeference.pixel_is_point = true;
  const auto file = testing::open_bytes(file_with(georeference)).value();
  const auto read = file.georeference().value();
  EXPECT_EQ(read.transform, georeference.transform);
  EXPECT_EQ(read.corner_transform(), (geo::Affine{1, 0, 99.5, 0, -1, 50.5}));
}

}  // namespace
}  // namespace sillar::rumi
