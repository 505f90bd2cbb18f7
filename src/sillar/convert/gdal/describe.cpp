// Samples, georeference, texts, time, and everything else that a rumi file has no place for.
#include "describe.hpp"

#include "call.hpp"
#include "types.hpp"
#include <sillar/convert/losses.hpp>

#include <cpl_string.h>
#include <ogr_srs_api.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace sillar::convert {
namespace {

constexpr std::uint32_t epsg_least = 1024;
constexpr std::uint32_t epsg_most = 32766;

std::string_view text_or_empty(const char* text) {
  return text == nullptr ? std::string_view{} : text;
}

std::string_view item_of(GDALMajorObjectH object, const char* key, const char* domain) {
  return text_or_empty(GDALGetMetadataItem(object, key, domain));
}

std::string text_of(double value) {
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%.17g", value);
  for (int precision = 1; precision < 17; ++precision) {
    std::array<char, 32> shorter{};
    std::snprintf(shorter.data(), shorter.size(), "%.*g", precision, value);
    if (std::strtod(shorter.data(), nullptr) == value) return shorter.data();
  }
  return digits.data();
}

/// Things by band, in as few words as possible: "nodata 0", or "nodata 0 (band 2), 255 (band 3)".
class ByBand {
 public:
  void add(int band, std::string what) { found_.emplace_back(band, std::move(what)); }
  [[nodiscard]] bool empty() const { return found_.empty(); }

  [[nodiscard]] std::string text(std::string_view noun, int bands) const {
    constexpr std::size_t most = 4;
    bool same = static_cast<int>(found_.size()) == bands;
    for (const auto& [band, what] : found_) same = same && what == found_.front().second;
    std::string text(noun);
    if (same) return found_.front().second.empty() ? text : text + " " + found_.front().second;
    for (std::size_t i = 0; i < found_.size() && i < most; ++i) {
      text += (i == 0 ? " " : ", ") + found_[i].second + (found_[i].second.empty() ? "" : " ") +
              "(band " + std::to_string(found_[i].first) + ")";
    }
    return found_.size() > most ? text + ", ..." : text;
  }

