// A part of a raster as a raster of its own.
#pragma once

#include <sillar/convert/raster.hpp>
#include <sillar/rumi/selection.hpp>

#include <memory>

namespace sillar::convert {

/// The selected bands, times and window of `source`, whose affine follows the window. Fails as
/// `rumi::resolve` does; with bad_argument for another order of axes, padding, or texts that the
/// source does not have.
[[nodiscard]] Result<std::unique_ptr<RasterSource>> select(std::unique_ptr<RasterSource> source,
                                                           const rumi::Selection& selection);

}  // namespace sillar::convert
