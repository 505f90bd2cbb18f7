// Errors: codes, messages, and how they travel.
#include <sillar/base/error.hpp>

#include <sillar/base/checked.hpp>

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>

namespace sillar {
namespace {

constexpr Rule rule{"test.part.name", "A title", "the demand of the rule"};

TEST(Codes, have_the_names_and_exit_codes_of_the_contract) {
  const struct {
    Errc code;
    std::string_view name;
    int exit;
  } table[] = {
      {Errc::bad_argument, "bad_argument", 2},
      {Errc::not_found, "not_found", 3},
      {Errc::malformed, "malformed", 4},
      {Errc::truncated, "truncated", 4},
      {Errc::checksum, "checksum", 4},
      {Errc::codec, "codec", 4},
      {Errc::unsupported, "unsupported", 5},
      {Errc::over_limit, "over_limit", 6},
      {Errc::io, "io", 7},
      {Errc::exists, "exists", 8},
      {Errc::cancelled, "cancelled", 130},
  };
  for (const auto& [code, name, exit] : table) {
    EXPECT_EQ(name_of(code), name);
    EXPECT_EQ(exit_code(code), exit) << name;
  }
}

TEST(Messages, name_source_offset_rule_and_detail_in_one_line) {
  Error error{.code = Errc::malformed,
              .rule = &rule,
              .offset = 0x1a4,
              .detail = "got 3, expected 1",
              .source = "a.rumi"};
  EXPECT_EQ(error.message(), "a.rumi: offset 0x1a4: test.part.name: got 3, expected 1");
  error.detail.clear();
  EXPECT_EQ(error.message(), "a.rumi: offset 0x1a4: test.part.name: the demand of the rule");
  error.rule = nullptr;
  EXPECT_EQ(error.message(), "a.rumi: offset 0x1a4: malformed");
  error.offset = ~std::uint64_t{0};
  EXPECT_EQ(error.message(), "a.rumi: offset 0xffffffffffffffff: malformed");
  error.offset = 0;
  EXPECT_EQ(error.message(), "a.rumi: offset 0x0: malformed");
  error.offset.reset();
  error.source.clear();
  EXPECT_EQ(error.message(), "malformed");
}

TEST(Failures, carry_what_they_were_given) {
  const Result<> plain = fail(Errc::io, "text", 7);
  EXPECT_EQ(
      plain.error(),
      (Error{.code = Errc::io, .rule = nullptr, .offset = 7, .detail = "text", .source = {}}));
  const Result<> broken = fail(rule, "text");
  EXPECT_EQ(broken.error().code, Errc::malformed);
  EXPECT_EQ(broken.error().rule, &rule);
  const Result<> system = fail_errno(Errc::not_found, "open", ENOENT);
  EXPECT_EQ(system.error().system_errno, ENOENT);
  EXPECT_EQ(system.error().detail, "open: No such file or directory");
}

TEST(Source, is_filled_in_once) {
  EXPECT_EQ(in_source(Result<>(fail(Errc::io, "x")), "a").error().source, "a");
  EXPECT_EQ(in_source(in_source(Result<>(fail(Errc::io, "x")), "a"), "b").error().source, "a");
  EXPECT_EQ(in_source(Result<int>(3), "a"), 3);
}

Result<int> half(int value) {
  if (value % 2 != 0) return fail(Errc::bad_argument, "odd");
  return value / 2;
}

Result<> even(int value) {
  if (value % 2 != 0) return fail(Errc::bad_argument, "odd");
  return {};
}

Result<std::unique_ptr<int>> boxed(int value) {
  if (value < 0) return fail(Errc::bad_argument, "negative");
  return std::make_unique<int>(value);
}

Result<int> quarter(int value, int& passed) {
  SILLAR_TRY(even(value));
  ++passed;
  SILLAR_TRY(const int once, half(value));
  SILLAR_TRY(auto box, boxed(once));
  int twice = 0;
  SILLAR_TRY(twice, half(*box));
  if (value > 100) SILLAR_TRY(even(1));
  return twice;
}

TEST(Try, returns_the_first_error_and_else_goes_on) {
  int passed = 0;
  EXPECT_EQ(quarter(8, passed), 2);
  EXPECT_EQ(passed, 1);
  EXPECT_EQ(quarter(7, passed).error().detail, "odd");
  EXPECT_EQ(passed, 1);
  EXPECT_EQ(quarter(6, passed).error().detail, "odd");
  EXPECT_EQ(quarter(-4, passed).error().detail, "negative");
  EXPECT_EQ(quarter(104, passed).error().detail, "odd");
}

TEST(Checked, arithmetic_tells_when_it_overflows) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  EXPECT_EQ(checked_add(most, 0), most);
  EXPECT_EQ(checked_add(most, 1), std::nullopt);
  EXPECT_EQ(checked_mul(std::uint64_t{1} << 32, std::uint64_t{1} << 31), std::uint64_t{1} << 63);
  EXPECT_EQ(checked_mul(std::uint64_t{1} << 32, std::uint64_t{1} << 32), std::nullopt);
  EXPECT_EQ(checked_mul(most, most, std::uint64_t{0}),
            std::nullopt);  // a later zero does not hide it
  EXPECT_EQ(checked_mul(std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{5}, std::uint64_t{7}),
            210u);
  EXPECT_EQ(narrow<std::uint8_t>(255), 255);
  EXPECT_EQ(narrow<std::uint8_t>(256), std::nullopt);
  EXPECT_EQ(narrow<std::uint8_t>(-1), std::nullopt);
  EXPECT_EQ(ceil_div(7, 3), 3u);
  EXPECT_EQ(ceil_div(6, 3), 2u);
  EXPECT_EQ(ceil_div(most, 2), std::uint64_t{1} << 63);
}

}  // namespace
}  // namespace sillar
