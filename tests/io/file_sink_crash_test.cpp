// A writer that is killed leaves the old file or the whole new one, and debris that the next takes.
#include "scratch_directory.hpp"
#include <sillar/io/sink.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <random>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace sillar::io {
namespace {

using testing::bytes_of;
using testing::get;
using testing::put;
using testing::ScratchDirectory;

constexpr std::size_t piece_count = 6;
constexpr std::size_t piece_size = 700'000;  // less than the buffer, so that some are held back

std::string new_content() {
  std::string content = "front";
  for (std::size_t piece = 0; piece < piece_count; ++piece) {
    content += std::string(piece_size, static_cast<char>('a' + piece));
  }
  return content;
}

// Writes the new content over `path`; dies by SIGKILL after step `deadly`, 0 for never.
void write_and_die(const std::string& path, int deadly) {
  int step = 0;
  const auto mortal = [&](const Result<>& result) {
    if (!result) ::_exit(1);
    if (++step == deadly) ::raise(SIGKILL);
  };
  auto sink = create_file(path, {.overwrite = true});
  if (!sink) ::_exit(1);
  mortal({});
  auto spool = (*sink)->spool();
  if (!spool) ::_exit(1);
  mortal({});
  mortal((*sink)->reserve(5));
  for (std::size_t piece = 0; piece < piece_count; ++piece) {
    const std::string bytes(piece_size, static_cast<char>('a' + piece));
    if (!(*spool)->put(bytes_of(bytes))) ::_exit(1);
    mortal({});
    mortal((*sink)->append(bytes_of(bytes)));
  }
  mortal((*sink)->put_front(bytes_of("front")));
  mortal((*sink)->finish());
  ::_exit(0);
}

constexpr int step_count = 3 + 2 * static_cast<int>(piece_count) + 2;

TEST(KilledWriter, at_every_step_leaves_the_old_file_or_the_whole_new_one) {
  for (int deadly = 1; deadly <= step_count; ++deadly) {
    SCOPED_TRACE(deadly);
    const ScratchDirectory directory;
    put(directory / "f", "old");
    const pid_t child = ::fork();
    if (child == 0) write_and_die(directory / "f", deadly);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);

    const bool finished = deadly == step_count;
    EXPECT_TRUE(get(directory / "f") == (finished ? new_content() : "old"));
    // One temporary at most: the spool has gone with its process.
    EXPECT_EQ(directory.names().size(), finished ? 1u : 2u);

    ASSERT_TRUE(write_file(directory / "f", bytes_of("next"), {.overwrite = true}));
    EXPECT_EQ(directory.names(), std::vector<std::string>{"f"});
    EXPECT_EQ(get(directory / "f"), "next");
  }
}

TEST(KilledWriter, at_any_moment_leaves_the_old_file_or_the_whole_new_one) {
  const std::string whole = new_content();
  // How long an undisturbed run takes tells when to strike.
  const ScratchDirectory trial;
  const auto begin = std::chrono::steady_clock::now();
  pid_t child = ::fork();
  if (child == 0) write_and_die(trial / "f", 0);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  const auto whole_run = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - begin);

  std::mt19937 random(2024);
  std::uniform_int_distribution<std::int64_t> moment(0, whole_run.count() * 5 / 4);
  const ScratchDirectory directory;
  put(directory / "f", "old");
  std::string before = "old";
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  for (int round = 0; round < 60 && std::chrono::steady_clock::now() < end; ++round) {
    SCOPED_TRACE(round);
    child = ::fork();
    if (child == 0) write_and_die(directory / "f", 0);
    std::this_thread::sleep_for(std::chrono::microseconds(moment(random)));
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    const std::string after = get(directory / "f");
    ASSERT_TRUE(after == before || after == whole);
    // Each writer cleans after the one before it: never more than the debris of one. Two where it
    // died between making its spool and taking the name away.
    EXPECT_LE(directory.names().size(), 3u);
    if (round % 10 == 9) {
      ASSERT_TRUE(write_file(directory / "f", bytes_of("old"), {.overwrite = true}));
      EXPECT_EQ(directory.names(), std::vector<std::string>{"f"});
      before = "old";
    } else {
      before = after;
    }
  }
}

TEST(KilledWriter, of_a_file_that_was_not_there_leaves_none) {
  const ScratchDirectory directory;
  const pid_t child = ::fork();
  if (child == 0) {
    auto sink = create_file(directory / "f");
    if (!sink || !(*sink)->append(bytes_of("half"))) ::_exit(1);
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_EQ(directory.names().size(), 1u);
  EXPECT_TRUE(directory.names()[0].starts_with(".f.sillar-"));

  // A writer of another file leaves it; one of the same takes it.
  ASSERT_TRUE(write_file(directory / "g", bytes_of("x")));
  EXPECT_EQ(directory.names().size(), 2u);
  ASSERT_TRUE(write_file(directory / "f", bytes_of("x")));
  EXPECT_EQ(directory.names(), (std::vector<std::string>{"f", "g"}));
}

TEST(LivingWriter, in_another_process_keeps_its_temporary) {
  const ScratchDirectory directory;
  int ready[2];
  int go[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(go), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    char byte = 'r';
    auto sink = create_file(directory / "f", {.overwrite = true});
    if (!sink || !(*sink)->append(bytes_of("child")) || ::write(ready[1], &byte, 1) != 1)
      ::_exit(1);
    if (::read(go[0], &byte, 1) != 1) ::_exit(1);
    ::_exit((*sink)->finish() ? 0 : 1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ASSERT_TRUE(write_file(directory / "f", bytes_of("parent"), {.overwrite = true}));
  EXPECT_EQ(directory.names().size(), 2u);
  EXPECT_EQ(get(directory / "f"), "parent");
  ASSERT_EQ(::write(go[1], &byte, 1), 1);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(get(directory / "f"), "child");
  EXPECT_EQ(directory.names(), std::vector<std::string>{"f"});
  for (const int end : {ready[0], ready[1], go[0], go[1]}) ::close(end);
}

}  // namespace
}  // namespace sillar::io
