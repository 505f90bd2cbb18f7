// Moves all samples from a source to a target, in pieces that suit both.
#pragma once

#include <sillar/convert/raster.hpp>
#include <sillar/exec/pool.hpp>
#include <sillar/io/byte_source.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace sillar::convert {

/// Told how much is done; called by one thread at a time.
using Progress = std::function<void(std::uint64_t done_bytes, std::uint64_t total_bytes)>;

struct TransferOptions {
  exec::Pool* pool = nullptr;
  std::uint64_t piece_bytes =
      std::uint64_t{32} << 20;  ///< of one thread; a piece is never less than the target's grain
  io::ReadControl control{};
  Progress progress{};
};

/// How pieces grow beyond the grain of the target.
enum class PieceShape : std::uint8_t {
  compact,  ///< to what the source decodes at once: many threads move a piece each
  wide,     ///< to bands of rows: one thread moves them all, and its source may read with many
};

/// The pieces of a raster, in the order in which they are moved: each on the target's grid, and
/// large enough that the source decodes little twice, as far as `piece_bytes` allows.
class Pieces {
 public:
  Pieces(const RasterDescription& raster, Grain source, Grain target, std::uint64_t piece_bytes,
         PieceShape shape = PieceShape::compact);

  [[nodiscard]] std::uint64_t count() const { return down_ * across_ * plane_groups_; }
  [[nodiscard]] Region at(std::uint64_t index) const;

  /// Rows, columns, times and bands of a piece that is not cut by the edge.
  [[nodiscard]] const Region& extent() const { return extent_; }

 private:
  Shape shape_;
  Region extent_;
  std::uint64_t down_ = 0;
  std::uint64_t across_ = 0;
  std::uint64_t plane_groups_ = 0;
  std::uint64_t band_groups_ = 0;
};

/// Moves every sample; does not finish the target. A target that is not concurrent gets its pieces
/// in their order from the calling thread, and the same ones at any number of threads: then the
/// threads are those of the source. Memory stays within `piece_bytes`, or one grain of the target,
/// for each thread that moves pieces. Fails as source and target do, or cancelled.
[[nodiscard]] Result<> transfer(RasterSource& source, RasterTarget& target,
                                const TransferOptions& options);

}  // namespace sillar::convert
