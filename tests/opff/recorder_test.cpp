// Recordings: one file or many, one thread or many, and what a recorder that died leaves.
#include <sillar/opff/recorder.hpp>

#include "child_process.hpp"
#include "made_file.hpp"
#include <sillar/opff/repair.hpp>
#include <sillar/opff/sequence.hpp>

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace sillar::opff {
namespace {

using testing::Bytes;
using testing::rule_of;

constexpr std::size_t frame_bytes = 2 * 3 * 2;  // u16, 2 rows, 3 columns

/// The samples of frame `index`: no two are alike.
Bytes samples_of(std::uint64_t index) {
  Bytes bytes = testing::counting(frame_bytes, static_cast<unsigned>(index));
  bytes[0] = static_cast<std::byte>(index);
  bytes[1] = static_cast<std::byte>(index >> 8);
  return bytes;
}

TensorView view_of(const Bytes& samples) { return {samples.data(), DType::u16, Shape{2, 3}}; }

class Recording : public ::testing::Test {
 protected:
  Result<Recorder> create(const RecordOptions& options = {}) const {
    return Recorder::create(path_, DType::u16, {2, 3}, options);
  }

  testing::ScratchDirectory scratch_;
  std::string path_ = scratch_ / "clip.opff";
};

TEST_F(Recording, of_a_few_frames_is_one_file_of_known_bytes) {
  auto recorder = create({.samples = {}, .letter = 'X', .start_id = 7}).value();
  EXPECT_EQ(scratch_.names(), std::vector<std::string>{"clip.opff.recording"});
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(recorder.append(view_of(samples_of(i))), i);
  EXPECT_EQ(recorder.written(), 3u);
  EXPECT_EQ(rule_of(map(path_ + ".recording")), "opff.zero_dimension");
  const auto files = recorder.finish();
  EXPECT_EQ(files, (std::vector<RecordedFile>{{.path = path_, .start_id = 7, .frames = 3}}));
  EXPECT_EQ(scratch_.names(), std::vector<std::string>{"clip.opff"});
  std::string wanted =
      io::testing::text_of(testing::head("4f504658 01 02 01 03 07000000 0300 0200"));
  for (std::uint64_t i = 0; i < 3; ++i) wanted += io::testing::text_of(samples_of(i));
  EXPECT_EQ(testing::get(path_), wanted);
  EXPECT_FALSE(recorder.append(view_of(samples_of(3))));
}

TEST_F(Recording, goes_on_in_the_next_file_after_255_frames) {
  auto recorder = create({.samples = {},
                          .letter = 'F',
                          .start_id = 1000,
                          .frames_per_file = 255,
                          .preallocate = true,
                          .sync = false})
                      .value();
  for (std::uint64_t i = 0; i < 600; ++i) ASSERT_TRUE(recorder.append(view_of(samples_of(i))));
  const auto files = recorder.finish().value();
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(
      files[1],
      (RecordedFile{.path = scratch_ / "clip.0000001255.opff", .start_id = 1255, .frames = 255}));
  EXPECT_EQ(
      files[2],
      (RecordedFile{.path = scratch_ / "clip.0000001510.opff", .start_id = 1510, .frames = 90}));
  const std::vector<std::string> paths = {files[2].path, files[0].path, files[1].path};
  const auto sequence = open_sequence(paths).value();
  EXPECT_EQ(testing::rules_in(sequence.report()), std::vector<std::string>{});
  EXPECT_EQ(sequence.first_id(), 1000u);
  EXPECT_EQ(sequence.end_id(), 1600u);
  for (std::uint64_t i = 0; i < 600; ++i)
    EXPECT_EQ(testing::elements(sequence.frame(1000 + i).value()), samples_of(i));
  EXPECT_FALSE(sequence.frame(999));
  EXPECT_FALSE(sequence.frame(1600));
  struct stat status{};
  ASSERT_EQ(::stat(files[2].path.c_str(), &status), 0);
  EXPECT_EQ(status.st_size, 64 + 90 * 12);
  EXPECT_LE(status.st_blocks * 512, 16384);  // what was preallocated is given back
}

TEST_F(Recording, ends_no_file_too_many_at_a_full_one) {
  auto recorder =
      create({.samples = {}, .letter = 'F', .start_id = 0, .frames_per_file = 2}).value();
  for (std::uint64_t i = 0; i < 4; ++i) ASSERT_TRUE(recorder.append(view_of(samples_of(i))));
  EXPECT_EQ(recorder.finish()->size(), 2u);
  EXPECT_EQ(scratch_.names(), (std::vector<std::string>{"clip.0000000002.opff", "clip.opff"}));
}

TEST_F(Recording, takes_frames_from_several_threads_in_any_order) {
  testing::Random random(14);
  SCOPED_TRACE(random.trace());
  constexpr std::uint64_t count = 400;
  std::vector<std::uint64_t> order(count);
  for (std::uint64_t i = 0; i < count; ++i) order[i] = i;
  random.shuffle(order);
  auto recorder = create({.samples = {},
                          .letter = 'F',
                          .start_id = 0,
                          .frames_per_file = 100,
                          .preallocate = false,
                          .sync = false})
                      .value();
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::size_t i = thread; i < count; i += 4)
        EXPECT_TRUE(recorder.place(order[i], view_of(samples_of(order[i]))));
    });
  }
  for (auto& thread : threads) thread.join();
  std::vector<std::string> paths;
  const auto files = recorder.finish().value();
  for (const RecordedFile& file : files) paths.push_back(file.path);
  EXPECT_EQ(paths.size(), 4u);
  const auto sequence = open_sequence(paths).value();
  for (std::uint64_t i = 0; i < count; ++i)
    EXPECT_EQ(testing::elements(sequence.frame(i).value()), samples_of(i));
}

