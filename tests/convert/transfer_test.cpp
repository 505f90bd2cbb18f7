// Pieces cover a raster once, on the target's grid, within their bytes.
#include <sillar/convert/transfer.hpp>

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace sillar::convert {
namespace {

RasterDescription raster_of(std::uint64_t times, std::uint64_t bands, std::uint64_t rows,
                            std::uint64_t cols) {
  RasterDescription raster;
  raster.dtype = DType::u8;
  raster.times = times;
  raster.bands = bands;
  raster.rows = rows;
  raster.cols = cols;
  return raster;
}

TEST(Pieces, cover_every_sample_once_on_the_targets_grid) {
  const struct {
    RasterDescription raster;
    Grain source, target;
    std::uint64_t bytes;
  } cases[] = {
      {raster_of(1, 1, 40, 40), {1, 40, false}, {32, 32, false}, 1U << 20},
      {raster_of(2, 3, 17, 33), {16, 16, true}, {8, 8, false}, 700},
      {raster_of(3, 2, 33, 5), {33, 1, true}, {4, 4, true}, 64},
      {raster_of(5, 4, 9, 9), {256, 256, false}, {16, 16, false}, 1},
      {raster_of(1, 7, 64, 64), {64, 64, false}, {8, 8, false}, 5000},
  };
  for (const auto& [raster, source, target, bytes] : cases) {
    for (const PieceShape shape : {PieceShape::compact, PieceShape::wide}) {
      const Pieces pieces(raster, source, target, bytes, shape);
      std::vector<int> seen(raster.times * raster.bands * raster.rows * raster.cols);
      for (std::uint64_t index = 0; index < pieces.count(); ++index) {
        const Region r = pieces.at(index);
        EXPECT_EQ(r.row % target.rows, 0U);
        EXPECT_EQ(r.col % target.cols, 0U);
        EXPECT_TRUE(r.rows % target.rows == 0 || r.row + r.rows == raster.rows);
        EXPECT_TRUE(r.cols % target.cols == 0 || r.col + r.cols == raster.cols);
        EXPECT_TRUE(!target.all_planes || (r.times == raster.times && r.bands == raster.bands));
        for (std::uint64_t t = r.time; t < r.time + r.times; ++t) {
          for (std::uint64_t b = r.band; b < r.band + r.bands; ++b) {
            for (std::uint64_t y = r.row; y < r.row + r.rows; ++y) {
              for (std::uint64_t x = r.col; x < r.col + r.cols; ++x)
                ++seen[((t * raster.bands + b) * raster.rows + y) * raster.cols + x];
            }
          }
        }
      }
      for (const int count : seen) ASSERT_EQ(count, 1);
    }
  }
}

TEST(Pieces, take_whole_strips_of_a_source_of_strips) {
  const Pieces pieces(raster_of(1, 4, 16384, 16384), {1, 16384, false}, {256, 256, false},
                      std::uint64_t{32} << 20);
  EXPECT_EQ(pieces.extent().rows, 256U);
  EXPECT_EQ(pieces.extent().cols, 16384U);
  EXPECT_EQ(pieces.extent().bands, 4U);
}

TEST(Pieces, stay_within_their_bytes_where_the_grain_allows) {
  const RasterDescription raster = raster_of(10, 13, 10000, 10000);
  const Pieces pieces(raster, {1, 10000, true}, {256, 256, false}, std::uint64_t{16} << 20);
  const Region& extent = pieces.extent();
  EXPECT_LE(extent.times * extent.bands * extent.rows * extent.cols, std::uint64_t{16} << 20);
  EXPECT_EQ(extent.bands, 13U);  // pixels lie together in the source
}

TEST(Pieces, that_are_wide_take_whole_rows_of_tiles_as_far_as_they_fit) {
  const RasterDescription raster = raster_of(1, 1, 5000, 5000);
  const Grain tiles{.rows = 256, .cols = 256, .all_planes = false};
  const auto extent = [&](std::uint64_t bytes, PieceShape shape) {
    const Region region = Pieces(raster, tiles, tiles, bytes, shape).extent();
    return std::pair(region.rows, region.cols);
  };
  EXPECT_EQ(extent(32U << 20, PieceShape::compact), std::pair(256UL, 256UL));
  EXPECT_EQ(extent(32U << 20, PieceShape::wide), std::pair(768UL, 5000UL));  // about 4 MiB
  EXPECT_EQ(extent(256U * 256 * 3 + 1, PieceShape::wide), std::pair(256UL, 768UL));
  EXPECT_EQ(extent(1, PieceShape::wide), std::pair(256UL, 256UL));
}

}  // namespace
}  // namespace sillar::convert
