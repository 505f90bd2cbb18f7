// The neutral model of a raster, between the formats that hold it.
#pragma once

#include <sillar/base/error.hpp>
#include <sillar/geo/affine.hpp>
#include <sillar/rumi/iso8601.hpp>
#include <sillar/tensor/view.hpp>

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace sillar::convert {

/// What a source may hold beyond samples, CRS by EPSG code, affine, band texts and times.
enum class ExtraKind : std::uint8_t {
  nodata,
  crs,        ///< a CRS that is no entry of EPSG
  transform,  ///< an affine that has no CRS
  gcps,
  rpcs,
  mask,
  scale,  ///< scale and offset of the values
  overviews,
  statistics,
  colour_table,
  categories,
  metadata,
};

struct Extra {
  ExtraKind kind = ExtraKind::metadata;
  std::string detail;  ///< what it is, with its values

  friend bool operator==(const Extra&, const Extra&) = default;
};

/// A CRS as its source names it.
struct Crs {
  std::optional<std::uint32_t> epsg;  ///< only where the CRS is that entry of EPSG
  std::string name;                   ///< for people; may be empty

  friend bool operator==(const Crs&, const Crs&) = default;
};

/// Everything about a raster but its samples.
struct RasterDescription {
  DType dtype = DType::u8;
  std::uint64_t times = 1;
  std::uint64_t bands = 1;
  std::uint64_t rows = 1;
  std::uint64_t cols = 1;

  std::optional<Crs> crs;
  std::optional<geo::Affine>
      transform;  ///< maps pixel centres where `pixel_is_point`, else corners
  bool pixel_is_point = false;

  std::vector<std::string> band_texts;  ///< one a band, or none
  std::vector<rumi::Period> periods;    ///< one a time, or none; all instants or all intervals
  std::string periods_origin;           ///< where a source that is not told its times found them

  std::vector<Extra> extras;

  /// (T, B, Y, X)
  [[nodiscard]] Shape shape() const { return {times, bands, rows, cols}; }

  friend bool operator==(const RasterDescription&, const RasterDescription&) = default;
};

/// A box in (t, b, y, x).
struct Region {
  std::uint64_t time = 0;
  std::uint64_t times = 1;
  std::uint64_t band = 0;
  std::uint64_t bands = 1;
  std::uint64_t row = 0;
  std::uint64_t rows = 1;
  std::uint64_t col = 0;
  std::uint64_t cols = 1;

  [[nodiscard]] Shape shape() const { return {times, bands, rows, cols}; }

  friend bool operator==(const Region&, const Region&) = default;
};

/// How samples lie together in a source or target: what is decoded or encoded at once.
struct Grain {
  std::uint64_t rows = 1;
  std::uint64_t cols = 1;
  bool all_planes = false;  ///< all bands and times of a place together, else one of them
};

/// Where samples come from.
class RasterSource {
 public:
  RasterSource() = default;
  RasterSource(const RasterSource&) = delete;
  RasterSource& operator=(const RasterSource&) = delete;
  virtual ~RasterSource() = default;

  [[nodiscard]] virtual const RasterDescription& description() const = 0;
  [[nodiscard]] virtual Grain grain() const = 0;

  /// `read` may be called by many threads at once.
  [[nodiscard]] virtual bool concurrent() const { return false; }

  /// Fills `out`, of the region's shape, the description's dtype and any strides, in native byte
  /// order. The region lies inside. Fails with io, malformed, cancelled and the like.
  [[nodiscard]] virtual Result<> read(const Region& region, const MutableTensorView& out,
                                      const std::stop_token& stop) = 0;
};

/// Where samples go. Destroyed without a successful `finish()` it leaves nothing behind.
class RasterTarget {
 public:
  RasterTarget() = default;
  RasterTarget(const RasterTarget&) = delete;
  RasterTarget& operator=(const RasterTarget&) = delete;
  virtual ~RasterTarget() = default;

  /// Regions that are put begin on this grid, and end on it or at the raster's edge.
  [[nodiscard]] virtual Grain grain() const = 0;

  /// `put` may be called by many threads at once, in any order, without a change of the bytes.
  [[nodiscard]] virtual bool concurrent() const { return false; }

  /// Takes the samples of a region. Each sample is put once.
  [[nodiscard]] virtual Result<> put(const Region& region, const TensorView& samples) = 0;

  /// Puts the whole file under its name.
  [[nodiscard]] virtual Result<> finish() = 0;
};

}  // namespace sillar::convert
