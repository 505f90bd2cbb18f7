// A raster in memory as a source, and as a target that keeps what it is given.
#pragma once

#include <sillar/convert/raster.hpp>
#include <sillar/tensor/copy.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace sillar::convert::testing {

/// uint16 samples that are their own position: plane * 1000 + row * 50 + col, as (t, b, y, x).
inline std::vector<std::uint16_t> numbered(const Shape& shape) {
  std::vector<std::uint16_t> samples;
  for (std::uint64_t plane = 0; plane < shape[0] * shape[1]; ++plane) {
    for (std::uint64_t row = 0; row < shape[2]; ++row) {
      for (std::uint64_t col = 0; col < shape[3]; ++col)
        samples.push_back(static_cast<std::uint16_t>(plane * 1000 + row * 50 + col));
    }
  }
  return samples;
}

class MemorySource final : public RasterSource {
 public:
  MemorySource(RasterDescription description, std::vector<std::byte> bytes, Grain grain = {})
      : description_(std::move(description)), bytes_(std::move(bytes)), grain_(grain) {}

  const RasterDescription& description() const override { return description_; }
  Grain grain() const override { return grain_; }

  Result<> read(const Region& region, const MutableTensorView& out,
                const std::stop_token&) override {
    const TensorView all(bytes_.data(), description_.dtype, description_.shape());
    copy(out, all.slice(0, region.time, region.times)
                  .slice(1, region.band, region.bands)
                  .slice(2, region.row, region.rows)
                  .slice(3, region.col, region.cols));
    return {};
  }

 private:
  RasterDescription description_;
  std::vector<std::byte> bytes_;
  Grain grain_;
};

template <class Sample>
std::vector<std::byte> bytes_of_samples(const std::vector<Sample>& samples) {
  std::vector<std::byte> bytes(samples.size() * sizeof(Sample));
  std::memcpy(bytes.data(), samples.data(), bytes.size());
  return bytes;
}

/// A source of `times` x `bands` x 3 x 4 numbered samples.
inline std::unique_ptr<RasterSource> numbered_source(std::uint64_t times, std::uint64_t bands) {
  RasterDescription raster;
  raster.dtype = DType::u16;
  raster.times = times;
  raster.bands = bands;
  raster.rows = 3;
  raster.cols = 4;
  return std::make_unique<MemorySource>(raster, bytes_of_samples(numbered(raster.shape())));
}

/// All samples of a source, in C order (t, b, y, x).
inline Result<std::vector<std::byte>> read_all(RasterSource& source) {
  const RasterDescription& raster = source.description();
  std::vector<std::byte> bytes(raster.times * raster.bands * raster.rows * raster.cols *
                               size_of(raster.dtype));
  SILLAR_TRY(source.read({0, raster.times, 0, raster.bands, 0, raster.rows, 0, raster.cols},
                         MutableTensorView(bytes.data(), raster.dtype, raster.shape()), {}));
  return bytes;
}

}  // namespace sillar::convert::testing
