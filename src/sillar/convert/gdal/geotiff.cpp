// Blocks go to the driver one by one, past GDAL's cache, so that their order in the file is ours.
#include "geotiff.hpp"

#include "call.hpp"
#include "describe.hpp"
#include "types.hpp"
#include <sillar/io/pending_file.hpp>
#include <sillar/rumi/iso8601.hpp>
#include <sillar/tensor/copy.hpp>
#include <sillar/tensor/tensor.hpp>

#include <cpl_string.h>
#include <gdal.h>
#include <ogr_srs_api.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

namespace sillar::convert {
namespace {

constexpr std::uint64_t block_length = 256;

/// What holds for all calls of a file being written: no sidecar files, and the matrix of points
/// goes into the tags as it is stored.
void configure(GdalCall& call, const RasterDescription& raster) {
  call.set("GDAL_PAM_ENABLED", "NO");
  if (raster.pixel_is_point) call.set("GTIFF_POINT_GEO_IGNORE", "YES");
}

/// "2024:01:31 10:20:30" where a TIFF can say so.
std::optional<std::string> tiff_time(const RasterDescription& raster) {
  if (raster.periods.size() != 1 || !raster.periods.front().instant()) return std::nullopt;
  std::string text = rumi::format_instant(raster.periods.front().begin);
  if (text.size() != 20) return std::nullopt;  // a year that is not of four digits
  text.pop_back();
  text[4] = text[7] = ':';
  text[10] = ' ';
  return text;
}

/// The predictor that all readers know for such samples.
const char* predictor_of(DType dtype) {
  switch (dtype) {
    case DType::u8:
    case DType::i8:
    case DType::u16:
    case DType::i16:
    case DType::u32:
    case DType::i32:
      return "2";
    case DType::f32:
    case DType::f64:
      return "3";
    default:
      return "1";
  }
}

std::vector<std::string> creation_options(const RasterDescription& raster,
                                          const GeotiffOptions& options) {
  const std::string length = std::to_string(block_length);
  std::vector<std::string> list = {"TILED=YES",
                                   "BLOCKXSIZE=" + length,
                                   "BLOCKYSIZE=" + length,
                                   "COMPRESS=DEFLATE",
                                   std::string("PREDICTOR=") + predictor_of(raster.dtype),
                                   "INTERLEAVE=BAND",
                                   "BIGTIFF=IF_SAFER",
                                   "PHOTOMETRIC=MINISBLACK",
                                   "ALPHA=NO"};
  if (raster.dtype == DType::boolean) list.emplace_back("NBITS=1");
  if (raster.dtype == DType::i8 && gdal_type_of(DType::i8) == GDT_Byte)
    list.emplace_back("PIXELTYPE=SIGNEDBYTE");
  if (options.threads > 1) list.push_back("NUM_THREADS=" + std::to_string(options.threads));
  return list;
}

class GeotiffTarget final : public RasterTarget {
 public:
  GeotiffTarget(io::PendingFile file, RasterDescription raster, std::vector<std::string> texts,
                FoldOrder order, Tensor block)
      : file_(std::move(file)),
        raster_(std::move(raster)),
        texts_(std::move(texts)),
        order_(order),
        block_(std::move(block)) {}
  GeotiffTarget(const GeotiffTarget&) = delete;
  GeotiffTarget& operator=(const GeotiffTarget&) = delete;
  ~GeotiffTarget() override { close(); }

  Grain grain() const override {
    return {.rows = block_length, .cols = block_length, .all_planes = false};
  }

  Result<> start(const GeotiffOptions& options) {
    GdalCall call;
    configure(call, raster_);
    const GDALDriverH driver = GDALGetDriverByName("GTiff");
    if (driver == nullptr) return fail(Errc::unsupported, "this GDAL has no GeoTIFF driver");
    CPLStringList list;
    for (const std::string& option : creation_options(raster_, options))
      list.AddString(option.c_str());
    dataset_ = GDALCreate(driver, file_.temporary_path().c_str(), static_cast<int>(raster_.cols),
                          static_cast<int>(raster_.rows), static_cast<int>(texts_.size()),
                          *gdal_type_of(raster_.dtype), list.List());
    if (dataset_ == nullptr) return call.error(Errc::io, "GDAL cannot create a GeoTIFF");
    if (raster_.crs && raster_.crs->epsg) {
      const OGRSpatialReferenceH reference = OSRNewSpatialReference(nullptr);
      const bool known =
          OSRImportFromEPSG(reference, static_cast<int>(*raster_.crs->epsg)) == OGRERR_NONE;
      OSRSetAxisMappingStrategy(reference, OAMS_TRADITIONAL_GIS_ORDER);
      if (known) GDALSetSpatialRef(dataset_, reference);
      OSRDestroySpatialReference(reference);
      if (!known)
        return call.error(Errc::unsupported,
                          "GDAL does not know EPSG:" + std::to_string(*raster_.crs->epsg));
    }
    if (raster_.transform) {
      const geo::Affine& a = *raster_.transform;
      std::array<double, 6> gt = {a.x_origin, a.x_res, a.row_rot, a.y_origin, a.col_rot, a.y_res};
      GDALSetGeoTransform(dataset_, gt.data());
    }
    GDALSetMetadataItem(dataset_, GDALMD_AREA_OR_POINT,
                        raster_.pixel_is_point ? GDALMD_AOP_POINT : GDALMD_AOP_AREA, nullptr);
    if (const auto time = tiff_time(raster_))
      GDALSetMetadataItem(dataset_, "TIFFTAG_DATETIME", time->c_str(), nullptr);
    for (std::size_t plane = 0; plane < texts_.size(); ++plane) {
      GDALSetDescription(GDALGetRasterBand(dataset_, static_cast<int>(plane) + 1),
                         texts_[plane].c_str());
    }
    return call.verdict(Errc::io);
  }

