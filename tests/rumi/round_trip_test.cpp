// Random rasters written and read again: every encoding and unit, any layout in memory, any order
// of frames.
#include "made_file.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace sillar::rumi {
namespace {

using sillar::testing::element;
using sillar::testing::for_each_sample;
using sillar::testing::Random;
using sillar::testing::random_cube;
using sillar::testing::random_layout;
using sillar::testing::same;
using testing::Cube;

std::array<std::uint64_t, 4> random_shape(Random& random) {
  return {random.between(1, 4), random.between(1, 5), random.between(1, 23), random.between(1, 23)};
}

/// Tiles smaller and larger than the image, seldom square.
std::uint64_t random_tile(Random& random, std::uint64_t extent) {
  return random.below(5) == 0 ? extent + random.between(1, 100) : random.between(1, extent);
}

/// Sample by sample.
::testing::AssertionResult equals(const TensorView& view, const Cube& cube) {
  if (view.shape() != Shape(cube.shape.begin(), cube.shape.end()) || view.dtype() != cube.dtype) {
    return ::testing::AssertionFailure() << "another shape or dtype";
  }
  ::testing::AssertionResult result = ::testing::AssertionSuccess();
  for_each_sample(cube.shape, [&](auto t, auto b, auto y, auto x) {
    const std::array<std::uint64_t, 4> index = {t, b, y, x};
    if (result && !same(element(view, index), cube.at(t, b, y, x))) {
      result = ::testing::AssertionFailure() << "sample " << t << " " << b << " " << y << " " << x;
    }
  });
  return result;
}

TEST(RoundTrip, keeps_every_sample_of_every_encoding_in_every_unit) {
  Random random(10);
  SCOPED_TRACE(random.trace());
  for (const DType dtype : testing::all_dtypes) {
    for (int round = 0; round < 6; ++round) {
      const Cube cube = random_cube(random, dtype, random_shape(random));
      const std::uint64_t tile_length = random_tile(random, cube.shape[2]);
      const std::uint64_t tile_width = random_tile(random, cube.shape[3]);
      for (const unsigned unit : testing::valid_units(cube.shape[1], cube.shape[0])) {
        SCOPED_TRACE(std::string(name_of(dtype)) + ", unit " + std::to_string(unit) + ", tile " +
                     std::to_string(tile_length) + "x" + std::to_string(tile_width));
        const auto made = testing::make_file(cube, tile_length, tile_width, unit);
        const auto file = testing::open_bytes(made.bytes);
        ASSERT_TRUE(file.has_value()) << file.error().message();
        EXPECT_EQ(file->header_blob(), made.blob);
        const auto read = file->read();
        ASSERT_TRUE(read.has_value()) << read.error().message();
        ASSERT_TRUE(equals(read->view(), cube));
        const auto report = validate(*io::memory_source(made.bytes), {.header_blob = made.blob,
                                                                      .decode = true,
                                                                      .pool = nullptr,
                                                                      .registry = nullptr,
                                                                      .limits = {},
                                                                      .control = {}});
        ASSERT_TRUE(report.has_value());
        ASSERT_TRUE(report->findings().empty()) << report->findings()[0].error.message();
      }
    }
  }
}

TEST(RoundTrip, gives_the_same_bytes_whatever_the_layout_of_the_input) {
  Random random(11);
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 150; ++round) {
    const DType dtype = random.pick(testing::all_dtypes);
    const Cube cube = random_cube(random, dtype, random_shape(random));
    const Shape shape(cube.shape.begin(), cube.shape.end());
    auto scattered = random_layout(random, dtype, shape);
    const auto view = scattered.view(dtype, shape);
    for_each_sample(cube.shape, [&](auto t, auto b, auto y, auto x) {
      const std::array<std::uint64_t, 4> index = {t, b, y, x};
      std::ranges::copy(cube.at(t, b, y, x), element(view, index).begin());
    });
    const auto content = testing::content_for(
        cube.shape, dtype, random_tile(random, cube.shape[2]), random_tile(random, cube.shape[3]),
        random.pick(testing::valid_units(cube.shape[1], cube.shape[0])));
    ASSERT_EQ(testing::write_all(content, view).bytes,
              testing::write_all(content, cube.view()).bytes)
        << "round " << round;
  }
}

TEST(RoundTrip, gives_the_same_bytes_at_any_number_of_threads) {
  Random random(12);
  SCOPED_TRACE(random.trace());
  for (const unsigned unit : {0U, 4U, 7U, 9U}) {
    const Cube cube = random_cube(random, DType::u16, {3, 4, 61, 47});
    const auto content = testing::content_for(cube.shape, cube.dtype, 8, 13, unit);
    const auto serial = testing::write_all(content, cube.view());
    for (const std::size_t threads : {1U, 2U, 3U, 8U}) {
      exec::Pool pool(threads);
      ASSERT_EQ(testing::write_all(content, cube.view(), &pool).bytes, serial.bytes) << threads;
      const auto file = testing::open_bytes(serial.bytes).value();
      const auto read = file.read({}, {.pool = &pool, .verify = true, .limits = {}, .control = {}});
      ASSERT_TRUE(read.has_value());
      ASSERT_TRUE(equals(read->view(), cube)) << threads;
    }
  }
}

