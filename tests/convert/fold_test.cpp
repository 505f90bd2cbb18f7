// Planes into times and bands, and back.
#include <sillar/convert/fold.hpp>

#include "memory_raster.hpp"

#include <gtest/gtest.h>

namespace sillar::convert {
namespace {

using testing::bytes_of_samples;
using testing::numbered_source;
using testing::read_all;

/// The plane that the samples of (time, band) come from.
std::uint64_t plane_at(RasterSource& source, std::uint64_t time, std::uint64_t band) {
  std::uint16_t sample = 0;
  const MutableTensorView out(reinterpret_cast<std::byte*>(&sample), DType::u16, {1, 1, 1, 1});
  EXPECT_TRUE(source.read({time, 1, band, 1, 0, 1, 0, 1}, out, {}).has_value());
  return sample / 1000;
}

TEST(Fold, tb_takes_all_bands_of_a_date_and_then_the_next_date) {
  const auto cube = fold(numbered_source(1, 6), 2, FoldOrder::time_major);
  ASSERT_TRUE(cube.has_value());
  EXPECT_EQ((*cube)->description().shape(), (Shape{2, 3, 3, 4}));
  EXPECT_EQ(plane_at(**cube, 0, 2), 2U);
  EXPECT_EQ(plane_at(**cube, 1, 0), 3U);
  EXPECT_EQ(plane_at(**cube, 1, 2), 5U);
}

TEST(Fold, bt_takes_all_dates_of_a_band_and_then_the_next_band) {
  const auto cube = fold(numbered_source(1, 6), 2, FoldOrder::band_major);
  ASSERT_TRUE(cube.has_value());
  EXPECT_EQ(plane_at(**cube, 0, 2), 4U);
  EXPECT_EQ(plane_at(**cube, 1, 0), 1U);
  EXPECT_EQ(plane_at(**cube, 1, 2), 5U);
}

TEST(Fold, a_read_of_everything_equals_reads_of_single_planes) {
  for (const FoldOrder order : {FoldOrder::time_major, FoldOrder::band_major}) {
    const auto cube = fold(numbered_source(1, 6), 3, order);
    const auto all = read_all(**cube);
    ASSERT_TRUE(all.has_value());
    for (std::uint64_t time = 0; time < 3; ++time) {
      for (std::uint64_t band = 0; band < 2; ++band) {
        std::uint16_t first = 0;
        std::memcpy(&first, all->data() + (time * 2 + band) * 12 * 2, 2);
        EXPECT_EQ(first / 1000, order == FoldOrder::time_major ? time * 2 + band : band * 3 + time);
      }
    }
  }
}

TEST(Fold, planes_that_do_not_divide_are_refused) {
  const auto cube = fold(numbered_source(1, 65), 4, FoldOrder::time_major);
  ASSERT_FALSE(cube.has_value());
  EXPECT_EQ(cube.error().code, Errc::bad_argument);
}

TEST(PlaneTexts, are_read_back_as_they_were_written_in_both_orders) {
  RasterDescription raster;
  raster.times = 3;
  raster.bands = 2;
  raster.band_texts = {"B02, blue", "B08"};
  raster.periods = {{0, 0}, {86400, 86400}, {1700000000, 1700000000}};
  for (const FoldOrder order : {FoldOrder::time_major, FoldOrder::band_major}) {
    const auto texts = plane_texts(raster, order, true);
    const auto labels = read_plane_texts(texts, order);
    ASSERT_TRUE(labels.has_value());
    EXPECT_EQ(labels->band_texts, raster.band_texts);
    EXPECT_EQ(labels->periods, raster.periods);
  }
  EXPECT_EQ(plane_texts(raster, FoldOrder::time_major, true)[1], "B08, 1970-01-01T00:00:00Z");
  EXPECT_EQ(plane_texts(raster, FoldOrder::band_major, true)[1], "B02, blue, 1970-01-02T00:00:00Z");
}

TEST(PlaneTexts, of_an_interval_hold_both_ends) {
  RasterDescription raster;
  raster.band_texts = {"rain"};
  raster.periods = {{0, 86400}};
  const auto texts = plane_texts(raster, FoldOrder::time_major, true);
  EXPECT_EQ(texts.front(), "rain, 1970-01-01T00:00:00Z/1970-01-02T00:00:00Z");
  const auto labels = read_plane_texts(texts, {});
  ASSERT_TRUE(labels.has_value());
  EXPECT_EQ(labels->periods, raster.periods);
}

TEST(PlaneTexts, of_other_origin_are_left_alone) {
  EXPECT_FALSE(read_plane_texts({"B2 blue 482nm", "B3 green 561nm"}, {}).has_value());
  EXPECT_FALSE(
      read_plane_texts({"Landsat, 1984", "Landsat, 1985"}, FoldOrder::time_major).has_value());
  EXPECT_FALSE(read_plane_texts({"", ""}, FoldOrder::time_major).has_value());
}

}  // namespace
}  // namespace sillar::convert
