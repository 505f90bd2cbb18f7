// What a GDAL dataset says of itself, in the neutral model.
#pragma once

#include <sillar/convert/raster.hpp>

#include <gdal.h>

namespace sillar::convert {

/// Describes `dataset`, which was opened from `path`. Fails with unsupported (types, no bands) or
/// bad_argument (a container of several rasters, which are named).
[[nodiscard]] Result<RasterDescription> describe(GDALDatasetH dataset, const char* path);

}  // namespace sillar::convert
