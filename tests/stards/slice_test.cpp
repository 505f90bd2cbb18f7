// Slices: every element of every selection held against a plain loop, for any block sizes.
#include "counting_source.hpp"
#include "made_file.hpp"
#include "opened.hpp"
#include "random.hpp"
#include <sillar/exec/pool.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <numeric>

namespace sillar::stards::testing {
namespace {

using sillar::testing::Random;

/// The indices of one axis that a slice selects, as Python counts them.
std::vector<std::int64_t> indices_of(const Slice& slice, std::int64_t extent) {
  const auto from_end = [&](std::int64_t index) { return index < 0 ? index + extent : index; };
  if (slice.is_index) return {from_end(*slice.start)};
  std::vector<std::int64_t> indices;
  if (slice.step > 0) {
    const std::int64_t stop = slice.stop ? from_end(*slice.stop) : extent;
    for (std::int64_t i = slice.start ? from_end(*slice.start) : 0; i < stop; i += slice.step)
      indices.push_back(i);
  } else {
    const std::int64_t stop = slice.stop ? from_end(*slice.stop) : -1;
    for (std::int64_t i = slice.start ? from_end(*slice.start) : extent - 1; i > stop;
         i += slice.step)
      indices.push_back(i);
  }
  return indices;
}

/// A selection of at least one index.
Slice random_slice(Random& random, std::int64_t extent) {
  const auto below = [&](std::int64_t count) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(count)));
  };
  if (random.below(5) == 0) return Slice::at(below(extent) - (random.coin() ? extent : 0));
  for (;;) {
    Slice slice;
    if (random.coin()) slice.start = below(extent) - (random.coin() ? extent : 0);
    if (random.coin()) slice.stop = below(extent + 1) - (random.coin() ? extent : 0);
    slice.step = random.coin() ? 1 : below(7) - 3;
    if (slice.step == 0) continue;
    if (!indices_of(slice, extent).empty()) return slice;
  }
}

struct Expected {
  Shape shape;
  std::vector<std::uint64_t> places;  // in C order of the array
};

Expected expected_of(const std::vector<Slice>& slices, const Shape& shape) {
  Expected expected{{}, {0}};
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const Slice slice = axis < slices.size() ? slices[axis] : Slice{};
    const auto indices = indices_of(slice, static_cast<std::int64_t>(shape[axis]));
    if (!slice.is_index) expected.shape.push_back(indices.size());
    std::vector<std::uint64_t> places;
    for (const std::uint64_t place : expected.places) {
      for (const std::int64_t index : indices)
        places.push_back(place * shape[axis] + static_cast<std::uint64_t>(index));
    }
    expected.places = std::move(places);
  }
  return expected;
}

Bytes counted_bytes(std::uint64_t count, std::size_t size) {
  Bytes bytes(count * size);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>((i * 7 + i / 251) & 0xFF);
  return bytes;
}

/// All byte 0s, then all byte 1s, and so on.
Bytes shuffled(const Bytes& bytes, std::size_t size) {
  Bytes planes;
  for (std::size_t byte = 0; byte < size; ++byte) {
    for (std::size_t at = byte; at < bytes.size(); at += size) planes.push_back(bytes[at]);
  }
  return planes;
}

/// LZ4 blocks of literals alone, which everybody can write by hand.
Bytes literals_of(std::span<const std::byte> raw) {
  Fields block;
  if (raw.size() < 15) {
    block.u8(raw.size() << 4);
  } else {
    block.u8(0xF0);
    std::size_t rest = raw.size() - 15;
    for (; rest >= 255; rest -= 255) block.u8(255);
    block.u8(rest);
  }
  return block.raw(raw).bytes();
}

MadeArray lz4_array(std::string key, std::uint8_t type, const Shape& shape, const Bytes& raw,
                    std::uint64_t block_size, std::uint8_t compression) {
  MadeArray array = plain_array(std::move(key), type, shape, {}, block_size);
  array.compression = compression;
  for (std::size_t at = 0; at < raw.size(); at += block_size) {
    const auto piece =
        std::span(raw).subspan(at, std::min<std::size_t>(block_size, raw.size() - at));
    const Bytes stored = literals_of(piece);
    array.blocks.push_back({array.stored.size(), stored.size(), piece.size()});
    array.stored.insert(array.stored.end(), stored.begin(), stored.end());
  }
  return array;
}

MadeMetadata no_metadata() {
  return {.layer = "__base__", .keys = {}, .compression = 0, .stored = {}, .shared = false};
}

