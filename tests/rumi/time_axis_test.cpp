// Time axes: scale, line, residuals by hand, and what cannot be stored.
#include "made_file.hpp"
#include <sillar/rumi/iso8601.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace sillar::rumi {
namespace {

constexpr Seconds day = 86400;
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

std::vector<Seconds> in_days(std::initializer_list<std::int64_t> days) {
  std::vector<Seconds> seconds;
  for (const std::int64_t value : days) seconds.push_back(value * day);
  return seconds;
}

TimeFields fields_of(TimeType type, const std::vector<Seconds>& seconds) {
  const auto axis = TimeAxis::make(type, seconds);
  EXPECT_TRUE(axis.has_value()) << axis.error().message();
  return axis.value_or(TimeAxis{}).fields();
}

TEST(Scale, is_days_only_where_every_coordinate_is_a_whole_day) {
  EXPECT_EQ(fields_of(TimeType::instant, in_days({0, 1, 5})).time_scale, 86400u);
  EXPECT_EQ(fields_of(TimeType::instant, {0, day, 2 * day + 310}).time_scale,
            1u);  // the last at 00:05:10
  EXPECT_EQ(fields_of(TimeType::instant, {1, day}).time_scale, 1u);
  EXPECT_EQ(fields_of(TimeType::interval, {0, day - 1, day, 2 * day}).time_scale, 1u);
  EXPECT_EQ(fields_of(TimeType::instant, in_days({-3, -1})).time_scale, 86400u);
  EXPECT_EQ(fields_of(TimeType::instant, {-day - 1}).time_scale, 1u);
  const auto axis = TimeAxis::make(TimeType::instant, in_days({-3, 4})).value();
  EXPECT_EQ(axis.coordinates(), (std::vector<std::int64_t>{-3, 4}));
  EXPECT_TRUE(axis.seconds(0) == -3 * day && axis.seconds(1) == 4 * day);
}

TEST(Step, rounds_halves_towards_positive_infinity) {
  const struct {
    std::vector<Seconds> days;
    std::int64_t step;
  } table[] = {
      {in_days({7}), 0},               // fewer than two
      {in_days({5, 5, 5, 5}), 0},      // mosaics of one date
      {in_days({0, 1, 3}), 2},         // 3 / 2
      {in_days({0, 1, 5}), 3},         // 5 / 2
      {in_days({0, 0, 1}), 1},         // 1 / 2
      {in_days({0, 0, 0, 1}), 0},      // 1 / 3
      {in_days({0, 0, 0, 2}), 1},      // 2 / 3
      {in_days({-5, -4, 0}), 3},       // 5 / 2
      {in_days({0, 0, 0, 0, 10}), 3},  // 10 / 4
      {in_days({0, 0, 0, 0, 9}), 2},   // 9 / 4
      {in_days({0, 16}), 16},
  };
  for (const auto& [days, step] : table) {
    const TimeFields fields = fields_of(TimeType::instant, days);
    EXPECT_EQ(fields.time_step, step);
    EXPECT_EQ(fields.time_epoch, static_cast<std::int64_t>(days[0] / day));
  }
}

TEST(Residuals, take_the_least_number_of_bits) {
  EXPECT_EQ(fields_of(TimeType::instant, in_days({0, 16, 32, 48})).time_bits, 0);
  EXPECT_EQ(fields_of(TimeType::instant, in_days({0, 1, 3})).time_bits,
            1);  // residuals 0 -1 -1, zigzag 1
  EXPECT_EQ(fields_of(TimeType::instant, in_days({0, 3, 4})).time_bits,
            2);  // step 2; residual 1, zigzag 2
  EXPECT_EQ(fields_of(TimeType::instant, in_days({0, 0, 300})).time_bits,
            9);  // step 150; -150, zigzag 299
  EXPECT_EQ(fields_of(TimeType::instant, {least + 8, least + 8, most - 7}).time_bits, 64);
}

TEST(Intervals, may_meet_or_leave_gaps) {
  const auto axis = TimeAxis::make(TimeType::interval, in_days({0, 31, 31, 60, 90, 91}));
  ASSERT_TRUE(axis.has_value());
  EXPECT_EQ(axis->steps(), 3u);
  EXPECT_TRUE(axis->start(1) == 31 * day && axis->end(1) == 60 * day && axis->start(2) == 90 * day);
}

/// The error of an axis that cannot be.
Error refused(TimeType type, const std::vector<Seconds>& seconds) {
  const auto axis = TimeAxis::make(type, seconds);
  EXPECT_FALSE(axis.has_value());
  if (axis.has_value()) return {};
  EXPECT_EQ(axis.error().code, Errc::bad_argument);
  return axis.error();
}

TEST(Order, that_is_broken_is_refused_with_the_step_that_breaks_it) {
  const Error unsorted = refused(TimeType::instant, in_days({3, 1, 2}));
  EXPECT_EQ(unsorted.rule, &rules::trailer_time_order);
  EXPECT_EQ(unsorted.detail.substr(0, 9), "instant 1") << unsorted.detail;
  EXPECT_EQ(refused(TimeType::instant, in_days({1, 2, 5, 4, 3})).detail.substr(0, 9), "instant 3");
  EXPECT_EQ(refused(TimeType::interval, in_days({0, 0})).rule, &rules::trailer_time_interval);
  const Error backwards = refused(TimeType::interval, in_days({0, 1, 5, 4}));
  EXPECT_EQ(backwards.rule, &rules::trailer_time_interval);
  EXPECT_EQ(backwards.detail.substr(0, 10), "interval 1") << backwards.detail;
  const Error overlap = refused(TimeType::interval, in_days({0, 10, 9, 20}));
  EXPECT_EQ(overlap.rule, &rules::trailer_time_overlap);
  EXPECT_EQ(overlap.detail.substr(0, 10), "interval 1") << overlap.detail;
  EXPECT_EQ(refused(TimeType::interval, in_days({0, 1, 2})).rule, nullptr);  // no pairs
}

TEST(Extremes, that_fit_are_stored_exactly) {
  for (const auto& seconds : {std::vector<Seconds>{least, least},
                              {most, most},
                              {0, most},
                              {least, -1},
                              {least + 1, 0},
                              {most - 1, most}}) {
    const auto axis = TimeAxis::make(TimeType::instant, seconds);
    ASSERT_TRUE(axis.has_value()) << axis.error().message();
    for (std::size_t i = 0; i < seconds.size(); ++i) EXPECT_TRUE(axis->seconds(i) == seconds[i]);
  }
  // Days whose seconds leave 64 bits.
  const auto days = TimeAxis::make(TimeType::instant, std::vector<Seconds>{Seconds{most} * day});
  ASSERT_TRUE(days.has_value());
  EXPECT_EQ(days->coordinates(), std::vector<std::int64_t>{most});
}

TEST(Extremes, that_cannot_be_stored_are_refused_naming_two_coordinates) {
  // The step itself: 2^64 - 1.
  const Error step = refused(TimeType::instant, {least, most});
  EXPECT_EQ(step.rule, &rules::write_time_axis);
  EXPECT_NE(step.detail.find("time 0 (-9223372036854775808)"), std::string::npos) << step.detail;
  EXPECT_NE(step.detail.find("time 1 (9223372036854775807)"), std::string::npos) << step.detail;
  // A residual: the step is (2^64 - 1) / 3, twice of which leaves 64 bits.
  const Error residual = refused(TimeType::instant, {least, least, least, most});
  EXPECT_EQ(residual.rule, &rules::write_time_axis);
  EXPECT_NE(residual.detail.find("time 2 (-9223372036854775808)"), std::string::npos)
      << residual.detail;
  EXPECT_NE(residual.detail.find("time 0 (-9223372036854775808)"), std::string::npos)
      << residual.detail;
  // A coordinate: seconds past 2^63 that are no whole days, and days past 2^63.
  EXPECT_EQ(refused(TimeType::instant, {Seconds{most} + 1}).rule, &rules::write_time_axis);
  EXPECT_EQ(refused(TimeType::instant, {(Seconds{most} + 1) * day}).rule, &rules::write_time_axis);
  EXPECT_EQ(refused(TimeType::instant, {0, (Seconds{least} - 1)}).rule, &rules::write_time_axis);
}

TEST(Axes, of_every_kind_are_read_back_as_they_were_written) {
  sillar::testing::Random random(30);
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 400; ++round) {
    const bool intervals = random.coin();
    const std::size_t count = random.between(1, 12) * (intervals ? 2 : 1);
    const Seconds unit = random.coin() ? day : 1;
    std::int64_t time = static_cast<std::int64_t>(random.next()) >> random.between(16, 60);
    std::vector<Seconds> seconds;
    for (std::size_t i = 0; i < count; ++i) {
      seconds.push_back(unit * time);
      time += static_cast<std::int64_t>(random.below(std::uint64_t{1} << random.below(40)) +
                                        (intervals && i % 2 == 0 ? 1 : 0));
    }
    const TimeType type = intervals ? TimeType::interval : TimeType::instant;
    const auto axis = TimeAxis::make(type, seconds);
    ASSERT_TRUE(axis.has_value()) << axis.error().message();
    const Trailer trailer{.band_texts = {"a"}, .times = *axis};
    const auto bytes = make_trailer(trailer);
    Report report(Report::Until::end);
    const auto read = check_trailer(bytes, 0, 1, axis->steps(), {}, report);
    ASSERT_TRUE(read.has_value()) << read.error().message();
    ASSERT_EQ(*read, trailer);
    for (std::size_t i = 0; i < count; ++i) ASSERT_TRUE(read->times.seconds(i) == seconds[i]);
  }
}

