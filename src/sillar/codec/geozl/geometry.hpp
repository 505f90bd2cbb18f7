// The shape that a predictor sees in a stream: planes of rows.
#pragma once

#include <sillar/base/error.hpp>
#include <sillar/codec/geozl/words.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace sillar::codec::geozl {

/// A stream of planes * rows * width samples; each plane is predicted on its own.
struct Geometry {
  std::size_t width = 1;
  std::size_t rows = 0;
  std::size_t planes = 1;

  [[nodiscard]] std::size_t plane_size() const { return width * rows; }
};

/// Judges the fields of a header against `count` samples. Fails with codec where they do not make
/// whole rows and planes.
[[nodiscard]] Result<Geometry> make_geometry(std::uint32_t width, std::uint32_t planes,
                                             std::uint64_t count);

/// Reads a header of 4 (width) or 8 bytes (width, planes).
[[nodiscard]] Result<Geometry> read_geometry(std::span<const std::byte> header,
                                             std::uint64_t count);

}  // namespace sillar::codec::geozl
