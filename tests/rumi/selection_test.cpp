// Selections against a plain quadruple loop: bands, times, windows, axes, clip and pad.
#include "made_file.hpp"
#include <sillar/tensor/copy.hpp>

#include <gtest/gtest.h>

#include <optional>

namespace sillar::rumi {
namespace {

using sillar::testing::element;
using sillar::testing::Random;
using sillar::testing::random_cube;
using sillar::testing::random_layout;
using sillar::testing::same;
using testing::Bytes;
using testing::Cube;

/// What a test asks for, kept in plain numbers beside the library's own Selection.
struct Wanted {
  std::vector<std::uint64_t> bands, times;
  std::int64_t row, col, height, width;
  std::string axes;
  Bytes pad;
};

/// Every sample of `got` against `cube`.
::testing::AssertionResult holds(const TensorView& got, const Cube& cube, const Wanted& want) {
  const std::array<std::uint64_t, 4> canonical = {want.times.size(), want.bands.size(),
                                                  static_cast<std::uint64_t>(want.height),
                                                  static_cast<std::uint64_t>(want.width)};
  const auto place_of = [&](char axis) { return want.axes.find(axis); };
  Shape shape(4);
  for (std::size_t i = 0; i < 4; ++i) shape[place_of("tbyx"[i])] = canonical[i];
  if (got.shape() != shape) return ::testing::AssertionFailure() << "shape";
  for (std::uint64_t t = 0; t < canonical[0]; ++t) {
    for (std::uint64_t b = 0; b < canonical[1]; ++b) {
      for (std::uint64_t y = 0; y < canonical[2]; ++y) {
        for (std::uint64_t x = 0; x < canonical[3]; ++x) {
          std::array<std::uint64_t, 4> index{};
          index[place_of('t')] = t;
          index[place_of('b')] = b;
          index[place_of('y')] = y;
          index[place_of('x')] = x;
          const std::int64_t row = want.row + static_cast<std::int64_t>(y);
          const std::int64_t col = want.col + static_cast<std::int64_t>(x);
          const bool inside = row >= 0 && col >= 0 &&
                              row < static_cast<std::int64_t>(cube.shape[2]) &&
                              col < static_cast<std::int64_t>(cube.shape[3]);
          const auto expected =
              inside ? cube.at(want.times[t], want.bands[b], static_cast<std::uint64_t>(row),
                               static_cast<std::uint64_t>(col))
                     : std::span<const std::byte>(want.pad);
          if (!same(element(got, index), expected)) {
            return ::testing::AssertionFailure()
                   << "t " << t << " b " << b << " y " << y << " x " << x;
          }
        }
      }
    }
  }
  return ::testing::AssertionSuccess();
}

/// Ascending, descending, repeated, random; sometimes everything.
std::vector<std::uint64_t> random_picks(Random& random, std::uint64_t count) {
  std::vector<std::uint64_t> picks(random.between(1, 6));
  const std::uint64_t kind = random.below(4);
  for (std::size_t i = 0; i < picks.size(); ++i) picks[i] = random.below(count);
  if (kind == 0) std::ranges::sort(picks);
  if (kind == 1) std::ranges::sort(picks, std::greater{});
  if (kind == 2) {
    picks.resize(count);
    std::iota(picks.begin(), picks.end(), std::uint64_t{0});
    if (random.coin()) std::ranges::reverse(picks);
  }
  return picks;
}

Selection selection_of(const Wanted& want, Outside outside) {
  Selection selection;
  selection.bands.emplace(want.bands.begin(), want.bands.end());
  selection.times.emplace(want.times.begin(), want.times.end());
  selection.window = geo::Window{want.row, want.col, want.height, want.width};
  selection.axes = want.axes;
  selection.outside = outside;
  if (outside == Outside::pad) selection.pad_value = want.pad;
  return selection;
}

TEST(Selections, of_every_kind_give_what_a_quadruple_loop_gives) {
  Random random(20);
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 120; ++round) {
    const DType dtype = random.pick(testing::all_dtypes);
    const Cube cube = random_cube(
        random, dtype,
        {random.between(1, 4), random.between(1, 5), random.between(1, 21), random.between(1, 21)});
    const auto height = static_cast<std::int64_t>(cube.shape[2]);
    const auto width = static_cast<std::int64_t>(cube.shape[3]);
    const auto units = testing::valid_units(cube.shape[1], cube.shape[0]);
    const unsigned unit = random.pick(units);
    const auto made = testing::make_file(cube, random.between(1, 24), random.between(1, 24), unit);
    const auto file = testing::open_bytes(made.bytes).value();
    const auto by_blob =
        open(io::memory_source(made.bytes), {.header_blob = made.blob, .limits = {}, .control = {}})
            .value();
    exec::Pool pool(3);
    for (int pick = 0; pick < 12; ++pick) {
      Wanted want{.bands = random_picks(random, cube.shape[1]),
                  .times = random_picks(random, cube.shape[0]),
                  .row = 0,
                  .col = 0,
                  .height = 0,
                  .width = 0,
                  .axes = "tbyx",
                  .pad = Bytes(size_of(dtype))};
      constexpr std::array kinds = {Outside::error, Outside::clip, Outside::pad};
      const Outside outside = random.pick(kinds);
      if (outside == Outside::pad) random.fill(want.pad);
      want.row = static_cast<std::int64_t>(random.below(cube.shape[2]));
      want.col = static_cast<std::int64_t>(random.below(cube.shape[3]));
      want.height = static_cast<std::int64_t>(
          random.between(1, static_cast<std::uint64_t>(height - want.row)));
      want.width = static_cast<std::int64_t>(
          random.between(1, static_cast<std::uint64_t>(width - want.col)));
      if (outside != Outside::error) {  // reach outside on every side, still touching the raster
        const auto top = static_cast<std::int64_t>(random.below(5));
        const auto left = static_cast<std::int64_t>(random.below(5));
        want.row -= top;
        want.col -= left;
        want.height += top + static_cast<std::int64_t>(random.below(30));
        want.width += left + static_cast<std::int64_t>(random.below(30));
      }
      std::vector<char> letters = {'t', 'b', 'y', 'x'};
      if (random.coin()) random.shuffle(letters);
      want.axes.assign(letters.begin(), letters.end());
      const Selection selection = selection_of(want, outside);
      if (outside == Outside::clip) {  // what is left of the window
        const std::int64_t bottom = std::min(want.row + want.height, height);
        const std::int64_t right = std::min(want.col + want.width, width);
        want.row = std::max<std::int64_t>(want.row, 0);
        want.col = std::max<std::int64_t>(want.col, 0);
        want.height = bottom - want.row;
        want.width = right - want.col;
      }
      SCOPED_TRACE("round " + std::to_string(round) + "." + std::to_string(pick) + ", unit " +
                   std::to_string(unit) + ", " + std::string(name_of(dtype)) + ", axes " +
                   want.axes);

      const ReadOptions options{.pool = random.coin() ? &pool : nullptr,
                                .verify = random.coin(),
                                .limits = {},
                                .control = {}};
      const auto read = (random.coin() ? file : by_blob).read(selection, options);
      ASSERT_TRUE(read.has_value()) << read.error().message();
      ASSERT_TRUE(holds(read->view(), cube, want));

      // The same into a buffer of the caller, whose strides are its own.
      const auto plan = file.plan(selection);
      ASSERT_TRUE(plan.has_value());
      const Shape shape = plan->selection.shape();
      auto buffer = random_layout(random, dtype, shape);
      random.fill(buffer.memory);
      const Bytes before = buffer.memory;
      const auto out = buffer.view(dtype, shape);
      const auto done = file.read_into(*plan, out, options);
      ASSERT_TRUE(done.has_value()) << done.error().message();
      ASSERT_TRUE(holds(out, cube, want));
      // Put the old bytes back where samples are: the rest was never touched.
      const TensorView old(before.data() + (out.data() - buffer.memory.data()), dtype, shape,
                           out.strides());
      copy(out, old);
      ASSERT_EQ(buffer.memory, before);
    }
  }
}

TEST(Selections, of_every_single_window_of_a_small_raster_are_slices) {
  Random random(21);
  SCOPED_TRACE(random.trace());
  for (const auto& [rows, cols, tile_length, tile_width] :
       {std::array{7, 6, 3, 4}, {5, 1, 2, 3}, {1, 5, 4, 2}}) {
    const Cube cube =
        random_cube(random, DType::u16,
                    {1, 2, static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(cols)});
    for (const unsigned unit : {0U, 1U, 2U}) {
      const auto file =
          testing::open_bytes(testing::make_file(cube, static_cast<std::uint64_t>(tile_length),
                                                 static_cast<std::uint64_t>(tile_width), unit)
                                  .bytes)
              .value();
      for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col) {
          for (int height = 1; row + height <= rows; ++height) {
            for (int width = 1; col + width <= cols; ++width) {
              const Wanted want{.bands = {0, 1},
                                .times = {0},
                                .row = row,
                                .col = col,
                                .height = height,
                                .width = width,
                                .axes = "tbyx",
                                .pad = {}};
              const auto read = file.read(selection_of(want, Outside::error));
              ASSERT_TRUE(read.has_value());
              ASSERT_TRUE(holds(read->view(), cube, want))
                  << row << " " << col << " " << height << " " << width;
            }
          }
        }
      }
    }
  }
}

