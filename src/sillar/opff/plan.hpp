// Arithmetic on a geometry: sizes, strides, byte ranges, windows. No I/O, no allocation of samples.
//
//     0        64                                   expected_size            file size
//     +--------+---------+---------+-----+----------+------------------------+
//     | header | frame 0 | frame 1 | ... | frame n  | footer, often empty    |
//     +--------+---------+---------+-----+----------+------------------------+
//
//     interleaved frame: (y, x, channel)        planar frame: (channel, y, x)
#pragma once

#include <sillar/base/error.hpp>
#include <sillar/io/byte_source.hpp>
#include <sillar/opff/format.hpp>
#include <sillar/tensor/view.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace sillar::opff {

/// The extents of an array, the type of its samples and how they lie.
struct Geometry {
  const Depth* depth = &depth_table[1];
  Layout layout = Layout::interleaved;
  std::uint64_t frames = 1;
  std::uint64_t channels = 1;
  std::uint64_t height = 1;
  std::uint64_t width = 1;

  /// Eight samples share a byte.
  [[nodiscard]] bool is_bitmap() const { return depth->size == 0; }

  /// (frame, channel, y, x), whatever the layout.
  [[nodiscard]] Shape shape() const { return {frames, channels, height, width}; }

  friend bool operator==(const Geometry&, const Geometry&) = default;
};

/// What a header says of the array. `header.depth` is one of the nine codes.
[[nodiscard]] Geometry geometry_of(const Header& header);

/// Succeeds where a header can hold the geometry. Fails with bad_argument, by the rule that a
/// writer would break, and names the axis.
[[nodiscard]] Result<> check_geometry(const Geometry& geometry);

/// The header of a geometry that `check_geometry` accepts.
[[nodiscard]] Header header_of(const Geometry& geometry, char letter = core_letter,
                               std::uint32_t start_id = 0);

/// Bytes of all samples, or nothing where that leaves 64 bits (no header can say so).
[[nodiscard]] std::optional<std::uint64_t> payload_size(const Geometry& geometry);

/// Header and samples, likewise.
[[nodiscard]] std::optional<std::uint64_t> expected_size(const Geometry& geometry);

// From here on: of a geometry that `check_geometry` accepts, so nothing overflows.

/// Bytes of one channel of one frame. Where channels are interleaved it does not lie in one piece.
[[nodiscard]] std::uint64_t plane_size(const Geometry& geometry);

/// Bytes of one frame, which always lies in one piece.
[[nodiscard]] std::uint64_t frame_size(const Geometry& geometry);

/// Where frame `index` < frames lies in the file.
[[nodiscard]] io::ByteRange frame_range(const Geometry& geometry, std::uint64_t index);

/// Where all samples lie in the file.
[[nodiscard]] io::ByteRange payload_range(const Geometry& geometry);

/// One sample.
struct Position {
  std::uint64_t frame = 0;
  std::uint64_t channel = 0;
  std::uint64_t y = 0;
  std::uint64_t x = 0;
};

/// The first byte of a sample in the file; of a bitmap, the byte that holds it.
[[nodiscard]] std::uint64_t sample_offset(const Geometry& geometry, const Position& at);

/// The samples at `payload` as (frame, channel, y, x) of the depth's dtype; of a bitmap the packed
/// bytes as (frame, channel, byte) of u8. `payload` holds `payload_size` bytes and outlives the
/// view.
[[nodiscard]] TensorView view_of(const Geometry& geometry, const std::byte* payload);
[[nodiscard]] MutableTensorView view_of(const Geometry& geometry, std::byte* payload);

/// `extent` indices of an axis from `start` on.
struct IndexRange {
  std::uint64_t start = 0;
  std::uint64_t extent = 0;

  friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

/// A part of an array; what is left out is taken whole.
struct Selection {
  std::optional<IndexRange> frames;
  std::optional<IndexRange> channels;
  std::optional<IndexRange> rows;
  std::optional<IndexRange> columns;
};

/// A selection with every range filled in and held against a geometry.
struct Window {
  IndexRange frames;
  IndexRange channels;
  IndexRange rows;
  IndexRange columns;

  [[nodiscard]] Shape shape() const {
    return {frames.extent, channels.extent, rows.extent, columns.extent};
  }
};

/// Fails with bad_argument where a range is empty or leaves its axis, which is named.
[[nodiscard]] Result<Window> window_of(const Selection& selection, const Geometry& geometry);

/// The part of `view`, which is (frame, channel, y, x), that a window names. Nothing is copied.
[[nodiscard]] TensorView select(const TensorView& view, const Window& window);

/// The same samples as another dtype: same footprint, no value changes. Fails with bad_argument,
/// which names both; booleans are refused, since any byte may be stored.
[[nodiscard]] Result<TensorView> reinterpret(const TensorView& view, DType dtype);

}  // namespace sillar::opff
