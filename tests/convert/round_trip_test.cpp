// Every raster of tests/data/real and tests/data/field: to rumi and back it equals GDAL's own
// reading, or it is refused for the reason that the table here names.
#include "gdal_raster.hpp"

#ifdef SILLAR_TEST_GDAL

#include <sillar/convert/convert.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <golden.hpp>
#include <iostream>
#include <map>
#include <scratch_directory.hpp>
#include <set>
#include <sha256.hpp>
#include <string>
#include <vector>

namespace sillar::convert {
namespace {

using sillar::testing::data_path;
using sillar::testing::ScratchDirectory;
using testing::read_by_gdal;

/// What each file cannot bring along: the words of `--drop` that let it through. The conversion
/// must stop without them, and name exactly these.
const std::map<std::string, std::string> must_drop = {
    {"real/dem_lidar_f32.tif", "nodata"},
    {"real/l8_oli_b234_u16.tif", "nodata"},
    {"field/rasterio__rasterio/tests__data__all-nodata.tif", "nodata"},
    {"field/rasterio__rasterio/tests__data__red.tif", "nodata"},
    {"field/cogeotiff__rio-cogeo/tests__fixtures__validate__image_rioCOG_gdal3.1.tif", "nodata"},
    // A CRS without an EPSG code, and then a transform without a CRS.
    {"field/rasterio__rasterio/tests__data__float_raster_with_extra_nodata.tif",
     "crs,transform,nodata"},
    {"field/rasterio__rasterio/tests__data__float_raster_with_nodata.tif", "crs,transform,nodata"},
    {"field/rasterio__rasterio/tests__data__goes.tif", "crs,transform,mask"},
    {"field/rasterio__rasterio/tests__data__rgb-byte-tenth.tif", "crs,transform,nodata"},
    {"field/rasterio__rasterio/tests__data__test_esri_wkt.tif", "crs,transform"},
    {"field/corteva__rioxarray/test__test_data__input__clip_bbox__out_of_bounds.tif",
     "crs,transform"},
    // A transform without a CRS.
    {"field/rasterio__rasterio/tests__data__float.tif", "transform"},
    {"field/rasterio__rasterio/tests__data__float32.tif", "transform"},
    {"field/rasterio__rasterio/tests__data__float_nan.tif", "transform,nodata"},
    {"field/rasterio__rasterio/tests__data__rotated.tif", "transform"},
    {"field/corteva__rioxarray/test__test_data__input__test_rpcs_ext_file.tif", "transform,nodata"},
    {"field/corteva__rioxarray/test__test_data__input__test_rpcs.tif", "rpcs,nodata"},
};

/// What no option lets through, and a word of the reason.
const std::map<std::string, std::string> refused = {
    {"field/corteva__rioxarray/test__test_data__input__cint16.tif", "CInt16"},
};

/// JPEG inside: what samples it gives depends on the release of the decoder, so that only the
/// reading of the GDAL at hand can be held against.
const std::set<std::string> decoder_dependent = {
    "field/image-rs__image-tiff/tests__images__tiled-jpeg-ycbcr.tif",
    "field/rasterio__rasterio/tests__data__goes.tif",
};

struct Case {
  std::string file;          // under tests/data
  std::string array_sha256;  // of the samples, or "" where only GDAL's reading here tells
};

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const auto& entry : std::filesystem::directory_iterator(data_path("real"))) {
    if (entry.path().extension() == ".tif")
      list.push_back({"real/" + entry.path().filename().string(), ""});
  }
  std::ifstream manifest(data_path("field/manifest.jsonl"));
  for (std::string line; std::getline(manifest, line);) {
    const auto json = nlohmann::json::parse(line);
    list.push_back({"field/" + json.at("file").get<std::string>(),
                    json.at("array_sha256").get<std::string>()});
  }
  std::ranges::sort(list, {}, &Case::file);
  return list;
}