struct TypeCase {
  std::uint8_t code;
  std::size_t size;
};
constexpr TypeCase types[] = {{4, 1}, {1, 2}, {8, 4}, {9, 8}};

void expect_slice(const File& file, const std::vector<Slice>& slices, const Shape& shape,
                  const Bytes& content, std::size_t size, exec::Pool* pool) {
  ReadOptions options{.slice_shuffled = true};
  options.pool = pool;
  const auto got = file.get_slice("a", slices, options);
  ASSERT_TRUE(got.has_value()) << got.error().message();
  const Expected expected = expected_of(slices, shape);
  EXPECT_EQ(shape_in(*got), expected.shape);
  Bytes want;
  for (const std::uint64_t place : expected.places) {
    const auto element = std::span(content).subspan(place * size, size);
    want.insert(want.end(), element.begin(), element.end());
  }
  EXPECT_EQ(bytes_in(*got), want);
}

TEST(Slices, are_those_of_a_plain_loop_for_all_ranks_steps_and_block_sizes) {
  exec::Pool pool(3);
  Random random(11);
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 1500 && !::testing::Test::HasFailure(); ++round) {
    const TypeCase& type = types[random.below(std::size(types))];
    Shape shape(random.below(6));
    std::uint64_t count = 1;
    for (std::uint64_t& extent : shape)
      count *= extent = random.between(1, shape.size() > 3 ? 3 : 7);
    const Bytes content = counted_bytes(count, type.size);
    const std::uint64_t block_size = random.between(1, content.size() + 3);
    const std::uint64_t kind = random.below(3);
    const MadeArray array =
        kind == 0   ? plain_array("a", type.code, shape, content, block_size)
        : kind == 1 ? lz4_array("a", type.code, shape, content, block_size, 3)
                    : lz4_array("a", type.code, shape, shuffled(content, type.size), block_size, 5);
    const auto file = open_bytes(make_file({array}, {}, {no_metadata()}));
    ASSERT_TRUE(file.has_value()) << file.error().message();
    std::vector<Slice> slices(random.below(shape.size() + 1));
    for (std::size_t axis = 0; axis < slices.size(); ++axis)
      slices[axis] = random_slice(random, static_cast<std::int64_t>(shape[axis]));
    SCOPED_TRACE("round " + std::to_string(round) + ", shape " + ::testing::PrintToString(shape) +
                 ", blocks of " + std::to_string(block_size) + ", kind " + std::to_string(kind));
    expect_slice(*file, slices, shape, content, type.size, random.coin() ? &pool : nullptr);
    const auto whole = file->get("a");
    ASSERT_TRUE(whole.has_value()) << whole.error().message();
    EXPECT_EQ(bytes_in(*whole), content);
  }
}

TEST(Slices, fetch_the_blocks_that_they_touch_and_no_others) {
  // 8 rows of 4 doubles, a row a block.
  const Shape shape{8, 4};
  const Bytes content = counted_bytes(32, 8);
  const Bytes bytes = make_file({plain_array("a", 9, shape, content, 32)}, {}, {no_metadata()});
  const auto source = std::make_shared<const sillar::testing::CountingSource>(bytes);
  const auto file = open(source).value();
  const std::uint64_t first = file.array(0).entry->position;
  source->forget();
  const std::vector<Slice> rows = {Slice{.start = 2, .stop = 7, .step = 2}};
  ASSERT_TRUE(file.get_slice("a", rows).has_value());
  EXPECT_EQ(source->asked(),
            (std::vector<io::ByteRange>{{first + 64, 32}, {first + 128, 32}, {first + 192, 32}}));

  // Byte planes of 32 bytes: an element needs one byte of each of its eight blocks of a plane.
  const Bytes planes =
      make_file({lz4_array("a", 9, shape, shuffled(content, 8), 16, 5)}, {}, {no_metadata()});
  const auto shuffled_source = std::make_shared<const sillar::testing::CountingSource>(planes);
  const auto shuffled_file = open(shuffled_source).value();
  shuffled_source->forget();
  const std::vector<Slice> element = {Slice::at(7), Slice::at(-1)};
  ASSERT_TRUE(shuffled_file.get_slice("a", element, {.slice_shuffled = true}).has_value());
  EXPECT_EQ(shuffled_source->asked().size(), 8u);
}

