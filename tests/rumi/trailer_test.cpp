// Band texts: what a reader refuses and a writer never writes.
#include "made_file.hpp"

#include <gtest/gtest.h>

namespace sillar::rumi {
namespace {

using sillar::testing::from_hex;
using testing::Bytes;
using testing::Cube;

std::string text_of_hex(std::string_view digits) {
  const Bytes bytes = from_hex(digits);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct BadText {
  std::string text;
  const Rule* rule;
};

std::vector<BadText> bad_texts() {
  std::vector<BadText> texts = {{"", &rules::trailer_text_empty},
                                {std::string(1, '\0'), &rules::trailer_text_nul},
                                {std::string("a\0b", 3), &rules::trailer_text_nul},
                                {std::string("ab\0", 3), &rules::trailer_text_nul}};
  for (const char* digits :
       {"80", "c3", "c328", "c0af", "c080", "e28228", "e0809f", "eda080", "edbfbf", "f0288cbc",
        "f08080af", "f4908080", "f5808080", "ff", "fe", "61c3"}) {
    texts.push_back({text_of_hex(digits), &rules::trailer_text_utf8});
  }
  return texts;
}

/// A trailer with these texts and one instant, put together by hand.
Bytes trailer_with(const std::vector<std::string>& texts) {
  Bytes bytes = from_hex("5441494c 0100");
  for (const std::string& text : texts) {
    bytes.push_back(static_cast<std::byte>(text.size() & 0xFF));
    bytes.push_back(static_cast<std::byte>(text.size() >> 8));
    const Bytes raw = sillar::testing::bytes_of(text);
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  }
  const Bytes times = from_hex("02 00 5647000000000000 0000000000000000 80510100");
  bytes.insert(bytes.end(), times.begin(), times.end());
  return bytes;
}

Error refused(const Bytes& trailer, std::uint64_t bands) {
  Report report(Report::Until::first_error);
  const auto read = check_trailer(trailer, 1000, bands, 1, {}, report);
  EXPECT_FALSE(read.has_value());
  return read ? Error{} : read.error();
}

TEST(BandTexts, of_many_kinds_are_read_and_written_alike) {
  const std::vector<std::string> texts = {"B4, Red, 664.5nm (S2A) / 665nm (S2B)",
                                          " ",
                                          "\x01",
                                          "\xC3\xA9",
                                          "高さ",
                                          text_of_hex("f48fbfbf"),
                                          std::string(65535, 'x'),
                                          "\xEF\xBB\xBF"};
  const Bytes bytes = trailer_with(texts);
  Report report(Report::Until::end);
  const auto read = check_trailer(bytes, 0, texts.size(), 1, {}, report);
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(read->band_texts, texts);
  EXPECT_EQ(make_trailer(*read), bytes);
  EXPECT_TRUE(check_band_texts(texts, texts.size()));
}

TEST(BandTexts, that_break_a_rule_are_refused_on_reading_at_their_own_byte) {
  for (const auto& [text, rule] : bad_texts()) {
    const Error error = refused(trailer_with({"a", text, "b"}), 3);
    EXPECT_EQ(error.rule, rule) << error.message();
    EXPECT_NE(error.detail.find("band 1"), std::string::npos) << error.detail;
    // Behind the head and the text of band 0: its length if empty, else its bytes.
    EXPECT_EQ(error.offset, 1000u + 6 + 3 + (text.empty() ? 0 : 2));
  }
}

TEST(BandTexts, that_break_a_rule_are_refused_on_writing_with_the_number_of_the_band) {
  for (const auto& [text, rule] : bad_texts()) {
    const auto checked = check_band_texts(std::vector<std::string>{"a", "b", text}, 3);
    ASSERT_FALSE(checked.has_value());
    EXPECT_EQ(checked.error().code, Errc::bad_argument);
    EXPECT_EQ(checked.error().rule, rule);
    EXPECT_NE(checked.error().detail.find("band 2"), std::string::npos) << checked.error().detail;
  }
  const auto long_text =
      check_band_texts(std::vector<std::string>{"a", std::string(70'000, 'x')}, 2);
  ASSERT_FALSE(long_text.has_value());
  EXPECT_NE(long_text.error().detail.find("band 1 has 70000 bytes"), std::string::npos)
      << long_text.error().detail;
  EXPECT_FALSE(check_band_texts(std::vector<std::string>{"a"}, 2).has_value());
  EXPECT_FALSE(check_band_texts(std::vector<std::string>{}, 1).has_value());
}

TEST(BandTexts, that_are_equal_are_refused_naming_both_bands) {
  const std::vector<std::string> texts = {"a", "b", "c", "b", "a"};
  const Error read = refused(trailer_with(texts), 5);
  EXPECT_EQ(read.rule, &rules::trailer_text_duplicate);
  EXPECT_NE(read.detail.find("bands 1 and 3"), std::string::npos) << read.detail;
  const auto written = check_band_texts(texts, 5);
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().rule, &rules::trailer_text_duplicate);
  EXPECT_NE(written.error().detail.find("bands 1 and 3"), std::string::npos);
  // Equal to the eye, not in bytes: e with an acute accent, composed and not.
  EXPECT_TRUE(check_band_texts(std::vector<std::string>{"\xC3\xA9", "e\xCC\x81"}, 2));
}

TEST(BandTexts, reach_no_file_when_they_are_refused) {
  Cube cube{.dtype = DType::u8, .shape = {1, 2, 1, 1}, .bytes = Bytes(2)};
  Content content = testing::content_for(cube.shape, cube.dtype, 1, 1, 0);
  content.trailer.band_texts = {"a", "a"};
  Bytes out;
  EXPECT_FALSE(write(io::memory_sink(out), content, cube.view()).has_value());
  EXPECT_TRUE(out.empty());
  content.trailer.band_texts = {"a", "b"};
  content.trailer.times = testing::daily(2);
  const auto two_times = write(io::memory_sink(out), content, cube.view());
  ASSERT_FALSE(two_times.has_value());
  EXPECT_EQ(two_times.error().detail, "got 2 times for 1 time steps");
}

TEST(Trailer, that_ends_too_early_is_truncated_at_every_byte) {
  const Bytes whole = trailer_with({"ab", "c"});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Error error =
        refused(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)), 2);
    EXPECT_EQ(error.rule, size == 0 ? &rules::trailer_missing : &rules::trailer_truncated) << size;
    EXPECT_EQ(error.code, Errc::truncated);
    EXPECT_EQ(error.offset, 1000 + size);
  }
}

TEST(Trailer, with_more_coordinates_than_the_limit_is_refused_before_they_are_listed) {
  // 2^32 - 1 equal instants take no bytes.
  const Bytes bytes = trailer_with({"a"});
  Report report(Report::Until::first_error);
  const auto read = check_trailer(bytes, 0, 1, 0xFFFFFFFF, {}, report);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, Errc::over_limit);
}

}  // namespace
}  // namespace sillar::rumi
