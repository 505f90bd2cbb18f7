// Written bytes against bytes worked by hand, and everything that a writer refuses.
#include "made_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <sys/stat.h>

namespace sillar::opff {
namespace {

using testing::Bytes;
using testing::from_hex;
using testing::head;
using testing::rule_of;
using testing::written;

Bytes joined(Bytes front, const Bytes& more) {
  front.insert(front.end(), more.begin(), more.end());
  return front;
}

TEST(WrittenBytes, of_a_planar_u8_are_those_worked_by_hand) {
  // Two channels of 2 rows and 3 columns.
  const Bytes samples = from_hex("010203 040506  0a0b0c 0d0e0f");
  const TensorView view(samples.data(), DType::u8, Shape{2, 2, 3});
  WriteOptions options;
  options.samples.layout = Layout::planar;
  EXPECT_EQ(written(view, options),
            joined(head("4f504646 01 01 82 01 00000000 0300 0200"), samples));
}

TEST(WrittenBytes, of_an_interleaved_u16_are_those_worked_by_hand) {
  const Bytes samples = from_hex("0100 0200  0300 0400");  // two channels of 1 row, 2 columns
  const TensorView view(samples.data(), DType::u16, Shape{1, 2, 1, 2});
  const Bytes footer = from_hex("7b7d");
  const WriteOptions options{
      .samples = {}, .letter = 'X', .start_id = 0xFFFFFFFF, .footer = footer, .control = {}};
  EXPECT_EQ(written(view, options), joined(head("4f504658 01 02 02 01 ffffffff 0200 0100"),
                                           from_hex("0100 0300 0200 0400 7b7d")));
}

TEST(WrittenBytes, of_big_endian_samples_are_little_endian) {
  const Bytes samples = from_hex("3f800000 7fc00001 80000000");  // 1, a NaN with a payload, -0
  const TensorView view(samples.data(), DType::f32, Shape{1, 3});
  WriteOptions options;
  options.samples.byte_order = std::endian::big;
  EXPECT_EQ(written(view, options), joined(head("4f504646 01 40 01 01 00000000 0300 0100"),
                                           from_hex("0000803f 0100c07f 00000080")));
}

TEST(WrittenBytes, of_packed_booleans_are_those_worked_by_hand) {
  const Bytes pixels = from_hex("01000000 01010000  00000000 00000001");  // 4 x 4
  const TensorView view(pixels.data(), DType::boolean, Shape{4, 4});
  WriteOptions options;
  options.samples = {.layout = Layout::planar,
                     .depth = 0x00,
                     .bit_order = BitOrder::msb_first,
                     .byte_order = std::endian::native};
  const Bytes header = head("4f504646 01 00 81 01 00000000 0400 0400");
  EXPECT_EQ(written(view, options), joined(header, from_hex("8c01")));
  options.samples.bit_order = BitOrder::lsb_first;
  EXPECT_EQ(written(view, options), joined(header, from_hex("3180")));
}

TEST(WrittenBytes, of_another_type_of_the_same_footprint_are_its_bits) {
  const Bytes samples = from_hex("ff7f 0080");
  const TensorView view(samples.data(), DType::i16, Shape{1, 2});
  WriteOptions options;
  options.samples.depth = 0x02;
  EXPECT_EQ(written(view, options),
            joined(head("4f504646 01 02 01 01 00000000 0200 0100"), samples));
  const TensorView small(samples.data(), DType::f8_e4m3fn, Shape{2, 2});
  EXPECT_EQ(written(small)->at(5), std::byte{0x10});
}

TEST(Writer, refuses_by_rule_what_a_header_cannot_say) {
  const Bytes bytes(1 << 20);
  const auto breaks = [&](DType dtype, Shape shape, const SampleOptions& options = {},
                          char letter = 'F') {
    const auto result =
        written(TensorView(bytes.data(), dtype, std::move(shape)),
                {.samples = options, .letter = letter, .start_id = 0, .footer = {}, .control = {}});
    EXPECT_TRUE(result || result.error().code == Errc::bad_argument);
    return rule_of(result);
  };
  const SampleOptions bits{
      .layout = Layout::planar, .depth = 0x00, .bit_order = {}, .byte_order = std::endian::native};
  const auto as = [](std::uint8_t depth) {
    return SampleOptions{
        .layout = {}, .depth = depth, .bit_order = {}, .byte_order = std::endian::native};
  };
  for (const DType dtype :
       {DType::boolean, DType::i8, DType::i16, DType::i32, DType::i64, DType::bf16, DType::c32,
        DType::c64, DType::c128, DType::f8_e8m0fnu, DType::f8_e4m3fnuz})
    EXPECT_EQ(breaks(dtype, {1, 1}), "opff.write.dtype");
  EXPECT_EQ(breaks(DType::c64, {1, 1}, as(0x08)), "opff.write.dtype");
  EXPECT_EQ(breaks(DType::i16, {1, 1}, as(0x01)), "opff.write.dtype");
  EXPECT_EQ(breaks(DType::u8, {1, 1}, as(0x03)), "opff.write.dtype");
  EXPECT_EQ(breaks(DType::u8, {4, 2}, bits), "opff.write.dtype");
  EXPECT_EQ(breaks(DType::u8, {256, 1, 1, 1}), "opff.write.frames");
  EXPECT_EQ(breaks(DType::u8, {128, 1, 1}), "opff.channels");
  EXPECT_EQ(breaks(DType::u8, {1, 65536}), "opff.write.extent");
  EXPECT_EQ(breaks(DType::u8, {65536, 1}), "opff.write.extent");
  EXPECT_EQ(breaks(DType::u8, {0, 1}), "opff.zero_dimension");
  EXPECT_EQ(breaks(DType::u8, {0, 1, 1, 1}), "opff.zero_dimension");
  EXPECT_EQ(breaks(DType::boolean, {4, 2}, as(0x00)), "opff.interleaved_bitmap");
  EXPECT_EQ(breaks(DType::boolean, {12, 3}, bits), "opff.bitmap_modulo");
  EXPECT_EQ(breaks(DType::boolean, {12, 6}, bits), "success");
  EXPECT_EQ(breaks(DType::u8, {1, 1}, {}, 'f'), "opff.magic");
  EXPECT_EQ(breaks(DType::u8, {1}), "");
  EXPECT_EQ(breaks(DType::u8, {1, 1, 1, 1, 1}), "");
}

TEST(Writer, refuses_a_payload_of_another_size) {
  Bytes out;
  const auto sink = io::memory_sink(out);
  const Bytes payload(7);
  const Geometry geometry{find_depth("u16"), Layout::planar, 1, 1, 2, 2};
  EXPECT_EQ(rule_of(write_payload(*sink, geometry, payload)), "opff.write.size");
}

TEST(Writer, refuses_a_boolean_that_is_neither_0_nor_1) {
  const Bytes pixels = from_hex("00 01 02 00 00 00 00 00");
  const TensorView view(pixels.data(), DType::boolean, Shape{1, 8});
  WriteOptions options;
  options.samples.layout = Layout::planar;
  options.samples.depth = 0x00;
  const testing::ScratchDirectory scratch;
  EXPECT_EQ(rule_of(write(scratch / "a.opff", view, options)), "opff.write.dtype");
  EXPECT_TRUE(scratch.names().empty());
}

TEST(Writer, leaves_the_old_file_or_none_where_it_refuses) {
  const testing::ScratchDirectory scratch;
  const std::string path = scratch / "a.opff";
  const Bytes bytes(300);
  EXPECT_FALSE(write(path, TensorView(bytes.data(), DType::u8, Shape{256, 1, 1, 1})));
  EXPECT_TRUE(scratch.names().empty());
  testing::put(path, "old");
  const TensorView good(bytes.data(), DType::u8, Shape{10, 30});
  EXPECT_EQ(write(path, good).error().code, Errc::exists);
  EXPECT_FALSE(
      write(path, TensorView(bytes.data(), DType::i8, Shape{1, 1}), {}, {.overwrite = true}));
  EXPECT_EQ(testing::get(path), "old");
  ASSERT_TRUE(write(path, good, {}, {.overwrite = true}));
  EXPECT_EQ(testing::get(path), io::testing::text_of(written(good).value()));
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"a.opff"});
}

