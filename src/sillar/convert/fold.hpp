// Folds the bands of a flat raster into times and bands, and unfolds them again.
#pragma once

#include <sillar/convert/raster.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sillar::convert {

/// Which of the two runs slower through the planes of a flat raster.
enum class FoldOrder : std::uint8_t {
  time_major,  ///< "tb": plane = time * bands + band
  band_major,  ///< "bt": plane = band * times + time
};

[[nodiscard]] Result<FoldOrder> fold_order_of(std::string_view word);

/// The plane of a time and band in a raster of `times` x `bands`.
[[nodiscard]] constexpr std::uint64_t plane_of(FoldOrder order, std::uint64_t time,
                                               std::uint64_t band, std::uint64_t times,
                                               std::uint64_t bands) {
  return order == FoldOrder::time_major ? time * bands + band : band * times + time;
}

/// What `plane_texts` was made of, where all of `texts` have that form.
struct PlaneLabels {
  std::vector<std::string> band_texts;
  std::vector<rumi::Period> periods;
  FoldOrder order = FoldOrder::time_major;
};

/// `source`, which has one time, as one of `times` times; its planes are in `order`. Band texts and
/// times are those of `labels`, else band texts stay where every date has the same ones. Fails with
/// bad_argument where the planes do not divide.
[[nodiscard]] Result<std::unique_ptr<RasterSource>> fold(
    std::unique_ptr<RasterSource> source, std::uint64_t times, FoldOrder order,
    const std::optional<PlaneLabels>& labels = {});

/// A text and a time for every plane of a flat raster that holds `raster`, in `order`: "text" where
/// `with_time` is false, else "text, 2024-01-31T10:20:30Z" (an interval as "text, A/B").
[[nodiscard]] std::vector<std::string> plane_texts(const RasterDescription& raster, FoldOrder order,
                                                   bool with_time);

/// The inverse of `plane_texts`. Nothing where the texts do not come from a whole grid of distinct
/// band texts and rising times; a single time is looked for only without `order`.
[[nodiscard]] std::optional<PlaneLabels> read_plane_texts(const std::vector<std::string>& texts,
                                                          std::optional<FoldOrder> order);

}  // namespace sillar::convert
