// What a reader asks of its source, and how it can be shared, forked and stopped.
#include "child_process.hpp"
#include "counting_source.hpp"
#include "made_file.hpp"
#include "scratch_directory.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

namespace sillar::rumi {
namespace {

using namespace std::chrono_literals;
using sillar::testing::child_succeeds;
using sillar::testing::CountingSource;
using sillar::testing::Random;
using sillar::testing::random_cube;
using sillar::testing::ScratchDirectory;
using testing::Bytes;
using testing::Cube;
using Ranges = std::vector<io::ByteRange>;

/// 4 bands of 40 x 40 in tiles of 16, one frame a band and tile: 36 frames.
struct Example {
  Random random{40};
  Cube cube = random_cube(random, DType::u16, {1, 4, 40, 40});
  testing::MadeFile made = testing::make_file(cube, 16, 16, 0);
  std::shared_ptr<CountingSource> source = std::make_shared<CountingSource>(made.bytes);

  [[nodiscard]] File by_blob() const {
    return open(source, {.header_blob = made.blob, .limits = {}, .control = {}}).value();
  }
};

TEST(Reader, with_a_blob_asks_for_the_planned_frames_and_no_other_byte) {
  const Example example;
  const File file = example.by_blob();
  EXPECT_EQ(example.source->asked(), Ranges{});  // opening reads nothing
  Selection selection;
  selection.bands = {BandRef{std::uint64_t{3}}, BandRef{std::uint64_t{1}}};
  selection.window = geo::Window{10, 33, 20, 7};  // tile rows 0 and 1, column 2
  const auto plan = file.plan(selection);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(example.source->asked(), Ranges{});  // nor does planning

  // (row * 3 + col) * 4 + b
  Ranges expected;
  for (const std::uint64_t index : {2U * 4U + 1U, 2U * 4U + 3U, 5U * 4U + 1U, 5U * 4U + 3U}) {
    expected.push_back(testing::open_bytes(example.made.bytes).value().frames().range(index));
  }
  ASSERT_TRUE(file.read(selection).has_value());
  EXPECT_EQ(example.source->asked(), expected);
  EXPECT_EQ(example.source->requests(), 1u);

  example.source->forget();
  exec::Pool pool(3);
  ASSERT_TRUE(file.read(selection, {.pool = &pool, .verify = true, .limits = {}, .control = {}})
                  .has_value());
  Ranges asked = example.source->asked();
  std::ranges::sort(asked, {}, &io::ByteRange::offset);
  EXPECT_EQ(asked, expected);
}

TEST(Reader, asks_for_georeference_and_trailer_in_one_range_each_and_once) {
  const Example example;
  const File file = example.by_blob();
  ASSERT_TRUE(file.georeference().has_value());
  EXPECT_EQ(example.source->asked(), (Ranges{{file.frames().base_offset() - 160, 160}}));
  example.source->forget();
  ASSERT_TRUE(file.trailer().has_value());
  const std::uint64_t end = file.frames().end();
  EXPECT_EQ(example.source->asked(), (Ranges{{end, example.made.bytes.size() - end}}));
  example.source->forget();
  ASSERT_TRUE(file.georeference().has_value());
  ASSERT_TRUE(file.trailer().has_value());
  EXPECT_EQ(example.source->asked(), Ranges{});
  // Selecting by text needs the trailer, which is there now.
  Selection selection;
  selection.bands = {BandRef{std::string("band 2")}};
  ASSERT_TRUE(file.plan(selection).has_value());
  EXPECT_EQ(example.source->asked(), Ranges{});
}

TEST(Reader, without_a_blob_opens_a_small_file_in_one_request_from_the_start) {
  const Example example;
  const auto file = open(example.source);
  ASSERT_TRUE(file.has_value());
  ASSERT_EQ(example.source->requests(), 1u);
  EXPECT_EQ(example.source->asked()[0].offset, 0u);
  example.source->forget();
  ASSERT_TRUE(file->georeference().has_value());  // it came with the front
  EXPECT_EQ(example.source->requests(), 0u);
}

TEST(Reader, opens_a_file_with_a_long_front_in_two_requests_that_do_not_overlap) {
  // 8000 frames: a front of 452 + 12 * 8000 bytes.
  const Cube cube{.dtype = DType::u8, .shape = {1, 1, 80, 100}, .bytes = Bytes(8000)};
  const auto made = testing::make_file(cube, 1, 1, 0);
  const auto source = std::make_shared<CountingSource>(made.bytes);
  const auto file = open(source);
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->frames().base_offset(), 452u + 12 * 8000);
  const auto asked = source->asked();
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(source->requests(), 2u);
  EXPECT_EQ(asked[0].offset, 0u);
  EXPECT_EQ(asked[1].offset, asked[0].size);
  EXPECT_EQ(asked[0].size + asked[1].size, 452u + 12 * 8000);
  EXPECT_EQ(file->header_blob(), made.blob);
}

TEST(Reader, refuses_a_front_past_the_frame_limit_without_fetching_it) {
  const Cube cube{.dtype = DType::u8, .shape = {1, 1, 80, 100}, .bytes = Bytes(8000)};
  const auto source = std::make_shared<CountingSource>(testing::make_file(cube, 1, 1, 0).bytes);
  Limits limits;
  limits.frames = 7999;
  const auto file = open(source, {.header_blob = {}, .limits = limits, .control = {}});
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code, Errc::over_limit);
  EXPECT_EQ(source->requests(), 1u);
}

