// What the verbs do with rumi files.
#include "cli/rumi.hpp"

#include "cli/text.hpp"
#include <sillar/geo/affine.hpp>
#include <sillar/rumi/iso8601.hpp>
#include <sillar/rumi/reader.hpp>
#include <sillar/rumi/validate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace sillar::cli {
namespace {

// How much of a list the text shows; -v shows all of it.
constexpr std::uint64_t shown = 20;

[[nodiscard]] Result<rumi::File> open_rumi(const Input& input, const ReadRequest& request,
                                           std::shared_ptr<const io::ByteSource> source) {
  SILLAR_TRY(const Limits limits, Context::limits());
  rumi::OpenOptions options{.header_blob = {}, .limits = limits, .control = Context::control()};
  if (request.header_blob) options.header_blob = *request.header_blob;
  // Errors of the file name it already; the others are the blob's.
  return in_source(rumi::open(std::move(source), options),
                   request.header_blob ? request.header_path : input.path);
}

[[nodiscard]] geo::Window whole(const rumi::Layout& layout) {
  return {0, 0, layout.image_length, layout.image_width};
}

[[nodiscard]] Json affine_json(const geo::Affine& affine) {
  Json list = Json::array();
  for (const double value : affine.values()) list.push_back(number(value));
  return list;
}

[[nodiscard]] Json bounds_json(const geo::Bounds& bounds) {
  return Json::array(
      {number(bounds.left), number(bounds.bottom), number(bounds.right), number(bounds.top)});
}

void put_georeference(Json& json, const rumi::Georeference& georeference,
                      const rumi::Layout& layout) {
  const bool defined = georeference.defined();
  json["crs_model"] = std::to_underlying(georeference.model);
  json["epsg"] = defined ? Json(georeference.epsg) : Json(nullptr);
  json["crs"] = defined ? Json(fmt::format("EPSG:{}", georeference.epsg)) : Json(nullptr);
  json["pixel_is_point"] = georeference.pixel_is_point;
  json["transform"] = defined ? affine_json(georeference.transform) : Json(nullptr);
  const auto corner = georeference.corner_transform();
  json["corner_transform"] = corner ? affine_json(*corner) : Json(nullptr);
  json["bounds"] = corner ? bounds_json(geo::bounds_of(*corner, whole(layout))) : Json(nullptr);
}

[[nodiscard]] Json time_json(const rumi::TimeAxis& axis, std::uint64_t step) {
  std::string start = rumi::format_instant(axis.start(step));
  if (axis.type() == rumi::TimeType::instant) return start;
  return Json::array({start, rumi::format_instant(axis.end(step))});
}

void put_trailer(Json& json, const rumi::Trailer& trailer) {
  const rumi::TimeAxis& axis = trailer.times;
  json["band_texts"] = trailer.band_texts;
  json["time_type"] = axis.fields().time_type;
  json["time_bits"] = axis.fields().time_bits;
  json["time_epoch"] = number(axis.fields().time_epoch);
  json["time_step"] = number(axis.fields().time_step);
  json["time_scale"] = axis.fields().time_scale;
  json["time_coords"] = Json::array();
  for (const std::int64_t coordinate : axis.coordinates())
    json["time_coords"].push_back(number(coordinate));
  json["times"] = Json::array();
  for (std::uint64_t step = 0; step < axis.steps(); ++step)
    json["times"].push_back(time_json(axis, step));
}

[[nodiscard]] std::uint64_t raster_bytes(const rumi::Layout& layout) {
  const auto count = count_of(layout.shape());
  return count ? checked_mul(*count, std::uint64_t{layout.encoding->decoded_bytes})
                     .value_or(UINT64_MAX)
               : UINT64_MAX;
}

[[nodiscard]] std::string affine_text(const geo::Affine& affine) {
  return fmt::format("{}", fmt::join(affine.values(), ", "));
}

[[nodiscard]] std::string georeference_text(const rumi::Georeference& georeference,
                                            const rumi::Layout& layout) {
  const auto corner = georeference.corner_transform();
  if (!corner) return line_text("CRS", "none");
  const geo::Bounds bounds = geo::bounds_of(*corner, whole(layout));
  std::string text = line_text(
      "CRS",
      fmt::format("EPSG:{}, {}", georeference.epsg,
                  georeference.model == rumi::CrsModel::projected ? "projected" : "geographic"));
  text += line_text("transform", affine_text(georeference.transform) +
                                     (georeference.pixel_is_point ? " (of pixel centres)" : ""));
  if (georeference.pixel_is_point) text += line_text("corners", affine_text(*corner));
  text += line_text("bounds", fmt::format("{}, {}, {}, {}", bounds.left, bounds.bottom,
                                          bounds.right, bounds.top));
  return text;
}

/// Numbered lines, the first behind `key`.
template <class TextOf>
[[nodiscard]] std::string list_text(std::string_view key, std::uint64_t count, bool all,
                                    TextOf text_of_entry) {
  const std::uint64_t listed = all ? count : std::min(count, shown);
  const auto digits = std::to_string(listed == 0 ? 0 : listed - 1).size();
  std::string text;
  for (std::uint64_t i = 0; i < listed; ++i) {
    text += line_text(i == 0 ? key : "", fmt::format("{:>{}}  {}", i, digits, text_of_entry(i)));
  }
  if (listed < count)
    text += line_text("", fmt::format("and {} more (-v lists all)", count - listed));
  return text;
}

[[nodiscard]] std::string time_text(const rumi::TimeAxis& axis, std::uint64_t step) {
  const bool days = axis.fields().time_scale != 1;
  std::string start = rumi::format_instant(axis.start(step), days);
  if (axis.type() == rumi::TimeType::instant) return start;
  return start + " to " + rumi::format_instant(axis.end(step), days);
}

/// Ranges that lie end to end as one.
[[nodiscard]] std::vector<io::ByteRange> merged(std::span<const rumi::PlannedFrame> frames) {
  std::vector<io::ByteRange> ranges;
  for (const rumi::PlannedFrame& frame : frames) {
    if (!ranges.empty() && ranges.back().offset + ranges.back().size == frame.range.offset) {
      ranges.back().size += frame.range.size;
    } else {
      ranges.push_back(frame.range);
    }
  }
  return ranges;
}

[[nodiscard]] Json frame_json(const rumi::Layout& layout, const rumi::PlannedFrame& frame) {
  const rumi::FramePlace place = layout.place(frame.index);
  Json json{{"index", number(frame.index)},
            {"offset", number(frame.range.offset)},
            {"size", number(frame.range.size)},
            {"window", Json::array({number(place.y), number(place.x), number(place.height),
                                    number(place.width)})}};
  if (layout.frames_are_tiles()) {
    json["band"] = number(place.band);
    json["time"] = number(place.time);
  }
  return json;
}

[[nodiscard]] Json plan_json(const rumi::Plan& plan, std::uint64_t file_size,
                             const std::string& axes, bool every_frame) {
  Json json;
  const geo::Window& window = plan.selection.window;
  json["dtype"] = name_of(plan.dtype());
  json["axes"] = axes;
  json["shape"] = plan.selection.shape();
  json["window"] = Json::array(
      {number(window.row), number(window.col), number(window.height), number(window.width)});
  json["bands"] = plan.selection.bands;
  json["times"] = plan.selection.times;
  json["frames"] = number(std::uint64_t{plan.frames.size()});
  json["fetched_bytes"] = number(plan.fetched_bytes());
  json["decoded_bytes"] = number(plan.decoded_bytes());
  json["output_bytes"] = number(plan.output_bytes());
  json["file_bytes"] = number(file_size);
  json["ranges"] = Json::array();
  for (const io::ByteRange& range : merged(plan.frames))
    json["ranges"].push_back(Json::array({number(range.offset), number(range.size)}));
  if (every_frame) {
    json["frame_list"] = Json::array();
    for (const rumi::PlannedFrame& frame : plan.frames)
      json["frame_list"].push_back(frame_json(plan.layout, frame));
  }
  return json;
}

[[nodiscard]] std::string frame_text(const rumi::Layout& layout, const rumi::PlannedFrame& frame) {
  const rumi::FramePlace place = layout.place(frame.index);
  std::string text = fmt::format("frame {}: {} bytes at {:#x}, rows {} to {}, columns {} to {}",
                                 frame.index, frame.range.size, frame.range.offset, place.y,
                                 place.y + place.height - 1, place.x, place.x + place.width - 1);
  if (layout.frames_are_tiles()) text += fmt::format(", band {}, time {}", place.band, place.time);
  return text;
}

[[nodiscard]] std::string plan_text(const rumi::Plan& plan, const rumi::FrameTable& table,
                                    std::uint64_t file_size, const std::string& axes,
                                    bool every_frame, bool all_ranges) {
  const auto ranges = merged(plan.frames);
  const double share = file_size == 0 ? 0
                                      : 100 * static_cast<double>(plan.fetched_bytes()) /
                                            static_cast<double>(file_size);
  std::string text =
      line_text("output", fmt::format("{} ({}), {}, {}", fmt::join(plan.selection.shape(), " x "),
                                      axes, name_of(plan.dtype()), size_text(plan.output_bytes())));
  text += line_text("frames", fmt::format("{} of {}", plan.frames.size(), table.frames()));
  text += line_text(
      "fetched", fmt::format("{}, {:.1f} % of the file", size_text(plan.fetched_bytes()), share));
  text += line_text("decoded", size_text(plan.decoded_bytes()));
  text += list_text("ranges", ranges.size(), all_ranges, [&](std::uint64_t i) {
    return fmt::format("{} bytes at {:#x}", ranges[i].size, ranges[i].offset);
  });
  if (every_frame) {
    for (const rumi::PlannedFrame& frame : plan.frames)
      text += "  " + frame_text(plan.layout, frame) + "\n";
  }
  return text;
}

struct Planned {
  rumi::File file;
  rumi::Plan plan;
};

[[nodiscard]] Result<Planned> open_and_plan(const Input& input, const ReadRequest& request,
                                            std::shared_ptr<const io::ByteSource> source) {
  SILLAR_TRY(const Limits limits, Context::limits());
  SILLAR_TRY(auto file, open_rumi(input, request, std::move(source)));
  SILLAR_TRY(const auto selection, in_source(selection_of(request.selection, file), input.path));
  SILLAR_TRY(auto plan, in_source(file.plan(selection, limits), input.path));
  return Planned{.file = std::move(file), .plan = std::move(plan)};
}

}  // namespace