/// 8 x 8 with row * 8 + col.
testing::MadeFile ramp() {
  Cube cube{.dtype = DType::u8, .shape = {1, 1, 8, 8}, .bytes = {}};
  for (int i = 0; i < 64; ++i) cube.bytes.push_back(static_cast<std::byte>(i));
  return testing::make_file(cube, 3, 5, 0);
}

TEST(Windows, beyond_the_raster_are_an_error_clipped_or_padded_and_never_shifted) {
  const auto file = testing::open_bytes(ramp().bytes).value();
  Selection selection;
  selection.window = geo::Window{0, -1, 8, 10};  // columns -1 to 9
  const auto refused = file.read(selection);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::bad_argument);

  selection.outside = Outside::clip;
  const auto plan = file.plan(selection);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->selection.window, (geo::Window{0, 0, 8, 8}));  // the window that was read
  EXPECT_EQ(file.read(selection)->shape(), (Shape{1, 1, 8, 8}));

  selection.outside = Outside::pad;
  selection.pad_value = {std::byte{99}};
  const auto padded = file.read(selection);
  ASSERT_TRUE(padded.has_value());
  for (std::size_t row = 0; row < 8; ++row) {
    for (std::size_t col = 0; col < 10; ++col) {
      const int expected = col == 0 || col == 9 ? 99 : static_cast<int>(row * 8 + col - 1);
      EXPECT_EQ(std::to_integer<int>(padded->bytes()[row * 10 + col]), expected);
    }
  }
  selection.pad_value.clear();
  EXPECT_EQ(file.read(selection)->bytes()[0], std::byte{0});
}

