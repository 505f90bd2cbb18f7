// The time coordinates of a file: exact integers, stored as residuals against a line.
#pragma once

#include <sillar/base/limits.hpp>
#include <sillar/base/report.hpp>
#include <sillar/rumi/format.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sillar::rumi {

/// Seconds since 1970-01-01T00:00:00Z. Coordinates in days may lie past what 64 bits of seconds
/// hold.
// NOLINTNEXTLINE(modernize-use-using): only a typedef takes __extension__
__extension__ typedef __int128 Seconds;

/// The coordinates of T steps: T instants, or T pairs of start and end ("Time coordinates").
class TimeAxis {
 public:
  /// Coordinates in units of `scale` seconds, which must be the canonical scale, or any other for
  /// which the constructor of files, `make`, is the way.
  TimeAxis() = default;

  /// The axis of these coordinates in seconds, in the canonical scale. Fails with bad_argument
  /// where they break the order of `type` (naming the step), are no pairs, or cannot be stored
  /// (rumi.write.time_axis, naming the two coordinates).
  [[nodiscard]] static Result<TimeAxis> make(TimeType type, std::span<const Seconds> seconds);

  [[nodiscard]] TimeType type() const { return static_cast<TimeType>(fields_.time_type); }
  [[nodiscard]] const TimeFields& fields() const { return fields_; }
  [[nodiscard]] std::uint64_t steps() const {
    return type() == TimeType::interval ? coordinates_.size() / 2 : coordinates_.size();
  }

  /// C integers in units of `fields().time_scale` seconds.
  [[nodiscard]] const std::vector<std::int64_t>& coordinates() const { return coordinates_; }

  /// Coordinate `index` in seconds.
  [[nodiscard]] Seconds seconds(std::uint64_t index) const {
    return Seconds{coordinates_[index]} * fields_.time_scale;
  }

  /// When step `step` begins and ends; both are the same for an instant.
  [[nodiscard]] Seconds start(std::uint64_t step) const {
    return seconds(type() == TimeType::interval ? 2 * step : step);
  }
  [[nodiscard]] Seconds end(std::uint64_t step) const {
    return seconds(type() == TimeType::interval ? 2 * step + 1 : step);
  }

  friend bool operator==(const TimeAxis& a, const TimeAxis& b) {
    return a.fields_.time_type == b.fields_.time_type &&
           a.fields_.time_scale == b.fields_.time_scale && a.coordinates_ == b.coordinates_;
  }

 private:
  friend std::optional<TimeAxis> check_time_axis(std::span<const std::byte> bytes,
                                                 std::uint64_t base, std::uint64_t steps,
                                                 Report& report);

  TimeFields fields_;
  std::vector<std::int64_t> coordinates_;
};

/// How many coordinates `steps` steps of this type have ("Time coordinates").
[[nodiscard]] constexpr std::uint64_t coordinate_count(TimeType type, std::uint64_t steps) {
  return type == TimeType::interval ? 2 * steps : steps;
}

/// Judges the time fields and the packed residuals behind them. `bytes` is exactly both; `base` is
/// its offset in the file; `steps` is T. The fields' own values have been judged, and C held
/// against a limit.
[[nodiscard]] std::optional<TimeAxis> check_time_axis(std::span<const std::byte> bytes,
                                                      std::uint64_t base, std::uint64_t steps,
                                                      Report& report);

/// Appends the time fields and packed residuals of `axis` to `out`.
void append_time_axis(const TimeAxis& axis, std::vector<std::byte>& out);

}  // namespace sillar::rumi
