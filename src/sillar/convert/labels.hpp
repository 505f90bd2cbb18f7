// What a person assigns to an output: times as text, and the words that name them.
#pragma once

#include <sillar/convert/fold.hpp>
#include <sillar/convert/losses.hpp>
#include <sillar/convert/raster.hpp>
#include <sillar/geo/crs.hpp>
#include <sillar/rumi/writer.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sillar::convert {

/// A time as `--set-time` takes it: an ISO 8601 instant, "A/B" for an interval, or a whole number
/// of seconds since 1970-01-01T00:00:00Z. Fails with bad_argument, also for four or eight digits
/// without a sign, which look like a year or a date.
[[nodiscard]] Result<rumi::Period> parse_period_label(std::string_view text);

/// "2024-01-31T10:20:30Z", or "A/B".
[[nodiscard]] std::string text_of(const rumi::Period& period);

/// What replaces or fills in parts of a source's description.
struct Assignments {
  std::vector<std::string> band_texts;  ///< one a band, or none
  std::vector<rumi::Period> periods;    ///< one a time, or none
  std::optional<std::uint32_t> epsg;
  std::optional<geo::Affine> transform;  ///< the stored matrix
  bool pixel_is_point = false;           ///< sets it; without it the source decides
  bool undated = false;                  ///< the instant 1970-01-01 where there is no time
  std::optional<FoldOrder> fold;
};

/// Whether a target wants a text for every band and a time for every step.
enum class Labels : std::uint8_t { required, optional };

/// `raster` with the assignments in place. Where labels are required, band texts are the assigned
/// ones, else the source's when they are usable and distinct, else "band 1", "band 2", ... Fails
/// with bad_argument where numbers of texts or times do not fit, or a required time is missing (the
/// option to add is named).
[[nodiscard]] Result<RasterDescription> assign(RasterDescription raster,
                                               const Assignments& assignments, Labels labels);

/// The file content that holds `raster`. `registry` gives the kind of its CRS. A georeference
/// `kept` from another file stands as it is, even where nobody would write it anew. Fails with
/// bad_argument.
[[nodiscard]] Result<rumi::Content> content_of(const RasterDescription& raster,
                                               const rumi::Layout& layout,
                                               const geo::CrsRegistry& registry,
                                               const std::optional<rumi::Georeference>& kept = {});

/// The axis of these periods. Fails with bad_argument where instants and intervals are mixed, or as
/// `rumi::TimeAxis::make` does.
[[nodiscard]] Result<rumi::TimeAxis> time_axis_of(const std::vector<rumi::Period>& periods);

/// The periods of an axis.
[[nodiscard]] std::vector<rumi::Period> periods_of(const rumi::TimeAxis& axis);

}  // namespace sillar::convert
