// The header: one table, and every rule by its own name at its own byte.
#include <sillar/opff/header.hpp>

#include "made_file.hpp"

#include <gtest/gtest.h>

namespace sillar::opff {
namespace {

using testing::Bytes;
using testing::head;

// 2 frames of 3 interleaved u16 channels, 5 x 4, start id 0x12345678.
const Bytes good = head("4f504646 01 02 03 02 78563412 0500 0400");

std::vector<std::string> broken(const Bytes& bytes, std::uint64_t file_size) {
  Report report(Report::Until::end);
  (void)judge_header(bytes, file_size, report);
  return testing::rules_in(report);
}

TEST(Header, is_read_and_written_by_the_table_of_the_specification) {
  const auto outline = read_header(good, 64 + 240);
  ASSERT_TRUE(outline.has_value());
  EXPECT_EQ(outline->letter(), 'F');
  EXPECT_EQ(outline->start_id(), 0x12345678u);
  EXPECT_EQ(outline->end_id(), 0x1234567Au);
  EXPECT_EQ(outline->geometry, (Geometry{.depth = find_depth("u16"),
                                         .layout = Layout::interleaved,
                                         .frames = 2,
                                         .channels = 3,
                                         .height = 4,
                                         .width = 5}));
  EXPECT_EQ(outline->expected_size, 64u + 2 * 3 * 4 * 5 * 2);
  const auto again = wire::store_record(header_of(outline->geometry, 'F', 0x12345678));
  EXPECT_EQ(Bytes(again.begin(), again.end()), good);
  const auto lines = wire::describe(outline->header, 0);
  ASSERT_EQ(lines.size(), 9u);
  EXPECT_EQ(lines[5].name, "start_id");
  EXPECT_EQ(lines[5].offset, 8u);
  EXPECT_EQ(lines[5].value, "305419896");
}

TEST(Header, reports_each_rule_by_its_own_name_at_its_own_byte) {
  struct Case {
    std::size_t offset;
    std::uint8_t value;
    const Rule& rule;
    std::uint64_t at;
  };
  const Case cases[] = {
      {0x00, 'o', rules::magic, 0x00},        {0x03, 'f', rules::magic, 0x00},
      {0x03, '[', rules::magic, 0x00},        {0x04, 2, rules::version, 0x04},
      {0x05, 3, rules::depth, 0x05},          {0x05, 0, rules::interleaved_bitmap, 0x06},
      {0x06, 0x80, rules::channels, 0x06},    {0x06, 0, rules::channels, 0x06},
      {0x07, 0, rules::zero_dimension, 0x07}, {0x0C, 0, rules::zero_dimension, 0x0C},
      {0x0E, 0, rules::zero_dimension, 0x0E}, {0x10, 1, rules::reserved, 0x10},
      {0x3F, 1, rules::reserved, 0x3F},       {0x0C, 6, rules::size, 64 + 240},
      {0x07, 3, rules::size, 64 + 240},
  };
  for (const auto& [offset, value, rule, at] : cases) {
    SCOPED_TRACE(std::string(rule.id) + " at " + std::to_string(offset));
    auto bytes = good;
    bytes[offset] = std::byte{value};
    if (&rule == &rules::interleaved_bitmap) bytes[0x0C] = std::byte{4};  // 4 x 4: no other rule
    const auto outline = read_header(bytes, 64 + 240);
    ASSERT_FALSE(outline.has_value());
    EXPECT_EQ(outline.error().rule, &rule);
    EXPECT_EQ(outline.error().offset, at);
    EXPECT_EQ(broken(bytes, 64 + 240), std::vector<std::string>{std::string(rule.id)});
  }
}

TEST(Header, is_not_judged_behind_what_makes_it_meaningless) {
  auto bytes = head("4f504646 01 03 00 00 00000000 0000 0000");
  bytes[63] = std::byte{9};
  EXPECT_EQ(broken(bytes, 64), (std::vector<std::string>{"opff.depth", "opff.channels",
                                                         "opff.zero_dimension", "opff.reserved"}));
  bytes[4] = std::byte{0};
  EXPECT_EQ(broken(bytes, 64), std::vector<std::string>{"opff.version"});
  bytes[0] = std::byte{0};
  EXPECT_EQ(broken(bytes, 64), std::vector<std::string>{"opff.magic"});
  bytes.resize(63);
  EXPECT_EQ(broken(bytes, 63), std::vector<std::string>{"opff.header_short"});
  EXPECT_EQ(broken({}, 0), std::vector<std::string>{"opff.header_short"});
}

TEST(Header, names_all_zero_dimensions_in_one_finding) {
  const auto bytes = head("4f504646 01 01 01 00 00000000 0000 0000");
  Report report(Report::Until::end);
  EXPECT_FALSE(judge_header(bytes, 64, report).has_value());
  ASSERT_EQ(report.findings().size(), 1u);
  EXPECT_EQ(report.findings()[0].error.detail,
            "frames is 0, expected more than 0; width is 0, expected more than 0; height is 0, "
            "expected more than 0");
}

TEST(Header, takes_every_letter_unless_the_caller_says_otherwise) {
  for (char letter = 'A'; letter <= 'Z'; ++letter) {
    auto bytes = good;
    bytes[3] = static_cast<std::byte>(letter);
    const auto outline = read_header(bytes, 64 + 240);
    ASSERT_TRUE(outline.has_value());
    EXPECT_EQ(outline->letter(), letter);
    EXPECT_TRUE(check_letter(*outline, ""));
    EXPECT_EQ(check_letter(*outline, "FX").has_value(), letter == 'F' || letter == 'X');
  }
  auto bytes = good;
  bytes[3] = std::byte{'T'};
  bytes.resize(64 + 240);
  EXPECT_EQ(of_memory(bytes, {}, "F").error().code, Errc::unsupported);
}

}  // namespace
}  // namespace sillar::opff
