// What byte sources promise, whatever their bytes lie in.
#include <sillar/io/byte_source.hpp>

#include "scratch_directory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace sillar::io {
namespace {

using testing::bytes_of;
using testing::text_of;

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

enum class Kind { view, owned, file };

// Every test runs on a view of memory, on owned memory and on a file.
class ByteSources : public ::testing::TestWithParam<Kind> {
 protected:
  std::shared_ptr<const ByteSource> source_of(std::string content) {
    content_ = std::move(content);
    switch (GetParam()) {
      case Kind::view:
        return memory_source(bytes_of(content_), "view");
      case Kind::owned: {
        const auto bytes = bytes_of(content_);
        return memory_source(std::vector<std::byte>(bytes.begin(), bytes.end()));
      }
      case Kind::file:
        break;
    }
    testing::put(directory_ / "f", content_);
    auto opened = open_file(directory_ / "f");
    EXPECT_TRUE(opened.has_value());
    return *opened;
  }

  testing::ScratchDirectory directory_;
  std::string content_;
};

using Delivered = std::vector<std::pair<std::size_t, std::string>>;

Result<Delivered> deliver(const ByteSource& source, const std::vector<ByteRange>& ranges,
                          const ReadControl& control = {}) {
  Delivered delivered;
  SILLAR_TRY(source.read(
      ranges,
      [&](std::size_t index, std::span<const std::byte> bytes) -> Result<> {
        delivered.emplace_back(index, text_of(bytes));
        return {};
      },
      control));
  std::ranges::sort(delivered);
  return delivered;
}

TEST_P(ByteSources, deliver_each_range_once_with_its_own_bytes) {
  const auto source = source_of("0123456789");
  const auto delivered =
      deliver(*source, {{8, 2}, {0, 3}, {3, 1}, {4, 4}, {2, 5}, {2, 5}, {0, 10}});
  ASSERT_TRUE(delivered.has_value());
  EXPECT_EQ(*delivered, (Delivered{{0, "89"},
                                   {1, "012"},
                                   {2, "3"},
                                   {3, "4567"},
                                   {4, "23456"},
                                   {5, "23456"},
                                   {6, "0123456789"}}));
}

TEST_P(ByteSources, deliver_adjacent_ranges_as_asked_for_however_many_there_are) {
  std::string content(std::size_t{3} << 20, '\0');
  std::mt19937 random(1);
  for (char& byte : content) byte = static_cast<char>(random() & 0xFF);
  const auto source = source_of(content);

  std::vector<ByteRange> ranges;
  Delivered expected;
  for (std::uint64_t offset = 0; offset < content.size();) {
    const std::uint64_t size = std::min<std::uint64_t>(random() % 70000, content.size() - offset);
    expected.emplace_back(ranges.size(), content.substr(offset, size));
    ranges.push_back({offset, size});
    offset += size;
  }
  // One that is longer than what is fetched together, next to short neighbours.
  expected.emplace_back(ranges.size(), content.substr(0, 2'000'000));
  ranges.push_back({0, 2'000'000});
  expected.emplace_back(ranges.size(), content.substr(2'000'000, 5));
  ranges.push_back({2'000'000, 5});

  const auto delivered = deliver(*source, ranges);
  ASSERT_TRUE(delivered.has_value());
  EXPECT_TRUE(*delivered == expected);
}

TEST_P(ByteSources, deliver_an_empty_range_as_an_empty_span_wherever_it_lies) {
  const auto source = source_of("abc");
  const auto delivered =
      deliver(*source, {{0, 0}, {0, 2}, {2, 0}, {2, 1}, {3, 0}, {99, 0}, {largest, 0}});
  ASSERT_TRUE(delivered.has_value());
  EXPECT_EQ(*delivered,
            (Delivered{{0, ""}, {1, "ab"}, {2, ""}, {3, "c"}, {4, ""}, {5, ""}, {6, ""}}));
}

TEST_P(ByteSources, are_content_with_no_range_at_all) {
  EXPECT_TRUE(deliver(*source_of("abc"), {}).has_value());
  EXPECT_TRUE(deliver(*source_of(""), {{0, 0}}).has_value());
}

TEST_P(ByteSources, call_a_range_past_the_end_truncated_at_the_first_missing_byte) {
  const auto source = source_of("0123456789");
  const ByteRange cases[] = {{0, 11},
                             {9, 2},
                             {10, 1},
                             {11, 1},
                             {5, largest},
                             {largest, 1},
                             {largest, largest},
                             {largest - 3, 5},
                             {1, largest},
                             {0, largest}};
  for (const ByteRange& range : cases) {
    SCOPED_TRACE(std::to_string(range.offset) + " + " + std::to_string(range.size));
    const auto delivered = deliver(*source, {{0, 1}, range});
    ASSERT_FALSE(delivered.has_value());
    EXPECT_EQ(delivered.error().code, Errc::truncated);
    EXPECT_EQ(delivered.error().offset, 10u);
    EXPECT_EQ(delivered.error().source, source->name());

    const auto one = source->read(range.offset, range.size);
    ASSERT_FALSE(one.has_value());
    EXPECT_EQ(one.error(), delivered.error());
  }
}

TEST_P(ByteSources, return_what_the_receiver_returns_and_stop_there) {
  const auto source = source_of("0123456789");
  const Error refusal{
      .code = Errc::codec, .rule = nullptr, .offset = 7, .detail = "no", .source = "s"};
  int calls = 0;
  const std::vector<ByteRange> ranges{{0, 2}, {2, 2}, {4, 2}};
  const auto result = source->read(ranges,
                                   [&](std::size_t, std::span<const std::byte>) -> Result<> {
                                     if (++calls == 2) return std::unexpected(refusal);
                                     return {};
                                   },
                                   {});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error(), refusal);
  EXPECT_EQ(calls, 2);
}

