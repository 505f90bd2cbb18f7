// The table of losses (one row a kind), and its application to a description.
#include <sillar/convert/losses.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace sillar::convert {
namespace {

struct Row {
  ExtraKind kind;
  std::string_view name;
  bool must_be_dropped;
};

// clang-format off
constexpr std::array loss_table = {
    Row{ExtraKind::nodata,       "nodata",       true},
    Row{ExtraKind::crs,          "crs",          true},
    Row{ExtraKind::transform,    "transform",    true},
    Row{ExtraKind::gcps,         "gcps",         true},
    Row{ExtraKind::rpcs,         "rpcs",         true},
    Row{ExtraKind::mask,         "mask",         true},
    Row{ExtraKind::scale,        "scale",        true},
    Row{ExtraKind::overviews,    "overviews",    false},
    Row{ExtraKind::statistics,   "statistics",   false},
    Row{ExtraKind::colour_table, "colour-table", false},
    Row{ExtraKind::categories,   "categories",   false},
    Row{ExtraKind::metadata,     "metadata",     false},
};
// clang-format on
static_assert([] {
  for (std::size_t i = 0; i < loss_table.size(); ++i) {
    if (static_cast<std::size_t>(loss_table[i].kind) != i) return false;
  }
  return true;
}());

[[nodiscard]] const Row& row_of(ExtraKind kind) {
  return loss_table[static_cast<std::size_t>(kind)];
}

[[nodiscard]] bool loses_crs(const RasterDescription& raster, const Holds& holds) {
  return raster.crs && !(holds.crs && raster.crs->epsg);
}

[[nodiscard]] bool loses_transform(const RasterDescription& raster, const Holds& holds) {
  if (!raster.transform) return false;
  const bool keeps_crs = raster.crs && !loses_crs(raster, holds);
  if (keeps_crs || holds.lone_transform) return false;
  return geo::corner_transform(*raster.transform, raster.pixel_is_point) != geo::Affine{};
}

[[nodiscard]] std::string text_of(const geo::Affine& affine) {
  std::string text;
  for (const double value : affine.values()) {
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.17g", value);
    text += (text.empty() ? "" : ",") + std::string(digits.data());
  }
  return text;
}

}  // namespace

std::string_view name_of(ExtraKind kind) { return row_of(kind).name; }
bool must_be_dropped(ExtraKind kind) { return row_of(kind).must_be_dropped; }

Result<DropList> DropList::parse(std::string_view list) {
  DropList drops;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    const std::string_view word = list.substr(0, comma);
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
    if (word == "all") {
      for (const Row& row : loss_table) drops.add(row.kind);
      continue;
    }
    const auto row = std::ranges::find(loss_table, word, &Row::name);
    if (row == loss_table.end()) {
      std::string known;
      for (const Row& each : loss_table) known += ", " + std::string(each.name);
      return fail(Errc::bad_argument,
                  "\"" + std::string(word) + "\" cannot be dropped, expected one of all" + known);
    }
    drops.add(row->kind);
  }
  return drops;
}

std::string text_of(const Crs& crs) {
  if (crs.epsg) return "EPSG:" + std::to_string(*crs.epsg);
  return crs.name.empty() ? "a CRS without a name" : crs.name;
}

Losses judge_losses(const RasterDescription& raster, const Holds& holds, const DropList& drops) {
  Losses losses;
  const auto judge = [&](const Extra& extra) {
    if (drops.contains(extra.kind)) {
      losses.dropped.push_back(extra);
    } else {
      (must_be_dropped(extra.kind) ? losses.errors : losses.warnings).push_back(extra);
    }
  };
  if (loses_crs(raster, holds)) {
    judge({ExtraKind::crs, holds.crs ? "the CRS \"" + text_of(*raster.crs) +
                                           "\" has no EPSG code (--set-crs EPSG:n gives one)"
                                     : "the CRS " + text_of(*raster.crs)});
  }
  if (loses_transform(raster, holds)) {
    judge({ExtraKind::transform, holds.crs
                                     ? "the transform " + text_of(*raster.transform) +
                                           " has no CRS to go with (--set-crs EPSG:n gives one)"
                                     : "the transform " + text_of(*raster.transform)});
  }
  for (const Extra& extra : raster.extras) judge(extra);
  return losses;
}

Result<> Losses::verdict() const {
  if (errors.empty()) return {};
  std::string what;
  std::string option;
  for (const Extra& extra : errors) {
    what += (what.empty() ? "" : "; ") + extra.detail;
    const std::string_view word = name_of(extra.kind);
    if (("," + option + ",").find("," + std::string(word) + ",") != std::string::npos) continue;
    option += (option.empty() ? "" : ",") + std::string(word);
  }
  return fail(Errc::unsupported, "the target cannot hold everything: " + what + "; --drop " +
                                     option + " loses it on purpose");
}

RasterDescription without_losses(RasterDescription raster, const Holds& holds) {
  const bool no_transform = loses_transform(raster, holds);
  if (loses_crs(raster, holds)) raster.crs.reset();
  if (no_transform) raster.transform.reset();
  if (!raster.crs && !holds.lone_transform) raster.transform.reset();
  raster.extras.clear();
  return raster;
}

}  // namespace sillar::convert