TEST(Windows, that_miss_the_raster_or_are_empty_are_errors_of_the_caller) {
  const auto file = testing::open_bytes(ramp().bytes).value();
  constexpr std::int64_t far = INT64_MAX;
  for (const Outside outside : {Outside::error, Outside::clip, Outside::pad}) {
    for (const geo::Window window : {geo::Window{0, -5, 8, 5},
                                     {8, 0, 1, 1},
                                     {0, 8, 1, 1},
                                     {-3, 0, 3, 8},
                                     {0, 0, 0, 1},
                                     {0, 0, 1, 0},
                                     {0, 0, -1, 4},
                                     {far, 0, 1, 1},
                                     {INT64_MIN, 0, 1, 1},
                                     {far, far, far, far},
                                     {INT64_MIN, INT64_MIN, far, far}}) {
      Selection selection;
      selection.window = window;
      selection.outside = outside;
      const auto read = file.read(selection);
      ASSERT_FALSE(read.has_value());
      EXPECT_EQ(read.error().code, Errc::bad_argument) << read.error().message();
    }
  }
}

TEST(Windows, that_pad_past_the_limit_are_refused_before_memory_is_taken) {
  const auto file = testing::open_bytes(ramp().bytes).value();
  Selection selection;
  selection.outside = Outside::pad;
  selection.window = geo::Window{0, 0, INT64_MAX, INT64_MAX};
  EXPECT_EQ(file.read(selection).error().code, Errc::over_limit);
  selection.window = geo::Window{-(INT64_MAX / 2), 0, INT64_MAX, 8};
  EXPECT_EQ(file.read(selection).error().code, Errc::over_limit);
}