TEST_F(Recording, wants_every_frame_exactly_once) {
  auto recorder = create().value();
  EXPECT_EQ(rule_of(recorder.finish()), "opff.zero_dimension");
  ASSERT_TRUE(recorder.place(0, view_of(samples_of(0))));
  ASSERT_TRUE(recorder.place(2, view_of(samples_of(2))));
  EXPECT_EQ(rule_of(recorder.place(0, view_of(samples_of(0)))), "opff.write.frame_order");
  EXPECT_EQ(rule_of(recorder.place(2, view_of(samples_of(2)))), "opff.write.frame_order");
  EXPECT_EQ(rule_of(recorder.finish()), "opff.write.frame_order");
  ASSERT_TRUE(recorder.place(1, view_of(samples_of(1))));
  EXPECT_EQ(recorder.finish()->front().frames, 3u);
}

TEST_F(Recording, limits_what_waits_for_an_earlier_frame) {
  RecordOptions options;
  options.waiting_bytes = 2 * frame_bytes;
  auto recorder = create(options).value();
  ASSERT_TRUE(recorder.place(1, view_of(samples_of(1))));
  ASSERT_TRUE(recorder.place(2, view_of(samples_of(2))));
  EXPECT_EQ(recorder.place(3, view_of(samples_of(3))).error().code, Errc::over_limit);
  ASSERT_TRUE(recorder.place(0, view_of(samples_of(0))));
  ASSERT_TRUE(recorder.place(3, view_of(samples_of(3))));
  EXPECT_EQ(recorder.finish()->front().frames, 4u);
}

TEST_F(Recording, refuses_frames_of_another_shape_and_start_ids_beyond_32_bits) {
  auto recorder =
      create({.samples = {}, .letter = 'F', .start_id = UINT32_MAX, .frames_per_file = 1}).value();
  const Bytes samples = samples_of(0);
  EXPECT_EQ(recorder.append(TensorView(samples.data(), DType::u16, Shape{3, 2})).error().code,
            Errc::bad_argument);
  EXPECT_EQ(recorder.append(TensorView(samples.data(), DType::i16, Shape{2, 3})).error().code,
            Errc::bad_argument);
  ASSERT_TRUE(recorder.append(view_of(samples)));
  EXPECT_EQ(rule_of(recorder.append(view_of(samples))), "opff.write.start_id");
  EXPECT_EQ(rule_of(Recorder::create(path_, DType::i16, {2, 3})), "opff.write.dtype");
  EXPECT_EQ(rule_of(Recorder::create(
                path_, DType::u16, {2, 3},
                {.samples = {}, .letter = 'F', .start_id = 0, .frames_per_file = 256})),
            "opff.write.frames");
}

