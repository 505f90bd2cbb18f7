// Every invalid file and blob of the corpus, refused by the name of the rule that it breaks.
#include "made_file.hpp"
#include "rumi_manifest.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string_view>

namespace sillar::rumi {
namespace {

using sillar::testing::rumi_manifest;
using sillar::testing::RumiInvalid;
using testing::Bytes;
using testing::rule_of;

/// The first error that a reader meets who asks for everything but samples.
Result<> open_and_describe(const Bytes& bytes) {
  SILLAR_TRY(const auto file, testing::open_bytes(bytes));
  SILLAR_TRY(file.georeference());
  SILLAR_TRY(file.trailer());
  return {};
}

void refuses_file(const RumiInvalid& entry) {
  const Bytes bytes = entry.bytes();
  const auto opened = open_and_describe(bytes);
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(rule_of(opened.error()), "rumi." + entry.rule) << opened.error().message();
  EXPECT_TRUE(opened.error().code == Errc::malformed || opened.error().code == Errc::truncated);
  EXPECT_LE(opened.error().offset.value_or(UINT64_MAX), bytes.size());

  const auto report = validate(*io::memory_source(bytes));
  ASSERT_TRUE(report.has_value()) << report.error().message();
  const auto broken = testing::broken_rules(*report);
  EXPECT_TRUE(std::ranges::find(broken, "rumi." + entry.rule) != broken.end())
      << ::testing::PrintToString(broken);
}

void refuses_blob(const RumiInvalid& entry) {
  const auto header = parse_header_blob(entry.blob, {});
  ASSERT_FALSE(header.has_value());
  EXPECT_EQ(rule_of(header.error()), "rumi." + entry.rule) << header.error().message();
  // A validator that is given a good file with it finds the same.
  const auto& good = rumi_manifest().valid.front();
  const auto report = validate(*io::memory_source(good.bytes()), {.header_blob = entry.blob,
                                                                  .decode = false,
                                                                  .pool = nullptr,
                                                                  .registry = nullptr,
                                                                  .limits = {},
                                                                  .control = {}});
  ASSERT_TRUE(report.has_value()) << report.error().message();
  EXPECT_EQ(testing::broken_rules(*report), std::vector<std::string>{"rumi." + entry.rule});
}

void refuses_on_read(const RumiInvalid& entry) {
  const Bytes bytes = entry.bytes();
  EXPECT_TRUE(open_and_describe(bytes).has_value());
  for (const bool with_blob : {false, true}) {
    SCOPED_TRACE(with_blob ? "with blob" : "without blob");
    OpenOptions options;
    if (with_blob) options.header_blob = entry.header_blob;
    const auto file = open(io::memory_source(bytes), options);
    ASSERT_TRUE(file.has_value()) << file.error().message();
    Limits limits;  // room for the frames that the shape of a bomb demands
    limits.frame_bytes = std::uint64_t{1} << 50;
    limits.output_bytes = std::uint64_t{1} << 50;
    const auto plan = file->plan({}, limits);
    ASSERT_TRUE(plan.has_value()) << plan.error().message();
    if (plan->output_bytes() > std::uint64_t{1} << 30) {
      const auto refused = file->read();
      ASSERT_FALSE(refused.has_value());
      EXPECT_EQ(refused.error().code, Errc::over_limit);
      continue;
    }
    const auto samples = file->read();
    ASSERT_FALSE(samples.has_value());
    EXPECT_EQ(rule_of(samples.error()), "rumi." + entry.rule) << samples.error().message();
    EXPECT_GE(samples.error().offset.value_or(0), file->frames().base_offset());
  }
  const auto report = validate(*io::memory_source(bytes));
  ASSERT_TRUE(report.has_value()) << report.error().message();
  auto found = testing::broken_rules(*report);
  const auto unsupported = testing::broken_rules(*report, Severity::unsupported);
  found.insert(found.end(), unsupported.begin(), unsupported.end());
  EXPECT_FALSE(found.empty());
  for (const std::string& id : found) EXPECT_EQ(id, "rumi." + entry.rule);
}

void warns(const RumiInvalid& entry) {
  const Bytes bytes = entry.bytes();
  EXPECT_TRUE(open_and_describe(bytes).has_value());
  const auto file = testing::open_bytes(bytes);
  ASSERT_TRUE(file.has_value());
  EXPECT_TRUE(file->read().has_value());
  const auto report = validate(*io::memory_source(bytes));
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(testing::broken_rules(*report), std::vector<std::string>{});
  EXPECT_EQ(testing::broken_rules(*report, Severity::warning),
            std::vector<std::string>{"rumi." + entry.rule});
}

void tells_pair_apart(const RumiInvalid& entry) {
  const Bytes bytes = entry.bytes();
  EXPECT_TRUE(open_and_describe(bytes).has_value());
  EXPECT_TRUE(parse_header_blob(entry.header_blob, {}).has_value());
  const auto report = validate(*io::memory_source(bytes), {.header_blob = entry.header_blob,
                                                           .decode = true,
                                                           .pool = nullptr,
                                                           .registry = nullptr,
                                                           .limits = {},
                                                           .control = {}});
  ASSERT_TRUE(report.has_value()) << report.error().message();
  EXPECT_EQ(testing::broken_rules(*report), std::vector<std::string>{"rumi.pair.mismatch"});
}

void copes_with(const RumiInvalid& entry) {
  if (entry.kind == "blob") {
    const auto header = parse_header_blob(entry.blob, {});
    ASSERT_TRUE(header.has_value())
        << header.error().message();  // frames of one size need no index
    return;
  }
  const auto file = testing::open_bytes(entry.bytes());
  ASSERT_TRUE(file.has_value()) << file.error().message();
  const auto trailer = file->trailer();
  ASSERT_FALSE(trailer.has_value());
  EXPECT_EQ(trailer.error().code, Errc::over_limit);
  const auto plan = file->plan();
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().code, Errc::over_limit);
  const auto samples = file->read();
  ASSERT_FALSE(samples.has_value());
  EXPECT_EQ(samples.error().code, Errc::over_limit);
  const auto report = validate(*io::memory_source(entry.bytes()));
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code, Errc::over_limit);
}