TEST(Slices, of_strings_pick_elements_in_the_order_of_the_slice) {
  Fields payload;
  payload.u32(6 * 4 + 15);
  const std::vector<std::string> values = {"", "a", "bb", "ccc", "dddd", "eeeee"};
  for (const std::string& value : values) payload.u32(value.size()).text(value);
  const auto file =
      open_bytes(make_file({plain_array("a", 10, {2, 3}, payload.bytes(), 5)}, {}, {no_metadata()}))
          .value();
  const std::vector<Slice> slices = {Slice{}, Slice{.start = {}, .stop = {}, .step = -2}};
  const auto got = file.get_slice<std::string>("a", slices);
  ASSERT_TRUE(got.has_value()) << got.error().message();
  EXPECT_EQ(got->shape, (Shape{2, 2}));
  EXPECT_EQ(got->values, (std::vector<std::string>{"bb", "", "eeeee", "ccc"}));
  const std::vector<Slice> one = {Slice::at(1), Slice::at(1)};
  EXPECT_EQ(file.get_slice<std::string>("a", one)->values, std::vector<std::string>{"dddd"});
}

TEST(Slices, that_lie_outside_or_select_nothing_are_refused) {
  const auto file =
      open_bytes(make_file({plain_array("a", 4, {5}, counted_bytes(5, 1), 2),
                            plain_array("scalar", 4, {}, counted_bytes(1, 1), 2),
                            lz4_array("shuffled", 9, {2}, counted_bytes(2, 8), 16, 5)},
                           {}, {no_metadata()}))
          .value();
  const auto code_of = [&](std::string_view key, std::vector<Slice> slices) {
    const auto got = file.get_slice(key, slices);
    return got ? std::optional<Errc>() : std::optional(got.error().code);
  };
  const std::vector<Slice> wrong = {
      Slice::at(5),
      Slice::at(-6),
      {.start = 6, .stop = {}, .step = 1},
      {.start = {}, .stop = 6, .step = 1},
      {.start = 2, .stop = 2, .step = 1},
      {.start = 3, .stop = 2, .step = 1},
      {.start = 2, .stop = 3, .step = -1},
      {.start = 5, .stop = {}, .step = -1},
      {.start = {}, .stop = {}, .step = 0},
      {.start = INT64_MIN, .stop = INT64_MAX, .step = INT64_MIN},
      {.start = INT64_MAX, .stop = INT64_MIN, .step = INT64_MAX},
  };
  for (const Slice& slice : wrong) EXPECT_EQ(code_of("a", {slice}), Errc::bad_argument);
  EXPECT_EQ(code_of("a", {Slice{}, Slice{}}), Errc::bad_argument);
  EXPECT_EQ(code_of("scalar", {Slice{}}), Errc::bad_argument);
  EXPECT_EQ(code_of("scalar", {}), std::nullopt);
  EXPECT_EQ(code_of("shuffled", {Slice{}}), Errc::bad_argument);
  EXPECT_EQ(file.is_sliceable("shuffled").value(), false);
  EXPECT_EQ(file.is_sliceable("a").value(), true);
  EXPECT_EQ(code_of("a", {{.start = 4, .stop = {}, .step = INT64_MIN}}), std::nullopt);
  EXPECT_EQ(code_of("a", {{.start = 0, .stop = {}, .step = INT64_MAX}}), std::nullopt);
}

TEST(Slices, are_written_as_python_writes_them) {
  const auto slices = parse_slices("0:10:2,-3,:,::-1,4:,:-1").value();
  EXPECT_EQ(slices, (std::vector<Slice>{{.start = 0, .stop = 10, .step = 2},
                                        Slice::at(-3),
                                        {},
                                        {.start = {}, .stop = {}, .step = -1},
                                        {.start = 4, .stop = {}, .step = 1},
                                        {.start = {}, .stop = -1, .step = 1}}));
  EXPECT_TRUE(parse_slices("").value().empty());
  for (const std::string_view bad :
       {"a", "1:2:3:4", "1,,2", "1.5", " 1", "1:x", "99999999999999999999"})
    EXPECT_FALSE(parse_slices(bad).has_value()) << bad;
}

TEST(TypedReads, convert_nothing) {
  const auto file =
      open_bytes(make_file({plain_array("a", 1, {2}, Fields().u16(1).u16(65535).bytes(), 4)}, {},
                           {no_metadata()}))
          .value();
  EXPECT_EQ(file.get<std::int16_t>("a")->values, (std::vector<std::int16_t>{1, -1}));
  EXPECT_EQ(file.get<std::uint16_t>("a").error().code, Errc::bad_argument);
  EXPECT_EQ(file.get<std::string>("a").error().code, Errc::bad_argument);
  EXPECT_EQ(file.get("b").error().code, Errc::bad_argument);
  EXPECT_EQ(file.get("a", {.scope = {.layer = "L"}}).error().code, Errc::bad_argument);
}

}  // namespace
}  // namespace sillar::stards::testing
