// `sillar convert`: a raster of one format as a file of another.
#include "cli/verb_convert.hpp"

#include "cli/convert_options.hpp"
#include "cli/formats.hpp"
#include "cli/rumi.hpp"
#include "cli/signals.hpp"
#include "cli/stards.hpp"
#include "cli/text.hpp"
#include "cli/verb.hpp"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace sillar::cli {
namespace {

[[nodiscard]] Json extras_json(const std::vector<convert::Extra>& extras) {
  Json list = Json::array();
  for (const convert::Extra& extra : extras)
    list.push_back({{"what", convert::name_of(extra.kind)}, {"detail", extra.detail}});
  return list;
}

[[nodiscard]] Json raster_json(const convert::RasterDescription& raster) {
  Json json;
  json["dtype"] = name_of(raster.dtype);
  json["shape"] = raster.shape();
  json["epsg"] = raster.crs && raster.crs->epsg ? Json(*raster.crs->epsg) : Json(nullptr);
  json["pixel_is_point"] = raster.pixel_is_point;
  json["transform"] = nullptr;
  if (raster.transform) {
    json["transform"] = Json::array();
    for (const double value : raster.transform->values())
      json["transform"].push_back(number(value));
  }
  json["band_texts"] = raster.band_texts;
  json["times"] = Json::array();
  for (const rumi::Period& period : raster.periods)
    json["times"].push_back(convert::text_of(period));
  return json;
}

[[nodiscard]] Json report_json(const ConvertOptionTexts& texts,
                               const convert::ConvertReport& report) {
  Json json = document("convert");
  put_path(json, "input", texts.input);
  put_path(json, "output", texts.output);
  json["from"] = convert::name_of(report.from);
  json["to"] = convert::name_of(report.to);
  json["dry_run"] = texts.dry_run;
  json["raster"] = raster_json(report.raster);
  json["frames_copied"] = report.frames_copied;
  if (report.layout) {
    json["tile"] = {report.layout->tile_length, report.layout->tile_width};
    json["frame_unit"] = report.layout->unit->number;
    json["frames"] = number_or_null(report.layout->frame_count());
  }
  json["lost"] = extras_json(report.lost);
  json["dropped"] = extras_json(report.dropped);
  json["notes"] = report.notes;
  return json;
}

void tell(const convert::ConvertReport& report, const Context& context) {
  for (const convert::Extra& extra : report.lost)
    context.note(fmt::format("warning: lost: {}", printable(extra.detail)));
  for (const convert::Extra& extra : report.dropped)
    context.note(fmt::format("dropped: {}", printable(extra.detail)));
  for (const std::string& note : report.notes) context.note(printable(note));
}

[[nodiscard]] std::string summary(const ConvertOptionTexts& texts,
                                  const convert::ConvertReport& report) {
  const convert::RasterDescription& raster = report.raster;
  std::string text =
      fmt::format("{}: {} {}, {}", printable(texts.output), texts.dry_run ? "would be" : "is",
                  convert::name_of(report.to), name_of(raster.dtype));
  text += fmt::format(", {}, {}, {} x {}", count_text(raster.times, "time"),
                      count_text(raster.bands, "band"), raster.rows, raster.cols);
  if (report.layout) {
    text += fmt::format(", tiles of {} x {}, unit {}{}", report.layout->tile_length,
                        report.layout->tile_width, report.layout->unit->number,
                        report.frames_copied ? ", frames as they are" : "");
  }
  return text + "\n";
}

}  // namespace

Result<int> convert_file(const ConvertOptionTexts& texts, Context& context) {
  static_cast<void>(stop_on_signals());
  if (texts.input.ends_with(".stards") && texts.output.ends_with(".stards")) {
    if (texts.dry_run) return fail(Errc::bad_argument, "--dry-run goes with rasters");
    SILLAR_TRY(const Input input, open_input(texts.input));
    SILLAR_TRY(copy_stards(input, texts.output, texts.overwrite, context));
    return 0;
  }
  SILLAR_TRY(auto options, convert_options_of(texts));
  SILLAR_TRY(options.pool, context.pool());
  SILLAR_TRY(options.limits, Context::limits());
  SILLAR_TRY(options.verify, Context::verify(texts.no_verify));
  options.control = Context::control();
  std::optional<Progress> progress;
  std::uint64_t told = 0;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    if (!progress) progress.emplace(context.progress_style(), total);
    progress->add(done - std::exchange(told, done));
  };
  auto report = convert::convert(texts.input, texts.output, options);
  progress.reset();
  if (!report) return std::unexpected(std::move(report).error());
  tell(*report, context);
  if (context.json()) {
    SILLAR_TRY(context.print_document(report_json(texts, *report)));
  } else if (texts.dry_run || context.verbose() > 0) {
    SILLAR_TRY(Context::print(std::string_view(summary(texts, *report))));
  }
  return 0;
}

Run declare_convert(CLI::App& app) {
  auto texts = std::make_shared<ConvertOptionTexts>();
  declare_convert_options(app, *texts);
  return [texts](Context& context) { return convert_file(*texts, context); };
}

}  // namespace sillar::cli
