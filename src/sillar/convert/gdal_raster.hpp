// Rasters that GDAL reads, and GeoTIFF files that it writes. libgdal is loaded on first use.
#pragma once

#include <sillar/convert/fold.hpp>
#include <sillar/convert/raster.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace sillar::convert {

struct GeotiffOptions {
  FoldOrder order = FoldOrder::time_major;  ///< of the planes of a cube
  bool overwrite = false;
  std::size_t threads = 1;  ///< that compress; the file is the same for any number
};

/// Opens whatever GDAL reads: a path or one of its connection strings. The raster has one time, and
/// GDAL's bands. 8-bit samples are int8 where PIXELTYPE says so, and bool where NBITS is 1. Fails
/// with not_found, unsupported (no GDAL: what to install; complex integers; bands of several
/// types), malformed (GDAL's own words) or io.
[[nodiscard]] Result<std::unique_ptr<RasterSource>> open_with_gdal(const std::string& path);

/// A GeoTIFF: tiles of 256 x 256, DEFLATE, planes apart, every plane described by its band text
/// (and time, where there are several or an interval). Fails with unsupported (no GDAL; a dtype
/// that GDAL lacks), exists, not_found or io.
[[nodiscard]] Result<std::unique_ptr<RasterTarget>> create_geotiff(const std::string& path,
                                                                   const RasterDescription& raster,
                                                                   const GeotiffOptions& options);

/// "GDAL 3.6.2". Fails with unsupported.
[[nodiscard]] Result<std::string> gdal_description();

}  // namespace sillar::convert