TEST(Reader, of_a_file_that_ends_inside_a_frame_says_so) {
  const Example example;
  const File whole = example.by_blob();
  Bytes cut = example.made.bytes;
  cut.resize(whole.frames().offset(30) + 5);
  const auto file = open(io::memory_source(cut, "cut.rumi"),
                         {.header_blob = example.made.blob, .limits = {}, .control = {}})
                        .value();
  const auto read = file.read();
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, Errc::truncated);
  EXPECT_EQ(read.error().rule, &rules::file_frames_truncated);
  EXPECT_EQ(read.error().offset, cut.size());
  EXPECT_EQ(read.error().source, "cut.rumi");
  EXPECT_EQ(file.trailer().error().rule, &rules::file_frames_truncated);
}

TEST(Reader, holds_every_size_against_its_limits) {
  const Example example;
  const File file = example.by_blob();
  const auto code_with = [&](auto change) {
    ReadOptions options;
    change(options.limits);
    const auto read = file.read({}, options);
    return read ? std::string("read") : std::string(name_of(read.error().code));
  };
  EXPECT_EQ(code_with([](Limits& limits) { limits.frame_bytes = 512; }), "read");
  EXPECT_EQ(code_with([](Limits& limits) { limits.frame_bytes = 511; }), "over_limit");
  EXPECT_EQ(code_with([](Limits& limits) { limits.output_bytes = 12800; }), "read");
  EXPECT_EQ(code_with([](Limits& limits) { limits.output_bytes = 12799; }), "over_limit");
  EXPECT_EQ(code_with([](Limits& limits) { limits.frames = 36; }), "read");
  EXPECT_EQ(code_with([](Limits& limits) { limits.frames = 35; }), "over_limit");

  Limits limits;
  limits.trailer_bytes = example.made.bytes.size() - file.frames().end();
  EXPECT_TRUE(testing::open_bytes(example.made.bytes, limits).value().trailer().has_value());
  --limits.trailer_bytes;
  EXPECT_EQ(testing::open_bytes(example.made.bytes, limits).value().trailer().error().code,
            Errc::over_limit);
}

