// rumi to rumi: frames as they are, or samples in other frames.
#include "memory_raster.hpp"
#include <sillar/convert/convert.hpp>
#include <sillar/convert/npy.hpp>
#include <sillar/convert/rumi_raster.hpp>
#include <sillar/rumi/reader.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <mutex>
#include <scratch_directory.hpp>
#include <set>
#include <thread>

namespace sillar::convert {
namespace {

using io::testing::get;
using io::testing::ScratchDirectory;
using testing::bytes_of_samples;
using testing::numbered;

/// A rumi file of 3 times, 2 bands, 21 x 19 samples, tiles of 8 x 16.
class RumiCopy : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto layout = rumi::layout_of(shape, DType::u16, 8, 16, 0);
    ASSERT_TRUE(layout.has_value());
    rumi::Content content{.layout = *layout, .georeference = {}, .trailer = {}};
    content.georeference = *rumi::georeference_of(32719, geo::builtin_registry(),
                                                  {10, 0, 500000, 0, -10, 8000000}, false);
    content.trailer.band_texts = {"red", "nir"};
    content.trailer.times = *time_axis_of({{0, 0}, {86400, 86400}, {172800, 172800}});
    const auto samples = bytes_of_samples(numbered(shape));
    ASSERT_TRUE(rumi::write(*io::create_file(scratch / "a.rumi"), content,
                            TensorView(samples.data(), DType::u16, shape))
                    .has_value());
  }

  Shape shape = {3, 2, 21, 19};
  ScratchDirectory scratch;
};

TEST_F(RumiCopy, without_options_the_copy_is_byte_for_byte_the_same) {
  exec::Pool pool(3);
  ConvertOptions options;
  options.pool = &pool;
  const auto report = convert(scratch / "a.rumi", scratch / "b.rumi", options);
  ASSERT_TRUE(report.has_value()) << report.error().message();
  EXPECT_TRUE(report->frames_copied);
  EXPECT_EQ(get(scratch / "a.rumi"), get(scratch / "b.rumi"));
  EXPECT_EQ(report->header_blob, rumi::open(scratch / "a.rumi")->header_blob());
}

TEST_F(RumiCopy, assignments_change_the_description_and_no_frame) {
  ConvertOptions options;
  options.assign.band_texts = {"B04", "B08"};
  options.assign.epsg = 32720;
  options.header_path = scratch / "b.blob";
  const auto report = convert(scratch / "a.rumi", scratch / "b.rumi", options);
  ASSERT_TRUE(report.has_value()) << report.error().message();
  EXPECT_TRUE(report->frames_copied);
  const auto a = rumi::open(scratch / "a.rumi");
  const auto b = rumi::open(scratch / "b.rumi");
  EXPECT_EQ((*b->trailer())->band_texts, options.assign.band_texts);
  EXPECT_EQ(b->georeference()->epsg, 32720);
  for (std::uint64_t frame = 0; frame < a->frames().frames(); ++frame)
    EXPECT_EQ(*a->read_compressed(frame), *b->read_compressed(frame));
  const std::string blob = get(scratch / "b.blob");
  EXPECT_TRUE(blob.size() == report->header_blob.size() &&
              std::memcmp(blob.data(), report->header_blob.data(), blob.size()) == 0);
}

