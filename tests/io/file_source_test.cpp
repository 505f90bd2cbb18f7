// What only a file can do to its reader.
#include "scratch_directory.hpp"
#include <sillar/io/byte_source.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace sillar::io {
namespace {

using testing::ScratchDirectory;
using testing::text_of;

TEST(FileSource, is_not_found_where_there_is_no_file) {
  const ScratchDirectory directory;
  testing::put(directory / "file", "x");
  ASSERT_EQ(::symlink("nowhere", (directory / "dangling").c_str()), 0);
  ASSERT_EQ(::symlink("loop", (directory / "loop").c_str()), 0);
  const std::pair<std::string, int> cases[] = {
      {directory / "missing", ENOENT},
      {"", ENOENT},
      {directory / "missing/x", ENOENT},
      {directory / "file/x", ENOTDIR},
      {directory / "dangling", ENOENT},
      {directory / "loop", ELOOP},
      {directory / std::string(256, 'n'), ENAMETOOLONG},
      {directory.path(), EISDIR},
  };
  for (const auto& [path, error] : cases) {
    SCOPED_TRACE(path);
    const auto opened = open_file(path);
    ASSERT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error().code, Errc::not_found);
    EXPECT_EQ(opened.error().system_errno, error);
    EXPECT_EQ(opened.error().source, path);
  }
}

TEST(FileSource, refuses_what_is_no_regular_file_without_waiting_for_it) {
  const ScratchDirectory directory;
  ASSERT_EQ(::mkfifo((directory / "fifo").c_str(), 0600), 0);
  const std::string socket_path = directory / "socket";
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket_path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);

  for (const std::string& path : {directory.path(), directory / "fifo", socket_path,
                                  std::string("/dev/null"), std::string("/")}) {
    SCOPED_TRACE(path);
    const auto opened = open_file(path);
    ASSERT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error().code, Errc::not_found);
    EXPECT_EQ(opened.error().source, path);
  }
  ::close(socket);
}

TEST(FileSource, refuses_a_path_with_a_nul_byte_instead_of_opening_its_beginning) {
  const ScratchDirectory directory;
  testing::put(directory / "a", "x");
  const auto opened = open_file(directory / std::string("a\0b", 3));
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, Errc::bad_argument);
}