std::string line_text(std::string_view key, std::string_view value) {
  return fmt::format("  {:<11} {}\n", key, value);
}

void put_layout(Json& json, const rumi::Layout& layout) {
  json["image_width"] = layout.image_width;
  json["image_length"] = layout.image_length;
  json["time_count"] = layout.time_count;
  json["samples_per_pixel"] = layout.samples_per_pixel;
  json["tile_width"] = layout.tile_width;
  json["tile_length"] = layout.tile_length;
  json["sample_format"] = layout.encoding->sample_format;
  json["bits_per_sample"] = layout.encoding->bits_per_sample;
  json["encoding"] = layout.encoding->name;
  json["dtype"] = name_of(layout.dtype());
  json["shape"] = layout.shape();
  json["frame_unit"] = layout.unit->number;
  json["frame_axes"] = layout.frame_axes();
  json["tiles_across"] = number(layout.tiles_across());
  json["tiles_down"] = number(layout.tiles_down());
}

std::string layout_text(const rumi::Layout& layout) {
  std::string text =
      line_text("shape", fmt::format("{}, {}, {}, {}", count_text(layout.times(), "time"),
                                     count_text(layout.bands(), "band"),
                                     count_text(layout.image_length, "row"),
                                     count_text(layout.image_width, "column")));
  text += line_text("samples",
                    fmt::format("{} (sample format {}, {} bits)", layout.encoding->name,
                                layout.encoding->sample_format, layout.encoding->bits_per_sample));
  text += line_text("tiles",
                    fmt::format("{} rows x {} columns, {} down x {} across", layout.tile_length,
                                layout.tile_width, layout.tiles_down(), layout.tiles_across()));
  text += line_text("frame unit",
                    fmt::format("{}: a frame is a {} of ({})", layout.unit->number,
                                layout.frames_are_tiles() ? "tile" : "cell", layout.frame_axes()));
  return text;
}