TEST_F(Recording, stores_frames_of_any_strides_layout_and_byte_order) {
  // (channel, y, x) of 2 x 1 x 2, stored interleaved and from big-endian.
  const Bytes samples = testing::from_hex("0001 0002  0003 0004");
  RecordOptions options;
  options.samples.byte_order = std::endian::big;
  auto recorder = Recorder::create(path_, DType::u16, {2, 1, 2}, options).value();
  ASSERT_TRUE(recorder.append(TensorView(samples.data(), DType::u16, Shape{2, 1, 2})));
  ASSERT_TRUE(recorder.append(
      TensorView(samples.data() + 6, DType::u16, Shape{2, 1, 2}, Strides{-2, 4, -1})));
  ASSERT_TRUE(recorder.finish());
  EXPECT_EQ(testing::get(path_).substr(64),
            io::testing::text_of(testing::from_hex("0100 0300 0200 0400  0400 0200 0300 0100")));
}

TEST_F(Recording, leaves_the_old_file_until_it_is_whole) {
  testing::put(path_, "old");
  EXPECT_EQ(create().error().code, Errc::exists);
  RecordOptions options;
  options.overwrite = true;
  {
    auto recorder = create(options).value();
    ASSERT_TRUE(recorder.append(view_of(samples_of(0))));
    EXPECT_EQ(testing::get(path_), "old");
    // Two recorders cannot write the same recording.
    EXPECT_EQ(create(options).error().code, Errc::bad_argument);
    EXPECT_EQ(repair(path_ + ".recording").error().code, Errc::bad_argument);
    ASSERT_TRUE(recorder.finish());
  }
  EXPECT_NE(testing::get(path_), "old");
}

TEST_F(Recording, without_a_frame_leaves_nothing) {
  {
    const auto recorder = create().value();
  }
  EXPECT_TRUE(scratch_.names().empty());
}

/// In a child that dies behind `frames` frames and `extra` bytes of the next one.
void record_and_die(const std::string& path, std::uint64_t frames, std::size_t extra,
                    bool preallocates) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(30);
    RecordOptions options;
    options.preallocate = preallocates;
    options.frames_per_file = 4;
    auto recorder = Recorder::create(path, DType::u16, {2, 3}, options);
    if (!recorder) ::_exit(1);
    for (std::uint64_t i = 0; i < frames; ++i) {
      if (!recorder->append(view_of(samples_of(i)))) ::_exit(1);
    }
    if (extra != 0) {  // what a write leaves that is cut short
      const auto last = recorded_path(path, 0, static_cast<std::uint32_t>(frames / 4 * 4));
      const std::string torn = testing::get(last + ".recording") + std::string(extra, '\x55');
      testing::put(last + ".recording", torn);
    }
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST_F(Recording, whose_process_was_killed_is_refused_and_repaired_to_its_whole_frames) {
  for (const bool preallocates : {false, true}) {
    for (const std::uint64_t frames : {1u, 2u, 3u, 5u, 7u}) {
      for (const std::size_t extra : {0u, 1u, 11u}) {
        SCOPED_TRACE(std::to_string(frames) + " frames and " + std::to_string(extra) + " bytes");
        record_and_die(path_, frames, extra, preallocates);
        const std::uint64_t in_last = frames % 4;
        const std::string last =
            recorded_path(path_, 0, static_cast<std::uint32_t>(frames - in_last));
        EXPECT_EQ(rule_of(map(last + ".recording")), "opff.zero_dimension");
        EXPECT_TRUE(frames < 4 || map(path_)->geometry().frames == 4);

        const auto planned =
            repair(last + ".recording", {.frames = {}, .dry_run = true, .overwrite = false})
                .value();
        EXPECT_EQ(planned.frames, in_last);
        EXPECT_EQ(planned.dropped_bytes, extra);
        EXPECT_FALSE(std::filesystem::exists(last));

        const auto repaired = repair(last + ".recording").value();
        EXPECT_EQ(repaired.path, last);
        EXPECT_EQ(repaired.start_id, frames - in_last);
        const auto file = map(last).value();
        EXPECT_EQ(file.geometry().frames, in_last);
        EXPECT_TRUE(file.footer().empty());
        for (std::uint64_t i = 0; i < in_last; ++i)
          EXPECT_EQ(testing::elements(file.frame(i).value()), samples_of(frames - in_last + i));
        for (const std::string& name : scratch_.names()) std::filesystem::remove(scratch_ / name);
      }
    }
  }
}