/// Puts the frames of `cube` in this order, from so many threads.
testing::MadeFile put_in_order(const Content& content, const Cube& cube,
                               const std::vector<std::uint64_t>& order, std::size_t threads) {
  testing::MadeFile made;
  auto writer = Writer::create(io::memory_sink(made.bytes), content).value();
  std::atomic<std::size_t> next = 0;
  std::atomic<int> failures = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < order.size(); i = next++) {
      const FramePlace place = content.layout.place(order[i]);
      auto part = cube.view().slice(2, place.y, place.height).slice(3, place.x, place.width);
      if (content.layout.frames_are_tiles())
        part = part.slice(0, place.time, 1).slice(1, place.band, 1);
      if (!writer.put_samples(order[i], part)) ++failures;
    }
  };
  std::vector<std::jthread> workers;
  for (std::size_t i = 1; i < threads; ++i) workers.emplace_back(work);
  work();
  workers.clear();
  EXPECT_EQ(failures, 0);
  made.blob = writer.finish().value();
  return made;
}

TEST(RoundTrip, gives_the_same_bytes_whatever_the_order_of_frames) {
  Random random(13);
  SCOPED_TRACE(random.trace());
  for (const unsigned unit : {0U, 3U, 9U}) {
    const Cube cube = random_cube(random, DType::i16, {2, 3, 40, 33});
    const auto content = testing::content_for(cube.shape, cube.dtype, 7, 9, unit);
    const auto straight = testing::write_all(content, cube.view());
    std::vector<std::uint64_t> order(content.layout.frame_count().value());
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    std::ranges::reverse(order);
    ASSERT_EQ(put_in_order(content, cube, order, 1).bytes, straight.bytes);
    for (const std::size_t threads : {1U, 2U, 4U}) {
      random.shuffle(order);
      const auto made = put_in_order(content, cube, order, threads);
      ASSERT_EQ(made.bytes, straight.bytes);
      ASSERT_EQ(made.blob, straight.blob);
    }
  }
}

TEST(RoundTrip, of_more_reversed_frames_than_memory_keeps_goes_through_the_spool) {
  // 48 frames of noise with 512 KiB each: three times what waits in memory.
  Random random(14);
  SCOPED_TRACE(random.trace());
  Cube cube{.dtype = DType::u64, .shape = {1, 1, 48 * 64, 1024}, .bytes = {}};
  cube.bytes.resize(cube.shape[2] * cube.shape[3] * 8);
  for (std::size_t i = 0; i < cube.bytes.size(); i += 8) {
    const std::uint64_t noise = random.next();
    std::memcpy(cube.bytes.data() + i, &noise, 8);
  }
  const auto content = testing::content_for(cube.shape, cube.dtype, 64, 1024, 0);
  std::vector<std::uint64_t> order(48);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  const auto straight = put_in_order(content, cube, order, 1);
  EXPECT_GT(straight.bytes.size(), cube.bytes.size());  // noise is stored
  std::ranges::reverse(order);
  ASSERT_TRUE(put_in_order(content, cube, order, 1).bytes == straight.bytes);
  random.shuffle(order);
  ASSERT_TRUE(put_in_order(content, cube, order, 3).bytes == straight.bytes);
  const auto read = testing::open_bytes(straight.bytes).value().read();
  ASSERT_TRUE(read.has_value());
  EXPECT_TRUE(same(read->bytes(), cube.bytes));
}

TEST(RoundTrip, of_a_file_through_its_own_frames_is_the_file) {
  Random random(15);
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 60; ++round) {
    const Cube cube = random_cube(random, random.pick(testing::all_dtypes), random_shape(random));
    const auto made = testing::make_file(
        cube, random_tile(random, cube.shape[2]), random_tile(random, cube.shape[3]),
        random.pick(testing::valid_units(cube.shape[1], cube.shape[0])));
    const auto again = testing::rewrite(testing::open_bytes(made.bytes).value());
    ASSERT_TRUE(again.has_value()) << again.error().message();
    ASSERT_EQ(again->bytes, made.bytes);
    ASSERT_EQ(again->blob, made.blob);
  }
}

TEST(RoundTrip, keeps_the_bits_of_NaN_and_of_sentinels) {
  // Quiet and signalling NaN with payloads, both zeros, infinities, subnormals, -9999.
  const std::array<std::uint32_t, 9> patterns = {0x7FC00001, 0xFFC12345, 0x7F800001,
                                                 0x00000000, 0x80000000, 0x7F800000,
                                                 0xFF800000, 0x00000001, 0xC61C3C00};
  Cube cube{.dtype = DType::f32, .shape = {1, 1, 1, 9}, .bytes = {}};
  cube.bytes.resize(sizeof patterns);
  std::memcpy(cube.bytes.data(), patterns.data(), sizeof patterns);
  const auto read = testing::open_bytes(testing::make_file(cube, 4, 4, 0).bytes).value().read();
  ASSERT_TRUE(read.has_value());
  EXPECT_TRUE(same(read->bytes(), cube.bytes));
}

}  // namespace
}  // namespace sillar::rumi
