// The options that select samples, and what they mean for a rumi file.
#include "cli/selection_options.hpp"

#include "cli/sample_value.hpp"
#include "cli/text.hpp"
#include <sillar/geo/crs.hpp>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace sillar::cli {
namespace {

constexpr std::string_view text_prefix = "name:";

/// "0,3" or "name:TEXT"; a text is never split.
[[nodiscard]] Result<> append_bands(std::vector<rumi::BandRef>& bands, std::string_view text) {
  if (text.starts_with(text_prefix)) {
    bands.emplace_back(std::string(text.substr(text_prefix.size())));
    return {};
  }
  for (const std::string_view piece : split(text)) {
    const auto index = parse_unsigned(piece);
    if (!index)
      return fail(
          Errc::bad_argument,
          fmt::format("--bands: \"{}\" is no index; a band text is written name:{}", piece, piece));
    bands.emplace_back(*index);
  }
  return {};
}

/// Indices and ISO 8601 texts, parted by commas.
void append_times(std::vector<rumi::TimeRef>& times, std::string_view text) {
  for (const std::string_view piece : split(text)) {
    if (const auto index = parse_unsigned(piece)) {
      times.emplace_back(*index);
    } else {
      times.emplace_back(std::string(piece));
    }
  }
}

template <class Number, class Parse>
[[nodiscard]] Result<std::array<Number, 4>> four_numbers(std::string_view text,
                                                         std::string_view option,
                                                         std::string_view form, Parse parse) {
  const auto pieces = split(text);
  std::array<Number, 4> numbers{};
  bool good = pieces.size() == numbers.size();
  for (std::size_t i = 0; good && i < numbers.size(); ++i) {
    const auto number = parse(pieces[i]);
    good = number.has_value();
    if (good) numbers.at(i) = *number;
  }
  if (!good)
    return fail(Errc::bad_argument, fmt::format("{} is \"{}\", expected {}", option, text, form));
  return numbers;
}

[[nodiscard]] Result<geo::Window> window_of(std::string_view text) {
  SILLAR_TRY(const auto n,
             four_numbers<std::int64_t>(text, "--window", "row,col,height,width", parse_signed));
  return geo::Window{.row = n[0], .col = n[1], .height = n[2], .width = n[3]};
}

[[nodiscard]] Result<geo::Window> window_of_bounds(const SelectionOptions& options,
                                                   const rumi::File& file) {
  SILLAR_TRY(const geo::Bounds bounds, bounds_of(options));
  SILLAR_TRY(const auto georeference, file.georeference());
  const auto corner = georeference.corner_transform();
  if (!corner) return fail(Errc::bad_argument, "--bbox needs a CRS, and the file has none");
  if (!options.bbox_crs.empty()) {
    SILLAR_TRY(const std::uint32_t code, geo::parse_epsg(options.bbox_crs));
    if (code != georeference.epsg) {
      return fail(
          Errc::bad_argument,
          fmt::format("--bbox-crs is EPSG:{}, the file has EPSG:{}; bounds are not reprojected",
                      code, georeference.epsg));
    }
  }
  return geo::window_of(*corner, bounds);
}

}  // namespace

void declare_repeatable(CLI::App& app, const char* name, std::vector<std::string>& values,
                        const char* value, const char* what) {
  app.add_option(name, values, what)->type_name(value)->allow_extra_args(false);
}

void declare_selection(CLI::App& app, SelectionOptions& options) {
  declare_repeatable(app, "--bands", options.bands, "LIST",
                     "Bands by index, as 0,3, or one by its text, as name:TEXT");
  declare_repeatable(
      app, "--times", options.times, "LIST",
      "Times by index, or ISO 8601, as 2024-01-31 or 2024-01/2024-04 (without its end)");
  auto* window = app.add_option("--window", options.window, "Pixels: row,col,height,width")
                     ->type_name("WINDOW");
  auto* bbox = app.add_option("--bbox", options.bbox,
                              "World coordinates: minx,miny,maxx,maxy; all pixels that they touch")
                   ->type_name("BOUNDS");
  bbox->excludes(window);
  app.add_option("--bbox-crs", options.bbox_crs,
                 "The CRS of --bbox, which must be that of the file")
      ->type_name("EPSG:N")
      ->needs(bbox);
  auto* clip = app.add_flag("--clip", options.clip, "Drop the part of the window that is outside");
  app.add_option("--pad", options.pad,
                 "Fill the part of the window that is outside with this value")
      ->type_name("VALUE")
      ->excludes(clip);
  app.add_option("--axes", options.axes, "The order of the axes (default tbyx)")->type_name("AXES");
}

Result<geo::Bounds> bounds_of(const SelectionOptions& options) {
  SILLAR_TRY(const auto n,
             four_numbers<double>(options.bbox, "--bbox", "minx,miny,maxx,maxy", parse_double));
  return geo::Bounds{.left = n[0], .bottom = n[1], .right = n[2], .top = n[3]};
}

Result<rumi::Selection> pixel_selection_of(const SelectionOptions& options) {
  rumi::Selection selection;
  if (!options.bands.empty()) selection.bands.emplace();
  for (const std::string& text : options.bands) SILLAR_TRY(append_bands(*selection.bands, text));
  if (!options.times.empty()) selection.times.emplace();
  for (const std::string& text : options.times) append_times(*selection.times, text);
  if (!options.window.empty()) {
    SILLAR_TRY(selection.window, window_of(options.window));
  }
  if (options.clip) selection.outside = rumi::Outside::clip;
  return selection;
}

Result<rumi::Selection> selection_of(const SelectionOptions& options, const rumi::File& file) {
  SILLAR_TRY(auto selection, pixel_selection_of(options));
  if (!options.bbox.empty()) {
    SILLAR_TRY(selection.window, window_of_bounds(options, file));
  }
  selection.axes = options.axes;
  if (!options.pad.empty()) {
    selection.outside = rumi::Outside::pad;
    SILLAR_TRY(selection.pad_value, sample_bytes(options.pad, file.layout().dtype()));
  }
  return selection;
}

}  // namespace sillar::cli