TEST_F(Recording, that_died_is_not_recorded_over) {
  record_and_die(path_, 2, 0, false);
  EXPECT_EQ(create().error().code, Errc::exists);
  EXPECT_EQ(create().error().source, path_ + ".recording");
  EXPECT_TRUE(repair(path_ + ".recording"));
}

class Repair : public Recording {
 protected:
  void put(std::string_view first_16, std::size_t payload) const {
    Bytes bytes = testing::head(first_16);
    bytes.resize(64 + payload, std::byte{1});
    testing::put(path_, io::testing::text_of(bytes));
  }
};

TEST_F(Repair, sets_the_count_of_a_file_that_has_its_own_name) {
  put("4f504646 01 01 01 00 05000000 0200 0200", 13);
  const auto repaired = repair(path_).value();
  EXPECT_EQ(repaired.path, path_);
  EXPECT_EQ(repaired.start_id, 5u);
  EXPECT_EQ(repaired.frames, 3u);
  EXPECT_EQ(repaired.dropped_bytes, 1u);
  EXPECT_EQ(map(path_)->geometry().frames, 3u);
}

TEST_F(Repair, keeps_as_many_frames_as_are_wanted) {
  put("4f504646 01 01 01 00 00000000 0200 0200", 1200);
  EXPECT_EQ(repair(path_).error().code, Errc::bad_argument);  // 300 frames
  EXPECT_EQ(repair(path_, {.frames = 301, .dry_run = false, .overwrite = false}).error().code,
            Errc::bad_argument);
  EXPECT_EQ(repair(path_, {.frames = 200, .dry_run = false, .overwrite = false})->dropped_bytes,
            400u);
  EXPECT_EQ(map(path_)->geometry().frames, 200u);
}

TEST_F(Repair, changes_nothing_where_something_else_is_wrong) {
  const auto refused = [&](std::string_view first_16, std::size_t payload) {
    put(first_16, payload);
    const std::string before = testing::get(path_);
    const auto repaired = repair(path_);
    EXPECT_FALSE(repaired.has_value());
    EXPECT_EQ(testing::get(path_), before);
    return rule_of(repaired);
  };
  EXPECT_EQ(refused("4f504646 01 01 01 01 00000000 0200 0200", 4), "");           // sound
  EXPECT_EQ(refused("4f504646 01 01 01 02 00000000 0200 0200", 4), "opff.size");  // cut short
  EXPECT_EQ(refused("4f504646 01 01 01 00 00000000 0200 0200", 3), "");           // no whole frame
  EXPECT_EQ(refused("4f504646 01 01 01 00 00000000 0000 0200", 4), "opff.zero_dimension");
  EXPECT_EQ(refused("4f504646 01 03 01 00 00000000 0200 0200", 4), "opff.depth");
  EXPECT_EQ(refused("4f504646 02 01 01 00 00000000 0200 0200", 4), "opff.version");
  testing::put(path_, "OPFF");
  EXPECT_EQ(rule_of(repair(path_)), "opff.header_short");
  EXPECT_EQ(repair(scratch_ / "missing").error().code, Errc::not_found);
}

TEST_F(Repair, leaves_a_file_that_is_there_already) {
  record_and_die(path_, 2, 0, false);
  testing::put(path_, "other");
  const std::string before = testing::get(path_ + ".recording");
  EXPECT_EQ(repair(path_ + ".recording").error().code, Errc::exists);
  EXPECT_EQ(testing::get(path_), "other");
  EXPECT_EQ(testing::get(path_ + ".recording"), before);
  EXPECT_TRUE(repair(path_ + ".recording", {.frames = {}, .dry_run = false, .overwrite = true}));
  EXPECT_EQ(scratch_.names(), std::vector<std::string>{"clip.opff"});
}

TEST(RecordedPaths, put_the_start_id_before_the_extension) {
  EXPECT_EQ(recorded_path("a/clip.opff", 5, 5), "a/clip.opff");
  EXPECT_EQ(recorded_path("a/clip.opff", 0, 255), "a/clip.0000000255.opff");
  EXPECT_EQ(recorded_path("a.b/clip", 0, 4294967295), "a.b/clip.4294967295");
  EXPECT_EQ(recorded_path(".clip", 0, 1), ".clip.0000000001");
}

}  // namespace
}  // namespace sillar::opff
