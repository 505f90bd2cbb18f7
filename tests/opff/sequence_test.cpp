// Files that continue each other, and those that do not.
#include <sillar/opff/sequence.hpp>

#include "made_file.hpp"

#include <gtest/gtest.h>

namespace sillar::opff {
namespace {

using testing::Bytes;

class Sequences : public ::testing::Test {
 protected:
  /// A file of frames of one row, whose samples are their own ids.
  std::string file(std::uint32_t start_id, std::uint64_t frames, std::uint64_t width = 2) {
    Bytes samples;
    for (std::uint64_t i = 0; i < frames; ++i)
      samples.resize(samples.size() + width, static_cast<std::byte>(start_id + i));
    const std::string path = scratch_ / (std::to_string(count_++) + ".opff");
    WriteOptions options;
    options.start_id = start_id;
    EXPECT_TRUE(
        write(path, TensorView(samples.data(), DType::u8, Shape{frames, 1, 1, width}), options));
    return path;
  }

  static std::vector<std::string> strange(const std::vector<std::string>& paths) {
    return testing::rules_in(open_sequence(paths).value().report());
  }

  testing::ScratchDirectory scratch_;
  int count_ = 0;
};

TEST_F(Sequences, are_sorted_by_start_id_and_may_end_in_a_shorter_file) {
  const std::vector<std::string> paths = {file(20, 3), file(0, 10), file(10, 10)};
  const auto sequence = open_sequence(paths).value();
  EXPECT_TRUE(sequence.report().findings().empty());
  EXPECT_EQ(sequence.parts()[0].path, paths[1]);
  for (std::uint64_t id = 0; id < 23; ++id)
    EXPECT_EQ(sequence.frame(id)->data()[0], static_cast<std::byte>(id));
  EXPECT_EQ(sequence.frame(23).error().code, Errc::bad_argument);
}

TEST_F(Sequences, report_gaps_overlaps_and_changes_of_geometry) {
  EXPECT_EQ(strange({file(0, 4), file(6, 4)}), std::vector<std::string>{"opff.sequence.gap"});
  EXPECT_EQ(strange({file(0, 4), file(3, 4)}), std::vector<std::string>{"opff.sequence.overlap"});
  EXPECT_EQ(strange({file(0, 4), file(4, 4, 3)}),
            std::vector<std::string>{"opff.sequence.geometry"});
  const std::vector<std::string> paths = {file(0, 4), file(6, 4)};
  const auto gap = open_sequence(paths).value();
  EXPECT_EQ(gap.report().findings()[0].error.detail, "ids 4 to 5 are missing");
  EXPECT_EQ(gap.report().findings()[0].error.source, paths[1]);
  EXPECT_EQ(gap.report().findings()[0].severity, Severity::warning);
  EXPECT_FALSE(gap.frame(4));
  EXPECT_EQ(gap.frame(6)->data()[0], std::byte{6});
}

TEST_F(Sequences, find_a_frame_behind_a_short_file_that_lies_inside_a_long_one) {
  const std::vector<std::string> paths = {file(0, 10), file(2, 2)};
  const auto sequence = open_sequence(paths).value();
  EXPECT_EQ(sequence.find(3)->part, 1u);
  EXPECT_EQ(sequence.find(7)->part, 0u);
  EXPECT_EQ(sequence.end_id(), 10u);
}

TEST_F(Sequences, have_ids_beyond_32_bits) {
  const std::vector<std::string> paths = {file(UINT32_MAX, 3)};
  const auto sequence = open_sequence(paths).value();
  EXPECT_EQ(sequence.end_id(), (std::uint64_t{1} << 32) + 2);
  EXPECT_EQ(sequence.find((std::uint64_t{1} << 32) + 1)->index, 2u);
}

TEST_F(Sequences, of_no_file_or_of_a_broken_one_are_refused) {
  EXPECT_EQ(open_sequence({}).error().code, Errc::bad_argument);
  testing::put(scratch_ / "bad", "OPFF");
  const std::vector<std::string> paths = {file(0, 1), scratch_ / "bad"};
  EXPECT_EQ(open_sequence(paths).error().source, paths[1]);
}

}  // namespace
}  // namespace sillar::opff
