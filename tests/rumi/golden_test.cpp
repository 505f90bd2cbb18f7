// Bytes worked out by hand: frame orders, trailers, a whole file.
#include "made_file.hpp"
#include <sillar/rumi/frame.hpp>

#include <gtest/gtest.h>

namespace sillar::rumi {
namespace {

using sillar::testing::from_hex;
using sillar::testing::to_hex;
using testing::Bytes;
using testing::Cube;

/// Decoded frames of a file, one behind the other, as numbers.
std::vector<int> decoded(const testing::MadeFile& made) {
  const auto file = testing::open_bytes(made.bytes).value();
  std::vector<int> values;
  FrameDecoder decoder;
  for (std::uint64_t i = 0; i < file.frames().frames(); ++i) {
    const auto place = file.layout().place(i);
    const auto out = decoder.scratch(*file.layout().decoded_bytes(place.height, place.width));
    EXPECT_TRUE(decoder.decode(file.read_compressed(i).value(), out, file.layout().dtype(), true));
    for (const std::byte byte : out) values.push_back(std::to_integer<int>(byte));
  }
  return values;
}

/// A raster of `times` x `bands` x 2 x 2 whose samples are their own positions in (t, b, y, x).
testing::MadeFile counted(std::uint64_t times, std::uint64_t bands, unsigned unit) {
  Cube cube{.dtype = DType::u8, .shape = {times, bands, 2, 2}, .bytes = {}};
  for (std::size_t i = 0; i < times * bands * 4; ++i)
    cube.bytes.push_back(static_cast<std::byte>(i));
  return testing::make_file(cube, 2, 2, unit);
}

TEST(FrameUnits, of_cubes_order_samples_as_the_specification_draws_them) {
  using Order = std::vector<int>;  // t * 8 + b * 4 + y * 2 + x
  EXPECT_EQ(decoded(counted(2, 2, 0)),
            (Order{0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15}));
  EXPECT_EQ(decoded(counted(2, 2, 3)),
            (Order{0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15}));
  EXPECT_EQ(decoded(counted(2, 2, 4)),
            (Order{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(decoded(counted(2, 2, 5)),
            (Order{0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15}));
  EXPECT_EQ(decoded(counted(2, 2, 6)),
            (Order{0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15}));
  EXPECT_EQ(decoded(counted(2, 2, 7)),
            (Order{0, 8, 4, 12, 1, 9, 5, 13, 2, 10, 6, 14, 3, 11, 7, 15}));
  EXPECT_EQ(decoded(counted(2, 2, 8)),
            (Order{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}));
  EXPECT_EQ(decoded(counted(2, 2, 9)),
            (Order{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}));
}

TEST(FrameUnits, of_images_and_of_single_bands_use_the_one_axis_that_exceeds_1) {
  using Order = std::vector<int>;
  for (const auto& [times, bands] : {std::pair{1U, 3U}, {3U, 1U}}) {
    EXPECT_EQ(decoded(counted(times, bands, 0)), (Order{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
    EXPECT_EQ(decoded(counted(times, bands, 1)), (Order{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
    EXPECT_EQ(decoded(counted(times, bands, 2)), (Order{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  }
  EXPECT_EQ(decoded(counted(1, 1, 0)), (Order{0, 1, 2, 3}));
}

TimeAxis axis_of(TimeType type, std::vector<Seconds> seconds) {
  return TimeAxis::make(type, seconds).value();
}

TEST(Trailer, of_one_date_is_34_bytes) {
  // 2020-01-01 is day 18262 = 0x4756.
  const Trailer trailer{.band_texts = {"B4"},
                        .times = axis_of(TimeType::instant, {Seconds{18262} * 86400})};
  EXPECT_EQ(to_hex(make_trailer(trailer)),
            to_hex(from_hex("5441494c 0100"
                            "0200 4234"
                            "02 00 5647000000000000 0000000000000000 80510100")));
}

TEST(Trailer, of_intervals_packs_residuals_against_their_line) {
  // Days 0-10, 10-21, 25-30; step 30 / 5 = 6; line 0 6 12 18 24 30; residuals 0 4 -2 3 1 0;
  // zigzag 0 8 3 6 2 0; 4 bits each.
  std::vector<Seconds> seconds;
  for (const int day : {0, 10, 10, 21, 25, 30}) seconds.push_back(Seconds{day} * 86400);
  const Trailer trailer{.band_texts = {"a", "\xC3\xA9"},
                        .times = axis_of(TimeType::interval, seconds)};
  EXPECT_EQ(to_hex(make_trailer(trailer)),
            to_hex(from_hex("5441494c 0100"
                            "0100 61 0200 c3a9"
                            "01 04 0000000000000000 0600000000000000 80510100"
                            "806302")));
}

TEST(Trailer, of_seconds_before_1970_is_signed) {
  // -5, 0, 7 seconds; step 12 / 2 = 6; line -5 1 7; residuals 0 -1 0; zigzag 0 1 0; 1 bit each.
  const Trailer trailer{.band_texts = {"a"}, .times = axis_of(TimeType::instant, {-5, 0, 7})};
  EXPECT_EQ(to_hex(make_trailer(trailer)),
            to_hex(from_hex("5441494c 0100"
                            "0100 61"
                            "02 01 fbffffffffffffff 0600000000000000 01000000"
                            "02")));
}

// OpenZL frames of the samples (7, 8) and (9), as OpenZL 0.3.0 stores them in format version 24.
const char* const two_samples = "d8a5b1d7032103360201000a0100000000020007081bdc9cca9e5c74aa00";
const char* const one_sample = "d8a5b1d7032102e30201000a0100000000010009fae29071ac66b1b700";

TEST(File, of_two_frames_has_the_bytes_of_the_specification) {
  // A band of 3 x 1 pixels in tiles of 2 x 1, EPSG:32719, 10 m pixels, 2020-01-01.
  Content content = testing::content_for({1, 1, 1, 3}, DType::u8, 1, 2, 0);
  content.trailer.band_texts = {"B4"};
  content.trailer.times = axis_of(TimeType::instant, {Seconds{18262} * 86400});
  content.georeference = {.model = CrsModel::projected,
                          .epsg = 32719,
                          .pixel_is_point = false,
                          .transform = {10, 0, 500000, 0, -10, 8000000}};
  Bytes written;
  auto writer = Writer::create(io::memory_sink(written), content).value();
  ASSERT_TRUE(writer.put_compressed(0, from_hex(two_samples)));
  ASSERT_TRUE(writer.put_compressed(1, from_hex(one_sample)));
  const auto blob = writer.finish();
  ASSERT_TRUE(blob.has_value());

  const std::string front =
      "52554d49 0100 0000 1000000000000000"           // header
      "0d00000000000000"                              // 13 entries
      "0001 0400 0100000000000000 0300000000000000"   // ImageWidth 3
      "0101 0400 0100000000000000 0100000000000000"   // ImageLength 1
      "0201 0300 0100000000000000 0800000000000000"   // BitsPerSample 8
      "1501 0300 0100000000000000 0100000000000000"   // SamplesPerPixel 1
      "4201 0300 0100000000000000 0200000000000000"   // TileWidth 2
      "4301 0300 0100000000000000 0100000000000000"   // TileLength 1
      "4401 1000 0200000000000000 2401000000000000"   // TileOffsets, at 292
      "4501 0400 0200000000000000 1e000000 1d000000"  // TileByteCounts, in the entry
      "5301 0300 0100000000000000 0100000000000000"   // SampleFormat 1
      "d885 0c00 1000000000000000 3401000000000000"   // ModelTransformationTag, at 308
      "af87 0300 1000000000000000 b401000000000000"   // GeoKeyDirectoryTag, at 436
      "e8fd 0300 0100000000000000 0000000000000000"   // FrameUnit 0
      "e9fd 0400 0100000000000000 0100000000000000"   // TimeCount 1
      "0000000000000000"                              // no next IFD
      "d401000000000000 f201000000000000"             // frames at 468 and behind
      "0000000000002440 0000000000000000 0000000000000000 0000000080841e41"  // 10 0 0 500000
      "0000000000000000 00000000000024c0 0000000000000000 0000000080845e41"  // 0 -10 0 8000000
      "0000000000000000 0000000000000000 0000000000000000 0000000000000000"
      "0000000000000000 0000000000000000 0000000000000000 000000000000f03f"
      "0100 0100 0000 0300"
      "0004 0000 0100 0100"   // projected
      "0104 0000 0100 0100"   // PixelIsArea
      "000c 0000 0100 cf7f";  // EPSG:32719
  const std::string trailer =
      "5441494c 0100 0200 4234 02 00 5647000000000000 0000000000000000 80510100";
  EXPECT_EQ(from_hex(front).size(), 468u);
  EXPECT_EQ(to_hex(written), to_hex(from_hex(front + two_samples + one_sample + trailer)));
  EXPECT_EQ(
      to_hex(*blob),
      to_hex(from_hex(
          "4c4f5645 0100 03000000 01000000 01000000 0200 0100 0100 08 01 00 1d000000 01 01")));

  const auto file = testing::open_bytes(written);
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(to_hex(file->read().value().bytes()), "070809");
}

}  // namespace
}  // namespace sillar::rumi
