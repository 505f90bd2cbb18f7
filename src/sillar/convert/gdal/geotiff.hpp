// A GeoTIFF being written by GDAL.
#pragma once

#include <sillar/convert/gdal_raster.hpp>

#include <memory>
#include <string>

namespace sillar::convert {

[[nodiscard]] Result<std::unique_ptr<RasterTarget>> create_dataset(const std::string& path,
                                                                   const RasterDescription& raster,
                                                                   const GeotiffOptions& options);

}  // namespace sillar::convert