TEST_F(RumiCopy, other_tiles_and_units_hold_the_same_samples) {
  for (unsigned unit = 0; unit < 10; ++unit) {
    if (unit == 1 || unit == 2) continue;  // not for several bands and times
    ConvertOptions options;
    options.overwrite = true;
    options.tile = TileSize{5, 7};
    options.unit = unit;
    const auto report = convert(scratch / "a.rumi", scratch / "b.rumi", options);
    ASSERT_TRUE(report.has_value()) << unit << report.error().message();
    EXPECT_FALSE(report->frames_copied);
    const auto b = rumi::open(scratch / "b.rumi");
    EXPECT_EQ(b->layout().tile_width, 7);
    EXPECT_EQ(b->layout().unit->number, unit);
    const auto samples = b->read();
    ASSERT_TRUE(samples.has_value());
    const auto expected = bytes_of_samples(numbered(shape));
    EXPECT_EQ(std::memcmp(samples->bytes().data(), expected.data(), expected.size()), 0) << unit;
    // And back again, from cells to the tiles of the first file.
    ConvertOptions back;
    back.overwrite = true;
    back.tile = TileSize{8, 16};
    back.unit = 0;
    ASSERT_TRUE(convert(scratch / "b.rumi", scratch / "c.rumi", back).has_value());
    EXPECT_EQ(get(scratch / "a.rumi"), get(scratch / "c.rumi")) << unit;
  }
}

TEST_F(RumiCopy, a_selection_takes_its_texts_times_and_affine_along) {
  ConvertOptions options;
  options.selection.emplace();
  options.selection->bands = {{std::string("nir"), std::uint64_t{0}}};
  options.selection->times = {{std::string("1970-01-02")}};
  options.selection->window = geo::Window{.row = 3, .col = 4, .height = 10, .width = 9};
  const auto report = convert(scratch / "a.rumi", scratch / "b.rumi", options);
  ASSERT_TRUE(report.has_value()) << report.error().message();
  const auto b = rumi::open(scratch / "b.rumi");
  EXPECT_EQ(b->layout().shape(), (Shape{1, 2, 10, 9}));
  EXPECT_EQ((*b->trailer())->band_texts, (std::vector<std::string>{"nir", "red"}));
  EXPECT_EQ(b->georeference()->transform, (geo::Affine{10, 0, 500040, 0, -10, 7999970}));
  const auto samples = b->read();
  std::uint16_t first = 0;
  std::memcpy(&first, samples->bytes().data(), 2);
  EXPECT_EQ(first, 3 * 1000 + 3 * 50 + 4);
}

TEST_F(RumiCopy, an_export_to_npy_loses_its_place_only_on_purpose) {
  const auto refused = convert(scratch / "a.rumi", scratch / "b.npy");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::unsupported);
  ConvertOptions options;
  options.drops = *DropList::parse("crs,transform");
  ASSERT_TRUE(convert(scratch / "a.rumi", scratch / "b.npy", options).has_value());
  const std::string npy = get(scratch / "b.npy");
  const auto expected = bytes_of_samples(numbered(shape));
  ASSERT_GT(npy.size(), expected.size());
  EXPECT_EQ(
      std::memcmp(npy.data() + (npy.size() - expected.size()), expected.data(), expected.size()),
      0);

  // And back: with all that was dropped assigned again it is the first file.
  ConvertOptions back;
  back.tile = TileSize{8, 16};
  back.assign.band_texts = {"red", "nir"};
  back.assign.periods = {{0, 0}, {86400, 86400}, {172800, 172800}};
  back.assign.epsg = 32719;
  back.assign.transform = geo::Affine{10, 0, 500000, 0, -10, 8000000};
  ASSERT_TRUE(convert(scratch / "b.npy", scratch / "c.rumi", back).has_value());
  EXPECT_EQ(get(scratch / "a.rumi"), get(scratch / "c.rumi"));
}

TEST_F(RumiCopy, a_stop_leaves_nothing) {
  std::stop_source stop;
  stop.request_stop();
  for (const bool verbatim : {true, false}) {
    ConvertOptions options;
    options.control.stop = stop.get_token();
    if (!verbatim) options.tile = TileSize{4, 4};
    const auto stopped = convert(scratch / "a.rumi", scratch / "b.rumi", options);
    ASSERT_FALSE(stopped.has_value());
    EXPECT_EQ(stopped.error().code, Errc::cancelled);
    EXPECT_EQ(scratch.names(), std::vector<std::string>{"a.rumi"});
  }
}