TEST(RoundTrip, every_real_and_field_raster_equals_gdals_own_reading_or_is_refused_for_its_reason) {
  const ScratchDirectory scratch;
  const std::string rumi_path = scratch / "a.rumi";
  const std::string back_path = scratch / "back.tif";
  std::map<std::string, int> tally;
  exec::Pool pool(2);
  for (const Case& each : cases()) {
    SCOPED_TRACE(each.file);
    const std::string path = data_path(each.file);
    ConvertOptions options;
    options.overwrite = true;
    options.assign.undated = true;
    options.pool = &pool;
    auto in = convert(path, rumi_path, options);
    if (const auto reason = refused.find(each.file); reason != refused.end()) {
      ASSERT_FALSE(in.has_value());
      EXPECT_EQ(in.error().code, Errc::unsupported);
      EXPECT_NE(in.error().detail.find(reason->second), std::string::npos) << in.error().message();
      ++tally["refused"];
      continue;
    }
    if (const auto words = must_drop.find(each.file); words != must_drop.end()) {
      ASSERT_FALSE(in.has_value());
      EXPECT_EQ(in.error().code, Errc::unsupported);
      EXPECT_NE(in.error().detail.find("--drop " + words->second + " loses"), std::string::npos)
          << in.error().message();
      options.drops = *DropList::parse(words->second);
      in = convert(path, rumi_path, options);
      ++tally["equal once " + words->second + " is dropped"];
    } else {
      ++tally["equal"];
    }
    ASSERT_TRUE(in.has_value()) << in.error().message();
    const auto out = convert(rumi_path, back_path, {.overwrite = true, .pool = &pool});
    ASSERT_TRUE(out.has_value()) << out.error().message();

    const auto original = read_by_gdal(path);
    const auto back = read_by_gdal(back_path);
    ASSERT_TRUE(original.good && back.good);
    EXPECT_EQ(back.bands, original.bands);
    EXPECT_TRUE(back.samples == original.samples);
    if (!each.array_sha256.empty() && !decoder_dependent.contains(each.file)) {
      EXPECT_EQ(sillar::testing::sha256(back.samples), each.array_sha256);
    }
    EXPECT_EQ(back.pixel_type, original.pixel_type);
    if (original.bits == "1") {
      EXPECT_EQ(back.bits, "1");
    }
    const bool without_crs = options.drops.contains(ExtraKind::crs);
    EXPECT_EQ(back.epsg, without_crs ? 0 : original.epsg);
    EXPECT_EQ(back.has_crs, original.has_crs && !without_crs);
    if (back.has_crs) {
      EXPECT_EQ(back.transform, original.transform);
      EXPECT_EQ(back.area_or_point, original.area_or_point);
    }
    if (!original.time.empty()) {
      EXPECT_EQ(back.time, original.time);
    }
  }
  for (const auto& [what, count] : tally) std::cout << count << " " << what << "\n";
}

TEST(RoundTrip, the_sentinel_2_cube_folds_into_dates_and_bands) {
  const ScratchDirectory scratch;
  ConvertOptions options;
  options.assign.fold = FoldOrder::time_major;
  for (int date = 0; date < 5; ++date)
    options.assign.periods.push_back({date * 86400 * 10, date * 86400 * 10});
  const auto in =
      convert(data_path("real/s2_l1c_13band_5t_u16.tif"), scratch / "cube.rumi", options);
  ASSERT_TRUE(in.has_value()) << in.error().message();
  EXPECT_EQ(in->raster.shape(), (Shape{5, 13, 101, 100}));
  ASSERT_TRUE(convert(scratch / "cube.rumi", scratch / "back.tif").has_value());
  EXPECT_TRUE(read_by_gdal(scratch / "back.tif").samples ==
              read_by_gdal(data_path("real/s2_l1c_13band_5t_u16.tif")).samples);
}

}  // namespace
}  // namespace sillar::convert

#endif
