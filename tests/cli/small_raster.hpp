// Rumi files: one of a few hundred bytes, whose samples say where they are, and others of any size.
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

/// A rumi file of uint8 samples that repeat little, in tiles of `tile` x `tile`; no CRS.
[[nodiscard]] inline std::string large_raster(const Shape& shape, std::uint64_t tile) {
  rumi::Content content;
  content.layout = rumi::layout_of(shape, DType::u8, tile, tile, 0).value();
  for (std::uint64_t band = 1; band <= shape[1]; ++band)
    content.trailer.band_texts.push_back("band " + std::to_string(band));
  std::vector<rumi::Seconds> days;
  for (std::uint64_t time = 0; time < shape[0]; ++time)
    days.push_back(static_cast<rumi::Seconds>(time) * 86400);
  content.trailer.times = rumi::TimeAxis::make(rumi::TimeType::instant, days).value();
  std::vector<std::byte> samples(count_of(shape).value());
  std::uint64_t state = 1;
  for (std::byte& sample : samples) {
    state = state * 6364136223846793005 + 1442695040888963407;
    sample = static_cast<std::byte>(state >> 60);  // four bits of noise: there is work to do
  }
  std::vector<std::byte> file;
  rumi::write(io::memory_sink(file), content, TensorView(samples.data(), DType::u8, shape)).value();
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}

}  // namespace sillar::cli::testing
