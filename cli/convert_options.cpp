// The options of `sillar convert`, and what they mean for the library.
#include "cli/convert_options.hpp"

#include "cli/formats.hpp"
#include "cli/json.hpp"
#include "cli/text.hpp"
#include "cli/verb.hpp"
#include <sillar/geo/crs.hpp>
#include <sillar/rumi/profile.hpp>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <array>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

namespace sillar::cli {
namespace {

constexpr std::uint64_t most_of_json = std::uint64_t{64} << 20;

/// The document in the file that `@path` names.
[[nodiscard]] Result<Json> json_of(std::string_view option, std::string_view text) {
  const std::string path(text.substr(1));
  SILLAR_TRY(const auto bytes, read_all(path, most_of_json));
  const std::string_view characters(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Json json = Json::parse(characters, nullptr, false);
  if (json.is_discarded())
    return in_source(
        Result<Json>(fail(Errc::bad_argument, fmt::format("{}: this is no JSON", option))), path);
  return json;
}

/// The values of a repeatable option, with the lists of its @files in place. Numbers become text.
[[nodiscard]] Result<std::vector<std::string>> listed(std::string_view option,
                                                      const std::vector<std::string>& values,
                                                      bool numbers) {
  std::vector<std::string> list;
  for (const std::string& value : values) {
    if (!value.starts_with('@')) {
      list.push_back(value);
      continue;
    }
    SILLAR_TRY(const Json json, json_of(option, value));
    bool good = json.is_array();
    for (const Json& entry : json) {
      if (entry.is_string()) {
        list.push_back(entry.get<std::string>());
      } else if (numbers && entry.is_number_integer()) {
        // A sign, since plain digits in a text might be meant as a year.
        const std::string digits = entry.dump();
        list.push_back(digits.starts_with('-') ? digits : "+" + digits);
      } else if (numbers && entry.is_array() && entry.size() == 2 && entry[0].is_string() &&
                 entry[1].is_string()) {
        list.push_back(entry[0].get<std::string>() + "/" + entry[1].get<std::string>());
      } else {
        good = false;
      }
    }
    if (!good)
      return fail(Errc::bad_argument, fmt::format("{}: {} holds no list of {}", option,
                                                  value.substr(1), numbers ? "times" : "texts"));
  }
  return list;
}

[[nodiscard]] Result<convert::TileSize> tile_of(std::string_view text) {
  const auto pieces = split(text, 'x');
  const auto rows = parse_unsigned(pieces.front());
  const auto cols = parse_unsigned(pieces.back());
  if (!rows || !cols || pieces.size() > 2)
    return fail(Errc::bad_argument,
                fmt::format("--tile is \"{}\", expected N, or HEIGHTxWIDTH", text));
  return convert::TileSize{.rows = *rows, .cols = *cols};
}

[[nodiscard]] Result<geo::Affine> transform_of(const std::string& text) {
  std::array<double, 6> values{};
  std::size_t count = 0;
  bool good = true;
  if (text.starts_with('@')) {
    SILLAR_TRY(const Json json, json_of("--set-transform", text));
    good = json.is_array() && json.size() == values.size();
    for (std::size_t i = 0; good && i < values.size(); ++i) {
      good = json[i].is_number();
      if (good) values.at(count++) = json[i].get<double>();
    }
  } else {
    for (const std::string_view piece : split(text)) {
      const auto value = parse_double(piece);
      good = good && value.has_value() && count < values.size();
      if (good) values.at(count++) = *value;
    }
  }
  if (!good || count != values.size()) {
    return fail(
        Errc::bad_argument,
        fmt::format("--set-transform is \"{}\", expected "
                    "x_res,row_rot,x_origin,col_rot,y_res,y_origin, or @file.json with that list",
                    text));
  }
  return geo::Affine::of(values);
}

/// The selection of a source of any format.
[[nodiscard]] Result<> put_selection(const SelectionOptions& texts,
                                     convert::ConvertOptions& options) {
  if (texts.axes != "tbyx")
    return fail(Errc::bad_argument,
                "--axes is for sillar read; a conversion keeps the order of axes");
  if (!texts.pad.empty())
    return fail(Errc::bad_argument,
                "--pad is for sillar read; a conversion writes only what is there");
  if (!texts.bbox_crs.empty())
    return fail(Errc::bad_argument, "--bbox of a conversion is in the source's own CRS");
  if (texts.selects_all()) return {};
  SILLAR_TRY(auto selection, pixel_selection_of(texts));
  if (!texts.bbox.empty()) {
    SILLAR_TRY(options.bounds, bounds_of(texts));
  }
  options.selection = std::move(selection);
  return {};
}

[[nodiscard]] Result<> put_assignments(const ConvertOptionTexts& texts,
                                       convert::Assignments& assign) {
  SILLAR_TRY(assign.band_texts, listed("--set-bands", texts.set_bands, false));
  SILLAR_TRY(const auto times, listed("--set-time", texts.set_times, true));
  for (const std::string& time : times) {
    SILLAR_TRY(const rumi::Period period, convert::parse_period_label(time));
    assign.periods.push_back(period);
  }
  if (!texts.set_crs.empty()) {
    SILLAR_TRY(assign.epsg, geo::parse_epsg(texts.set_crs));
  }
  if (!texts.set_transform.empty()) {
    SILLAR_TRY(assign.transform, transform_of(texts.set_transform));
  }
  assign.pixel_is_point = texts.set_point;
  assign.undated = texts.undated;
  if (!texts.fold.empty()) {
    SILLAR_TRY(assign.fold, convert::fold_order_of(texts.fold));
  }
  return {};
}

}  // namespace

void declare_convert_options(CLI::App& app, ConvertOptionTexts& options) {
  app.add_option("IN", options.input, "The file to convert: rumi, npy, or whatever GDAL reads")
      ->required();
  app.add_option("OUT", options.output, "The file to write: .rumi, .tif or .npy")->required();
  app.add_flag("--overwrite", options.overwrite, "Replace an output that is there");
  app.add_flag("--dry-run", options.dry_run,
               "Only say what would be written and what would be lost");
  app.add_option("--tile", options.tile,
                 "Height and width of tiles (default as in the source, else 256)")
      ->type_name("N|HxW");
  app.add_option("--unit", options.unit,
                 "What a frame holds, 0 to 9 (default as in the source, else 0)")
      ->type_name("N");
  take_one_of(
      app.add_option("--profile", options.profile, "How frames are compressed (default portable)"),
      "portable");
  app.add_option("--header", options.header_path, "Write the header blob here too")
      ->type_name("FILE");
  declare_repeatable(app, "--set-bands", options.set_bands, "TEXT",
                     "The text of a band, once for each, or @file.json with a list");
  declare_repeatable(
      app, "--set-time", options.set_times, "TIME",
      "The time of a step, once for each: ISO 8601, A/B, seconds since 1970, or @file.json");
  app.add_option("--set-crs", options.set_crs, "The CRS of the output")->type_name("EPSG:N");
  app.add_option("--set-transform", options.set_transform,
                 "The stored matrix: x_res,row_rot,x_origin,col_rot,y_res,y_origin, or @file.json")
      ->type_name("LIST");
  app.add_flag("--set-point", options.set_point,
               "The matrix maps centres of pixels (PixelIsPoint)");
  app.add_flag("--undated", options.undated, "Without any time: write 1970-01-01");
  take_one_of(app.add_option("--fold", options.fold,
                             "The order of planes in a flat file: all bands of a date (tb), or all "
                             "dates of a band (bt)"),
              "tb|bt");
  declare_repeatable(app, "--drop", options.drops, "LIST",
                     "What may be lost: nodata,crs,transform,gcps,rpcs,mask,scale, or all");
  app.add_option("--dtype", options.dtype,
                 "bool for bytes of 0 and 1; any type for plain bytes of an npy file")
      ->type_name("DTYPE");
  app.add_flag("--no-verify", options.no_verify, "Leave the frames' own checksums unchecked");
  declare_selection(app, options.selection);
}

Result<convert::ConvertOptions> convert_options_of(const ConvertOptionTexts& texts) {
  convert::ConvertOptions options;
  options.overwrite = texts.overwrite;
  options.dry_run = texts.dry_run;
  options.header_path = texts.header_path;
  if (!texts.tile.empty()) {
    SILLAR_TRY(options.tile, tile_of(texts.tile));
  }
  if (texts.unit) {
    if (*texts.unit > std::numeric_limits<unsigned>::max())
      return fail(Errc::bad_argument, "--unit is a number from 0 to 9");
    options.unit = static_cast<unsigned>(*texts.unit);
  }
  if (!texts.profile.empty()) options.profile = rumi::profile_of(texts.profile);
  if (!texts.dtype.empty()) {
    options.dtype = dtype_of(texts.dtype);
    if (!options.dtype)
      return fail(Errc::bad_argument, fmt::format("--dtype: \"{}\" is no type", texts.dtype));
  }
  for (const std::string& list : texts.drops) {
    SILLAR_TRY(const convert::DropList drops, convert::DropList::parse(list));
    options.drops.add(drops);
  }
  SILLAR_TRY(put_assignments(texts, options.assign));
  SILLAR_TRY(put_selection(texts.selection, options));
  return options;
}

}  // namespace sillar::cli
