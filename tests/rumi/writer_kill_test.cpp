// A writer of rumi files that is killed leaves the old file or the whole new one.
#include "child_process.hpp"
#include "made_file.hpp"
#include "scratch_directory.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace sillar::rumi {
namespace {

using io::testing::get;
using sillar::testing::Random;
using sillar::testing::random_cube;
using sillar::testing::ScratchDirectory;

/// Passes every call on, and dies by SIGKILL before, or behind, the call with a given number.
class MortalSink final : public io::Sink {
 public:
  MortalSink(std::unique_ptr<io::Sink> inner, int deadly)
      : inner_(std::move(inner)), left_(deadly) {}

  Result<> reserve(std::uint64_t size) override {
    return around([&] { return inner_->reserve(size); });
  }
  Result<> append(std::span<const std::byte> bytes) override {
    return around([&] { return inner_->append(bytes); });
  }
  Result<> put_front(std::span<const std::byte> bytes) override {
    return around([&] { return inner_->put_front(bytes); });
  }
  Result<> finish() override {
    return around([&] { return inner_->finish(); });
  }
  Result<std::unique_ptr<io::Spool>> spool() override { return inner_->spool(); }

 private:
  template <class Call>
  Result<> around(const Call& call) {
    step();
    auto result = call();
    step();
    return result;
  }
  void step() {
    if (--left_ == 0) ::raise(SIGKILL);
  }

  std::unique_ptr<io::Sink> inner_;
  int left_;
};

struct Job {
  Random random{50};
  testing::Cube old_cube = random_cube(random, DType::u8, {1, 2, 20, 20});
  testing::Cube new_cube = random_cube(random, DType::u16, {2, 2, 33, 21});
  Content old_content = testing::content_for(old_cube.shape, old_cube.dtype, 8, 8, 0);
  Content new_content = testing::content_for(new_cube.shape, new_cube.dtype, 8, 8, 9);
  std::string old_file =
      io::testing::text_of(testing::write_all(old_content, old_cube.view()).bytes);
  std::string new_file =
      io::testing::text_of(testing::write_all(new_content, new_cube.view()).bytes);

  /// In a child: writes the new file over `path`; dies at step `deadly`. Returns whether it died.
  [[nodiscard]] bool run(const std::string& path, int deadly) const {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(30);
      auto sink = io::create_file(path, {.overwrite = true});
      if (!sink) ::_exit(1);
      exec::Pool pool(2);
      const auto written =
          write(std::make_unique<MortalSink>(*std::move(sink), deadly), new_content,
                new_cube.view(), {.write = {}, .pool = &pool, .control = {}});
      ::_exit(written ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return true;
    EXPECT_EQ(status, 0);
    return false;
  }
};

TEST(KilledWriter, at_every_step_leaves_the_old_file_or_the_whole_new_one) {
  const Job job;
  bool seen_old = false;
  bool seen_new = false;
  for (int deadly = 1;; ++deadly) {
    SCOPED_TRACE(deadly);
    const ScratchDirectory directory;
    const std::string path = directory / "f.rumi";
    io::testing::put(path, job.old_file);
    const bool died = job.run(path, deadly);
    const std::string left = get(path);
    ASSERT_TRUE(left == job.old_file || left == job.new_file);
    seen_old = seen_old || left == job.old_file;
    seen_new = seen_new || left == job.new_file;
    ASSERT_TRUE(open(path).value().read().has_value());
    for (const std::string& name : directory.names()) {
      EXPECT_TRUE(name == "f.rumi" || name.starts_with(".f.rumi.sillar-")) << name;
    }
    // The next writer takes the debris away.
    auto sink = io::create_file(path, {.overwrite = true});
    ASSERT_TRUE(sink.has_value());
    ASSERT_TRUE(write(*std::move(sink), job.old_content, job.old_cube.view()).has_value());
    EXPECT_EQ(directory.names(), std::vector<std::string>{"f.rumi"});
    EXPECT_TRUE(get(path) == job.old_file);
    if (!died) break;
  }
  EXPECT_TRUE(seen_old && seen_new);
}

TEST(FailedWriter, leaves_the_old_file_and_nothing_beside_it) {
  const Job job;
  const ScratchDirectory directory;
  const std::string path = directory / "f.rumi";
  io::testing::put(path, job.old_file);
  {
    auto writer =
        Writer::create(io::create_file(path, {.overwrite = true}).value(), job.new_content).value();
    const FramePlace place = job.new_content.layout.place(0);
    ASSERT_TRUE(writer.put_samples(0, job.new_cube.view()
                                          .slice(2, 0, place.height)
                                          .slice(3, 0, place.width)
                                          .slice(0, 0, 1)
                                          .slice(1, 0, 1)));
    const auto early = writer.finish();
    ASSERT_FALSE(early.has_value());
    EXPECT_EQ(early.error().rule, &rules::write_frame_count);
  }
  EXPECT_TRUE(get(path) == job.old_file);
  EXPECT_EQ(directory.names(), std::vector<std::string>{"f.rumi"});

  std::stop_source stop;
  stop.request_stop();
  const auto stopped = write(
      io::create_file(path, {.overwrite = true}).value(), job.new_content, job.new_cube.view(),
      {.write = {}, .pool = nullptr, .control = {.stop = stop.get_token(), .deadline = {}}});
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().code, Errc::cancelled);
  EXPECT_TRUE(get(path) == job.old_file);
  EXPECT_EQ(directory.names(), std::vector<std::string>{"f.rumi"});
}

}  // namespace
}  // namespace sillar::rumi
