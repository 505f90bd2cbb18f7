// ISO 8601 to and from seconds, in integers alone.
#include <sillar/rumi/iso8601.hpp>

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

namespace sillar::rumi {
namespace {

constexpr Seconds minute = 60;
constexpr Seconds hour = 3600;
constexpr Seconds day = 86400;

// Past every 64-bit coordinate in days; stands for an open side of a range.
constexpr Seconds unbounded = (Seconds{1} << 63) * day * 2;

[[nodiscard]] bool is_leap(std::int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

[[nodiscard]] int days_in(std::int64_t year, int month) {
  constexpr std::array days = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : days[static_cast<std::size_t>(month - 1)];
}

/// Days from 1970-01-01 to a date of the proleptic Gregorian calendar. Years begin in March here,
/// so that the leap day is the last of a year.
[[nodiscard]] Seconds days_from_civil(Seconds year, int month, int date) {
  year -= month <= 2 ? 1 : 0;
  const Seconds era = (year >= 0 ? year : year - 399) / 400;
  const Seconds of_era = year - era * 400;
  const int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + date - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

struct Civil {
  Seconds year;
  int month;
  int date;
};

[[nodiscard]] Civil civil_from_days(Seconds days) {
  days += 719468;
  const Seconds era = (days >= 0 ? days : days - 146096) / 146097;
  const auto of_era = static_cast<std::int64_t>(days - era * 146097);
  const std::int64_t year_of_era =
      (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const std::int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const auto shifted = static_cast<int>((5 * of_year + 2) / 153);
  const int date = static_cast<int>(of_year) - (153 * shifted + 2) / 5 + 1;
  const int month = shifted < 10 ? shifted + 3 : shifted - 9;
  return {era * 400 + year_of_era + (month <= 2 ? 1 : 0), month, date};
}

/// Takes fields from the front of a text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  [[nodiscard]] bool done() const { return text_.empty(); }

  bool skip(char wanted) {
    if (text_.empty() || text_.front() != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }

  [[nodiscard]] std::optional<int> digits(std::size_t count) {
    if (text_.size() < count) return std::nullopt;
    int value = 0;
    for (const char digit : text_.substr(0, count)) {
      if (digit < '0' || digit > '9') return std::nullopt;
      value = value * 10 + (digit - '0');
    }
    text_.remove_prefix(count);
    return value;
  }

  /// Four digits, or a sign and four to seventeen.
  [[nodiscard]] std::optional<std::int64_t> year() {
    const bool negative = skip('-');
    if (!negative && !skip('+')) {
      const auto value = digits(4);
      return value ? std::optional<std::int64_t>(*value) : std::nullopt;
    }
    std::int64_t value = 0;
    const auto parsed = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    const auto length = parsed.ptr - text_.data();
    if (parsed.ec != std::errc{} || length < 4 || length > 17 || value < 0) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(length));
    return negative ? -value : value;
  }

 private:
  std::string_view text_;
};

enum class Precision { year, month, date, time };

struct Moment {
  Seconds begin;
  Precision precision;
  std::int64_t year;
  int month;

  /// The start of the next moment of the same precision.
  [[nodiscard]] Seconds end() const {
    switch (precision) {
      case Precision::year:
        return days_from_civil(year + 1, 1, 1) * day;
      case Precision::month:
        return month == 12 ? days_from_civil(year + 1, 1, 1) * day
                           : days_from_civil(year, month + 1, 1) * day;
      case Precision::date:
        return begin + day;
      case Precision::time:
        return begin;
    }
    return begin;
  }
};

[[nodiscard]] std::unexpected<Error> refuse(std::string_view text, std::string_view why) {
  return fail(Errc::bad_argument, "\"" + std::string(text) + "\" is no time: " + std::string(why));
}

/// The offset from UTC behind a time, in seconds; 0 where there is none.
[[nodiscard]] std::optional<Seconds> parse_offset(Scanner& scanner) {
  if (scanner.done() || scanner.skip('Z') || scanner.skip('z')) return 0;
  const bool west = scanner.skip('-');
  if (!west && !scanner.skip('+')) return std::nullopt;
  const auto hours = scanner.digits(2);
  std::optional<int> minutes = 0;
  if (scanner.skip(':') || !scanner.done()) minutes = scanner.digits(2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const Seconds offset = *hours * hour + *minutes * minute;
  return west ? -offset : offset;
}

[[nodiscard]] Result<Moment> parse_moment(std::string_view text) {
  Scanner scanner(text);
  const auto year = scanner.year();
  if (!year) return refuse(text, "expected a year of four digits first");
  Moment moment{.begin = 0, .precision = Precision::year, .year = *year, .month = 1};
  int date = 1;
  if (scanner.skip('-')) {
    const auto month = scanner.digits(2);
    if (!month || *month < 1 || *month > 12) return refuse(text, "expected a month 01 to 12");
    moment.month = *month;
    moment.precision = Precision::month;
    if (scanner.skip('-')) {
      const auto value = scanner.digits(2);
      if (!value || *value < 1 || *value > days_in(*year, *month))
        return refuse(text, "that month has no such day");
      date = *value;
      moment.precision = Precision::date;
    }
  }
  moment.begin = days_from_civil(*year, moment.month, date) * day;
  if (scanner.done()) return moment;
  if (moment.precision != Precision::date ||
      !(scanner.skip('T') || scanner.skip('t') || scanner.skip(' '))) {
    return refuse(text, "expected YYYY-MM-DD or YYYY-MM-DDThh:mm:ss");
  }
  moment.precision = Precision::time;
  const auto hours = scanner.digits(2);
  if (!hours || !scanner.skip(':')) return refuse(text, "expected hh:mm:ss behind the date");
  const auto minutes = scanner.digits(2);
  std::optional<int> seconds = 0;
  if (scanner.skip(':')) seconds = scanner.digits(2);
  if (!minutes || !seconds || *hours > 23 || *minutes > 59)
    return refuse(text, "expected hh:mm:ss behind the date");
  if (*seconds == 60) return refuse(text, "leap seconds have no place in POSIX time");
  if (*seconds > 59) return refuse(text, "expected seconds 00 to 59");
  if (scanner.skip('.') || scanner.skip(','))
    return refuse(text, "times are exact to the second; round it first");
  const auto offset = parse_offset(scanner);
  if (!offset || !scanner.done())
    return refuse(text, "expected Z or an offset such as +02:00 behind the time");
  moment.begin += *hours * hour + *minutes * minute + *seconds - *offset;
  return moment;
}

void append_padded(std::string& text, std::int64_t value, std::size_t width) {
  const std::string digits = std::to_string(value);
  if (digits.size() < width) text.append(width - digits.size(), '0');
  text += digits;
}

}  // namespace

Result<Seconds> parse_instant(std::string_view text) {
  SILLAR_TRY(const Moment moment, parse_moment(text));
  if (moment.precision < Precision::date)
    return refuse(text, "expected a whole date; write a range as A/B");
  return moment.begin;
}

Result<Period> parse_period(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) {
    SILLAR_TRY(const Moment moment, parse_moment(text));
    return Period{moment.begin, moment.end()};
  }
  const auto side = [](std::string_view part, Seconds open) -> Result<Seconds> {
    if (part == "..") return open;
    SILLAR_TRY(const Moment moment, parse_moment(part));
    return moment.begin;
  };
  SILLAR_TRY(const Seconds begin, side(text.substr(0, slash), -unbounded));
  SILLAR_TRY(const Seconds end, side(text.substr(slash + 1), unbounded));
  if (begin >= end) return refuse(text, "the range ends before it begins, or holds nothing");
  return Period{begin, end};
}

std::string format_instant(Seconds seconds, bool dates_only) {
  Seconds days = seconds / day;
  auto rest = static_cast<std::int64_t>(seconds % day);
  if (rest < 0) {
    rest += static_cast<std::int64_t>(day);
    --days;
  }
  const Civil civil = civil_from_days(days);
  std::string text;
  // 64-bit days reach years of 17 digits.
  const auto year = static_cast<std::int64_t>(civil.year);
  if (year < 0 || year > 9999) text += year < 0 ? '-' : '+';
  append_padded(text, year < 0 ? -year : year, 4);
  text += '-';
  append_padded(text, civil.month, 2);
  text += '-';
  append_padded(text, civil.date, 2);
  if (dates_only) return text;
  text += 'T';
  append_padded(text, rest / 3600, 2);
  text += ':';
  append_padded(text, rest / 60 % 60, 2);
  text += ':';
  append_padded(text, rest % 60, 2);
  text += 'Z';
  return text;
}

}  // namespace sillar::rumi
