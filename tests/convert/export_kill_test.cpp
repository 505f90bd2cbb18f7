// An export that is killed leaves the old file or the whole new one, and debris that the next
// takes.
#include "gdal_raster.hpp"
#include "memory_raster.hpp"
#include "traced_child.hpp"
#include <sillar/convert/convert.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <scratch_directory.hpp>
#include <set>
#include <string>
#include <vector>

namespace sillar::convert {
namespace {

using io::testing::get;
using io::testing::put;
using sillar::testing::run_traced;
using sillar::testing::ScratchDirectory;
using sillar::testing::TracedLife;
using Names = std::vector<std::string>;

/// a.rumi: 2 times, 3 bands, 300 x 310 samples; of no tile and no block is all whole.
class KilledExport : public ::testing::Test {
 protected:
  void SetUp() override {
    const Shape shape = {2, 3, 300, 310};
    rumi::Content content{.layout = rumi::layout_of(shape, DType::u16, 64, 128, 0).value(),
                          .georeference = {},
                          .trailer = {}};
    content.trailer.band_texts = {"a", "b", "c"};
    content.trailer.times = *time_axis_of({{0, 0}, {86400, 86400}});
    const auto samples = testing::bytes_of_samples(testing::numbered(shape));
    ASSERT_TRUE(rumi::write(*io::create_file(scratch / "a.rumi"), content,
                            TensorView(samples.data(), DType::u16, shape))
                    .has_value());
  }

  [[nodiscard]] bool export_to(const std::string& name) const {
    ConvertOptions options;
    options.overwrite = true;
    return convert(scratch / "a.rumi", scratch / name, options).has_value();
  }

  /// Kills an export to `name` at many of its system calls: some of all, and each of the last.
  void kill_at_many_calls(const std::string& name) {
    ASSERT_TRUE(export_to(name));
    const std::string whole = get(scratch / name);
    put(scratch / name, "old");
    const auto work = [&] { return export_to(name); };
    const TracedLife alive = run_traced(work, 0);
    if (!alive.traced) GTEST_SKIP() << "this machine lets nobody be traced";
    ASSERT_EQ(alive.exit_code, 0);
    ASSERT_TRUE(get(scratch / name) == whole);

    constexpr std::uint64_t last = 60;
    std::set<std::uint64_t> deadly;
    for (std::uint64_t stop = 1; stop <= alive.stops; stop += alive.stops / 40 + 1)
      deadly.insert(stop);
    for (std::uint64_t stop = alive.stops - std::min(alive.stops, last) + 1; stop <= alive.stops;
         ++stop)
      deadly.insert(stop);
    bool seen_old = false;
    bool seen_new = false;
    bool seen_debris = false;
    for (const std::uint64_t stop : deadly) {
      SCOPED_TRACE(stop);
      put(scratch / name, "old");
      const TracedLife life = run_traced(work, stop);
      ASSERT_TRUE(life.killed || life.exit_code == 0);
      const std::string left = get(scratch / name);
      ASSERT_TRUE(left == "old" || left == whole);
      (left == whole ? seen_new : seen_old) = true;
      for (const std::string& other : scratch.names()) {
        if (other == name || other == "a.rumi") continue;
        EXPECT_TRUE(other.starts_with("." + name + ".sillar-")) << other;
        seen_debris = true;
      }
      ASSERT_TRUE(export_to(name));
      EXPECT_EQ(scratch.names(), (Names{"a.rumi", name}));
      ASSERT_TRUE(get(scratch / name) == whole);
    }
    EXPECT_TRUE(seen_old && seen_new && seen_debris);
  }

  ScratchDirectory scratch;
};

TEST_F(KilledExport, to_npy_leaves_the_old_file_or_the_whole_new_one) {
  kill_at_many_calls("b.npy");
}

#ifdef SILLAR_TEST_GDAL
TEST_F(KilledExport, to_geotiff_leaves_the_old_file_or_the_whole_new_one) {
  kill_at_many_calls("b.tif");
  // What counts as whole is what GDAL reads in full.
  const testing::GdalReading reading = testing::read_by_gdal(scratch / "b.tif");
  EXPECT_TRUE(reading.good);
  EXPECT_EQ(reading.bands, 6);
  EXPECT_EQ(reading.samples, testing::bytes_of_samples(testing::numbered({2, 3, 300, 310})));
}
#endif

}  // namespace
}  // namespace sillar::convert
