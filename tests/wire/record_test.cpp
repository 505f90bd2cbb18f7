// Records that are declared once: sizes, bytes, checks and descriptions.
#include <sillar/wire/record.hpp>

#include "golden.hpp"

#include <gtest/gtest.h>

namespace sillar::wire {
namespace {

constexpr Rule kind_rule{"test.kind", "Kind", "the kind is 7"};
constexpr Rule count_rule{"test.count", "Count", "the count is more than zero"};
constexpr Rule level_rule{"test.level", "Level", "the level is at most 9"};

struct Sample {
  std::array<std::uint8_t, 2> kind{7, 7};
  std::uint16_t count = 1;
  std::int64_t offset = 0;
  double value = 0;
  std::uint8_t level = 0;

  static constexpr auto layout = std::tuple{
      field<&Sample::kind>(0, "kind", exactly(std::array<std::uint8_t, 2>{7, 7}), &kind_rule),
      field<&Sample::count>(2, "count", nonzero, &count_rule),
      field<&Sample::offset>(4, "offset"),
      field<&Sample::value>(12, "value"),
      field<&Sample::level>(20, "level", at_most<std::uint8_t>(9), &level_rule),
  };
};
static_assert(size<Sample>() == 21);

TEST(Record, is_stored_little_endian_and_unaligned) {
  const Sample sample{.kind = {1, 2}, .count = 0x0304, .offset = -2, .value = 1.5, .level = 9};
  const auto bytes = store_record(sample);
  EXPECT_EQ(testing::to_hex(bytes), "01020403feffffffffffffff000000000000f83f09");

  const auto stored = testing::from_hex("ff 01020403feffffffffffffff000000000000f83f09");
  const auto loaded = load_record<Sample>(std::span(stored).subspan(1));
  EXPECT_EQ(loaded.kind, sample.kind);
  EXPECT_EQ(loaded.count, 0x0304);
  EXPECT_EQ(loaded.offset, -2);
  EXPECT_EQ(loaded.value, 1.5);
  EXPECT_EQ(loaded.level, 9);
}

TEST(Record, reports_each_broken_field_at_its_own_byte) {
  Report good(Report::Until::end);
  check_record(Sample{}, 100, good);
  EXPECT_TRUE(good.findings().empty());

  Report report(Report::Until::end);
  check_record(Sample{.kind = {7, 8}, .count = 0, .offset = 0, .value = 0, .level = 10}, 100,
               report);
  ASSERT_EQ(report.findings().size(), 3u);
  EXPECT_EQ(report.findings()[0].error.rule, &kind_rule);
  EXPECT_EQ(report.findings()[0].error.offset, 100u);
  EXPECT_EQ(report.findings()[0].error.detail, "kind is (7, 8), expected (7, 7)");
  EXPECT_EQ(report.findings()[1].error.rule, &count_rule);
  EXPECT_EQ(report.findings()[1].error.offset, 102u);
  EXPECT_EQ(report.findings()[1].error.detail, "count is 0, expected more than 0");
  EXPECT_EQ(report.findings()[2].error.rule, &level_rule);
  EXPECT_EQ(report.findings()[2].error.offset, 120u);
  EXPECT_EQ(report.findings()[2].error.detail, "level is 10, expected at most 9");

  Report first(Report::Until::first_error);
  check_record(Sample{.kind = {7, 8}, .count = 0, .offset = 0, .value = 0, .level = 10}, 0, first);
  ASSERT_EQ(first.findings().size(), 1u);
  EXPECT_EQ(first.findings()[0].error.rule, &kind_rule);
}

TEST(Record, describes_its_fields_in_order) {
  const auto lines =
      describe(Sample{.kind = {7, 7}, .count = 3, .offset = -5, .value = 0, .level = 2}, 16);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0].name, "kind");
  EXPECT_EQ(lines[0].value, "(7, 7)");
  EXPECT_EQ(lines[0].offset, 16u);
  EXPECT_EQ(lines[0].size, 2u);
  EXPECT_EQ(lines[2].name, "offset");
  EXPECT_EQ(lines[2].value, "-5");
  EXPECT_EQ(lines[2].offset, 20u);
  EXPECT_EQ(lines[2].size, 8u);
}

}  // namespace
}  // namespace sillar::wire
