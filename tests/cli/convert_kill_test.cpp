// A `sillar convert` that is killed leaves the old file or the whole new one; the next call cleans.
#include "fixture.hpp"

#include <chrono>
#include <csignal>
#include <cstdint>
#include <random>

namespace sillar::cli::testing {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::duration_cast;
using std::chrono::microseconds;

class KilledConvert : public CommandTest {
 protected:
  KilledConvert() { put("in.rumi", large_raster({1, 3, 500, 500}, 64)); }

  [[nodiscard]] Call call_for(const std::string& output, const std::vector<std::string>& options,
                              std::size_t threads) const {
    Call call;
    call.arguments = {"convert", at("in.rumi"), at(output), "--overwrite",
                      "--threads=" + std::to_string(threads)};
    call.arguments.insert(call.arguments.end(), options.begin(), options.end());
    return call;
  }

  /// Kills conversions at random moments, each over an old file.
  void kill_at_random(const std::string& output, const std::vector<std::string>& options = {}) {
    const Outcome first = run(call_for(output, options, 1));
    ASSERT_EQ(first.code, 0) << first.err;
    const std::string whole = get(output);
    const auto begin = Clock::now();
    ASSERT_EQ(run(call_for(output, options, 2)).code, 0);
    const auto one_run = duration_cast<microseconds>(Clock::now() - begin);
    ASSERT_TRUE(get(output) == whole);  // whatever the number of threads

    std::mt19937 random(2026);
    std::uniform_int_distribution<std::int64_t> moment(0, one_run.count() * 9 / 8);
    const auto end = Clock::now() + std::chrono::seconds(6);
    for (int round = 0; round < 40 && Clock::now() < end; ++round) {
      SCOPED_TRACE(round);
      put(output, "old");
      Call call = call_for(output, options, round % 2 == 0 ? 1 : 2);
      call.killed_after = microseconds(moment(random));
      const Outcome outcome = run(call);
      ASSERT_TRUE(outcome.signal == SIGKILL || outcome.code == 0) << outcome.err;
      const std::string left = get(output);
      ASSERT_TRUE(left == whole || (left == "old" && outcome.signal == SIGKILL));
      for (const std::string& name : names()) {
        EXPECT_TRUE(name == "a.rumi" || name == "in.rumi" || name == output ||
                    name.starts_with("." + output + ".sillar-"))
            << name;
      }
      if (round % 8 != 7) continue;
      ASSERT_EQ(run(call_for(output, options, 1)).code, 0);
      ASSERT_TRUE(get(output) == whole);
      EXPECT_EQ(names(), Names({"a.rumi", "in.rumi", output}));
    }
    ASSERT_EQ(run(call_for(output, options, 1)).code, 0);
    ASSERT_TRUE(get(output) == whole);
    EXPECT_EQ(names().size(), 3u);
  }
};

TEST_F(KilledConvert, of_frames_as_they_are_leaves_the_old_file_or_the_whole_new_one) {
  kill_at_random("out.rumi");
  EXPECT_TRUE(get("out.rumi") == get("in.rumi"));
}

TEST_F(KilledConvert, to_other_tiles_leaves_the_old_file_or_the_whole_new_one) {
  kill_at_random("out.rumi", {"--tile", "100"});
}

TEST_F(KilledConvert, to_npy_leaves_the_old_file_or_the_whole_new_one) {
  kill_at_random("out.npy");
}

TEST_F(KilledConvert, to_geotiff_leaves_the_old_file_or_the_whole_new_one) {
  if (answer({"--version", "--json"})["modules"]["gdal"] != true) GTEST_SKIP() << "no GDAL";
  kill_at_random("out.tif");
}

}  // namespace
}  // namespace sillar::cli::testing