TEST_P(ByteSources, deliver_nothing_after_a_stop) {
  const auto source = source_of("0123456789");
  std::stop_source stop;
  int calls = 0;
  const std::vector<ByteRange> ranges{{0, 2}, {2, 2}, {6, 2}};
  const auto read = [&] {
    return source->read(ranges,
                        [&](std::size_t, std::span<const std::byte>) -> Result<> {
                          ++calls;
                          stop.request_stop();
                          return {};
                        },
                        {.stop = stop.get_token(), .deadline = {}});
  };
  const auto halfway = read();
  ASSERT_FALSE(halfway.has_value());
  EXPECT_EQ(halfway.error().code, Errc::cancelled);
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(read().has_value());
  EXPECT_EQ(calls, 1);
}

TEST_P(ByteSources, call_a_passed_deadline_an_io_error) {
  const auto source = source_of("0123456789");
  const auto now = std::chrono::steady_clock::now();
  const auto late = deliver(*source, {{0, 1}}, {.stop = {}, .deadline = now});
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().code, Errc::io);
  EXPECT_EQ(late.error().source, source->name());
  EXPECT_TRUE(deliver(*source, {{0, 1}}, {.stop = {}, .deadline = now + std::chrono::hours(1)}));
}

TEST_P(ByteSources, read_up_to_the_end_and_no_further) {
  const auto source = source_of("0123456789");
  EXPECT_EQ(source->size(), 10u);
  EXPECT_EQ(text_of(*source->read(3, 4)), "3456");
  EXPECT_EQ(text_of(*source->read_up_to(3, 4)), "3456");
  EXPECT_EQ(text_of(*source->read_up_to(8, 4)), "89");
  EXPECT_EQ(text_of(*source->read_up_to(8, largest)), "89");
  EXPECT_EQ(text_of(*source->read_up_to(0, largest)), "0123456789");
  EXPECT_TRUE(source->read_up_to(10, 4)->empty());
  EXPECT_TRUE(source->read_up_to(largest, largest)->empty());
}

INSTANTIATE_TEST_SUITE_P(all, ByteSources, ::testing::Values(Kind::view, Kind::owned, Kind::file));

TEST(MemorySource, delivers_a_view_in_place) {
  const std::string content = "abc";
  const auto source = memory_source(bytes_of(content));
  EXPECT_EQ(source->name(), "");
  const ByteRange range{1, 2};
  const std::byte* seen = nullptr;
  ASSERT_TRUE(source->read(std::span(&range, 1),
                           [&](std::size_t, std::span<const std::byte> bytes) -> Result<> {
                             seen = bytes.data();
                             return {};
                           },
                           {}));
  EXPECT_EQ(seen, bytes_of(content).data() + 1);
}

}  // namespace
}  // namespace sillar::io
