// Reduce, stretch, paint.
#include <sillar/look/quicklook.hpp>

#include <sillar/tensor/numeric.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace sillar::look {
namespace {

/// One band reduced to `height` x `width` means of step x step blocks. A block without a valid
/// sample is NaN.
struct Band {
  std::uint64_t height;
  std::uint64_t width;
  std::vector<double> values;
};

Band reduce(const TensorView& band, std::uint64_t step, const std::optional<double>& missing) {
  Band reduced{.height = ceil_div(band.extent(0), step),
               .width = ceil_div(band.extent(1), step),
               .values = {}};
  reduced.values.reserve(reduced.height * reduced.width);
  const auto size = static_cast<std::int64_t>(size_of(band.dtype()));
  const std::int64_t row_stride = band.strides()[0] * size;
  const std::int64_t col_stride = band.strides()[1] * size;
  for (std::uint64_t y0 = 0; y0 < band.extent(0); y0 += step) {
    for (std::uint64_t x0 = 0; x0 < band.extent(1); x0 += step) {
      double sum = 0;
      std::uint64_t count = 0;
      for (std::uint64_t y = y0; y < std::min(y0 + step, band.extent(0)); ++y) {
        const std::byte* row = band.data() + static_cast<std::int64_t>(y) * row_stride;
        for (std::uint64_t x = x0; x < std::min(x0 + step, band.extent(1)); ++x) {
          const double value =
              load_as_double(row + static_cast<std::int64_t>(x) * col_stride, band.dtype());
          if (!std::isfinite(value) || value == missing) continue;
          sum += value;
          ++count;
        }
      }
      reduced.values.push_back(count > 0 ? sum / static_cast<double>(count)
                                         : std::numeric_limits<double>::quiet_NaN());
    }
  }
  return reduced;
}

struct Range {
  double low;
  double high;
};

/// The values at two percentiles of the valid samples; nothing where there are none.
std::optional<Range> stretch_of(const Band& band, double low, double high) {
  std::vector<double> valid;
  std::ranges::copy_if(band.values, std::back_inserter(valid),
                       [](double value) { return !std::isnan(value); });
  if (valid.empty()) return std::nullopt;
  const auto at = [&valid](double percentile) {
    const double rank =
        std::clamp(percentile, 0.0, 100.0) / 100 * static_cast<double>(valid.size() - 1);
    const auto nth = valid.begin() + static_cast<std::ptrdiff_t>(std::lround(rank));
    std::ranges::nth_element(valid, nth);
    return *nth;
  };
  return Range{at(low), at(high)};
}

std::uint8_t shade(double value, const Range& range) {
  if (std::isnan(value)) return 0;
  if (range.high <= range.low) return 128;
  const double share = std::clamp((value - range.low) / (range.high - range.low), 0.0, 1.0);
  return static_cast<std::uint8_t>(std::lround(share * 255));
}

}  // namespace

Result<Picture> quicklook(const TensorView& samples, const QuicklookOptions& options) {
  if (samples.rank() != 3 || (samples.extent(0) != 1 && samples.extent(0) != 3) ||
      samples.count() == 0 || options.most_pixels == 0) {
    return fail(Errc::bad_argument, "a quicklook takes one band, or three as red, green and blue");
  }
  const std::uint64_t step =
      ceil_div(std::max(samples.extent(1), samples.extent(2)), options.most_pixels);
  const auto channels = static_cast<std::uint32_t>(samples.extent(0));
  Picture picture;
  for (std::uint32_t channel = 0; channel < channels; ++channel) {
    const Band band = reduce(samples.at(0, channel), step, options.missing);
    const auto range = stretch_of(band, options.low_percentile, options.high_percentile);
    if (picture.samples.empty()) {
      picture = {.width = static_cast<std::uint32_t>(band.width),
                 .height = static_cast<std::uint32_t>(band.height),
                 .channels = channels,
                 .samples = std::vector<std::uint8_t>(band.values.size() * channels)};
    }
    for (std::size_t i = 0; range && i < band.values.size(); ++i) {
      picture.samples[i * channels + channel] = shade(band.values[i], *range);
    }
  }
  return picture;
}

}  // namespace sillar::look