 private:
  std::vector<std::pair<int, std::string>> found_;
};

Result<DType> dtype_of_band(GDALRasterBandH band) {
  const GDALDataType type = GDALGetRasterDataType(band);
  const auto dtype = dtype_of(type);
  if (!dtype)
    return fail(Errc::unsupported, std::string("samples of GDAL's type ") +
                                       GDALGetDataTypeName(type) +
                                       " have no place in the formats here");
  if (type != GDT_Byte) return *dtype;
  if (item_of(band, "PIXELTYPE", "IMAGE_STRUCTURE") == "SIGNEDBYTE") return DType::i8;
  if (item_of(band, "NBITS", "IMAGE_STRUCTURE") == "1") return DType::boolean;
  return DType::u8;
}

Result<DType> dtype_of_dataset(GDALDatasetH dataset) {
  SILLAR_TRY(const DType first, dtype_of_band(GDALGetRasterBand(dataset, 1)));
  for (int band = 2; band <= GDALGetRasterCount(dataset); ++band) {
    SILLAR_TRY(const DType dtype, dtype_of_band(GDALGetRasterBand(dataset, band)));
    if (dtype != first) {
      return fail(Errc::unsupported, "band 1 holds " + std::string(name_of(first)) + ", band " +
                                         std::to_string(band) + " " + std::string(name_of(dtype)) +
                                         "; all bands of a raster here have one type");
    }
  }
  return first;
}

/// An EPSG code only where the root of the CRS itself is that entry, and horizontal: no guess, and
/// no part of a compound.
Crs crs_of(OGRSpatialReferenceH reference) {
  Crs crs;
  const std::string name(text_or_empty(OSRGetName(reference)));
  const std::string authority(text_or_empty(OSRGetAuthorityName(reference, nullptr)));
  const std::string code(text_or_empty(OSRGetAuthorityCode(reference, nullptr)));
  const bool horizontal = OSRIsCompound(reference) == 0 &&
                          (OSRIsProjected(reference) != 0 || OSRIsGeographic(reference) != 0);
  const long number = std::strtol(code.c_str(), nullptr, 10);
  if (authority == "EPSG" && horizontal && number >= epsg_least && number <= epsg_most) {
    crs.epsg = static_cast<std::uint32_t>(number);
    crs.name = name;
    return crs;
  }
  crs.name = authority.empty() ? name : authority + ":" + code + " (" + name + ")";
  if (authority == "EPSG" && !horizontal) crs.name += ", which is no horizontal CRS,";
  return crs;
}

std::optional<geo::Affine> transform_of(GDALDatasetH dataset) {
  std::array<double, 6> gt{};
  if (GDALGetGeoTransform(dataset, gt.data()) != CE_None) return std::nullopt;
  return geo::Affine{gt[1], gt[2], gt[0], gt[4], gt[5], gt[3]};
}

/// The matrix for centres that GDAL's corner-based one came from. A GeoTIFF's own tags are asked
/// for without the shift, so that not one bit is rounded away; the answer equals the first where
/// the matrix did not come from tags (a world file).
geo::Affine point_transform(GDALDatasetH dataset, const char* path, const geo::Affine& corner) {
  const std::string_view driver =
      text_or_empty(GDALGetDriverShortName(GDALGetDatasetDriver(dataset)));
  if (driver == "GTiff" || driver == "COG") {
    GdalCall call;
    call.set("GTIFF_POINT_GEO_IGNORE", "YES");
    const GDALDatasetH unshifted =
        GDALOpenEx(path, GDAL_OF_RASTER | GDAL_OF_READONLY, nullptr, nullptr, nullptr);
    if (unshifted != nullptr) {
      const auto stored = transform_of(unshifted);
      GDALClose(unshifted);
      if (stored && *stored != corner) return *stored;
    }
  }
  return geo::stored_transform(corner, true);
}

void describe_georeference(GDALDatasetH dataset, const char* path, RasterDescription& raster) {
  if (const OGRSpatialReferenceH reference = GDALGetSpatialRef(dataset); reference != nullptr) {
    raster.crs = crs_of(reference);
    if (const double epoch = OSRGetCoordinateEpoch(reference); epoch > 0) {
      raster.extras.push_back({ExtraKind::metadata, "coordinate epoch " + text_of(epoch)});
    }
  }
  raster.pixel_is_point = item_of(dataset, GDALMD_AREA_OR_POINT, nullptr) == GDALMD_AOP_POINT;
  raster.transform = transform_of(dataset);
  if (raster.transform && raster.pixel_is_point)
    raster.transform = point_transform(dataset, path, *raster.transform);
  if (const int count = GDALGetGCPCount(dataset); count > 0) {
    raster.extras.push_back({ExtraKind::gcps, std::to_string(count) + " ground control points"});
  }
  if (CSLCount(GDALGetMetadata(dataset, "RPC")) > 0) {
    raster.extras.push_back({ExtraKind::rpcs, "rational polynomial coefficients"});
  }
}

/// "2024:01:31 10:20:30", as TIFF writes it.
std::optional<rumi::Seconds> parse_tiff_time(std::string_view text) {
  if (text.size() != 19 || text[4] != ':' || text[7] != ':' || text[10] != ' ') return std::nullopt;
  std::string iso(text);
  iso[4] = iso[7] = '-';
  iso[10] = 'T';
  const auto seconds = rumi::parse_instant(iso);
  if (!seconds) return std::nullopt;
  return *seconds;
}

void describe_time(GDALDatasetH dataset, RasterDescription& raster,
                   std::set<std::string, std::less<>>& used) {
  if (const auto text = item_of(dataset, "ACQUISITIONDATETIME", "IMAGERY"); !text.empty()) {
    if (const auto seconds = rumi::parse_instant(text)) {
      raster.periods = {{*seconds, *seconds}};
      raster.periods_origin = "ACQUISITIONDATETIME";
      used.insert("ACQUISITIONDATETIME");
      return;
    }
  }
  if (const auto seconds = parse_tiff_time(item_of(dataset, "TIFFTAG_DATETIME", nullptr))) {
    raster.periods = {{*seconds, *seconds}};
    raster.periods_origin = "TIFFTAG_DATETIME";
    used.insert("TIFFTAG_DATETIME");
  }
}

std::string nodata_of(GDALRasterBandH band) {
  int found = 0;
  switch (GDALGetRasterDataType(band)) {
    case GDT_Int64: {
      const auto value = GDALGetRasterNoDataValueAsInt64(band, &found);
      return found != 0 ? std::to_string(value) : "";
    }
    case GDT_UInt64: {
      const auto value = GDALGetRasterNoDataValueAsUInt64(band, &found);
      return found != 0 ? std::to_string(value) : "";
    }
    default: {
      const double value = GDALGetRasterNoDataValue(band, &found);
      return found != 0 ? text_of(value) : "";
    }
  }
}

/// Black and white as every 1-bit band has it says nothing.
bool is_plain_bitmap(GDALRasterBandH band, GDALColorTableH table) {
  if (item_of(band, "NBITS", "IMAGE_STRUCTURE") != "1" || GDALGetColorEntryCount(table) != 2)
    return false;
  const GDALColorEntry& black = *GDALGetColorEntry(table, 0);
  const GDALColorEntry& white = *GDALGetColorEntry(table, 1);
  return black.c1 == 0 && black.c2 == 0 && black.c3 == 0 && white.c1 == 255 && white.c2 == 255 &&
         white.c3 == 255;
}

bool has_real_mask(GDALRasterBandH band) {
  const int flags = GDALGetMaskFlags(band);
  return (flags & (GMF_ALL_VALID | GMF_NODATA | GMF_ALPHA)) == 0;
}

std::string key_of(std::string_view item) { return std::string(item.substr(0, item.find('='))); }

/// Asking a TIFF for its domains makes it compute a transfer function of 2 to the bits of a sample;
/// with RGB of 32 bits that takes minutes, and gigabytes.
bool lists_domains(GDALDatasetH dataset) {
  if (GDALGetDatasetDriver(dataset) == nullptr) return true;
  const std::string_view driver =
      text_or_empty(GDALGetDriverShortName(GDALGetDatasetDriver(dataset)));
  return driver != "GTiff" || GDALGetRasterCount(dataset) < 3 ||
         GDALGetDataTypeSizeBits(GDALGetRasterDataType(GDALGetRasterBand(dataset, 1))) != 32;
}

/// The domains of `object`, or those that are usual.
std::set<std::string> domains_of(GDALMajorObjectH object, bool listed) {
  if (!listed) return {"", "IMAGERY", "GEOLOCATION", "xml:XMP", "json:ISIS3", "TILING_SCHEME"};
  std::set<std::string> domains;
  char** const list = GDALGetMetadataDomainList(object);
  for (char** domain = list; domain != nullptr && *domain != nullptr; ++domain)
    domains.emplace(*domain);
  CSLDestroy(list);
  return domains;
}

/// The names of all metadata that nothing else of the description stands for.
std::set<std::string, std::less<>> metadata_names(GDALMajorObjectH object, bool listed,
                                                  const std::set<std::string, std::less<>>& used) {
  std::set<std::string, std::less<>> names;
  for (const std::string& domain : domains_of(object, listed)) {
    if (domain == "IMAGE_STRUCTURE" || domain == "DERIVED_SUBDATASETS" || domain == "RPC" ||
        domain == "SUBDATASETS")
      continue;
    CSLConstList items = GDALGetMetadata(object, domain.c_str());
    if (items == nullptr || *items == nullptr) continue;
    if (domain.starts_with("xml:") || domain.starts_with("json:") || domain == "COLOR_PROFILE") {
      names.insert(domain);
      continue;
    }
    for (; *items != nullptr; ++items) {
      const std::string key = key_of(*items);
      if (key == GDALMD_AREA_OR_POINT || key.starts_with("STATISTICS_") || used.contains(key))
        continue;
      names.insert(domain.empty() ? key : std::string(domain).append(":").append(key));
    }
  }
  return names;
}

void describe_bands(GDALDatasetH dataset, RasterDescription& raster,
                    std::set<std::string, std::less<>>& metadata,
                    const std::set<std::string, std::less<>>& used) {
  const int bands = GDALGetRasterCount(dataset);
  ByBand nodata;
  ByBand scale;
  ByBand mask;
  ByBand overviews;
  ByBand statistics;
  ByBand colour_table;
  ByBand categories;
  for (int index = 1; index <= bands; ++index) {
    const GDALRasterBandH band = GDALGetRasterBand(dataset, index);
    raster.band_texts.emplace_back(text_or_empty(GDALGetDescription(band)));
    if (auto text = nodata_of(band); !text.empty()) nodata.add(index, std::move(text));
    int has_scale = 0;
    int has_offset = 0;
    const double factor = GDALGetRasterScale(band, &has_scale);
    const double offset = GDALGetRasterOffset(band, &has_offset);
    if ((has_scale != 0 && factor != 1) || (has_offset != 0 && offset != 0))
      scale.add(index, text_of(factor) + " and offset " + text_of(offset));
    if (has_real_mask(band)) mask.add(index, "");
    if (const int count = GDALGetOverviewCount(band); count > 0)
      overviews.add(index, std::to_string(count));
    if (!item_of(band, "STATISTICS_MEAN", nullptr).empty() ||
        !item_of(band, "STATISTICS_MAXIMUM", nullptr).empty())
      statistics.add(index, "");
    if (const GDALColorTableH table = GDALGetRasterColorTable(band);
        table != nullptr && !is_plain_bitmap(band, table)) {
      colour_table.add(index, "of " + std::to_string(GDALGetColorEntryCount(table)) + " colours");
    }
    if (GDALGetRasterCategoryNames(band) != nullptr || GDALGetDefaultRAT(band) != nullptr)
      categories.add(index, "");
    metadata.merge(metadata_names(band, true, used));
    if (!text_or_empty(GDALGetRasterUnitType(band)).empty())
      metadata.insert("unit " + std::string(GDALGetRasterUnitType(band)));
    if (GDALGetRasterColorInterpretation(band) == GCI_AlphaBand)
      metadata.insert("band " + std::to_string(index) + " is alpha");
  }
  const auto add = [&](ExtraKind kind, const ByBand& found, std::string_view noun) {
    if (!found.empty()) raster.extras.push_back({kind, found.text(noun, bands)});
  };
  add(ExtraKind::nodata, nodata, "nodata");
  add(ExtraKind::scale, scale, "scale");
  add(ExtraKind::mask, mask, "a validity mask");
  add(ExtraKind::overviews, overviews, "overviews");
  add(ExtraKind::statistics, statistics, "statistics");
  add(ExtraKind::colour_table, colour_table, "a colour table");
  add(ExtraKind::categories, categories, "categories");
}

std::unexpected<Error> refuse_container(GDALDatasetH dataset) {
  std::string names;
  CSLConstList items = GDALGetMetadata(dataset, "SUBDATASETS");
  for (; items != nullptr && *items != nullptr; ++items) {
    const std::string_view item = *items;
    const std::size_t equals = item.find('=');
    if (equals != std::string_view::npos && item.substr(0, equals).ends_with("_NAME"))
      names += (names.empty() ? "" : ", ") + std::string(item.substr(equals + 1));
  }
  if (names.empty()) return fail(Errc::unsupported, "there is no raster in it");
  return fail(Errc::bad_argument, "it holds several rasters; name one of them: " + names);
}

}  // namespace