  Result<> put(const Region& region, const TensorView& samples) override {
    GdalCall call;
    configure(call, raster_);
    for (std::uint64_t time = 0; time < region.times; ++time) {
      for (std::uint64_t band = 0; band < region.bands; ++band) {
        const std::uint64_t plane =
            plane_of(order_, region.time + time, region.band + band, raster_.times, raster_.bands);
        SILLAR_TRY(
            put_plane(region, static_cast<int>(plane) + 1, samples.at(0, time).at(0, band), call));
      }
    }
    return {};
  }

  Result<> finish() override {
    {
      GdalCall call;
      configure(call, raster_);
      GDALFlushCache(dataset_);
      GDALClose(std::exchange(dataset_, nullptr));
      SILLAR_TRY(in_source(call.verdict(Errc::io), file_.path()));
    }
    SILLAR_TRY(in_source(check(), file_.path()));
    return in_source(file_.publish(), file_.path());
  }

 private:
  Result<> put_plane(const Region& region, int plane, const TensorView& samples,
                     const GdalCall& call) {
    const GDALRasterBandH band = GDALGetRasterBand(dataset_, plane);
    for (std::uint64_t y = 0; y < region.rows; y += block_length) {
      for (std::uint64_t x = 0; x < region.cols; x += block_length) {
        const std::uint64_t rows = std::min(block_length, region.rows - y);
        const std::uint64_t cols = std::min(block_length, region.cols - x);
        if (rows < block_length || cols < block_length)
          std::memset(block_.bytes().data(), 0, block_.bytes().size());
        copy(block_.view().slice(0, 0, rows).slice(1, 0, cols),
             samples.slice(0, y, rows).slice(1, x, cols));
        const CPLErr result = GDALWriteBlock(
            band, static_cast<int>((region.col + x) / block_length),
            static_cast<int>((region.row + y) / block_length), block_.bytes().data());
        if (result != CE_None || call.failed()) {
          return in_source(
              Result<>(call.error(Errc::io, "GDAL cannot write band " + std::to_string(plane))),
              file_.path());
        }
      }
    }
    return {};
  }

  /// GDAL drops without a word what its driver cannot write; what was meant is held against what a
  /// reader will find.
  Result<> check() const {
    GdalCall call;
    configure(call, raster_);
    const std::string path = file_.temporary_path();
    const GDALDatasetH written =
        GDALOpenEx(path.c_str(), GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, nullptr,
                   nullptr, nullptr);
    if (written == nullptr) return call.error(Errc::io, "GDAL cannot read what it wrote");
    Result<> verdict;
    const auto refuse = [&](std::string what) {
      if (verdict)
        verdict = fail(Errc::unsupported, "GDAL's GeoTIFF driver cannot hold " + std::move(what));
    };
    std::array<double, 6> gt{};
    GDALGetGeoTransform(written, gt.data());
    const geo::Affine found{gt[1], gt[2], gt[0], gt[4], gt[5], gt[3]};
    if (raster_.transform && *raster_.transform != found) refuse("this transform");
    for (std::size_t plane = 0; plane < texts_.size(); ++plane) {
      const char* const text =
          GDALGetDescription(GDALGetRasterBand(written, static_cast<int>(plane) + 1));
      if (text == nullptr || texts_[plane] != text)
        refuse("the band text \"" + texts_[plane] + "\" (--set-bands gives others)");
    }
    GDALClose(written);
    return verdict;
  }

  void close() {
    if (dataset_ == nullptr) return;
    GdalCall call;
    configure(call, raster_);
    GDALClose(dataset_);
  }

  io::PendingFile file_;
  RasterDescription raster_;
  std::vector<std::string> texts_;
  FoldOrder order_;
  Tensor block_;
  GDALDatasetH dataset_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<RasterTarget>> create_dataset(const std::string& path,
                                                     const RasterDescription& raster,
                                                     const GeotiffOptions& options) {
  if (!gdal_type_of(raster.dtype)) {
    return fail(Errc::unsupported, "GeoTIFF files of GDAL have no " +
                                       std::string(name_of(raster.dtype)) +
                                       "; write .npy instead, or read --to raw");
  }
  constexpr std::uint64_t most_planes = 65535;
  if (raster.rows > INT32_MAX || raster.cols > INT32_MAX || raster.times > most_planes ||
      raster.times * raster.bands > most_planes) {
    return fail(Errc::unsupported,
                "a GeoTIFF has at most 65535 planes and 2147483647 rows and columns");
  }
  const bool timed = !raster.periods.empty() && !tiff_time(raster);
  SILLAR_TRY(io::PendingFile file, io::PendingFile::create(path, {.overwrite = options.overwrite}));
  SILLAR_TRY(Tensor block, Tensor::allocate(raster.dtype, {block_length, block_length}));
  auto target = std::make_unique<GeotiffTarget>(std::move(file), raster,
                                                plane_texts(raster, options.order, timed),
                                                options.order, std::move(block));
  SILLAR_TRY(target->start(options));
  return target;
}

}  // namespace sillar::convert
