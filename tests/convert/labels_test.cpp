// Times from text, and the description of an output.
#include <sillar/convert/labels.hpp>

#include <gtest/gtest.h>

namespace sillar::convert {
namespace {

TEST(PeriodLabel, takes_instants_intervals_and_whole_seconds) {
  EXPECT_EQ(*parse_period_label("1970-01-02"), (rumi::Period{86400, 86400}));
  EXPECT_EQ(*parse_period_label("2019-03-21T02:00:00+02:00"), *parse_period_label("2019-03-21"));
  EXPECT_EQ(*parse_period_label("1700000000"), (rumi::Period{1700000000, 1700000000}));
  EXPECT_EQ(*parse_period_label("-1"), (rumi::Period{-1, -1}));
  EXPECT_EQ(*parse_period_label("+2024"), (rumi::Period{2024, 2024}));
  EXPECT_EQ(*parse_period_label("1970-01-01/1970-02-01"), (rumi::Period{0, 31 * 86400}));
}

TEST(PeriodLabel, refuses_what_could_mean_two_things) {
  for (const char* text : {"2024", "20240131", "", "2017-02-22T16:24:10.586", "2016-12-31T23:59:60",
                           "2024-02-01/2024-01-01", "1970-01-01/1970-01-01", "tomorrow"}) {
    const auto period = parse_period_label(text);
    ASSERT_FALSE(period.has_value()) << text;
    EXPECT_EQ(period.error().code, Errc::bad_argument) << text;
  }
}

TEST(Assign, a_source_without_a_time_is_refused_with_the_option_to_add) {
  RasterDescription raster;
  const auto refused = assign(raster, {}, Labels::required);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::bad_argument);
  EXPECT_NE(refused.error().detail.find("--set-time"), std::string::npos);
  EXPECT_NE(refused.error().detail.find("--undated"), std::string::npos);
  Assignments undated;
  undated.undated = true;
  EXPECT_EQ(assign(raster, undated, Labels::required)->periods,
            (std::vector<rumi::Period>{{0, 0}}));
  EXPECT_TRUE(assign(raster, {}, Labels::optional).has_value());
}

TEST(Assign, band_texts_are_the_assigned_ones_else_the_sources_else_numbered) {
  RasterDescription raster;
  raster.bands = 2;
  raster.periods = {{0, 0}};
  raster.band_texts = {"red", "nir"};
  EXPECT_EQ(assign(raster, {}, Labels::required)->band_texts,
            (std::vector<std::string>{"red", "nir"}));
  Assignments named;
  named.band_texts = {"a, b", "c"};
  EXPECT_EQ(assign(raster, named, Labels::required)->band_texts, named.band_texts);
  for (const std::vector<std::string>& bad :
       {std::vector<std::string>{"red", "red"}, {"red", ""}, {}, {"red", "\xff"}}) {
    raster.band_texts = bad;
    EXPECT_EQ(assign(raster, {}, Labels::required)->band_texts,
              (std::vector<std::string>{"band 1", "band 2"}));
  }
  named.band_texts = {"only one"};
  EXPECT_FALSE(assign(raster, named, Labels::required).has_value());
}

TEST(Assign, more_times_than_steps_point_at_fold) {
  RasterDescription raster;
  raster.bands = 6;
  Assignments times;
  times.periods = {{0, 0}, {1, 1}};
  const auto refused = assign(raster, times, Labels::required);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().detail.find("--fold"), std::string::npos);
}

TEST(Assign, set_point_keeps_the_place_of_a_matrix_that_the_source_gave_for_corners) {
  RasterDescription raster;
  raster.periods = {{0, 0}};
  raster.transform = geo::Affine{1, 0, 99.5, 0, -1, 50.5};
  Assignments point;
  point.pixel_is_point = true;
  EXPECT_EQ(*assign(raster, point, Labels::required)->transform,
            (geo::Affine{1, 0, 100, 0, -1, 50}));
  point.transform = geo::Affine{1, 0, 100, 0, -1, 50};
  EXPECT_EQ(assign(raster, point, Labels::required)->transform, point.transform);
}

TEST(TimeAxis, instants_and_intervals_are_not_mixed) {
  EXPECT_FALSE(time_axis_of({{0, 0}, {1, 2}}).has_value());
  EXPECT_EQ(periods_of(*time_axis_of({{0, 5}, {5, 9}})),
            (std::vector<rumi::Period>{{0, 5}, {5, 9}}));
}

}  // namespace
}  // namespace sillar::convert
