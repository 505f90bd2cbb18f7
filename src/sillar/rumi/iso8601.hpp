// Times as text: ISO 8601, exact to the second, in UTC.
#pragma once

#include <sillar/base/error.hpp>
#include <sillar/rumi/time_axis.hpp>

#include <string>
#include <string_view>

namespace sillar::rumi {

/// A half-open stretch of time, or one instant (begin == end).
struct Period {
  Seconds begin = 0;
  Seconds end = 0;

  friend bool operator==(const Period&, const Period&) = default;

  [[nodiscard]] bool instant() const { return begin == end; }
};

/// An instant: "2024-01-31", "2024-01-31T10:20:30Z", "2024-01-31 10:20", with an offset such as
/// "+02:00"; without one the time is UTC. Years past 9999 or before 0 carry a sign. Fails with
/// bad_argument for anything else: fractions of a second, leap seconds, days that no calendar has.
[[nodiscard]] Result<Seconds> parse_instant(std::string_view text);

/// What a text selects: a year, month or day the whole of it, a time the instant, and "A/B" all
/// from the start of A until the start of B; ".." leaves a side open. Fails with bad_argument, also
/// where B is not later than A.
[[nodiscard]] Result<Period> parse_period(std::string_view text);

/// "2024-01-31T10:20:30Z", or only the date where `dates_only`.
[[nodiscard]] std::string format_instant(Seconds seconds, bool dates_only = false);

}  // namespace sillar::rumi
