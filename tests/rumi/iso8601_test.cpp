// ISO 8601 texts and the seconds that a calendar gives for them.
#include <sillar/rumi/iso8601.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace sillar::rumi {
namespace {

std::string text_of(Seconds value) {
  std::string digits;
  const bool negative = value < 0;
  do {
    const int digit = static_cast<int>(value % 10);
    digits.insert(digits.begin(), static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    value /= 10;
  } while (value != 0);
  return negative ? "-" + digits : digits;
}

TEST(Instants, are_read_exactly) {
  // Seconds from Python's datetime; years outside 1..9999 by whole 400-year eras of 146097 days.
  const struct {
    const char* text;
    std::int64_t seconds;
  } table[] = {
      {"1970-01-01", 0},
      {"1970-01-01T00:00:00Z", 0},
      {"1969-12-31T23:59:59Z", -1},
      {"2024-01-31T10:20:30Z", 1706696430},
      {"2024-01-31t10:20:30z", 1706696430},
      {"2024-01-31 10:20:30", 1706696430},  // without an offset the time is UTC
      {"2024-01-31T10:20:30", 1706696430},
      {"2024-01-31T10:20", 1706696400},
      {"2024-01-31T10:20Z", 1706696400},
      {"2024-01-31", 1706659200},
      {"2019-03-21T02:00:00+02:00", 1553126400},
      {"2019-03-20T22:00:00-02", 1553126400},
      {"2019-03-21T05:45:00+0545", 1553126400},
      {"2019-03-21T00:00:00+00:00", 1553126400},
      {"2019-03-20T00:01:00-23:59", 1553126400},
      {"2019-03-21T00:00:00-00:00", 1553126400},
      {"2000-02-29", 951782400},
      {"1900-03-01", -2203891200},
      {"1582-10-15", -12219292800},
      {"0001-01-01", -62135596800},
      {"0000-01-01", -62167219200},
      {"0000-02-29", -62162121600},
      {"-0001-01-01", -62198755200},
      {"-0001-12-31", -62167305600},
      {"-0004-02-29", -62288352000},
      {"-0400-03-01", -74784816000},
      {"9999-12-31T23:59:59Z", 253402300799},
      {"+10000-01-01", 253402300800},
      {"+100000-06-15", 3093542323200},
      {"+292277026596-12-04", 9223372036854720000},
      {"+2024-01-31", 1706659200},
  };
  for (const auto& [text, seconds] : table) {
    const auto parsed = parse_instant(text);
    ASSERT_TRUE(parsed.has_value()) << parsed.error().message();
    EXPECT_EQ(text_of(*parsed), std::to_string(seconds)) << text;
  }
}

TEST(Instants, that_no_calendar_or_file_can_hold_are_refused) {
  const char* const table[] = {
      "",
      "x",
      "2024",
      "2024-01",
      "24-01-31",
      "02024-01-31",
      "2024-1-31",
      "2024-01-1",
      "2024-00-01",
      "2024-13-01",
      "2024-01-00",
      "2024-01-32",
      "2024-04-31",
      "2023-02-29",
      "1900-02-29",
      "2100-02-29",
      "2024-02-30",
      "2016-12-31T23:59:60Z",     // a leap second
      "2017-02-22T16:24:10.586",  // a fraction
      "2017-02-22T16:24:10,5Z",
      "2017-02-22T16:24:10.0Z",
      "2024-01-31T24:00:00",
      "2024-01-31T23:60:00",
      "2024-01-31T23:59:61",
      "2024-01-31T",
      "2024-01-31T10",
      "2024-01-31T1:20",
      "2024-01-31T10:2",
      "2024-01-31T10:20:3",
      "2024-01-31T10:20:30+",
      "2024-01-31T10:20:30+2",
      "2024-01-31T10:20:30+02:",
      "2024-01-31T10:20:30+02:0",
      "2024-01-31T10:20:30+24:00",
      "2024-01-31T10:20:30+02:60",
      "2024-01-31T10:20:30ZZ",
      "2024-01-31T10:20:30 Z",
      "2024-01-31Z",
      "2024-01-31 ",
      " 2024-01-31",
      "2024-01-31x",
      "20240131",
      "2024-W05",
      "2024-031",
      "2024/01/31",
      "--024-01-31",
      "+-2024-01-31",
      "-24-01-01",
      "+999999999999999999-01-01",
      "2024-01-31T10:20:30+02:00:00",
      "2024-01/2024-02",
      "now",
      "1e9",
  };
  for (const char* text : table) {
    const auto parsed = parse_instant(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().code, Errc::bad_argument);
    EXPECT_NE(parsed.error().detail.find("\"" + std::string(text) + "\""), std::string::npos)
        << parsed.error().detail;
  }
  EXPECT_NE(parse_instant("2016-12-31T23:59:60Z").error().detail.find("leap second"),
            std::string::npos);
  EXPECT_NE(parse_instant("2017-02-22T16:24:10.586").error().detail.find("exact to the second"),
            std::string::npos);
}

TEST(Periods, select_the_whole_of_what_they_name) {
  const struct {
    const char* text;
    std::int64_t begin, end;
  } table[] = {
      {"2024", 1704067200, 1735689600},
      {"2024-01", 1704067200, 1706745600},
      {"2024-02", 1706745600, 1709251200},  // of a leap year
      {"2024-12", 1733011200, 1735689600},
      {"2024-02-29", 1709164800, 1709251200},
      {"2024-01-31T10:20:30Z", 1706696430, 1706696430},
      {"2024-01/2024-03", 1704067200, 1709251200},  // ends before March
      {"2024/2025", 1704067200, 1735689600},
      {"2024-01-01/2024-01-02", 1704067200, 1704153600},
      {"2024-01-31T10:20:30Z/2024-02", 1706696430, 1706745600},
      {"1969-12-31T23:59:59Z/1970", -1, 0},
      {"-0001/0000", -62198755200, -62167219200},
  };
  for (const auto& [text, begin, end] : table) {
    const auto parsed = parse_period(text);
    ASSERT_TRUE(parsed.has_value()) << parsed.error().message();
    EXPECT_EQ(text_of(parsed->begin), std::to_string(begin)) << text;
    EXPECT_EQ(text_of(parsed->end), std::to_string(end)) << text;
  }
}

TEST(Periods, with_an_open_side_reach_past_every_coordinate) {
  const Seconds last = Seconds{std::numeric_limits<std::int64_t>::max()} * 86400;
  const Seconds first = Seconds{std::numeric_limits<std::int64_t>::min()} * 86400;
  const auto from = parse_period("2024-01/..");
  ASSERT_TRUE(from.has_value());
  EXPECT_TRUE(from->begin == 1704067200 && from->end > last);
  const auto until = parse_period("../2024-01");
  ASSERT_TRUE(until.has_value());
  EXPECT_TRUE(until->begin < first && until->end == 1704067200);
  const auto all = parse_period("../..");
  ASSERT_TRUE(all.has_value());
  EXPECT_TRUE(all->begin < first && all->end > last);
}

TEST(Periods, that_hold_nothing_or_are_no_periods_are_refused) {
  for (const char* text :
       {"", "/", "2024/", "/2024", "2024-03/2024-01", "2024/2024", "2024-01-01/2024-01-01",
        "2024/2025/2026", "...", "..", "2024/...", "2024-01..2024-02", "x/y"}) {
    const auto parsed = parse_period(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().code, Errc::bad_argument);
  }
}

TEST(Formatting, writes_what_the_calendar_says) {
  const Seconds most = std::numeric_limits<std::int64_t>::max();
  const Seconds least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(format_instant(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_instant(-1), "1969-12-31T23:59:59Z");
  EXPECT_EQ(format_instant(-86400, true), "1969-12-31");
  EXPECT_EQ(format_instant(1706696430), "2024-01-31T10:20:30Z");
  EXPECT_EQ(format_instant(951782400, true), "2000-02-29");
  EXPECT_EQ(format_instant(253402300799), "9999-12-31T23:59:59Z");
  EXPECT_EQ(format_instant(253402300800), "+10000-01-01T00:00:00Z");
  EXPECT_EQ(format_instant(-62167219200, true), "0000-01-01");
  EXPECT_EQ(format_instant(-62167305600, true), "-0001-12-31");
  EXPECT_EQ(format_instant(most), "+292277026596-12-04T15:30:07Z");
  EXPECT_EQ(format_instant(least), "-292277022657-01-27T08:29:52Z");
  EXPECT_EQ(format_instant(most * 86400, true), "+25252734927768524-07-27");
  EXPECT_EQ(format_instant(least * 86400, true), "-25252734927764585-06-07");
}

TEST(Formatting, is_read_back_to_the_same_second) {
  const Seconds most = std::numeric_limits<std::int64_t>::max();
  std::vector<Seconds> values = {most, -most - 1, most * 86400, (-most - 1) * 86400, 0, -1, 1};
  // Every day of four centuries, at a second that moves.
  for (std::int64_t day = -146097; day < 146097; day += 1)
    values.push_back(Seconds{day} * 86400 + (day * 7919 % 86400 + 86400) % 86400);
  for (const Seconds value : values) {
    const auto parsed = parse_instant(format_instant(value));
    ASSERT_TRUE(parsed.has_value()) << parsed.error().message();
    ASSERT_TRUE(*parsed == value) << text_of(value);
  }
}

}  // namespace
}  // namespace sillar::rumi
