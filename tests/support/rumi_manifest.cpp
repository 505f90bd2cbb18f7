// The JSON of the rumi corpus as structures.
#include "rumi_manifest.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace sillar::testing {
namespace {

using nlohmann::json;

RumiMetadata metadata_of(const json& entry) {
  RumiMetadata data{};
  const auto number = [&entry](const char* key) { return entry.at(key).get<std::uint64_t>(); };
  data.image_width = number("image_width");
  data.image_length = number("image_length");
  data.time_count = number("time_count");
  data.samples_per_pixel = number("samples_per_pixel");
  data.tile_width = number("tile_width");
  data.tile_length = number("tile_length");
  data.sample_format = number("sample_format");
  data.bits_per_sample = number("bits_per_sample");
  data.frame_unit = number("frame_unit");
  data.tiles_across = number("tiles_across");
  data.tiles_down = number("tiles_down");
  data.frames = number("frames");
  data.base_frame_offset = number("base_frame_offset");
  data.trailer_offset = number("trailer_offset");
  data.frame_byte_counts_sum = number("frame_byte_counts_sum");
  data.encoding = entry.at("encoding");
  data.frame_axes = entry.at("frame_axes");
  data.crs_model = number("crs_model");
  if (!entry.at("epsg").is_null()) data.epsg = number("epsg");
  data.pixel_is_point = entry.at("pixel_is_point");
  if (!entry.at("transform").is_null())
    data.transform = entry.at("transform").get<std::array<double, 6>>();
  data.band_texts = entry.at("band_texts").get<std::vector<std::string>>();
  data.time_type = number("time_type");
  data.time_bits = number("time_bits");
  data.time_scale = number("time_scale");
  data.time_epoch = entry.at("time_epoch").get<std::int64_t>();
  data.time_step = entry.at("time_step").get<std::int64_t>();
  data.time_coords = entry.at("time_coords").get<std::vector<std::int64_t>>();
  return data;
}

RumiManifest load() {
  std::ifstream file(data_path("corpus/rumi/manifest.json"));
  const json document = json::parse(file);
  RumiManifest manifest;
  for (const json& entry : document.at("valid")) {
    manifest.valid.push_back({.name = entry.at("name"),
                              .file = entry.at("file"),
                              .size = entry.at("size").get<std::uint64_t>(),
                              .geozl = entry.at("codec") == "geozl",
                              .metadata = metadata_of(entry.at("metadata")),
                              .header_blob = from_hex(entry.at("header_blob").get<std::string>()),
                              .sha256 = entry.at("sha256")});
  }
  for (const json& entry : document.at("valid_blobs")) {
    const auto number = [&entry](const char* key) { return entry.at(key).get<std::uint64_t>(); };
    manifest.valid_blobs.push_back(
        {.name = entry.at("name"),
         .blob = from_hex(entry.at("blob").get<std::string>()),
         .frames = number("frames"),
         .base_frame_offset = number("base_frame_offset"),
         .last_offset = number("last_offset"),
         .trailer_offset = number("trailer_offset"),
         .count_min = number("count_min"),
         .count_bits = number("count_bits"),
         .counts_head = entry.at("counts_head").get<std::vector<std::uint64_t>>()});
  }
  for (const json& entry : document.at("invalid")) {
    manifest.invalid.push_back({.name = entry.at("name"),
                                .rule = entry.at("rule"),
                                .detect = entry.at("detect"),
                                .kind = entry.at("kind"),
                                .geozl = entry.value("codec", "") == "geozl",
                                .file = entry.value("file", ""),
                                .blob = from_hex(entry.value("blob", "")),
                                .header_blob = from_hex(entry.value("header_blob", ""))});
  }
  return manifest;
}

template <class Case>
const Case& named(const std::vector<Case>& cases, std::string_view name) {
  for (const Case& entry : cases) {
    if (entry.name == name) return entry;
  }
  std::fprintf(stderr, "the corpus has no case %s\n", std::string(name).c_str());
  std::abort();
}

}  // namespace

const RumiValid& RumiManifest::valid_case(std::string_view name) const {
  return named(valid, name);
}
const RumiInvalid& RumiManifest::invalid_case(std::string_view name) const {
  return named(invalid, name);
}

const RumiManifest& rumi_manifest() {
  static const RumiManifest manifest = load();
  return manifest;
}

}  // namespace sillar::testing
