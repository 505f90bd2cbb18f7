// A picture of a raster, small enough to look at.
#pragma once

#include <sillar/base/error.hpp>
#include <sillar/look/picture.hpp>
#include <sillar/tensor/view.hpp>

#include <cstdint>
#include <optional>

namespace sillar::look {

struct QuicklookOptions {
  std::uint32_t most_pixels =
      1024;                       ///< of the longer side; larger rasters are reduced by whole steps
  double low_percentile = 2;      ///< this value and those below become black
  double high_percentile = 98;    ///< this value and those above become white
  std::optional<double> missing;  ///< a value that stands for no data; black, and not counted
};

/// Pictures `samples`, (bands, y, x) of any strides and dtype with one band (grey) or three (red,
/// green, blue), each stretched between its own percentiles. NaN and infinite samples are black; a
/// constant band is mid grey. Row 0 is at the top. Fails with bad_argument for another shape.
[[nodiscard]] Result<Picture> quicklook(const TensorView& samples,
                                        const QuicklookOptions& options = {});

}  // namespace sillar::look