TEST(FindTimes, takes_instants_inside_and_intervals_that_overlap) {
  std::vector<Seconds> instants;
  for (const char* text :
       {"2024-01-31T23:59:59Z", "2024-02-01", "2024-02-29", "2024-03-01", "2024-03-01"})
    instants.push_back(parse_instant(text).value());
  const auto axis = TimeAxis::make(TimeType::instant, instants).value();
  using Steps = std::vector<std::uint64_t>;
  EXPECT_EQ(find_times(axis, "2024-02").value(), (Steps{1, 2}));
  EXPECT_EQ(find_times(axis, "2024-01/2024-03").value(), (Steps{0, 1, 2}));
  EXPECT_EQ(find_times(axis, "2024-03-01").value(), (Steps{3, 4}));
  EXPECT_EQ(find_times(axis, "2024-03-01T00:00:00Z").value(), (Steps{3, 4}));
  EXPECT_EQ(find_times(axis, "2024").value(), (Steps{0, 1, 2, 3, 4}));
  EXPECT_EQ(find_times(axis, "../2024-02").value(), (Steps{0}));
  EXPECT_FALSE(find_times(axis, "2024-03-01T00:00:01Z").has_value());
  EXPECT_FALSE(find_times(axis, "2025").has_value());

  std::vector<Seconds> bounds;
  for (const char* text :
       {"2024-01-01", "2024-02-01", "2024-02-01", "2024-03-01", "2024-06-01", "2024-07-01"})
    bounds.push_back(parse_instant(text).value());
  const auto intervals = TimeAxis::make(TimeType::interval, bounds).value();
  EXPECT_EQ(find_times(intervals, "2024-01-31").value(), (Steps{0}));
  EXPECT_EQ(find_times(intervals, "2024-02").value(), (Steps{1}));
  EXPECT_EQ(find_times(intervals, "2024-01-31/2024-02-02").value(), (Steps{0, 1}));
  EXPECT_EQ(find_times(intervals, "2024-02-01T00:00:00Z").value(), (Steps{1}));
  EXPECT_EQ(find_times(intervals, "2024-01-31T23:59:59Z").value(), (Steps{0}));
  EXPECT_FALSE(find_times(intervals, "2024-03/2024-06").has_value());
  EXPECT_EQ(find_times(intervals, "2024-05/..").value(), (Steps{2}));
}

}  // namespace
}  // namespace sillar::rumi
