// "Time coordinates" and "Time residuals": prediction, packing, and what a reader must refuse.
#include <sillar/rumi/time_axis.hpp>

#include <sillar/wire/bits.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <utility>

namespace sillar::rumi {
namespace {

constexpr std::int64_t day = 86400;

[[nodiscard]] bool fits(Seconds value) {
  return value >= std::numeric_limits<std::int64_t>::min() &&
         value <= std::numeric_limits<std::int64_t>::max();
}

/// The slope of the prediction line: the nearest integer, halves towards positive infinity.
[[nodiscard]] Seconds slope(std::span<const std::int64_t> coordinates) {
  if (coordinates.size() < 2) return 0;
  const Seconds rise = Seconds{coordinates.back()} - coordinates.front();
  const auto run = static_cast<Seconds>(coordinates.size() - 1);
  const Seconds twice = 2 * rise + run;
  const Seconds quotient = twice / (2 * run);
  return quotient - (twice % (2 * run) < 0 ? 1 : 0);
}

[[nodiscard]] std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

[[nodiscard]] Seconds unzigzag(std::uint64_t packed) {
  return packed % 2 == 0 ? Seconds{packed >> 1} : -Seconds{packed >> 1} - 1;
}

[[nodiscard]] std::string text_of(std::int64_t value) { return std::to_string(value); }

/// What the order of the coordinates breaks, if anything: the rule, the coordinate and why.
struct Disorder {
  const Rule* rule;
  std::uint64_t index;
  std::string detail;
};

[[nodiscard]] std::optional<Disorder> disorder(TimeType type, std::span<const std::int64_t> time) {
  if (type == TimeType::instant) {
    for (std::uint64_t i = 1; i < time.size(); ++i) {
      if (time[i] < time[i - 1]) {
        return Disorder{&rules::trailer_time_order, i,
                        "instant " + std::to_string(i) + " is " + text_of(time[i]) +
                            ", earlier than " + text_of(time[i - 1]) + " before it"};
      }
    }
    return std::nullopt;
  }
  for (std::uint64_t i = 0; i + 1 < time.size(); i += 2) {
    if (time[i] >= time[i + 1]) {
      return Disorder{&rules::trailer_time_interval, i + 1,
                      "interval " + std::to_string(i / 2) + " runs from " + text_of(time[i]) +
                          " to " + text_of(time[i + 1])};
    }
    if (i > 0 && time[i] < time[i - 1]) {
      return Disorder{&rules::trailer_time_overlap, i,
                      "interval " + std::to_string(i / 2) + " starts at " + text_of(time[i]) +
                          ", before the one before it ends at " + text_of(time[i - 1])};
    }
  }
  return std::nullopt;
}

/// All coordinates of an axis in seconds are whole days.
[[nodiscard]] bool whole_days(std::span<const std::int64_t> seconds) {
  return std::ranges::all_of(seconds, [](std::int64_t value) { return value % day == 0; });
}

struct Residuals {
  std::vector<std::uint64_t> packed;
  unsigned bits = 0;
};

/// The zigzag residuals of coordinates against their line, or the first coordinate whose residual
/// leaves 64 bits.
[[nodiscard]] std::expected<Residuals, std::uint64_t> residuals_of(
    std::span<const std::int64_t> time, std::int64_t step) {
  Residuals residuals;
  residuals.packed.resize(time.size());
  std::uint64_t all = 0;
  for (std::uint64_t i = 0; i < time.size(); ++i) {
    const Seconds residual =
        Seconds{time[i]} - (Seconds{time.front()} + Seconds{step} * static_cast<Seconds>(i));
    if (!fits(residual)) return std::unexpected(i);
    residuals.packed[i] = zigzag(static_cast<std::int64_t>(residual));
    all |= residuals.packed[i];
  }
  residuals.bits = static_cast<unsigned>(std::bit_width(all));
  return residuals;
}

}  // namespace

Result<TimeAxis> TimeAxis::make(TimeType type, std::span<const Seconds> seconds) {
  if (type == TimeType::interval && seconds.size() % 2 != 0) {
    return fail(Errc::bad_argument, "intervals need a start and an end each, got " +
                                        std::to_string(seconds.size()) + " coordinates");
  }
  const bool days = std::ranges::all_of(seconds, [](Seconds value) { return value % day == 0; });
  TimeAxis axis;
  axis.fields_.time_type = static_cast<std::uint8_t>(type);
  axis.fields_.time_scale = days ? day : 1;
  axis.coordinates_.reserve(seconds.size());
  for (const Seconds value : seconds) {
    const Seconds scaled = days ? value / day : value;
    if (!fits(scaled)) {
      return fail(rules::write_time_axis,
                  "time " + std::to_string(axis.coordinates_.size()) + " leaves 64 bits", {},
                  Errc::bad_argument);
    }
    axis.coordinates_.push_back(static_cast<std::int64_t>(scaled));
  }
  const std::vector<std::int64_t>& time = axis.coordinates_;
  if (auto wrong = disorder(type, time)) {
    return fail(*wrong->rule, std::move(wrong->detail), {}, Errc::bad_argument);
  }
  const Seconds step = slope(time);
  if (!fits(step)) {
    return fail(rules::write_time_axis,
                "the step between time 0 (" + text_of(time.front()) + ") and time " +
                    std::to_string(time.size() - 1) + " (" + text_of(time.back()) +
                    ") leaves 64 bits",
                {}, Errc::bad_argument);
  }
  const auto residuals = residuals_of(time, static_cast<std::int64_t>(step));
  if (!residuals) {
    return fail(rules::write_time_axis,
                "time " + std::to_string(residuals.error()) + " (" +
                    text_of(time[residuals.error()]) +
                    ") lies too far from the line through time 0 (" + text_of(time.front()) +
                    ") and the last one",
                {}, Errc::bad_argument);
  }
  axis.fields_.time_bits = static_cast<std::uint8_t>(residuals->bits);
  axis.fields_.time_epoch = time.empty() ? 0 : time.front();
  axis.fields_.time_step = static_cast<std::int64_t>(step);
  return axis;
}

std::optional<TimeAxis> check_time_axis(std::span<const std::byte> bytes, std::uint64_t base,
                                        std::uint64_t steps, Report& report) {
  const std::uint64_t errors = report.errors();
  TimeAxis axis;
  axis.fields_ = wire::load_record<TimeFields>(bytes);
  const TimeFields& fields = axis.fields_;
  const auto packed = bytes.subspan(wire::size<TimeFields>());
  const std::uint64_t count = coordinate_count(axis.type(), steps);
  const std::uint64_t packed_base = base + wire::size<TimeFields>();
  if (!wire::padding_is_zero(packed, count, fields.time_bits)) {
    report.add(rules::trailer_time_pad_bits, packed_base + packed.size() - 1,
               "unused bits behind the last residual are set");
    if (report.done()) return std::nullopt;
  }
  axis.coordinates_.reserve(count);
  std::uint64_t all = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t value = wire::unpack_at(packed, fields.time_bits, i);
    const Seconds time = Seconds{fields.time_epoch} +
                         Seconds{fields.time_step} * static_cast<Seconds>(i) + unzigzag(value);
    if (!fits(time)) {
      report.add(rules::trailer_time_range, packed_base + i * fields.time_bits / 8,
                 "coordinate " + std::to_string(i) + " leaves a signed 64-bit integer");
      return std::nullopt;
    }
    all |= value;
    axis.coordinates_.push_back(static_cast<std::int64_t>(time));
  }
  const std::vector<std::int64_t>& time = axis.coordinates_;
  const auto found = [&](const Rule& rule, std::uint64_t offset, std::string detail) {
    if (!report.done()) report.add(rule, offset, std::move(detail));
  };
  if (time.front() != fields.time_epoch) {
    found(rules::trailer_time_epoch, base + 2,
          "time_epoch is " + text_of(fields.time_epoch) + ", the first coordinate is " +
              text_of(time.front()));
  }
  if (const Seconds step = slope(time); step != fields.time_step) {
    found(rules::trailer_time_step, base + 10,
          "time_step is " + text_of(fields.time_step) + ", expected " +
              (fits(step) ? text_of(static_cast<std::int64_t>(step)) : "more than 64 bits hold"));
  }
  if (const auto bits = static_cast<unsigned>(std::bit_width(all)); bits != fields.time_bits) {
    found(
        rules::trailer_time_bits_minimal, base + 1,
        "time_bits is " + std::to_string(fields.time_bits) + ", expected " + std::to_string(bits));
  }
  if (fields.time_scale == 1 && whole_days(time)) {
    found(rules::trailer_time_scale_canonical, base + 18,
          "time_scale is 1, yet every coordinate is a whole day");
  }
  if (auto wrong = disorder(axis.type(), time)) {
    found(*wrong->rule, packed_base + wrong->index * fields.time_bits / 8,
          std::move(wrong->detail));
  }
  if (report.errors() != errors) return std::nullopt;
  return axis;
}

void append_time_axis(const TimeAxis& axis, std::vector<std::byte>& out) {
  const TimeFields& fields = axis.fields();
  const auto fixed = wire::store_record(fields);
  out.insert(out.end(), fixed.begin(), fixed.end());
  const auto residuals = residuals_of(axis.coordinates(), fields.time_step);
  const std::size_t at = out.size();
  out.resize(at + wire::packed_size(axis.coordinates().size(), fields.time_bits).value_or(0));
  for (std::uint64_t i = 0; residuals && i < residuals->packed.size(); ++i) {
    wire::pack_at(std::span(out).subspan(at), fields.time_bits, i, residuals->packed[i]);
  }
}

}  // namespace sillar::rumi
