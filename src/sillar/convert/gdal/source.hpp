// A GDAL dataset as a source of samples.
#pragma once

#include <sillar/convert/raster.hpp>

#include <memory>
#include <string>

namespace sillar::convert {

[[nodiscard]] Result<std::unique_ptr<RasterSource>> open_dataset(const std::string& path);

}  // namespace sillar::convert