TEST(Picks, outside_or_empty_are_errors_that_name_what_is_valid) {
  Cube cube{.dtype = DType::u8, .shape = {1, 3, 2, 2}, .bytes = Bytes(12)};
  const auto file = testing::open_bytes(testing::make_file(cube, 2, 2, 0).bytes).value();
  const auto text_of = [&](const Selection& selection) {
    const auto plan = file.plan(selection);
    EXPECT_FALSE(plan.has_value());
    EXPECT_EQ(plan.error().code, Errc::bad_argument);
    return plan.error().detail;
  };
  Selection selection;
  selection.bands = {BandRef{std::uint64_t{3}}};
  EXPECT_EQ(text_of(selection), "band 3 is outside, valid are 0 to 2");
  selection.bands = {BandRef{std::string("Band 1")}};
  EXPECT_EQ(text_of(selection), "no band has the text \"Band 1\"");
  selection.bands.emplace();
  EXPECT_EQ(text_of(selection), "the list of bands is empty");
  selection.bands.reset();
  selection.times = {TimeRef{std::uint64_t{1}}};
  EXPECT_EQ(text_of(selection), "time 1 is outside, valid are 0 to 0");
  selection.times = {TimeRef{std::string("1980")}};
  EXPECT_EQ(text_of(selection), "no time step lies in \"1980\"");
  selection.times.emplace();
  EXPECT_EQ(text_of(selection), "the list of times is empty");
  selection.times.reset();
  for (const char* axes : {"", "tby", "tbyy", "tbyxx", "TBYX", "byx "}) {
    selection.axes = axes;
    text_of(selection);
  }
  selection.axes = "tbyx";
  selection.pad_value = Bytes(2);
  text_of(selection);
}

TEST(Picks, by_text_are_those_of_the_trailer_in_the_order_asked) {
  Cube cube{.dtype = DType::u8, .shape = {4, 3, 1, 1}, .bytes = {}};
  for (int i = 0; i < 12; ++i) cube.bytes.push_back(static_cast<std::byte>(i));  // t * 3 + b
  const auto file = testing::open_bytes(testing::make_file(cube, 1, 1, 4).bytes).value();
  Selection selection;
  selection.bands = {BandRef{std::string("band 3")}, BandRef{std::uint64_t{0}},
                     BandRef{std::string("band 3")}};
  selection.times = {TimeRef{std::string("1970-01-03/..")}, TimeRef{std::string("1970-01-01")}};
  const auto read = file.read(selection);
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(sillar::testing::to_hex(read->bytes()),
            "080608"
            "0b090b"
            "020002");
}

TEST(ReadInto, refuses_an_output_of_another_shape_or_dtype) {
  const auto file = testing::open_bytes(ramp().bytes).value();
  const auto plan = file.plan().value();
  Bytes memory(1000);
  EXPECT_EQ(file.read_into(plan, {memory.data(), DType::u8, {1, 1, 8, 7}}).error().code,
            Errc::bad_argument);
  EXPECT_EQ(file.read_into(plan, {memory.data(), DType::i8, {1, 1, 8, 8}}).error().code,
            Errc::bad_argument);
  EXPECT_EQ(file.read_into(plan, {memory.data(), DType::u8, {8, 8}}).error().code,
            Errc::bad_argument);
}

}  // namespace
}  // namespace sillar::rumi
