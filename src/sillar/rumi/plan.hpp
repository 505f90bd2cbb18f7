// From a selection to frames and byte ranges, without reading any.
#pragma once

#include <sillar/base/limits.hpp>
#include <sillar/io/byte_source.hpp>
#include <sillar/rumi/header_blob.hpp>
#include <sillar/rumi/selection.hpp>

#include <cstdint>
#include <vector>

namespace sillar::rumi {

/// One frame to fetch and decode.
struct PlannedFrame {
  std::uint64_t index = 0;
  io::ByteRange range;

  friend bool operator==(const PlannedFrame&, const PlannedFrame&) = default;
};

/// Places [first, first + count) of the output's axis take indices start, start + step, ... of the
/// raster's.
struct AxisRun {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::uint64_t start = 0;
  std::int64_t step = 1;
};

/// Everything that a read will do. A value: it can be printed, compared, and carried out more than
/// once.
struct Plan {
  Layout layout;
  ResolvedSelection selection;
  std::vector<PlannedFrame> frames;  ///< each once, in file order
  std::vector<AxisRun> band_runs;    ///< the selection's bands and times as few runs
  std::vector<AxisRun> time_runs;

  [[nodiscard]] DType dtype() const { return layout.dtype(); }

  /// Bytes that will be fetched.
  [[nodiscard]] std::uint64_t fetched_bytes() const;

  /// Bytes that the frames decode to.
  [[nodiscard]] std::uint64_t decoded_bytes() const;

  /// Bytes of the output.
  [[nodiscard]] std::uint64_t output_bytes() const;
};

/// Plans the read of a resolved selection. Fails with over_limit (frames, a decoded frame, the
/// output), before anything of that size is allocated.
[[nodiscard]] Result<Plan> make_plan(const Header& header, ResolvedSelection selection,
                                     const Limits& limits);

}  // namespace sillar::rumi
