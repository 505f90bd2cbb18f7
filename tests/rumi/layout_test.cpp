// Frame arithmetic against numbers worked out by hand from the specification.
#include "made_file.hpp"

#include <gtest/gtest.h>

namespace sillar::rumi {
namespace {

Layout layout(const Shape& shape, DType dtype, std::uint64_t tile_length, std::uint64_t tile_width,
              unsigned unit) {
  return layout_of(shape, dtype, tile_length, tile_width, unit).value();
}

TEST(FrameIndex, of_the_worked_example_is_113_and_119) {
  const Layout cube = layout({3, 4, 1024, 1024}, DType::u16, 256, 256, 0);
  EXPECT_EQ(cube.tiles_across(), 4u);
  EXPECT_EQ(cube.tiles_down(), 4u);
  EXPECT_EQ(cube.frame_count(), 192u);
  EXPECT_EQ(cube.frame_index(2, 1, 1, 2), 113u);
  EXPECT_EQ(cube.frame_index(2, 1, 3, 2), 119u);

  const Header header{cube, FrameTable::uniform(2756, 192, 100).value()};
  ResolvedSelection selection;
  selection.bands = {1, 3};
  selection.times = {2};
  selection.window = selection.inside = {512, 256, 256, 256};
  const auto plan = make_plan(header, selection, {});
  ASSERT_TRUE(plan.has_value());
  ASSERT_EQ(plan->frames.size(), 2u);
  EXPECT_EQ(plan->frames[0].index, 113u);
  EXPECT_EQ(plan->frames[1].index, 119u);
  EXPECT_EQ(plan->frames[0].range, (io::ByteRange{2756 + 11300, 100}));
  EXPECT_EQ(plan->fetched_bytes(), 200u);
  EXPECT_EQ(plan->decoded_bytes(), 2u * 256 * 256 * 2);
  EXPECT_EQ(plan->output_bytes(), 2u * 256 * 256 * 2);
}

TEST(FrameIndex, of_unit_9_walks_times_before_bands) {
  const Layout cube = layout({3, 4, 8, 8}, DType::u8, 4, 8, 9);
  // (spatial * T + t) * B + b
  EXPECT_EQ(cube.frame_index(1, 0, 1, 2), (1u * 3 + 2) * 4 + 1);
  EXPECT_EQ(cube.frame_index(0, 0, 3, 0), 3u);
  EXPECT_EQ(cube.frame_index(0, 0, 0, 1), 4u);
}

TEST(FrameIndex, and_place_are_inverse_for_every_frame) {
  for (const unsigned unit : {0U, 9U, 3U}) {
    const Layout cube = layout({3, 2, 10, 7}, DType::u8, 4, 3, unit);
    std::uint64_t index = 0;
    for (std::uint64_t row = 0; row < 3; ++row) {
      for (std::uint64_t col = 0; col < 3; ++col) {
        const std::uint64_t outer_count = unit == 3 ? 1 : unit == 0 ? 2 : 3;
        const std::uint64_t inner_count = unit == 3 ? 1 : unit == 0 ? 3 : 2;
        for (std::uint64_t outer = 0; outer < outer_count; ++outer) {
          for (std::uint64_t inner = 0; inner < inner_count; ++inner) {
            const FramePlace place = cube.place(index);
            EXPECT_EQ(place.row, row);
            EXPECT_EQ(place.col, col);
            EXPECT_EQ(place.band, unit == 9 ? inner : outer);
            EXPECT_EQ(place.time, unit == 9 ? outer : inner);
            EXPECT_EQ(place.y, row * 4);
            EXPECT_EQ(place.x, col * 3);
            EXPECT_EQ(place.height, row == 2 ? 2u : 4u);
            EXPECT_EQ(place.width, col == 2 ? 1u : 3u);
            EXPECT_EQ(cube.frame_index(row, col, place.band, place.time), index);
            ++index;
          }
        }
      }
    }
    EXPECT_EQ(cube.frame_count(), index);
  }
}

TEST(BaseFrameOffset, depends_on_bands_and_frames_alone) {
  const struct {
    std::uint64_t bands, frames, offset;
  } table[] = {
      {1, 1, 452},
      {4, 1, 452},  // 292 + 160
      {4, 2, 468},  // + 8 * 2; two byte counts fit into the entry
      {4, 3, 488},  // + 8 * 3 + 4 * 3
      {5, 1, 472},
      {5, 2, 488},
      {5, 3, 508},  // + 2 * 5 for bits and format each
      {65535, 1, 452 + 4 * 65535},
      {1, 40000, 452 + 12 * 40000},
      {1, std::uint64_t{1} << 60, 452 + 12 * (std::uint64_t{1} << 60)},
  };
  for (const auto& [bands, frames, offset] : table) {
    Layout some = layout({1, 1, 1, 1}, DType::u8, 1, 1, 0);
    some.samples_per_pixel = static_cast<std::uint16_t>(bands);
    EXPECT_EQ(some.base_frame_offset(frames), offset) << bands << " bands, " << frames << " frames";
  }
  const Layout one = layout({1, 1, 1, 1}, DType::u8, 1, 1, 0);
  EXPECT_EQ(one.base_frame_offset(~std::uint64_t{0}), std::nullopt);
  EXPECT_EQ(one.base_frame_offset(std::uint64_t{1} << 61), std::nullopt);
}

TEST(DecodedFrameBytes, count_a_tile_or_a_whole_cell) {
  EXPECT_EQ(layout({5, 3, 70, 110}, DType::u16, 7, 11, 0).decoded_bytes(7, 11), 154u);
  EXPECT_EQ(layout({5, 3, 70, 110}, DType::u16, 7, 11, 9).decoded_bytes(7, 11), 154u);
  EXPECT_EQ(layout({5, 3, 70, 110}, DType::u16, 7, 11, 3).decoded_bytes(7, 11), 2310u);
  EXPECT_EQ(layout({5, 3, 70, 110}, DType::boolean, 7, 11, 0).decoded_bytes(7, 11), 77u);
  EXPECT_EQ(layout({5, 3, 70, 110}, DType::c128, 7, 11, 0).decoded_bytes(2, 1), 32u);
  EXPECT_EQ(layout({1, 3, 70, 110}, DType::u8, 7, 11, 1).decoded_bytes(7, 11), 231u);
  // 65535^3 * (2^32 - 1) * 16 leaves 64 bits.
  EXPECT_EQ(layout({0xFFFFFFFF, 0xFFFF, 0xFFFF, 0xFFFF}, DType::c128, 0xFFFF, 0xFFFF, 3)
                .decoded_bytes(0xFFFF, 0xFFFF),
            std::nullopt);
}

TEST(FrameCount, that_leaves_64_bits_is_none) {
  const std::uint64_t most = 0xFFFFFFFF;
  EXPECT_EQ(layout({1, 1, most, most}, DType::u8, 1, 1, 0).frame_count(), most * most);
  EXPECT_EQ(layout({2, 2, most, most}, DType::u8, 1, 1, 0).frame_count(), std::nullopt);
  EXPECT_EQ(layout({2, 2, most, most}, DType::u8, 1, 1, 3).frame_count(), most * most);
  EXPECT_EQ(layout({1, 1, 1, most}, DType::u8, 1, 0xFFFF, 0).frame_count(), 65537u);
}

TEST(LayoutOf, refuses_what_no_field_holds_and_names_the_axis) {
  const struct {
    Shape shape;
    std::uint64_t tile_length, tile_width;
    unsigned unit;
    const char* text;
  } table[] = {
      {{0, 1, 1, 1}, 1, 1, 0, "time axis is 0"},
      {{1, 0, 1, 1}, 1, 1, 0, "band axis is 0"},
      {{1, 1, 0, 1}, 1, 1, 0, "y axis is 0"},
      {{1, 1, 1, 0}, 1, 1, 0, "x axis is 0"},
      {{1, 65536, 1, 1}, 1, 1, 0, "band axis is 65536"},
      {{1, 1, std::uint64_t{1} << 32, 1}, 1, 1, 0, "y axis is 4294967296"},
      {{1, 1, 1, 1}, 0, 1, 0, "tile height is 0"},
      {{1, 1, 1, 1}, 1, 65536, 0, "tile width is 65536"},
      {{1, 1, 1, 1}, 1, 1, 10, "frame unit 10"},
      {{1, 1, 1, 1}, 1, 1, 1, "frame unit 1"},
      {{2, 2, 1, 1}, 1, 1, 1, "frame unit 1"},
      {{2, 1, 1, 1}, 1, 1, 3, "frame unit 3"},
      {{1, 2, 1, 1}, 1, 1, 9, "frame unit 9"},
      {{1, 1, 1}, 1, 1, 0, "(1, 1, 1)"},
  };
  for (const auto& [shape, tile_length, tile_width, unit, text] : table) {
    const auto made = layout_of(shape, DType::u8, tile_length, tile_width, unit);
    ASSERT_FALSE(made.has_value()) << text;
    EXPECT_EQ(made.error().code, Errc::bad_argument);
    EXPECT_NE(made.error().detail.find(text), std::string::npos) << made.error().detail;
  }
}

TEST(FrameUnits, go_with_the_bands_and_times_of_the_table) {
  for (const std::uint64_t bands : {1U, 2U}) {
    for (const std::uint64_t times : {1U, 2U}) {
      const auto valid = testing::valid_units(bands, times);
      for (unsigned unit = 0; unit < 12; ++unit) {
        const bool expected = std::ranges::find(valid, unit) != valid.end();
        EXPECT_EQ(layout_of({times, bands, 1, 1}, DType::u8, 1, 1, unit).has_value(), expected)
            << unit;
      }
    }
  }
}

TEST(SampleEncodings, are_the_21_pairs_of_the_specification) {
  const std::array<std::array<unsigned, 3>, 21> pairs = {
      {// format, bits, decoded bytes
       {1, 1, 1},   {1, 8, 1},   {1, 16, 2},   {1, 32, 4},  {1, 64, 8},  {2, 8, 1},
       {2, 16, 2},  {2, 32, 4},  {2, 64, 8},   {3, 16, 2},  {3, 32, 4},  {3, 64, 8},
       {6, 32, 4},  {6, 64, 8},  {6, 128, 16}, {100, 8, 1}, {101, 8, 1}, {102, 16, 2},
       {103, 8, 1}, {107, 8, 1}, {108, 8, 1}}};
  std::size_t found = 0;
  for (unsigned format = 0; format < 300; ++format) {
    for (unsigned bits = 0; bits < 300; ++bits) {
      const SampleEncoding* encoding = find_encoding(format, bits);
      const auto listed = std::ranges::find_if(
          pairs, [&](const auto& pair) { return pair[0] == format && pair[1] == bits; });
      ASSERT_EQ(encoding != nullptr, listed != pairs.end()) << format << ", " << bits;
      if (encoding == nullptr) continue;
      ++found;
      EXPECT_EQ(encoding->decoded_bytes, (*listed)[2]);
    }
  }
  EXPECT_EQ(found, 21u);
}

}  // namespace
}  // namespace sillar::rumi
