// Rasters made and read by GDAL itself, for comparison.
#pragma once

#ifdef SILLAR_TEST_GDAL

#include <cpl_error.h>
#include <cpl_string.h>
#include <gdal.h>
#include <ogr_srs_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sillar::convert::testing {

/// A raster as GDAL reads it: samples of its own type, (band, y, x).
struct GdalReading {
  bool good = false;
  int bands = 0;
  std::vector<std::byte> samples{};
  std::array<double, 6> transform{0, 1, 0, 0, 0, 1};
  int epsg = 0;  ///< of the root of the CRS, else 0
  bool has_crs = false;
  std::string area_or_point;  ///< "Area" where nothing is said
  std::string pixel_type;
  std::string bits;
  std::string time{};
  std::vector<std::string> descriptions;
};

inline GdalReading read_by_gdal(const std::string& path) {
  GDALAllRegister();
  GdalReading reading;
  CPLPushErrorHandler(CPLQuietErrorHandler);
  const GDALDatasetH dataset = GDALOpen(path.c_str(), GA_ReadOnly);
  if (dataset != nullptr) {
    const auto text = [](const char* value) { return std::string(value == nullptr ? "" : value); };
    reading.good = true;
    reading.bands = GDALGetRasterCount(dataset);
    const int cols = GDALGetRasterXSize(dataset);
    const int rows = GDALGetRasterYSize(dataset);
    for (int index = 1; index <= reading.bands; ++index) {
      const GDALRasterBandH band = GDALGetRasterBand(dataset, index);
      const GDALDataType type = GDALGetRasterDataType(band);
      std::vector<std::byte> plane(static_cast<std::size_t>(cols) * static_cast<std::size_t>(rows) *
                                   static_cast<std::size_t>(GDALGetDataTypeSizeBytes(type)));
      reading.good = reading.good && GDALRasterIO(band, GF_Read, 0, 0, cols, rows, plane.data(),
                                                  cols, rows, type, 0, 0) == CE_None;
      reading.samples.insert(reading.samples.end(), plane.begin(), plane.end());
      reading.descriptions.push_back(text(GDALGetDescription(band)));
    }
    const GDALRasterBandH first = GDALGetRasterBand(dataset, 1);
    reading.pixel_type = text(GDALGetMetadataItem(first, "PIXELTYPE", "IMAGE_STRUCTURE"));
    reading.bits = text(GDALGetMetadataItem(first, "NBITS", "IMAGE_STRUCTURE"));
    GDALGetGeoTransform(dataset, reading.transform.data());
    reading.area_or_point = text(GDALGetMetadataItem(dataset, GDALMD_AREA_OR_POINT, nullptr));
    if (reading.area_or_point.empty()) reading.area_or_point = "Area";
    reading.time = text(GDALGetMetadataItem(dataset, "TIFFTAG_DATETIME", nullptr));
    if (const OGRSpatialReferenceH reference = GDALGetSpatialRef(dataset); reference != nullptr) {
      reading.has_crs = true;
      if (text(OSRGetAuthorityName(reference, nullptr)) == "EPSG")
        reading.epsg = std::atoi(text(OSRGetAuthorityCode(reference, nullptr)).c_str());
    }
    GDALClose(dataset);
  }
  CPLPopErrorHandler();
  return reading;
}

/// How to make a GeoTIFF; samples are bytes of `type`, (band, y, x).
struct GeotiffRecipe {
  int rows = 4;
  int cols = 4;
  int bands = 1;
  GDALDataType type = GDT_Byte;
  std::vector<std::byte> samples{};
  std::vector<std::string> creation{};
  std::optional<std::array<double, 6>> transform{};
  int epsg = 0;
  std::string wkt{};
  bool point = false;
  std::string time{};
  std::function<void(GDALDatasetH)> more{};
};

inline void make_geotiff(const std::string& path, const GeotiffRecipe& recipe) {
  GDALAllRegister();
  CPLStringList creation;
  for (const std::string& option : recipe.creation) creation.AddString(option.c_str());
  const GDALDatasetH dataset = GDALCreate(GDALGetDriverByName("GTiff"), path.c_str(), recipe.cols,
                                          recipe.rows, recipe.bands, recipe.type, creation.List());
  if (recipe.epsg != 0 || !recipe.wkt.empty()) {
    const OGRSpatialReferenceH reference =
        OSRNewSpatialReference(recipe.wkt.empty() ? nullptr : recipe.wkt.c_str());
    if (recipe.epsg != 0) OSRImportFromEPSG(reference, recipe.epsg);
    GDALSetSpatialRef(dataset, reference);
    OSRDestroySpatialReference(reference);
  }
  if (recipe.transform) {
    auto transform = *recipe.transform;
    GDALSetGeoTransform(dataset, transform.data());
  }
  if (recipe.point) GDALSetMetadataItem(dataset, GDALMD_AREA_OR_POINT, GDALMD_AOP_POINT, nullptr);
  if (!recipe.time.empty())
    GDALSetMetadataItem(dataset, "TIFFTAG_DATETIME", recipe.time.c_str(), nullptr);
  if (recipe.more) recipe.more(dataset);
  auto samples = recipe.samples;
  const auto plane = static_cast<std::size_t>(recipe.rows) * static_cast<std::size_t>(recipe.cols) *
                     static_cast<std::size_t>(GDALGetDataTypeSizeBytes(recipe.type));
  samples.resize(plane * static_cast<std::size_t>(recipe.bands));
  for (int band = 1; band <= recipe.bands; ++band) {
    if (GDALRasterIO(GDALGetRasterBand(dataset, band), GF_Write, 0, 0, recipe.cols, recipe.rows,
                     samples.data() + plane * static_cast<std::size_t>(band - 1), recipe.cols,
                     recipe.rows, recipe.type, 0, 0) != CE_None) {
      std::abort();
    }
  }
  GDALClose(dataset);
}

}  // namespace sillar::convert::testing

#endif
