// What a conversion would lose, and whether that stops it.
#pragma once

#include <sillar/convert/raster.hpp>

#include <string_view>
#include <vector>

namespace sillar::convert {

/// The word of `--drop`: "nodata", "crs", ..., "colour-table".
[[nodiscard]] std::string_view name_of(ExtraKind kind);

/// Lost only on purpose; all others are lost with a warning.
[[nodiscard]] bool must_be_dropped(ExtraKind kind);

/// What may be lost on purpose: a set of kinds.
class DropList {
 public:
  DropList() = default;

  /// A list such as "nodata,mask"; "all" is every kind. Fails with bad_argument for an unknown
  /// word.
  [[nodiscard]] static Result<DropList> parse(std::string_view list);

  [[nodiscard]] bool contains(ExtraKind kind) const { return (bits_ & bit(kind)) != 0; }
  void add(ExtraKind kind) { bits_ |= bit(kind); }
  void add(const DropList& more) { bits_ |= more.bits_; }

 private:
  [[nodiscard]] static constexpr std::uint32_t bit(ExtraKind kind) {
    return std::uint32_t{1} << static_cast<unsigned>(kind);
  }

  std::uint32_t bits_ = 0;
};

/// What a target can hold of a georeference.
struct Holds {
  bool crs = true;              ///< a CRS by EPSG code, and the affine that goes with it
  bool lone_transform = false;  ///< an affine without a CRS
};

struct Losses {
  std::vector<Extra> errors;    ///< lost unless dropped on purpose, and not dropped
  std::vector<Extra> warnings;  ///< lost by nature
  std::vector<Extra> dropped;   ///< lost on purpose

  /// Success, or unsupported: every error in one text, with the option that drops it.
  [[nodiscard]] Result<> verdict() const;
};

/// Judges what is lost where `raster` goes to a target that holds `holds`. Identity transforms are
/// no loss.
[[nodiscard]] Losses judge_losses(const RasterDescription& raster, const Holds& holds,
                                  const DropList& drops);

/// `raster` without what such a target cannot hold.
[[nodiscard]] RasterDescription without_losses(RasterDescription raster, const Holds& holds);

/// "EPSG:32619", "ESRI:102008 (North America Albers Equal Area Conic)", "a CRS without a name".
[[nodiscard]] std::string text_of(const Crs& crs);

}  // namespace sillar::convert