TEST_F(RumiCopy, progress_rises_to_its_total_whatever_is_written) {
  ConvertOptions verbatim;
  ConvertOptions tiles;
  tiles.tile = TileSize{5, 7};
  ConvertOptions array;
  array.drops = *DropList::parse("crs,transform");
  const std::uint64_t samples = 3 * 2 * 21 * 19 * 2;
  const auto frames = rumi::open(scratch / "a.rumi")->frames();
  const std::uint64_t stored = frames.end() - frames.base_offset();
  struct {
    ConvertOptions* options;
    const char* output;
    std::uint64_t total;
  } const cases[] = {
      {&verbatim, "b.rumi", stored}, {&tiles, "c.rumi", samples}, {&array, "d.npy", samples}};
  for (const auto& [options, output, expected] : cases) {
    for (const std::size_t threads : {1U, 3U}) {
      exec::Pool pool(threads);
      std::uint64_t last = 0;
      options->pool = &pool;
      options->overwrite = true;
      options->progress = [&](std::uint64_t done, std::uint64_t total) {
        EXPECT_EQ(total, expected);
        EXPECT_GT(done, last);
        last = done;
      };
      ASSERT_TRUE(convert(scratch / "a.rumi", scratch / output, *options).has_value());
      EXPECT_EQ(last, expected) << output;
    }
  }
}

TEST_F(RumiCopy, exports_are_the_same_bytes_at_any_number_of_threads) {
  for (const std::string output : {"b.npy", "b.tif"}) {
#ifndef SILLAR_TEST_GDAL
    if (output == "b.tif") continue;
#endif
    std::string serial;
    for (const std::size_t threads : {1U, 2U, 5U}) {
      exec::Pool pool(threads);
      ConvertOptions options;
      options.pool = threads == 1 ? nullptr : &pool;
      options.overwrite = true;
      if (output == "b.npy") options.drops = *DropList::parse("crs,transform");
      const auto report = convert(scratch / "a.rumi", scratch / output, options);
      ASSERT_TRUE(report.has_value()) << report.error().message();
      const std::string bytes = get(scratch / output);
      if (threads == 1) serial = bytes;
      EXPECT_TRUE(bytes == serial) << output << " at " << threads << " threads";
    }
  }
}

/// Notes which threads read.
class ThreadsOfSource final : public io::ByteSource {
 public:
  explicit ThreadsOfSource(std::shared_ptr<const io::ByteSource> inner)
      : inner_(std::move(inner)) {}

  const std::string& name() const override { return inner_->name(); }
  Result<std::uint64_t> size() const override { return inner_->size(); }
  Result<> read(std::span<const io::ByteRange> ranges, const io::OnReady& on_ready,
                const io::ReadControl& control) const override {
    {
      const std::scoped_lock lock(mutex_);
      threads_.insert(std::this_thread::get_id());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // so that others come too
    return inner_->read(ranges, on_ready, control);
  }

  std::size_t threads() const { return threads_.size(); }

 private:
  std::shared_ptr<const io::ByteSource> inner_;
  mutable std::mutex mutex_;
  mutable std::set<std::thread::id> threads_;
};

TEST_F(RumiCopy, an_export_decodes_with_all_threads_of_the_pool) {
  for (const std::size_t threads : {1U, 4U}) {
    exec::Pool pool(threads);
    const auto bytes = std::make_shared<ThreadsOfSource>(*io::open_file(scratch / "a.rumi"));
    const auto source =
        rumi_source(*rumi::open(bytes), {.verify = true, .pool = &pool, .limits = {}}).value();
    const auto target =
        create_npy(scratch / "b.npy", source->description(), /*overwrite=*/true).value();
    ASSERT_TRUE(
        transfer(*source, *target, {.pool = &pool, .control = {}, .progress = {}}).has_value());
    EXPECT_EQ(bytes->threads() > 1, threads > 1);
  }
}

}  // namespace
}  // namespace sillar::convert
