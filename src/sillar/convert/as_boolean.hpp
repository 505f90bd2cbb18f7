// Bytes that are all 0 or 1, as booleans.
#pragma once

#include <sillar/convert/raster.hpp>

#include <memory>

namespace sillar::convert {

/// `source`, whose samples are uint8, with samples of bool. Reading another value than 0 and 1
/// fails with bad_argument. Fails with bad_argument for another dtype; bool stays as it is.
[[nodiscard]] Result<std::unique_ptr<RasterSource>> as_boolean(
    std::unique_ptr<RasterSource> source);

}  // namespace sillar::convert
