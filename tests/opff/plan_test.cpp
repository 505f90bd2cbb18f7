// Sizes in 64 bits, strides of both layouts, windows.
#include <sillar/opff/plan.hpp>

#include "made_file.hpp"

#include <gtest/gtest.h>

namespace sillar::opff {
namespace {

using testing::rule_of;

constexpr Geometry largest{.depth = &depth_table[4],
                           .layout = Layout::planar,
                           .frames = 255,
                           .channels = 127,
                           .height = 65535,
                           .width = 65535};

TEST(Sizes, of_the_largest_header_need_50_bits) {
  ASSERT_TRUE(check_geometry(largest));
  EXPECT_EQ(payload_size(largest), 1112706169173000u);
  EXPECT_EQ(expected_size(largest), 1112706169173064u);
  EXPECT_EQ(sample_offset(largest, {.frame = 254, .channel = 126, .y = 65534, .x = 65534}),
            1112706169173064u - 8);
  EXPECT_EQ(frame_range(largest, 254),
            (io::ByteRange{64 + std::uint64_t{254} * 4363553604600, 4363553604600}));
  EXPECT_EQ(payload_range(largest), (io::ByteRange{64, 1112706169173000u}));
}

TEST(Sizes, do_not_wrap_at_32_bits) {
  const Geometry u32{.depth = find_depth("u32"),
                     .layout = Layout::interleaved,
                     .frames = 1,
                     .channels = 1,
                     .height = 32768,
                     .width = 32768};
  EXPECT_EQ(payload_size(u32), std::uint64_t{1} << 32);
}

TEST(Sizes, that_leave_64_bits_are_told) {
  Geometry invented = largest;
  invented.width = invented.height = std::uint64_t{1} << 40;
  EXPECT_EQ(payload_size(invented), std::nullopt);
  invented.height = 1;
  invented.frames = std::uint64_t{1} << 40;
  EXPECT_EQ(expected_size(invented), std::nullopt);
}

TEST(Geometry, is_refused_by_the_rule_that_a_header_would_break) {
  const auto broken = [](auto change) {
    Geometry geometry;
    change(geometry);
    const auto checked = check_geometry(geometry);
    EXPECT_TRUE(checked || checked.error().code == Errc::bad_argument);
    return rule_of(checked);
  };
  EXPECT_EQ(broken([](Geometry&) {}), "success");
  EXPECT_EQ(broken([](Geometry& g) { g.frames = 256; }), "opff.write.frames");
  EXPECT_EQ(broken([](Geometry& g) { g.frames = 0; }), "opff.zero_dimension");
  EXPECT_EQ(broken([](Geometry& g) { g.channels = 128; }), "opff.channels");
  EXPECT_EQ(broken([](Geometry& g) { g.channels = 0; }), "opff.channels");
  EXPECT_EQ(broken([](Geometry& g) { g.width = 65536; }), "opff.write.extent");
  EXPECT_EQ(broken([](Geometry& g) { g.height = 65536; }), "opff.write.extent");
  EXPECT_EQ(broken([](Geometry& g) { g.height = 0; }), "opff.zero_dimension");
  EXPECT_EQ(broken([](Geometry& g) { g.depth = find_depth("bit"); }), "opff.interleaved_bitmap");
  EXPECT_EQ(broken([](Geometry& g) { g = {find_depth("bit"), Layout::planar, 1, 1, 3, 12}; }),
            "opff.bitmap_modulo");
  for (const auto& [height, width] : {std::pair(2u, 4u), {4u, 2u}, {13u, 8u}, {6u, 12u}}) {
    EXPECT_TRUE(check_geometry({find_depth("bit"), Layout::planar, 1, 1, height, width}));
  }
  const auto named = check_geometry({find_depth("u8"), Layout::planar, 1, 1, 1, 0});
  EXPECT_NE(named.error().detail.find("width"), std::string::npos);
}

TEST(Strides, make_both_layouts_the_same_axes) {
  // 2 x 3 pixels of 2 channels, 2 frames, samples numbered as they lie.
  const auto bytes = testing::counting(24);
  const Geometry planar{find_depth("u8"), Layout::planar, 2, 2, 2, 3};
  const Geometry interleaved{find_depth("u8"), Layout::interleaved, 2, 2, 2, 3};
  EXPECT_EQ(view_of(planar, bytes.data()).strides(), (Strides{12, 6, 3, 1}));
  EXPECT_EQ(view_of(interleaved, bytes.data()).strides(), (Strides{12, 1, 6, 2}));
  const std::array<std::uint64_t, 4> at = {1, 1, 1, 2};
  EXPECT_EQ(sillar::testing::element(view_of(planar, bytes.data()), at)[0], std::byte{23});
  const std::array<std::uint64_t, 4> other = {1, 1, 0, 1};
  EXPECT_EQ(sillar::testing::element(view_of(planar, bytes.data()), other)[0],
            std::byte{12 + 6 + 1});
  EXPECT_EQ(sillar::testing::element(view_of(interleaved, bytes.data()), other)[0],
            std::byte{12 + 2 + 1});
}

TEST(SampleOffsets, agree_with_the_views_everywhere) {
  testing::Random random(11);
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 50; ++round) {
    Geometry geometry;
    geometry.depth = &depth_table[1 + random.below(depth_table.size() - 1)];
    geometry.layout = random.coin() ? Layout::planar : Layout::interleaved;
    geometry.frames = random.between(1, 3);
    geometry.channels = random.between(1, 5);
    geometry.height = random.between(1, 6);
    geometry.width = random.between(1, 6);
    const testing::Bytes payload(static_cast<std::size_t>(payload_size(geometry).value()));
    const TensorView view = view_of(geometry, payload.data());
    sillar::testing::for_each_sample(
        {geometry.frames, geometry.channels, geometry.height, geometry.width},
        [&](std::uint64_t f, std::uint64_t c, std::uint64_t y, std::uint64_t x) {
          const std::array index = {f, c, y, x};
          const auto* at = sillar::testing::element(view, index).data();
          EXPECT_EQ(sample_offset(geometry, {f, c, y, x}),
                    64 + static_cast<std::uint64_t>(at - payload.data()));
        });
  }
}

TEST(Windows, name_the_axis_that_they_leave) {
  const Geometry geometry{find_depth("u8"), Layout::planar, 2, 3, 4, 5};
  EXPECT_EQ(window_of({}, geometry)->shape(), (Shape{2, 3, 4, 5}));
  Selection selection;
  selection.rows = {.start = 3, .extent = 1};
  selection.columns = {.start = 0, .extent = 5};
  EXPECT_EQ(window_of(selection, geometry)->shape(), (Shape{2, 3, 1, 5}));
  selection.rows = {.start = 3, .extent = 2};
  EXPECT_EQ(window_of(selection, geometry).error().detail, "2 rows from 3 on, where there are 4");
  selection.rows = {.start = 1, .extent = UINT64_MAX};
  EXPECT_FALSE(window_of(selection, geometry).has_value());
  selection.rows = {.start = 1, .extent = 0};
  EXPECT_EQ(window_of(selection, geometry).error().code, Errc::bad_argument);
}

TEST(Reinterpretation, keeps_the_footprint_and_the_bits) {
  const auto bytes = testing::from_hex("01807fc0");
  const Geometry geometry{find_depth("u16"), Layout::planar, 1, 1, 1, 2};
  const TensorView view = view_of(geometry, bytes.data());
  for (const DType dtype : {DType::i16, DType::bf16, DType::f16}) {
    const auto other = reinterpret(view, dtype);
    ASSERT_TRUE(other.has_value());
    EXPECT_EQ(other->dtype(), dtype);
    EXPECT_EQ(other->data(), view.data());
  }
  EXPECT_EQ(reinterpret(view, DType::i32).error().code, Errc::bad_argument);
  const TensorView bytes_view(bytes.data(), DType::u8, Shape{4});
  EXPECT_TRUE(reinterpret(bytes_view, DType::f8_e5m2));
  EXPECT_FALSE(reinterpret(bytes_view, DType::boolean));
}

}  // namespace
}  // namespace sillar::opff