TEST(FileSource, calls_it_io_when_the_process_has_no_descriptor_left) {
  const ScratchDirectory directory;
  testing::put(directory / "a", "x");
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_NOFILE, &none);
    const auto opened = open_file(directory / "a");
    const bool right =
        !opened && opened.error().code == Errc::io && opened.error().system_errno == EMFILE;
    ::_exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(FileSource, calls_an_unreadable_file_not_found) {
  const ScratchDirectory directory;
  testing::put(directory / "a", "x");
  ASSERT_EQ(::chmod((directory / "a").c_str(), 0), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    // Root may read everything.
    if (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) ::_exit(2);
    const auto opened = open_file(directory / "a");
    ::_exit(!opened && opened.error().code == Errc::not_found &&
                    opened.error().system_errno == EACCES
                ? 0
                : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(FileSource, calls_a_file_that_shrank_truncated_where_it_ends_now) {
  const ScratchDirectory directory;
  testing::put(directory / "a", std::string(100'000, 'x'));
  const auto source = *open_file(directory / "a");
  ASSERT_EQ(::truncate((directory / "a").c_str(), 1234), 0);

  EXPECT_EQ(source->read(0, 1234)->size(), 1234u);
  for (const ByteRange& range : {ByteRange{0, 1235}, {1000, 1000}, {1234, 1}, {50'000, 50'000}}) {
    const auto bytes = source->read(range.offset, range.size);
    ASSERT_FALSE(bytes.has_value());
    EXPECT_EQ(bytes.error().code, Errc::truncated);
    EXPECT_EQ(bytes.error().offset, 1234u);
    EXPECT_EQ(bytes.error().source, directory / "a");
  }
}

TEST(FileSource, keeps_the_size_and_the_file_that_it_opened) {
  const ScratchDirectory directory;
  testing::put(directory / "a", "old content");
  const auto source = *open_file(directory / "a");
  testing::put(directory / "b", "new");
  ASSERT_EQ(::rename((directory / "b").c_str(), (directory / "a").c_str()), 0);
  EXPECT_EQ(source->size(), 11u);
  EXPECT_EQ(text_of(*source->read(0, 11)), "old content");
}

TEST(FileSource, does_not_allocate_for_a_range_that_cannot_come) {
  const ScratchDirectory directory;
  testing::put(directory / "a", "abc");
  const auto source = *open_file(directory / "a");
  // As a buffer, this would throw.
  const auto bytes = source->read(0, std::uint64_t{1} << 62);
  ASSERT_FALSE(bytes.has_value());
  EXPECT_EQ(bytes.error().code, Errc::truncated);
}

TEST(FileSource, reads_past_four_gibibytes) {
  const ScratchDirectory directory;
  testing::put(directory / "sparse", "");
  const int file = ::open((directory / "sparse").c_str(), O_WRONLY | O_CLOEXEC);
  constexpr off_t far = (off_t{1} << 33) + 5;
  ASSERT_EQ(::pwrite(file, "end", 3, far), 3);
  ::close(file);
  const auto source = *open_file(directory / "sparse");
  EXPECT_EQ(source->size(), static_cast<std::uint64_t>(far) + 3);
  EXPECT_EQ(text_of(*source->read(far - 1, 4)), std::string("\0end", 4));
}

TEST(FileSource, opens_names_of_any_bytes) {
  const ScratchDirectory directory;
  for (const std::string& name :
       {std::string("-rf"), std::string("ñandú 石.rumi"), std::string("\xff\xfe"),
        std::string(255, 'n'), std::string(" a\nb\t")}) {
    SCOPED_TRACE(name);
    testing::put(directory / name, "x");
    const auto opened = open_file(directory / name);
    ASSERT_TRUE(opened.has_value());
    EXPECT_EQ((*opened)->name(), directory / name);
  }
}

TEST(FileSource, is_closed_on_exec) {
  const ScratchDirectory directory;
  testing::put(directory / "a", "x");
  const auto source = *open_file(directory / "a");
  int open_on_exec = 0;
  for (int number = 3; number < 100; ++number) {
    std::string link(4096, '\0');
    const auto size =
        ::readlink(("/proc/self/fd/" + std::to_string(number)).c_str(), link.data(), link.size());
    if (size < 0 || link.substr(0, static_cast<std::size_t>(size)) != directory / "a") continue;
    ++open_on_exec;
    EXPECT_NE(::fcntl(number, F_GETFD) & FD_CLOEXEC, 0);
  }
  EXPECT_EQ(open_on_exec, 1);
}

TEST(FileSource, serves_many_threads_and_a_forked_child_at_once) {
  const ScratchDirectory directory;
  std::string content(1 << 18, '\0');
  for (std::size_t index = 0; index < content.size(); ++index) {
    content[index] = static_cast<char>((index * 2654435761u) >> 24);
  }
  testing::put(directory / "a", content);
  const auto source = *open_file(directory / "a");
  const auto wrong_reads = [&](std::uint64_t seed) {
    int wrong = 0;
    for (std::uint64_t round = 0; round < 500; ++round) {
      const std::uint64_t offset = (seed * 7919 + round * 104729) % content.size();
      const std::uint64_t size = std::min<std::uint64_t>(1000, content.size() - offset);
      const auto bytes = source->read(offset, size);
      if (!bytes || text_of(*bytes) != content.substr(offset, size)) ++wrong;
    }
    return wrong;
  };
  const pid_t child = ::fork();
  if (child == 0) ::_exit(wrong_reads(99) == 0 ? 0 : 1);

  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      threads.emplace_back([&, seed] { wrong += wrong_reads(seed); });
    }
  }
  EXPECT_EQ(wrong, 0);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace sillar::io