Result<RasterDescription> describe(GDALDatasetH dataset, const char* path) {
  if (GDALGetRasterCount(dataset) == 0) return refuse_container(dataset);
  RasterDescription raster;
  SILLAR_TRY(raster.dtype, dtype_of_dataset(dataset));
  raster.bands = static_cast<std::uint64_t>(GDALGetRasterCount(dataset));
  raster.rows = static_cast<std::uint64_t>(GDALGetRasterYSize(dataset));
  raster.cols = static_cast<std::uint64_t>(GDALGetRasterXSize(dataset));
  describe_georeference(dataset, path, raster);
  std::set<std::string, std::less<>> used;
  describe_time(dataset, raster, used);
  std::set<std::string, std::less<>> metadata =
      metadata_names(dataset, lists_domains(dataset), used);
  describe_bands(dataset, raster, metadata, used);
  constexpr std::size_t most = 12;
  std::string names;
  std::size_t listed = 0;
  for (const std::string& name : metadata) {
    if (listed++ == most) {
      names += ", ... (" + std::to_string(metadata.size()) + " in all)";
      break;
    }
    names += (names.empty() ? "" : ", ") + name;
  }
  if (!names.empty()) raster.extras.push_back({ExtraKind::metadata, "metadata: " + names});
  return raster;
}

}  // namespace sillar::convert
