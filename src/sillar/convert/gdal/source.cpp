// Reads by GDAL's own types, so that no sample is ever converted.
#include "source.hpp"

#include "call.hpp"
#include "describe.hpp"
#include "types.hpp"

#include <gdal.h>

#include <cerrno>
#include <sys/stat.h>
#include <utility>

namespace sillar::convert {
namespace {

/// GDAL keeps decoded blocks of everything that was read; after so many bytes they are let go.
constexpr std::uint64_t cached_bytes = std::uint64_t{64} << 20;

struct CloseDataset {
  void operator()(void* dataset) const {
    const GdalCall call;
    GDALClose(dataset);
  }
};
using Dataset = std::unique_ptr<void, CloseDataset>;

class DatasetSource final : public RasterSource {
 public:
  DatasetSource(Dataset dataset, RasterDescription description, std::string path)
      : dataset_(std::move(dataset)),
        description_(std::move(description)),
        path_(std::move(path)) {}

  const RasterDescription& description() const override { return description_; }

  Grain grain() const override {
    int width = 1;
    int height = 1;
    GDALGetBlockSize(GDALGetRasterBand(dataset_.get(), 1), &width, &height);
    const char* const interleave =
        GDALGetMetadataItem(dataset_.get(), "INTERLEAVE", "IMAGE_STRUCTURE");
    const bool by_pixel = interleave != nullptr && std::string_view(interleave) != "BAND";
    return {.rows = static_cast<std::uint64_t>(height),
            .cols = static_cast<std::uint64_t>(width),
            .all_planes = by_pixel && description_.bands > 1};
  }

  Result<> read(const Region& region, const MutableTensorView& out,
                const std::stop_token& stop) override {
    for (std::uint64_t band = 0; band < region.bands; ++band) {
      if (stop.stop_requested()) return fail(Errc::cancelled, "stopped");
      SILLAR_TRY(in_source(read_band(region, static_cast<int>(region.band + band) + 1,
                                     out.at(0, 0).at(0, band), stop),
                           path_));
    }
    const std::uint64_t size = out.byte_size();
    read_since_flush_ += size;
    if (read_since_flush_ > cached_bytes) {
      const GdalCall call;
      GDALFlushCache(dataset_.get());
      read_since_flush_ = 0;
    }
    return {};
  }

 private:
  Result<> read_band(const Region& region, int band, const MutableTensorView& out,
                     const std::stop_token& stop) {
    const GdalCall call;
    const auto size = static_cast<GSpacing>(size_of(description_.dtype));
    GDALRasterIOExtraArg extra;
    INIT_RASTERIO_EXTRA_ARG(extra);
    extra.pfnProgress = [](double, const char*, void* token) {
      return static_cast<const std::stop_token*>(token)->stop_requested() ? FALSE : TRUE;
    };
    // NOLINTNEXTLINE(*-const-cast): the callback above only reads it.
    extra.pProgressData = const_cast<std::stop_token*>(&stop);
    const CPLErr result = GDALRasterIOEx(
        GDALGetRasterBand(dataset_.get(), band), GF_Read, static_cast<int>(region.col),
        static_cast<int>(region.row), static_cast<int>(region.cols), static_cast<int>(region.rows),
        out.data(), static_cast<int>(region.cols), static_cast<int>(region.rows),
        *gdal_type_of(description_.dtype), out.strides()[1] * size, out.strides()[0] * size,
        &extra);
    if (result == CE_None && !call.failed()) return {};
    if (stop.stop_requested()) return fail(Errc::cancelled, "stopped");
    return call.error(Errc::malformed, "GDAL cannot read band " + std::to_string(band));
  }

  Dataset dataset_;
  RasterDescription description_;
  std::string path_;
  std::uint64_t read_since_flush_ = 0;
};

/// The path names a file, rather than something inside one or far away.
bool looks_like_a_path(const std::string& path) {
  return path.find(':') == std::string::npos && !path.starts_with("/vsi") &&
         path.find('<') == std::string::npos;
}

}  // namespace

Result<std::unique_ptr<RasterSource>> open_dataset(const std::string& path) {
  if (path.find('\0') != std::string::npos)
    return fail(Errc::bad_argument, "the path holds a zero byte");
  struct stat status{};
  if (looks_like_a_path(path) && ::stat(path.c_str(), &status) != 0)
    return fail_errno(Errc::not_found, "cannot open", errno);
  Dataset dataset;
  {
    const GdalCall call;
    dataset.reset(GDALOpenEx(path.c_str(),
                             GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, nullptr,
                             nullptr, nullptr));
    if (!dataset) return call.error(Errc::malformed, "GDAL does not know this kind of file");
  }
  const GdalCall call;
  SILLAR_TRY(RasterDescription description, describe(dataset.get(), path.c_str()));
  return std::make_unique<DatasetSource>(std::move(dataset), std::move(description), path);
}

}  // namespace sillar::convert