TEST(Writer, writes_nothing_once_it_is_stopped) {
  std::stop_source stop;
  stop.request_stop();
  const Bytes bytes(16);
  const auto result = written(TensorView(bytes.data(), DType::u8, Shape{4, 4}),
                              {.samples = {},
                               .letter = 'F',
                               .start_id = 0,
                               .footer = {},
                               .control = {.stop = stop.get_token(), .deadline = {}}});
  EXPECT_EQ(result.error().code, Errc::cancelled);
}

/// Samples of any strides, layout and byte order, read back as they were.
TEST(RoundTrips, keep_every_sample_of_every_layout) {
  testing::Random random(12);
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 300; ++round) {
    const Depth& depth = depth_table[1 + random.below(depth_table.size() - 1)];
    const bool is_large = random.below(100) == 0;  // more than one piece
    const std::array<std::uint64_t, 4> extents = {
        random.between(1, is_large ? 2 : 4), random.between(1, is_large ? 2 : 5),
        is_large ? random.between(300, 400) : random.between(1, 9),
        is_large ? random.between(300, 600) : random.between(1, 9)};
    const auto cube = sillar::testing::random_cube(random, depth.dtype, extents);
    auto scattered = sillar::testing::random_layout(random, depth.dtype, cube.view().shape());
    const MutableTensorView samples = scattered.view(depth.dtype, cube.view().shape());
    copy(samples, cube.view());
    WriteOptions options;
    options.samples.layout = random.coin() ? Layout::planar : Layout::interleaved;
    options.samples.depth = depth.code;
    const auto bytes = written(samples, options);
    ASSERT_TRUE(bytes.has_value()) << bytes.error().message();
    const auto file = of_memory(*bytes);
    ASSERT_TRUE(file.has_value());
    EXPECT_EQ(file->geometry().depth, &depth);
    EXPECT_EQ(testing::elements(file->view()), cube.bytes);

    auto swapped = cube;
    for (std::size_t at = 0; at < swapped.bytes.size(); at += depth.size)
      std::ranges::reverse(std::span(swapped.bytes).subspan(at, depth.size));
    options.samples.byte_order =
        std::endian::native == std::endian::little ? std::endian::big : std::endian::little;
    EXPECT_EQ(written(swapped.view(), options), bytes);
  }
}