TEST(Reader, refuses_to_list_more_time_steps_than_its_limit) {
  // A blob of 40 bytes can state 2^32 - 1 times; nothing of that size may be allocated.
  HeaderBlobFields fields;
  fields.image_width = fields.image_length = 1;
  fields.time_count = 0xFFFFFFFF;
  fields.tile_width = fields.tile_length = 1;
  fields.samples_per_pixel = 1;
  fields.bits_per_sample = 8;
  fields.sample_format = 1;
  fields.frame_unit = 1;
  fields.count_min = 77;
  const auto blob = wire::store_record(fields);
  const auto file =
      open(io::memory_source(Bytes(1000)), {.header_blob = blob, .limits = {}, .control = {}});
  ASSERT_TRUE(file.has_value()) << file.error().message();
  Limits limits;
  limits.frame_bytes = limits.output_bytes = std::uint64_t{1} << 40;
  const auto plan = file->plan({}, limits);
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().code, Errc::over_limit) << plan.error().message();
  // Single steps are no list of all.
  Selection last;
  last.times = {TimeRef{std::uint64_t{0xFFFFFFFE}}};
  EXPECT_TRUE(file->plan(last, limits).has_value());
}

TEST(File, is_shared_by_many_threads) {
  const Example example;
  for (const bool with_blob : {true, false}) {
    const File file = with_blob ? example.by_blob() : open(example.source).value();
    const auto whole = file.read().value();
    std::atomic<int> wrong = 0;
    {
      std::vector<std::jthread> threads;
      for (std::uint64_t id = 0; id < 8; ++id) {
        threads.emplace_back([&, id] {
          Random random(id);
          const File mine = file;
          for (int round = 0; round < 30; ++round) {
            Selection selection;
            selection.bands = {BandRef{random.below(4)}};
            const auto row = static_cast<std::int64_t>(random.below(40));
            selection.window = geo::Window{row, 0, 1, 40};
            const auto read = mine.read(selection);
            const auto expected = whole.view()
                                      .slice(1, std::get<std::uint64_t>((*selection.bands)[0]), 1)
                                      .slice(2, static_cast<std::uint64_t>(row), 1);
            if (!read || !mine.trailer() || !mine.georeference() ||
                !std::ranges::equal(read->bytes(), std::span(expected.data(), 80)))
              ++wrong;
          }
        });
      }
    }
    EXPECT_EQ(wrong, 0);
  }
}

TEST(File, works_in_a_child_after_a_parallel_read_where_the_allocator_survives_a_fork) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer's allocator may be locked by a worker when the child is forked";
#endif
  const Example example;
  const ScratchDirectory directory;
  const std::string path = directory / "a.rumi";
  ASSERT_TRUE(io::write_file(path, example.made.bytes).has_value());
  const File file = open(path).value();
  exec::Pool pool(4);
  const ReadOptions parallel{.pool = &pool, .verify = true, .limits = {}, .control = {}};
  ASSERT_TRUE(file.read({}, parallel).has_value());
  for (int round = 0; round < 10; ++round) {
    ASSERT_TRUE(child_succeeds([&] {
      const auto serial = file.read();
      const auto pooled = file.read({}, parallel);
      return serial && pooled && std::ranges::equal(serial->bytes(), example.cube.bytes) &&
             std::ranges::equal(pooled->bytes(), example.cube.bytes);
    }));
    ASSERT_TRUE(file.read({}, parallel).has_value());
  }
}

TEST(Read, is_stopped_by_its_token_and_its_deadline) {
  const Example example;
  const File file = example.by_blob();
  std::stop_source stop;
  stop.request_stop();
  exec::Pool pool(3);
  for (exec::Pool* const used : {static_cast<exec::Pool*>(nullptr), &pool}) {
    ReadOptions options{.pool = used,
                        .verify = true,
                        .limits = {},
                        .control = {.stop = stop.get_token(), .deadline = {}}};
    EXPECT_EQ(file.read({}, options).error().code, Errc::cancelled);
    options.control = {.stop = {}, .deadline = std::chrono::steady_clock::now() - 1s};
    const auto late = file.read({}, options);
    ASSERT_FALSE(late.has_value());
    EXPECT_EQ(late.error().code, Errc::io);
    EXPECT_EQ(late.error().system_errno, ETIMEDOUT);
    options.control.deadline = std::chrono::steady_clock::now() + 1h;
    EXPECT_TRUE(file.read({}, options).has_value());
  }
}

