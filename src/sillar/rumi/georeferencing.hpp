// Where a raster lies: a CRS by EPSG code and an affine, in two tags of fixed size.
#pragma once

#include <sillar/base/report.hpp>
#include <sillar/geo/affine.hpp>
#include <sillar/rumi/format.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace sillar::rumi {

/// What both georeferencing tags say ("Georeferencing").
struct Georeference {
  CrsModel model = CrsModel::none;
  std::uint16_t epsg = 0;       ///< 0 without a CRS
  bool pixel_is_point = false;  ///< the matrix maps the centre of pixel (0, 0), not its corner
  geo::Affine transform;        ///< the stored matrix; the identity without a CRS

  friend bool operator==(const Georeference&, const Georeference&) = default;

  [[nodiscard]] bool defined() const { return model != CrsModel::none; }

  /// The transform by pixel corners. Nothing without a CRS.
  [[nodiscard]] std::optional<geo::Affine> corner_transform() const {
    if (!defined()) return std::nullopt;
    return geo::corner_transform(transform, pixel_is_point);
  }
};

/// Both tags as they lie before the first frame.
using GeoreferencingBytes = std::array<std::byte, georeferencing_size>;

/// Judges both tags; `base` is their offset in the file.
[[nodiscard]] std::optional<Georeference> check_georeferencing(
    std::span<const std::byte, georeferencing_size> bytes, std::uint64_t base, Report& report);

/// The bytes of both tags. Without a CRS the matrix is the fixed one.
[[nodiscard]] GeoreferencingBytes make_georeferencing(const Georeference& georeference);

/// What a writer asks of an affine.
enum class AffineDemand {
  regular,  ///< finite, and with an inverse
  none,     ///< what a file had is copied
};

/// Judges a georeference to be written: an affine as demanded, or no CRS and the identity. The
/// model must already be that of the registry. Fails with bad_argument.
[[nodiscard]] Result<> check_for_writing(const Georeference& georeference, AffineDemand demand);

}  // namespace sillar::rumi
