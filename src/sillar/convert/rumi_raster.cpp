// A rumi file between its own terms (frames, trailer) and the neutral model.
#include <sillar/convert/rumi_raster.hpp>

#include <mutex>
#include <utility>

namespace sillar::convert {
namespace {

class RumiSource final : public RasterSource {
 public:
  RumiSource(rumi::File file, RasterDescription description, const RumiSourceOptions& options)
      : file_(std::move(file)), description_(std::move(description)), options_(options) {}

  const RasterDescription& description() const override { return description_; }
  bool concurrent() const override { return true; }
  Grain grain() const override {
    const rumi::Layout& layout = file_.layout();
    return {.rows = layout.tile_length,
            .cols = layout.tile_width,
            .all_planes = !layout.frames_are_tiles()};
  }

  Result<> read(const Region& region, const MutableTensorView& out,
                const std::stop_token& stop) override {
    rumi::Selection selection;
    selection.bands.emplace();
    selection.times.emplace();
    for (std::uint64_t band = 0; band < region.bands; ++band)
      selection.bands->emplace_back(region.band + band);
    for (std::uint64_t time = 0; time < region.times; ++time)
      selection.times->emplace_back(region.time + time);
    selection.window = geo::Window{.row = static_cast<std::int64_t>(region.row),
                                   .col = static_cast<std::int64_t>(region.col),
                                   .height = static_cast<std::int64_t>(region.rows),
                                   .width = static_cast<std::int64_t>(region.cols)};
    SILLAR_TRY(const rumi::Plan plan, file_.plan(selection, options_.limits));
    return file_.read_into(plan, out,
                           {.pool = options_.pool,
                            .verify = options_.verify,
                            .limits = options_.limits,
                            .control = {.stop = stop, .deadline = {}}});
  }

 private:
  rumi::File file_;
  RasterDescription description_;
  RumiSourceOptions options_;
};

class RumiTarget final : public RasterTarget {
 public:
  RumiTarget(rumi::Writer writer, std::vector<std::byte>& header_blob)
      : writer_(std::move(writer)), header_blob_(&header_blob) {}

  bool concurrent() const override { return true; }
  Grain grain() const override {
    const rumi::Layout& layout = writer_.layout();
    return {.rows = layout.tile_length,
            .cols = layout.tile_width,
            .all_planes = !layout.frames_are_tiles()};
  }

  Result<> put(const Region& region, const TensorView& samples) override {
    const rumi::Layout& layout = writer_.layout();
    for (std::uint64_t y = 0; y < region.rows; y += layout.tile_length) {
      for (std::uint64_t x = 0; x < region.cols; x += layout.tile_width) {
        SILLAR_TRY(put_location(region, samples, y, x));
      }
    }
    return {};
  }

  Result<> finish() override {
    SILLAR_TRY(*header_blob_, writer_.finish());
    return {};
  }

 private:
  /// The frames of one tile location, in file order.
  Result<> put_location(const Region& region, const TensorView& samples, std::uint64_t y,
                        std::uint64_t x) {
    const rumi::Layout& layout = writer_.layout();
    const std::uint64_t row = (region.row + y) / layout.tile_length;
    const std::uint64_t col = (region.col + x) / layout.tile_width;
    const rumi::FramePlace place = layout.place(layout.frame_index(row, col, 0, 0));
    const TensorView location = samples.slice(2, y, place.height).slice(3, x, place.width);
    if (!layout.frames_are_tiles())
      return writer_.put_samples(layout.frame_index(row, col, 0, 0), location);
    const bool time_outside = layout.unit->time_outside;
    const std::uint64_t outer_count = time_outside ? region.times : region.bands;
    const std::uint64_t inner_count = time_outside ? region.bands : region.times;
    for (std::uint64_t outer = 0; outer < outer_count; ++outer) {
      for (std::uint64_t inner = 0; inner < inner_count; ++inner) {
        const std::uint64_t time = time_outside ? outer : inner;
        const std::uint64_t band = time_outside ? inner : outer;
        const std::uint64_t index =
            layout.frame_index(row, col, region.band + band, region.time + time);
        SILLAR_TRY(writer_.put_samples(index, location.slice(0, time, 1).slice(1, band, 1)));
      }
    }
    return {};
  }

  rumi::Writer writer_;
  std::vector<std::byte>* header_blob_;
};

}  // namespace

Result<RasterDescription> describe(const rumi::File& file) {
  const rumi::Layout& layout = file.layout();
  SILLAR_TRY(const rumi::Georeference georeference, file.georeference());
  SILLAR_TRY(const auto trailer, file.trailer());
  RasterDescription raster;
  raster.dtype = layout.dtype();
  raster.times = layout.times();
  raster.bands = layout.bands();
  raster.rows = layout.image_length;
  raster.cols = layout.image_width;
  if (georeference.defined()) {
    raster.crs = Crs{.epsg = georeference.epsg, .name = {}};
    raster.transform = georeference.transform;
  }
  raster.pixel_is_point = georeference.pixel_is_point;
  raster.band_texts = trailer->band_texts;
  raster.periods = periods_of(trailer->times);
  return raster;
}

Result<std::unique_ptr<RasterSource>> rumi_source(rumi::File file,
                                                  const RumiSourceOptions& options) {
  SILLAR_TRY(RasterDescription description, describe(file));
  return std::make_unique<RumiSource>(std::move(file), std::move(description), options);
}

Result<std::unique_ptr<RasterTarget>> rumi_target(std::unique_ptr<io::Sink> sink,
                                                  rumi::Content content,
                                                  const rumi::WriteOptions& options,
                                                  std::vector<std::byte>& header_blob) {
  SILLAR_TRY(rumi::Writer writer,
             rumi::Writer::create(std::move(sink), std::move(content), options));
  return std::make_unique<RumiTarget>(std::move(writer), header_blob);
}

Result<std::vector<std::byte>> copy_frames(const rumi::File& file, std::unique_ptr<io::Sink> sink,
                                           rumi::Content content, const rumi::WriteOptions& write,
                                           const TransferOptions& options) {
  if (content.layout != file.layout())
    return fail(Errc::bad_argument, "frames are copied between equal layouts only");
  SILLAR_TRY(rumi::Writer writer, rumi::Writer::create(std::move(sink), std::move(content), write));
  const std::uint64_t total = file.frames().end() - file.frames().base_offset();
  std::mutex mutex;
  std::uint64_t done = 0;
  const auto copy = [&](std::uint64_t index, std::size_t) -> Result<> {
    SILLAR_TRY(options.control.check());
    SILLAR_TRY(const auto frame, file.read_compressed(index));
    SILLAR_TRY(writer.put_compressed(index, frame));
    if (options.progress) {
      const std::scoped_lock lock(mutex);
      done += frame.size();
      options.progress(done, total);
    }
    return {};
  };
  SILLAR_TRY(exec::for_each(options.pool, writer.frame_count(), copy));
  return writer.finish();
}

}  // namespace sillar::convert
