// What sinks promise, wherever the file goes.
#include <sillar/io/sink.hpp>

#include "scratch_directory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace sillar::io {
namespace {

using testing::bytes_of;
using testing::text_of;

enum class Kind { memory, file };

class Sinks : public ::testing::TestWithParam<Kind> {
 protected:
  Sinks() {
    if (GetParam() == Kind::memory) {
      sink = memory_sink(memory_);
    } else {
      auto created = create_file(directory_ / "file");
      EXPECT_TRUE(created.has_value());
      sink = *std::move(created);
    }
  }

  std::string result() {
    return GetParam() == Kind::memory ? text_of(memory_) : testing::get(directory_ / "file");
  }

  bool is_empty() {
    return GetParam() == Kind::memory
               ? memory_.empty()
               : !directory_.names().empty() && directory_.names()[0] != "file";
  }

  std::vector<std::byte> memory_;
  testing::ScratchDirectory directory_;
  std::unique_ptr<Sink> sink;
};

TEST_P(Sinks, keep_appends_in_order) {
  ASSERT_TRUE(sink->append(bytes_of("one ")));
  ASSERT_TRUE(sink->append({}));
  ASSERT_TRUE(sink->append(bytes_of("two")));
  EXPECT_TRUE(is_empty());
  ASSERT_TRUE(sink->finish());
  EXPECT_EQ(result(), "one two");
}

TEST_P(Sinks, put_the_front_before_all_appends) {
  ASSERT_TRUE(sink->reserve(6));
  ASSERT_TRUE(sink->append(bytes_of("body")));
  ASSERT_TRUE(sink->put_front(bytes_of("front ")));
  ASSERT_TRUE(sink->append(bytes_of(" tail")));
  ASSERT_TRUE(sink->finish());
  EXPECT_EQ(result(), "front body tail");
}

TEST_P(Sinks, make_an_empty_file_and_one_that_is_all_front) {
  if (GetParam() == Kind::file) {
    auto other = create_file(directory_ / "empty");
    ASSERT_TRUE((*other)->finish());
    EXPECT_EQ(testing::get(directory_ / "empty"), "");
  }
  ASSERT_TRUE(sink->reserve(3));
  ASSERT_TRUE(sink->put_front(bytes_of("abc")));
  ASSERT_TRUE(sink->finish());
  EXPECT_EQ(result(), "abc");
}

TEST_P(Sinks, keep_pieces_of_every_size_around_the_buffer) {
  std::mt19937 random(7);
  std::string expected = "front";
  ASSERT_TRUE(sink->reserve(5));
  const std::size_t mebi = 1 << 20;
  for (const std::size_t size :
       {std::size_t{1}, mebi - 1, mebi, std::size_t{1}, mebi + 1, mebi - 2, std::size_t{2},
        std::size_t{0}, 3 * mebi, std::size_t{5}, mebi / 2, mebi / 2 + 1, mebi}) {
    std::string piece(size, '\0');
    for (char& byte : piece) byte = static_cast<char>(random() & 0xFF);
    ASSERT_TRUE(sink->append(bytes_of(piece)));
    expected += piece;
  }
  ASSERT_TRUE(sink->put_front(bytes_of("front")));
  ASSERT_TRUE(sink->finish());
  EXPECT_TRUE(result() == expected);
}

TEST_P(Sinks, refuse_calls_out_of_order) {
  const auto refused = [](const Result<>& result) {
    return !result.has_value() && result.error().code == Errc::bad_argument;
  };
  EXPECT_TRUE(refused(sink->put_front(bytes_of("x"))));  // nothing was reserved
  ASSERT_TRUE(sink->reserve(4));
  EXPECT_TRUE(refused(sink->reserve(4)));
  EXPECT_TRUE(refused(sink->put_front(bytes_of("abc"))));
  EXPECT_TRUE(refused(sink->put_front(bytes_of("abcde"))));
  EXPECT_TRUE(refused(sink->finish()));  // the front is missing
  ASSERT_TRUE(sink->append(bytes_of("x")));
  EXPECT_TRUE(refused(sink->reserve(4)));
  ASSERT_TRUE(sink->put_front(bytes_of("abcd")));
  ASSERT_TRUE(sink->finish());
  EXPECT_EQ(result(), "abcdx");
  EXPECT_TRUE(refused(sink->finish()));
  EXPECT_TRUE(refused(sink->append(bytes_of("x"))));
  EXPECT_TRUE(refused(sink->put_front(bytes_of("abcd"))));
  EXPECT_TRUE(refused(sink->reserve(1)));
  EXPECT_EQ(result(), "abcdx");
}

TEST_P(Sinks, leave_nothing_without_finish) {
  ASSERT_TRUE(sink->append(bytes_of("lost")));
  sink.reset();
  EXPECT_TRUE(memory_.empty());
  EXPECT_TRUE(directory_.names().empty());
}

TEST_P(Sinks, lend_spools_that_give_back_what_was_put) {
  auto spool = *sink->spool();
  auto other = *sink->spool();
  ASSERT_TRUE(sink->append(bytes_of("appended")));
  std::vector<std::pair<std::uint64_t, std::string>> pieces;
  for (const std::string& piece :
       {std::string("first"), std::string(), std::string(2'000'000, 'x'), std::string("last")}) {
    const auto offset = spool->put(bytes_of(piece));
    ASSERT_TRUE(offset.has_value());
    pieces.emplace_back(*offset, piece);
    ASSERT_TRUE(other->put(bytes_of("other")));
  }
  EXPECT_EQ(pieces[2].first, 5u);
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
    std::vector<std::byte> back(piece->second.size());
    ASSERT_TRUE(spool->get(piece->first, back));
    EXPECT_TRUE(text_of(back) == piece->second);
  }
  ASSERT_TRUE(sink->finish());
  EXPECT_EQ(result(), "appended");
}

TEST_P(Sinks, have_spools_that_refuse_what_was_never_put) {
  auto spool = *sink->spool();
  ASSERT_TRUE(spool->put(bytes_of("12345")));
  std::vector<std::byte> out(3);
  EXPECT_TRUE(spool->get(2, out));
  for (const std::uint64_t offset :
       {std::uint64_t{3}, std::uint64_t{6}, ~std::uint64_t{0}, ~std::uint64_t{0} - 2}) {
    const auto result = spool->get(offset, out);
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, Errc::bad_argument);
  }
}

INSTANTIATE_TEST_SUITE_P(all, Sinks, ::testing::Values(Kind::memory, Kind::file));

TEST(MemorySink, replaces_what_was_in_the_vector_only_when_it_is_finished) {
  std::vector<std::byte> out(3, std::byte{9});
  {
    const auto sink = memory_sink(out);
    ASSERT_TRUE(sink->append(bytes_of("x")));
  }
  EXPECT_EQ(out.size(), 3u);
  const auto sink = memory_sink(out);
  ASSERT_TRUE(sink->append(bytes_of("y")));
  ASSERT_TRUE(sink->finish());
  EXPECT_EQ(text_of(out), "y");
}

TEST(MemorySink, refuses_a_front_that_memory_cannot_hold) {
  std::vector<std::byte> out;
  const auto reserved = memory_sink(out)->reserve(~std::uint64_t{0});
  ASSERT_FALSE(reserved.has_value());
  EXPECT_EQ(reserved.error().code, Errc::over_limit);
}

}  // namespace
}  // namespace sillar::io
