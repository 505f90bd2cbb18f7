// The raster that a rumi file holds, and where its frames lie: pure arithmetic.
#pragma once

#include <sillar/base/report.hpp>
#include <sillar/rumi/format.hpp>
#include <sillar/tensor/view.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace sillar::rumi {

/// One frame: the tile location that it covers and, where it holds a tile, its band and time.
struct FramePlace {
  std::uint64_t row = 0;  ///< of the tile location
  std::uint64_t col = 0;
  std::uint64_t band = 0;  ///< 0 where the frame holds a cell
  std::uint64_t time = 0;
  std::uint64_t y = 0;  ///< first image row and column
  std::uint64_t x = 0;
  std::uint64_t height = 0;  ///< clipped to the image
  std::uint64_t width = 0;

  friend bool operator==(const FramePlace&, const FramePlace&) = default;
};

/// How far apart neighbours along t, b, y and x lie in a decoded frame, in elements. Axes that a
/// frame does not have are 0.
struct FrameStrides {
  std::int64_t time = 0;
  std::int64_t band = 0;
  std::int64_t row = 0;
  std::int64_t col = 0;
};

/// The fields that the IFD and the header blob both state ("Creating the header blob").
struct Layout {
  std::uint32_t image_width = 0;
  std::uint32_t image_length = 0;
  std::uint32_t time_count = 1;
  std::uint16_t samples_per_pixel = 1;
  std::uint16_t tile_width = 0;
  std::uint16_t tile_length = 0;
  const SampleEncoding* encoding = nullptr;  ///< an entry of `sample_encodings`
  const FrameUnit* unit = nullptr;           ///< an entry of `frame_units`

  friend bool operator==(const Layout&, const Layout&) = default;

  // What follows holds for a layout that `check_layout` accepts.

  [[nodiscard]] std::uint64_t bands() const { return samples_per_pixel; }
  [[nodiscard]] std::uint64_t times() const { return time_count; }
  [[nodiscard]] DType dtype() const { return encoding->dtype; }
  [[nodiscard]] bool frames_are_tiles() const { return unit->kind == FrameKind::tile; }

  /// (T, B, Y, X)
  [[nodiscard]] Shape shape() const {
    return {time_count, samples_per_pixel, image_length, image_width};
  }

  [[nodiscard]] std::uint64_t tiles_across() const { return ceil_div(image_width, tile_width); }
  [[nodiscard]] std::uint64_t tiles_down() const { return ceil_div(image_length, tile_length); }

  /// N ("Frame index"), or nothing where it leaves 64 bits.
  [[nodiscard]] std::optional<std::uint64_t> frame_count() const;

  /// Frame `index` < N.
  [[nodiscard]] FramePlace place(std::uint64_t index) const;

  /// The inverse of `place`; band and time are ignored where frames are cells.
  [[nodiscard]] std::uint64_t frame_index(std::uint64_t row, std::uint64_t col, std::uint64_t band,
                                          std::uint64_t time) const;

  /// The order of samples in a decoded frame of height x width ("frame_unit").
  [[nodiscard]] FrameStrides strides(std::uint64_t height, std::uint64_t width) const;

  /// The axes of a decoded frame as the specification writes them: "b h w".
  [[nodiscard]] std::string frame_axes() const;

  /// decoded_frame_bytes of a frame of height x width, or nothing where that leaves 64 bits.
  [[nodiscard]] std::optional<std::uint64_t> decoded_bytes(std::uint64_t height,
                                                           std::uint64_t width) const;

  /// How many values tag `index` has in a file of `frames` frames.
  [[nodiscard]] std::uint64_t tag_count(const Tag& tag, std::uint64_t frames) const;

  /// base_frame_offset of a file of `frames` frames, or nothing where it leaves 64 bits.
  [[nodiscard]] std::optional<std::uint64_t> base_frame_offset(std::uint64_t frames) const;
};

/// A stored number and the offset of its first byte.
struct StoredValue {
  std::uint64_t value = 0;
  std::uint64_t offset = 0;
};

/// The fields that decide how many frames there are, as they are stored.
struct StoredAxes {
  StoredValue image_width, image_length, time_count, samples_per_pixel, tile_width, tile_length,
      frame_unit;
};

/// The rules that a layout can break, by the names of the place where it stands.
struct LayoutRules {
  const Rule* zero_dimension;
  const Rule* sample_pair;
  const Rule* frame_unit;
  const Rule* frame_unit_axes;
};

inline constexpr LayoutRules ifd_layout_rules{&rules::ifd_zero_dimension, &rules::ifd_sample_pair,
                                              &rules::ifd_frame_unit, &rules::ifd_frame_unit_axes};
inline constexpr LayoutRules blob_layout_rules{&rules::blob_zero_dimension,
                                               &rules::blob_sample_pair, &rules::blob_frame_unit,
                                               &rules::blob_frame_unit_axes};

/// Judges dimensions and frame unit; a layout that lacks only its encoding, where no rule is
/// broken.
[[nodiscard]] std::optional<Layout> check_axes(const StoredAxes& stored, const LayoutRules& rules,
                                               Report& report);

/// Judges a sample pair; the encoding where it is listed, else null.
[[nodiscard]] const SampleEncoding* check_encoding(const StoredValue& sample_format,
                                                   const StoredValue& bits_per_sample,
                                                   const LayoutRules& rules, Report& report);

}  // namespace sillar::rumi
