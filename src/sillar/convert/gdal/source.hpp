// A GDAL dataset as a source of samples.
#pragma once

#include <memory>
#include <string>

#include <sillar/convert/raster.hpp>

namespace sillar::convert {

[[nodiscard]] Result<std::unique_ptr<RasterSource>> open_dataset(const std::string& path);

}  // namespace sillar::convert
