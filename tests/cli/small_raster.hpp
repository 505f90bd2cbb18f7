// A rumi file of a few hundred bytes, whose samples say where they are.
#pragma once

#include <sillar/io/sink.hpp>
#include <sillar/rumi/writer.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sillar::cli::testing {

/// Sample (t, b, y, x) of the small raster.
[[nodiscard]] constexpr char small_sample(unsigned t, unsigned b, unsigned y, unsigned x) {
  return static_cast<char>(100 * t + 50 * b + 4 * y + x);
}

/// All samples in the order (t, b, y, x): 2 times, 2 bands, 3 rows, 4 columns.
[[nodiscard]] inline std::string small_samples() {
  std::string samples;
  for (unsigned t = 0; t < 2; ++t) {
    for (unsigned b = 0; b < 2; ++b) {
      for (unsigned y = 0; y < 3; ++y) {
        for (unsigned x = 0; x < 4; ++x) samples += small_sample(t, b, y, x);
      }
    }
  }
  return samples;
}

/// The file: `dtype` has one byte; tiles of 2 x 2; EPSG:32719, pixels of 10 m, corner (500000,
/// 8000000); bands "red" and "near, infrared"; days 2024-01-01 and 2024-02-01.
[[nodiscard]] inline std::string small_raster(DType dtype = DType::u8) {
  constexpr rumi::Seconds day = 86400;
  rumi::Content content;
  content.layout = rumi::layout_of({2, 2, 3, 4}, dtype, 2, 2, 0).value();
  content.georeference = {.model = rumi::CrsModel::projected,
                          .epsg = 32719,
                          .pixel_is_point = false,
                          .transform = geo::Affine::of({10, 0, 500000, 0, -10, 8000000})};
  content.trailer.band_texts = {"red", "near, infrared"};
  const std::vector<rumi::Seconds> days = {19723 * day, 19754 * day};
  content.trailer.times = rumi::TimeAxis::make(rumi::TimeType::instant, days).value();
  const std::string samples = small_samples();
  std::vector<std::byte> file;
  const TensorView view(reinterpret_cast<const std::byte*>(samples.data()), dtype, {2, 2, 3, 4});
  rumi::write(io::memory_sink(file), content, view).value();
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}

}  // namespace sillar::cli::testing