std::string frames_text(const rumi::Header& header) {
  const rumi::FrameTable& frames = header.frames;
  const std::uint64_t stored = frames.end() - frames.base_offset();
  const std::uint64_t decoded = raster_bytes(header.layout);
  std::string text = line_text("frames", fmt::format("{} of {} to {} bytes", frames.frames(),
                                                     frames.count_min(), frames.count_max()));
  text += line_text("stored", size_text(stored));
  text += line_text("decoded",
                    fmt::format("{}, ratio {:.2f}", size_text(decoded),
                                static_cast<double>(decoded) /
                                    static_cast<double>(std::max<std::uint64_t>(stored, 1))));
  return text;
}

Result<Description> describe_rumi(const Input& input, Context& context) {
  SILLAR_TRY(const auto file, open_rumi(input, {}, input.source));
  SILLAR_TRY(const auto georeference, file.georeference());
  SILLAR_TRY(const auto trailer, file.trailer());
  const rumi::Layout& layout = file.layout();
  const rumi::FrameTable& frames = file.frames();
  Description description;
  if (context.json()) {
    Json& json = description.json;
    put_layout(json, layout);
    json["frames"] = number(frames.frames());
    json["base_frame_offset"] = number(frames.base_offset());
    json["trailer_offset"] = number(frames.end());
    json["frame_byte_counts_sum"] = number(frames.end() - frames.base_offset());
    json["frame_byte_count_min"] = frames.count_min();
    json["frame_byte_count_max"] = frames.count_max();
    json["decoded_bytes"] = number(raster_bytes(layout));
    put_georeference(json, georeference, layout);
    put_trailer(json, *trailer);
    json["header_blob"] = hex(file.header_blob());
    return description;
  }
  const bool all = context.verbose() > 0;
  description.text =
      layout_text(layout) + frames_text(file.header()) + georeference_text(georeference, layout);
  description.text += list_text("bands", layout.bands(), all,
                                [&](std::uint64_t i) { return printable(trailer->band_texts[i]); });
  description.text += list_text("times", layout.times(), all,
                                [&](std::uint64_t i) { return time_text(trailer->times, i); });
  return description;
}

