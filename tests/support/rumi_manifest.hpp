// The manifest of the rumi corpus: what every file must give.
#pragma once

#include "golden.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sillar::testing {

struct RumiMetadata {
  std::uint64_t image_width, image_length, time_count, samples_per_pixel, tile_width, tile_length;
  std::uint64_t sample_format, bits_per_sample, frame_unit, tiles_across, tiles_down, frames;
  std::uint64_t base_frame_offset, trailer_offset, frame_byte_counts_sum;
  std::string encoding, frame_axes;
  std::uint64_t crs_model;
  std::optional<std::uint64_t> epsg;
  bool pixel_is_point;
  std::optional<std::array<double, 6>> transform;
  std::vector<std::string> band_texts;
  std::uint64_t time_type, time_bits, time_scale;
  std::int64_t time_epoch, time_step;
  std::vector<std::int64_t> time_coords;
};

struct RumiValid {
  std::string name, file;
  std::uint64_t size;
  bool geozl;  ///< frames need GeoZL codecs
  RumiMetadata metadata;
  Bytes header_blob;
  std::string sha256;

  [[nodiscard]] Bytes bytes() const { return golden("corpus/rumi/" + file); }
};

struct RumiValidBlob {
  std::string name;
  Bytes blob;
  std::uint64_t frames, base_frame_offset, last_offset, trailer_offset, count_min, count_bits;
  std::vector<std::uint64_t> counts_head;
};

struct RumiInvalid {
  std::string name, rule, detect, kind;  ///< `rule` as the corpus names it, without "rumi."
  bool geozl;
  std::string file;
  Bytes blob;         ///< of kind `blob`
  Bytes header_blob;  ///< that goes, or does not go, with the file

  [[nodiscard]] Bytes bytes() const { return golden("corpus/rumi/" + file); }
};

struct RumiManifest {
  std::vector<RumiValid> valid;
  std::vector<RumiValidBlob> valid_blobs;
  std::vector<RumiInvalid> invalid;

  [[nodiscard]] const RumiValid& valid_case(std::string_view name) const;
  [[nodiscard]] const RumiInvalid& invalid_case(std::string_view name) const;
};

/// Read once.
[[nodiscard]] const RumiManifest& rumi_manifest();

}  // namespace sillar::testing
