// The footer that this library may write, and those that it only hands on.
#include <sillar/opff/footer.hpp>

#include "made_file.hpp"
#include "opff_manifest.hpp"
#include <sillar/opff/validate.hpp>

#include <gtest/gtest.h>

namespace sillar::opff {
namespace {

using testing::Bytes;
using testing::rule_of;

Bytes bytes(std::string_view text) { return sillar::testing::bytes_of(text); }

TEST(Footer, has_a_magic_a_version_a_length_and_a_text) {
  const auto footer = make_footer(std::string("{\"a\": 1}")).value();
  EXPECT_EQ(testing::to_hex(footer),
            "73696c6c61720d0a"
            "01000000"
            "08000000"
            "7b2261223a20317d");
  EXPECT_EQ(footer_text(footer), "{\"a\": 1}");
}

TEST(Footer, keeps_the_keys_that_the_header_has_no_place_for) {
  FooterKeys keys;
  EXPECT_EQ(footer_text(make_footer(keys).value()), "{}");
  keys.dtype = DType::bf16;
  keys.shape = Shape{2, 3, 0};
  keys.axes = {"n", "\"quoted\"\n", "zone \xC3\xA9"};
  keys.valid_bits = 12;
  const std::string text = footer_text(make_footer(keys).value()).value();
  EXPECT_EQ(text,
            R"({"dtype": "bf16", "shape": [2, 3, 0], "axes": ["n", "\"quoted\"\u000a", "zone )"
            "\xC3\xA9"
            R"("], "valid_bits": 12})");
  EXPECT_EQ(footer_keys(text), keys);
  for (const DTypeInfo& entry : dtype_table) {
    FooterKeys one;
    one.dtype = entry.dtype;
    EXPECT_EQ(footer_keys(footer_text(make_footer(one).value()).value()), one);
  }
}

TEST(Footer, may_have_other_keys_and_escapes) {
  const auto keys = footer_keys(
      R"( { "free" : [1.5e-3, {"dtype": 1}, null, true, false, -0] , "axes":["\u0079","\ud83d\ude00\/"]} )");
  ASSERT_TRUE(keys.has_value()) << keys.error().message();
  EXPECT_EQ(keys->axes, (std::vector<std::string>{"y", "\xF0\x9F\x98\x80/"}));
  EXPECT_FALSE(keys->dtype);
}

TEST(Footer, of_another_text_than_one_object_is_refused) {
  for (const char* text : {"",
                           "1",
                           "[]",
                           "{",
                           "{}x",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "{\"a\":01}",
                           "{\"a\":1.}",
                           "{\"a\":+1}",
                           "{\"a\":\"\x01\"}",
                           "{\"a\":\"\\x\"}",
                           "{\"a\":\"\\ud800\"}",
                           "{\"a\":\"\\udc00\"}",
                           "{'a':1}",
                           "{\"a\":tru}",
                           "\xEF\xBB\xBF{}",
                           "{\"\xFF\":1}",
                           "{\"a\":\"",
                           "{\"a\":\"\\u12"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(rule_of(make_footer(std::string(text))), "opff.footer.text");
    EXPECT_EQ(rule_of(footer_keys(text)), "opff.footer.text");
    EXPECT_EQ(rule_of(bare_footer_text(bytes(text))), "opff.footer.text");
  }
  const std::string deep = "{\"a\":" + std::string(100000, '[') + std::string(100000, ']') + "}";
  EXPECT_EQ(rule_of(make_footer(deep)), "opff.footer.text");
  EXPECT_EQ(bare_footer_text(bytes("{}")), "{}");
}

TEST(Footer, with_a_known_key_of_another_kind_is_refused) {
  for (const char* text :
       {"{\"dtype\": 1}", "{\"dtype\": \"int16\"}", "{\"shape\": 3}", "{\"shape\": [-1]}",
        "{\"shape\": [1.0]}", "{\"shape\": [18446744073709551616]}", "{\"axes\": [1]}",
        "{\"valid_bits\": \"8\"}", "{\"dtype\": \"u8\", \"dtype\": \"i8\"}"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(rule_of(footer_keys(text)), "opff.footer.text");
  }
}

TEST(Footer, breaks_each_of_its_rules_by_name) {
  const std::string head = "73696c6c61720d0a 01000000 02000000";
  const auto breaks = [](const std::string& digits) {
    return rule_of(footer_text(testing::from_hex(digits)));
  };
  EXPECT_EQ(breaks(head + "7b7d"), "success");
  EXPECT_EQ(breaks("73696c6c61720d0a 01000000 020000"), "opff.footer.short");
  EXPECT_EQ(breaks("53696c6c61720d0a 01000000 02000000 7b7d"), "opff.footer.magic");
  EXPECT_EQ(breaks("73696c6c61720d0a 02000000 02000000 7b7d"), "opff.footer.version");
  EXPECT_EQ(breaks(head + "7b7d00"), "opff.footer.length");
  EXPECT_EQ(breaks(head + "7b"), "opff.footer.length");
  EXPECT_EQ(breaks(head + "5b5d"), "opff.footer.text");
}

TEST(Footer, is_judged_by_a_validator_only_when_asked) {
  const Bytes samples(4);
  const Bytes footer = bytes("anything");
  WriteOptions options;
  options.footer = footer;
  const auto file =
      testing::written(TensorView(samples.data(), DType::u8, Shape{2, 2}), options).value();
  const auto source = io::memory_source(file);
  EXPECT_TRUE(validate(*source)->findings().empty());
  const auto report = validate(*source, {.footer = true, .control = {}}).value();
  EXPECT_EQ(testing::rules_in(report), std::vector<std::string>{"opff.footer.short"});
  EXPECT_EQ(report.findings()[0].error.offset, file.size());
}

}  // namespace
}  // namespace sillar::opff