TEST(Open, is_stopped_as_well) {
  const Example example;
  std::stop_source stop;
  stop.request_stop();
  const io::ReadControl stopped{.stop = stop.get_token(), .deadline = {}};
  const auto opened = open(example.source, {.header_blob = {}, .limits = {}, .control = stopped});
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, Errc::cancelled);
  const auto by_blob =
      open(example.source, {.header_blob = example.made.blob, .limits = {}, .control = stopped});
  ASSERT_TRUE(by_blob.has_value());  // reads nothing yet
  EXPECT_EQ(by_blob->trailer().error().code, Errc::cancelled);
  EXPECT_EQ(by_blob->georeference().error().code, Errc::cancelled);
  const auto report = validate(*example.source, {.header_blob = {},
                                                 .decode = false,
                                                 .pool = nullptr,
                                                 .registry = nullptr,
                                                 .limits = {},
                                                 .control = stopped});
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code, Errc::cancelled);
}

TEST(Validate, finds_the_same_at_any_number_of_threads) {
  const Example example;
  Bytes bytes = example.made.bytes;
  const File file = example.by_blob();
  for (const std::uint64_t index : {3U, 17U, 30U})
    bytes[file.frames().offset(index)] ^= std::byte{0xFF};
  std::vector<Finding> serial;
  for (const std::size_t threads : {1U, 2U, 3U, 8U}) {
    exec::Pool pool(threads);
    const auto report = validate(*io::memory_source(bytes), {.header_blob = {},
                                                             .decode = true,
                                                             .pool = &pool,
                                                             .registry = nullptr,
                                                             .limits = {},
                                                             .control = {}});
    ASSERT_TRUE(report.has_value());
    ASSERT_EQ(report->findings().size(), 3u);
    if (threads == 1) serial = report->findings();
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(report->findings()[i].error, serial[i].error);
  }
  EXPECT_EQ(serial[0].error.offset, file.frames().offset(3));
  EXPECT_NE(serial[2].error.detail.find("frame 30"), std::string::npos);
}

TEST(Validate, lists_the_first_frames_of_a_rule_and_counts_the_others_at_any_number_of_threads) {
  // 400 frames; two of three are no OpenZL frames.
  Random random{7};
  Bytes bytes = testing::make_file(random_cube(random, DType::u8, {1, 1, 40, 40}), 2, 2, 0).bytes;
  const File file = testing::open_bytes(bytes).value();
  ASSERT_EQ(file.frames().frames(), 400u);
  for (std::uint64_t index = 0; index < 400; ++index) {
    if (index % 3 != 2) bytes[file.frames().offset(index)] ^= std::byte{0xFF};
  }
  const std::uint64_t broken = 400 - 133;
  for (const std::size_t threads : {1U, 2U, 3U, 8U}) {
    exec::Pool pool(threads);
    const auto report = validate(*io::memory_source(bytes), {.header_blob = {},
                                                             .decode = true,
                                                             .pool = &pool,
                                                             .registry = nullptr,
                                                             .limits = {},
                                                             .control = {}});
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->errors(), broken);
    ASSERT_EQ(report->findings().size(), Report::most_of_a_rule);
    for (std::uint64_t i = 0; i < Report::most_of_a_rule; ++i) {
      const std::uint64_t index = i / 2 * 3 + i % 2;
      ASSERT_EQ(report->findings()[i].error.offset, file.frames().offset(index)) << i;
    }
    ASSERT_EQ(report->unlisted().size(), 1u);
    EXPECT_EQ(report->unlisted()[0].rule, report->findings()[0].error.rule);
    EXPECT_EQ(report->unlisted()[0].count, broken - Report::most_of_a_rule);
  }
}

}  // namespace
}  // namespace sillar::rumi
