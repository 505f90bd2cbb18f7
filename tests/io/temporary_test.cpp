// The names of temporaries, and which of them a cleaner may take.
#include <sillar/io/temporary.hpp>

#include "scratch_directory.hpp"
#include <sillar/io/sink.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <set>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace sillar::io {
namespace {

using testing::ScratchDirectory;

TEST(Temporary, has_the_name_of_its_target_between_a_dot_and_the_mark) {
  EXPECT_EQ(temporary_prefix("a.rumi"), ".a.rumi.sillar-");
  EXPECT_EQ(temporary_prefix("-x \xff"), ".-x \xff.sillar-");
  EXPECT_EQ(temporary_prefix(std::string(230, 'n')), "." + std::string(230, 'n') + ".sillar-");
}

TEST(Temporary, of_a_long_name_is_cut_and_told_apart_by_a_hash) {
  // FNV-1a of 231 and 255 times 'n', from an implementation in Python.
  EXPECT_EQ(temporary_prefix(std::string(231, 'n')),
            "." + std::string(213, 'n') + "~8d8399c80c2d8149.sillar-");
  EXPECT_EQ(temporary_prefix(std::string(255, 'n')),
            "." + std::string(213, 'n') + "~c2c977771654d7a9.sillar-");
  for (std::size_t size = 1; size <= 255; ++size) {
    EXPECT_LE(temporary_prefix(std::string(size, 'n')).size() + 16, 255u);
  }
}

TEST(Temporary, of_a_long_name_is_cut_between_characters) {
  // 212 bytes, then characters of two, three and four bytes across the cut at 213.
  for (const std::string character : {"\xC3\xB1", "\xE7\x9F\xB3", "\xF0\x9F\xAA\xA8"}) {
    const std::string name = std::string(212, 'n') + character + std::string(30, 'm');
    EXPECT_TRUE(temporary_prefix(name).starts_with("." + std::string(212, 'n') + "~"));
  }
  // A whole character before the cut stays.
  const std::string fits = std::string(211, 'n') + "\xC3\xB1" + std::string(30, 'm');
  EXPECT_TRUE(temporary_prefix(fits).starts_with("." + std::string(211, 'n') + "\xC3\xB1~"));
  // Bytes that are no UTF-8 are cut where the room ends.
  EXPECT_TRUE(
      temporary_prefix(std::string(240, '\x80')).starts_with("." + std::string(213, '\x80') + "~"));
}

TEST(Temporary, has_sixteen_random_digits) {
  const ScratchDirectory directory;
  const int opened = ::open(directory.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  std::set<std::string> names;
  for (int round = 0; round < 50; ++round) {
    auto temporary = Temporary::create(opened, "t", 0666, "t");
    ASSERT_TRUE(temporary.has_value());
    EXPECT_TRUE(temporary->name().starts_with(".t.sillar-"));
    const std::string random = temporary->name().substr(10);
    EXPECT_EQ(random.size(), 16u);
    EXPECT_EQ(random.find_first_not_of("0123456789abcdef"), std::string::npos);
    names.insert(random);
    EXPECT_EQ(directory.names(), std::vector{temporary->name()});
  }
  EXPECT_EQ(names.size(), 50u);
  EXPECT_TRUE(directory.names().empty());
  ::close(opened);
}

TEST(Temporary, is_left_alone_by_a_forked_child_that_drops_it) {
  const ScratchDirectory directory;
  const int opened = ::open(directory.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  {
    auto temporary = Temporary::create(opened, "t", 0666, "t");
    ASSERT_TRUE(temporary.has_value());
    const pid_t child = ::fork();
    if (child == 0) {
      {
        const Temporary moved = *std::move(temporary);
      }
      ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(directory.names().size(), 1u);
  }
  EXPECT_TRUE(directory.names().empty());
  ::close(opened);
}

// The entries that stay when a writer of "t" begins and ends.
std::vector<std::string> left_after_a_writer(const ScratchDirectory& directory) {
  auto sink = create_file(directory / "t");
  EXPECT_TRUE(sink.has_value());
  sink->reset();
  return directory.names();
}

TEST(StaleTemporaries, of_the_same_target_are_removed) {
  const ScratchDirectory directory;
  testing::put(directory / ".t.sillar-0123456789abcdef", "stale");
  testing::put(directory / ".t.sillar-fedcba9876543210", "");
  testing::put(directory / ".t.sillar-00000000deadbeef", "read only");
  ::chmod((directory / ".t.sillar-00000000deadbeef").c_str(), 0400);
  EXPECT_TRUE(left_after_a_writer(directory).empty());
}

TEST(StaleTemporaries, of_another_form_or_target_are_never_removed) {
  const ScratchDirectory directory;
  std::vector<std::string> names = {
      ".t.sillar-zz",
      ".t.sillar-",
      ".t.sillar-0123456789abcde",
      ".t.sillar-0123456789abcdef0",
      ".t.sillar-0123456789ABCDEF",
      ".t.sillar-0123456789abcdeg",
      ".t.sillar-0123456789abcdef~",
      "t.sillar-0123456789abcdef",
      ".u.sillar-0123456789abcdef",
      ".tt.sillar-0123456789abcdef",
      ".t.x.sillar-0123456789abcdef",
      "..t.sillar-0123456789abcdef",
      ".T.sillar-0123456789abcdef",
      ".t.sillar-x.sillar-0123456789abcdef",
  };
  for (const std::string& name : names) testing::put(directory / name, "foreign");
  std::ranges::sort(names);
  EXPECT_EQ(left_after_a_writer(directory), names);
}

TEST(StaleTemporaries, are_regular_files_all_else_stays) {
  const ScratchDirectory directory;
  testing::put(directory / "precious", "x");
  ASSERT_EQ(::symlink("precious", (directory / ".t.sillar-0000000000000001").c_str()), 0);
  ASSERT_EQ(::mkdir((directory / ".t.sillar-0000000000000002").c_str(), 0700), 0);
  ASSERT_EQ(::mkfifo((directory / ".t.sillar-0000000000000003").c_str(), 0600), 0);
  EXPECT_EQ(left_after_a_writer(directory),
            (std::vector<std::string>{".t.sillar-0000000000000001", ".t.sillar-0000000000000002",
                                      ".t.sillar-0000000000000003", "precious"}));
  EXPECT_EQ(testing::get(directory / "precious"), "x");
}

TEST(StaleTemporaries, are_not_those_that_somebody_has_locked) {
  const ScratchDirectory directory;
  const std::string name = ".t.sillar-0123456789abcdef";
  testing::put(directory / name, "alive");
  const int file = ::open((directory / name).c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(file, LOCK_EX | LOCK_NB), 0);
  EXPECT_EQ(left_after_a_writer(directory), std::vector{name});
  ::close(file);
  EXPECT_TRUE(left_after_a_writer(directory).empty());
}

TEST(StaleTemporaries, of_a_long_name_are_removed_for_that_name_only) {
  const ScratchDirectory directory;
  const std::string long_name(255, 'n');
  const std::string other_name = std::string(254, 'n') + "m";
  const std::string stale = temporary_prefix(long_name) + "0123456789abcdef";
  const std::string other = temporary_prefix(other_name) + "0123456789abcdef";
  ASSERT_NE(stale, other);
  testing::put(directory / stale, "x");
  testing::put(directory / other, "x");
  ASSERT_TRUE(write_file(directory / long_name, testing::bytes_of("new")));
  EXPECT_EQ(directory.names(), (std::vector{other, long_name}));
}

}  // namespace
}  // namespace sillar::io
