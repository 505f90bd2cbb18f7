// Reports: a reader's ends with the first error, a validator's never.
#include <sillar/base/report.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace sillar {
namespace {

constexpr Rule must{"test.must", "A", "must"};
constexpr Rule also{"test.also", "A", "also"};
constexpr Rule warned{"test.warned", "A", "warned", Severity::warning};
constexpr Rule unknown{"test.unknown", "A", "unknown", Severity::unsupported};

TEST(Report, of_a_reader_keeps_the_first_error_alone) {
  Report report(Report::Until::first_error);
  EXPECT_TRUE(report.verdict());
  report.add(warned, 1, "w");
  report.add(unknown, 2, "u");
  EXPECT_FALSE(report.done());
  EXPECT_TRUE(report.verdict());
  report.add(must, 3, "m", Errc::truncated);
  EXPECT_TRUE(report.done());
  report.add(also, 4, "a");
  ASSERT_EQ(report.findings().size(), 1u);
  EXPECT_EQ(report.findings()[0].error.rule, &must);
  EXPECT_EQ(report.findings()[0].error.offset, 3u);
  EXPECT_EQ(report.verdict().error().code, Errc::truncated);
}

TEST(Report, of_a_validator_keeps_everything_and_is_never_done) {
  Report report(Report::Until::end);
  report.add(warned, {}, "w");
  report.add(must, 3, "m");
  report.add(unknown, {}, "u");
  report.add(also, 4, "a");
  EXPECT_FALSE(report.done());
  EXPECT_EQ(report.errors(), 2u);
  ASSERT_EQ(report.findings().size(), 4u);
  EXPECT_EQ(report.findings()[0].severity, Severity::warning);
  EXPECT_EQ(report.findings()[2].severity, Severity::unsupported);
  EXPECT_EQ(report.verdict().error().rule, &must);
}

TEST(Report, without_an_error_is_a_success) {
  Report report(Report::Until::end);
  report.add(warned, {}, "w");
  EXPECT_EQ(report.errors(), 0u);
  EXPECT_TRUE(report.verdict());
}

TEST(Report, of_a_validator_lists_the_first_of_a_rule_and_counts_the_others) {
  constexpr std::uint64_t most = Report::most_of_a_rule;
  Report report(Report::Until::end);
  report.add(warned, {}, "w");
  for (std::uint64_t i = 0; i < 3 * most; ++i) {
    report.add(must, i, "m");
    if (i < most) report.add(also, i, "a");
  }
  report.add(warned, {}, "w");
  report.add_unlisted(also, 5);
  report.add_unlisted(unknown, 0);
  EXPECT_EQ(report.errors(), 4 * most + 5);
  EXPECT_EQ(report.count(Severity::error), 4 * most + 5);
  EXPECT_EQ(report.count(Severity::warning), 2u);
  EXPECT_EQ(report.count(Severity::unsupported), 0u);
  ASSERT_EQ(report.findings().size(), 2 * most + 2);
  EXPECT_EQ(report.findings()[2 * most - 1].error.offset, most - 1);
  EXPECT_EQ(report.findings().back().error.rule, &warned);
  const std::vector<Unlisted> more = {{&must, Severity::error, 2 * most},
                                      {&also, Severity::error, 5}};
  EXPECT_EQ(report.unlisted(), more);
}

TEST(Severity, has_the_names_of_the_JSON_documents) {
  EXPECT_EQ(name_of(Severity::error), "error");
  EXPECT_EQ(name_of(Severity::warning), "warning");
  EXPECT_EQ(name_of(Severity::unsupported), "unsupported");
}

}  // namespace
}  // namespace sillar