/// Checks every case that `picks`; a failure names its rule and case.
void check_cases(const std::function<bool(const RumiInvalid&)>& picks,
                 const std::function<void(const RumiInvalid&)>& check) {
  std::size_t cases = 0;
  for (const RumiInvalid& entry : rumi_manifest().invalid) {
    if (!picks(entry)) continue;
    SCOPED_TRACE("rule " + entry.rule + ", case " + entry.name);
    check(entry);
    ++cases;
  }
  EXPECT_GT(cases, 0u);
}

bool is_file(const RumiInvalid& entry, std::string_view detect) {
  return entry.kind == "file" && entry.detect == detect;
}

TEST(InvalidFiles, are_refused_by_the_name_of_their_rule) {
  check_cases([](const RumiInvalid& entry) { return is_file(entry, "open"); }, refuses_file);
}

TEST(InvalidFrames, are_refused_on_reading_by_the_name_of_their_rule) {
  check_cases([](const RumiInvalid& entry) { return is_file(entry, "read"); }, refuses_on_read);
}

TEST(InvalidBlobs, are_refused_by_the_name_of_their_rule) {
  check_cases(
      [](const RumiInvalid& entry) { return entry.kind == "blob" && entry.detect == "open"; },
      refuses_blob);
}

TEST(Pairs, that_do_not_belong_together_are_told_by_a_validator) {
  check_cases([](const RumiInvalid& entry) { return entry.kind == "pair"; }, tells_pair_apart);
}

TEST(Warnings, are_given_by_a_validator_alone) {
  check_cases([](const RumiInvalid& entry) { return is_file(entry, "validate"); }, warns);
}

TEST(Bombs, are_held_against_limits_or_take_no_memory) {
  check_cases([](const RumiInvalid& entry) { return entry.detect == "limit"; }, copes_with);
}

TEST(Corpus, has_no_case_of_another_kind) {
  for (const RumiInvalid& entry : rumi_manifest().invalid) {
    const bool known = is_file(entry, "open") || is_file(entry, "read") ||
                       is_file(entry, "validate") || entry.kind == "pair" ||
                       entry.detect == "limit" || (entry.kind == "blob" && entry.detect == "open");
    EXPECT_TRUE(known) << entry.name;
  }
}

TEST(Checksums, alone_tell_flipped_bits_of_samples) {
  const auto file =
      testing::open_bytes(rumi_manifest().invalid_case("frame-zstd-flip-middle").bytes()).value();
  const auto refused = file.read();
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::checksum) << refused.error().message();
  EXPECT_EQ(refused.error().rule, &rules::frame_decode);
  // Without verification it decodes, to other samples.
  EXPECT_TRUE(file.read({}, {.pool = nullptr, .verify = false, .limits = {}, .control = {}}));
}

}  // namespace
}  // namespace sillar::rumi