Result<Report> validate_rumi(const Input& input, const ValidateRequest& request, Context& context) {
  rumi::ValidateOptions options;
  if (request.header_blob) options.header_blob = *request.header_blob;
  options.decode = request.decode;
  SILLAR_TRY(options.pool, context.pool());
  SILLAR_TRY(options.limits, Context::limits());
  options.control = Context::control();
  SILLAR_TRY(const std::uint64_t size, input.source->size());
  Progress progress(context.progress_style());
  progress.expect(size);
  return in_source(rumi::validate(*watched(input.source, progress), options), input.path);
}

Result<PlanDescription> plan_rumi(const Input& input, const ReadRequest& request, bool every_frame,
                                  Context& context) {
  SILLAR_TRY(const auto planned, open_and_plan(input, request, input.source));
  SILLAR_TRY(const std::uint64_t size, input.source->size());
  PlanDescription description;
  if (context.json()) {
    description.json = plan_json(planned.plan, size, request.selection.axes, every_frame);
  } else {
    description.text = plan_text(planned.plan, planned.file.frames(), size, request.selection.axes,
                                 every_frame, context.verbose() > 0);
  }
  return description;
}

Result<Samples> read_rumi(const Input& input, const ReadRequest& request,
                          const BeforeDecoding& before, Context& context) {
  rumi::ReadOptions options;
  SILLAR_TRY(options.pool, context.pool());
  SILLAR_TRY(options.verify, Context::verify(request.no_verify));
  SILLAR_TRY(options.limits, Context::limits());
  options.control = Context::control();
  Progress progress(context.progress_style());
  SILLAR_TRY(const auto planned, open_and_plan(input, request, watched(input.source, progress)));
  progress.expect(planned.plan.fetched_bytes());
  SILLAR_TRY(before(planned.plan.dtype(), planned.plan.selection.shape()));
  SILLAR_TRY(auto tensor,
             in_source(Tensor::allocate(planned.plan.dtype(), planned.plan.selection.shape(),
                                        options.limits.output_bytes),
                       input.path));
  SILLAR_TRY(planned.file.read_into(planned.plan, tensor.view(), options));
  return Samples{.tensor = std::move(tensor), .axes = request.selection.axes};
}

}  // namespace sillar::cli