TEST(RoundTrips, keep_every_pixel_of_bitmaps) {
  testing::Random random(13);
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 200; ++round) {
    std::array<std::uint64_t, 4> extents = {random.between(1, 3), random.between(1, 3),
                                            random.between(1, 20), random.between(1, 20)};
    if (extents[2] * extents[3] % 8 != 0) extents[2] *= 8;
    const auto cube = sillar::testing::random_cube(random, DType::boolean, extents);
    auto scattered = sillar::testing::random_layout(random, DType::boolean, cube.view().shape());
    const MutableTensorView samples = scattered.view(DType::boolean, cube.view().shape());
    copy(samples, cube.view());
    WriteOptions options;
    options.samples.layout = Layout::planar;
    options.samples.depth = 0x00;
    options.samples.bit_order = random.coin() ? BitOrder::msb_first : BitOrder::lsb_first;
    const auto bytes = written(samples, options).value();
    const auto file = of_memory(bytes).value();
    EXPECT_EQ(testing::elements(file.unpack({}, options.samples.bit_order)->view()), cube.bytes);
    // A window is the same as a part of the whole.
    Selection selection;
    const std::uint64_t row = random.below(extents[2]);
    const std::uint64_t column = random.below(extents[3]);
    selection.rows = {.start = row, .extent = random.between(1, extents[2] - row)};
    selection.columns = {.start = column, .extent = random.between(1, extents[3] - column)};
    const auto window = window_of(selection, file.geometry()).value();
    EXPECT_EQ(testing::elements(file.unpack(selection, options.samples.bit_order)->view()),
              testing::elements(select(cube.view(), window)));
  }
}

}  // namespace
}  // namespace sillar::opff
