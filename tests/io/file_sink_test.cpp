// A file is whole or absent, whatever its name, its place and its neighbours.
#include "scratch_directory.hpp"
#include <sillar/io/sink.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
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

mode_t mode_at(const std::string& path) {
  struct stat status{};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

// Runs `body` in a forked child; 0 where it returned true.
template <class Body>
int in_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    ::_exit(body() ? 0 : 1);
  }
  int status = -1;
  return ::waitpid(child, &status, 0) == child ? status : -1;
}

bool has(const Result<>& result, Errc code, int error) {
  return !result && result.error().code == code && result.error().system_errno == error;
}

Result<> created(const std::string& path, FileSinkOptions options = {}) {
  const auto sink = create_file(path, options);
  if (!sink) return std::unexpected(sink.error());
  return {};
}

TEST(FileSink, shows_nothing_under_the_name_before_finish) {
  const ScratchDirectory directory;
  auto sink = *create_file(directory / "f");
  ASSERT_TRUE(sink->append(bytes_of(std::string(3 << 20, 'x'))));
  ASSERT_EQ(directory.names().size(), 1u);
  EXPECT_TRUE(directory.names()[0].starts_with(".f.sillar-"));
  ASSERT_TRUE(sink->finish());
  EXPECT_EQ(directory.names(), std::vector<std::string>{"f"});
  EXPECT_EQ(get(directory / "f").size(), std::size_t{3} << 20);
}

TEST(FileSink, leaves_the_old_file_without_finish) {
  const ScratchDirectory directory;
  put(directory / "f", "old");
  {
    auto sink = *create_file(directory / "f", {.overwrite = true});
    ASSERT_TRUE(sink->append(bytes_of("new")));
    auto spool = *sink->spool();
    ASSERT_TRUE(spool->put(bytes_of("spooled")));
    EXPECT_EQ(directory.names().size(), 2u);  // the spool has no name
  }
  EXPECT_EQ(directory.names(), std::vector<std::string>{"f"});
  EXPECT_EQ(get(directory / "f"), "old");
}

TEST(FileSink, refuses_an_existing_target_at_once) {
  const ScratchDirectory directory;
  put(directory / "f", "old");
  const auto refused = created(directory / "f");
  EXPECT_TRUE(has(refused, Errc::exists, EEXIST));
  EXPECT_EQ(refused.error().source, directory / "f");
  EXPECT_TRUE(has(write_file(directory / "f", {}), Errc::exists, EEXIST));
  EXPECT_EQ(get(directory / "f"), "old");
}

TEST(FileSink, refuses_a_target_that_appeared_meanwhile) {
  const ScratchDirectory directory;
  auto first = *create_file(directory / "f");
  auto second = *create_file(directory / "f");
  ASSERT_TRUE(first->append(bytes_of("first")));
  ASSERT_TRUE(second->append(bytes_of("second")));
  ASSERT_TRUE(second->finish());
  const auto refused = first->finish();
  EXPECT_TRUE(has(refused, Errc::exists, EEXIST));
  EXPECT_EQ(refused.error().source, directory / "f");
  EXPECT_EQ(get(directory / "f"), "second");
  EXPECT_EQ(directory.names(), std::vector<std::string>{"f"});
}

TEST(FileSink, lets_exactly_one_of_many_racing_writers_win) {
  const ScratchDirectory directory;
  for (int round = 0; round < 20; ++round) {
    const std::string path = directory / ("f" + std::to_string(round));
    std::atomic<int> winners = 0;
    std::atomic<int> losers = 0;
    {
      std::vector<std::jthread> writers;
      for (int writer = 0; writer < 4; ++writer) {
        writers.emplace_back([&] {
          const auto result = write_file(path, bytes_of("whole"));
          if (result) {
            ++winners;
          } else if (result.error().code == Errc::exists) {
            ++losers;
          }
        });
      }
    }
    EXPECT_EQ(winners, 1);
    EXPECT_EQ(losers, 3);
    EXPECT_EQ(get(path), "whole");
  }
  EXPECT_EQ(directory.names().size(), 20u);
}

TEST(FileSink, lets_two_writers_of_one_target_both_finish_when_they_overwrite) {
  const ScratchDirectory directory;
  auto first = *create_file(directory / "f", {.overwrite = true});
  ASSERT_TRUE(first->append(bytes_of("first")));
  auto second =
      *create_file(directory / "f", {.overwrite = true});  // must not clean the first away
  ASSERT_TRUE(second->append(bytes_of("second")));
  EXPECT_EQ(directory.names().size(), 2u);
  ASSERT_TRUE(first->finish());
  EXPECT_EQ(get(directory / "f"), "first");
  ASSERT_TRUE(second->finish());
  EXPECT_EQ(get(directory / "f"), "second");
  EXPECT_EQ(directory.names(), std::vector<std::string>{"f"});
}

TEST(FileSink, stays_whole_under_writers_that_clean_after_one_another) {
  const ScratchDirectory directory;
  std::atomic<int> failures = 0;
  const auto write_many = [&](char letter) {
    for (int round = 0; round < 60; ++round) {
      const std::string content(1000 + static_cast<std::size_t>(round), letter);
      if (!write_file(directory / "f", bytes_of(content), {.overwrite = true})) ++failures;
      const std::string seen = get(directory / "f");
      if (seen.size() < 1000 || seen.find_first_not_of(seen[0]) != std::string::npos) ++failures;
    }
  };
  const pid_t child = ::fork();
  if (child == 0) {
    write_many('z');
    ::_exit(failures == 0 ? 0 : 1);
  }
  {
    std::vector<std::jthread> threads;
    for (const char letter : {'a', 'b', 'c'})
      threads.emplace_back([&, letter] { write_many(letter); });
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(directory.names(), std::vector<std::string>{"f"});
}

TEST(FileSink, takes_names_of_any_bytes) {
  const ScratchDirectory directory;
  const std::vector<std::string> names = {"ñandú 石.rumi",
                                          "-rf",
                                          "--",
                                          " ",
                                          "a b\tc\n",
                                          "\xff\xfe\x80",
                                          std::string(255, 'n'),
                                          std::string(231, 'n'),
                                          std::string(230, 'n'),
                                          std::string(254, '\xff'),
                                          "~",
                                          ".hidden",
                                          "...",
                                          "*?[",
                                          "f.sillar-0123456789abcdef"};
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(write_file(directory / name, bytes_of(name)));
    EXPECT_EQ(get(directory / name), name);
    ASSERT_TRUE(write_file(directory / name, bytes_of("again"), {.overwrite = true}));
    EXPECT_EQ(get(directory / name), "again");
  }
  EXPECT_EQ(directory.names().size(), names.size());
}

TEST(FileSink, refuses_names_that_cannot_be) {
  const ScratchDirectory directory;
  EXPECT_TRUE(has(created(directory / std::string(256, 'n')), Errc::io, ENAMETOOLONG));
  EXPECT_TRUE(has(created(""), Errc::not_found, ENOENT));
  EXPECT_TRUE(has(created(directory / std::string("a\0b", 3)), Errc::bad_argument, 0));
  EXPECT_TRUE(has(write_file(directory / std::string("a\0b", 3), {}), Errc::bad_argument, 0));
  EXPECT_TRUE(directory.names().empty());
}

TEST(FileSink, calls_a_missing_directory_not_found) {
  const ScratchDirectory directory;
  put(directory / "file", "x");
  for (const auto& [path, error] :
       {std::pair{directory / "missing/f", ENOENT}, {directory / "file/f", ENOTDIR}}) {
    const auto refused = created(path, {.overwrite = true});
    EXPECT_TRUE(has(refused, Errc::not_found, error));
    EXPECT_EQ(refused.error().source, path);
  }
}

TEST(FileSink, refuses_a_directory_as_its_target) {
  const ScratchDirectory directory;
  ASSERT_EQ(::mkdir((directory / "d").c_str(), 0755), 0);
  ASSERT_EQ(::symlink("d", (directory / "to_d").c_str()), 0);
  for (const std::string& path :
       {directory.path(), directory / "d", directory / "d/", directory / "d/.", directory / "d/..",
        directory / "to_d", directory / "to_d/", std::string("."), std::string("/")}) {
    SCOPED_TRACE(path);
    EXPECT_TRUE(has(created(path, {.overwrite = true}), Errc::io, EISDIR));
    EXPECT_TRUE(has(write_file(path, {}, {.overwrite = true}), Errc::io, EISDIR));
  }
  EXPECT_EQ(directory.names().size(), 2u);
}

TEST(FileSink, refuses_a_device_or_pipe_as_its_target) {
  const ScratchDirectory directory;
  ASSERT_EQ(::mkfifo((directory / "fifo").c_str(), 0600), 0);
  ASSERT_EQ(::symlink("/dev/null", (directory / "to_null").c_str()), 0);
  for (const std::string& path :
       {directory / "fifo", directory / "to_null", std::string("/dev/null")}) {
    const auto refused = created(path, {.overwrite = true});
    EXPECT_TRUE(has(refused, Errc::io, 0));
    EXPECT_EQ(refused.error().detail, "not a regular file");
    EXPECT_EQ(refused.error().source, path);
  }
}

TEST(FileSink, fails_to_replace_a_target_that_became_a_directory) {
  const ScratchDirectory directory;
  auto sink = *create_file(directory / "f", {.overwrite = true});
  ASSERT_EQ(::mkdir((directory / "f").c_str(), 0755), 0);
  EXPECT_TRUE(has(sink->finish(), Errc::io, EISDIR));
  EXPECT_EQ(directory.names(), std::vector<std::string>{"f"});
}

TEST(FileSink, follows_symbolic_links_to_their_end) {
  const ScratchDirectory directory;
  ASSERT_EQ(::mkdir((directory / "sub").c_str(), 0755), 0);
  put(directory / "sub/real", "old");
  ASSERT_EQ(::symlink("real", (directory / "sub/near").c_str()), 0);
  ASSERT_EQ(::symlink("sub/near", (directory / "far").c_str()), 0);
  ASSERT_EQ(::symlink((directory / "far").c_str(), (directory / "absolute").c_str()), 0);

  EXPECT_TRUE(has(created(directory / "absolute"), Errc::exists, EEXIST));
  ASSERT_TRUE(write_file(directory / "absolute", bytes_of("new"), {.overwrite = true}));
  EXPECT_EQ(get(directory / "sub/real"), "new");
  for (const char* link : {"sub/near", "far", "absolute"}) {
    EXPECT_TRUE(std::filesystem::is_symlink(directory / link)) << link;
  }
}

TEST(FileSink, makes_the_target_of_a_dangling_link) {
  const ScratchDirectory directory;
  ASSERT_EQ(::symlink("to_be", (directory / "link").c_str()), 0);
  ASSERT_TRUE(write_file(directory / "link", bytes_of("new")));
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "link"));
  EXPECT_EQ(get(directory / "to_be"), "new");

  ASSERT_EQ(::symlink("no/where", (directory / "lost").c_str()), 0);
  EXPECT_TRUE(has(created(directory / "lost"), Errc::not_found, ENOENT));
  ASSERT_EQ(::symlink("loop", (directory / "loop").c_str()), 0);
  EXPECT_TRUE(has(created(directory / "loop"), Errc::io, ELOOP));
}

TEST(FileSink, writes_a_relative_path_where_it_led_when_the_sink_was_made) {
  const ScratchDirectory directory;
  EXPECT_EQ(in_child([&] {
              if (::chdir(directory.path().c_str()) != 0) return false;
              auto sink = create_file("relative");
              if (!sink || ::chdir("/") != 0) return false;
              return (*sink)->append(bytes_of("x")).has_value() && (*sink)->finish().has_value();
            }),
            0);
  EXPECT_EQ(get(directory / "relative"), "x");
}

TEST(FileSink, gives_a_file_the_permissions_that_the_umask_leaves) {
  const ScratchDirectory directory;
  for (const mode_t mask : {0022U, 0077U, 0002U, 0000U}) {
    const std::string path = directory / ("f" + std::to_string(mask));
    EXPECT_EQ(in_child([&] {
                ::umask(mask);
                return write_file(path, bytes_of("x")).has_value();
              }),
              0);
    EXPECT_EQ(mode_at(path), 0666 & ~mask);
  }
}

TEST(FileSink, keeps_the_permissions_of_the_file_that_it_replaces) {
  const ScratchDirectory directory;
  for (const mode_t mode : {0600U, 0644U, 0666U, 0755U, 0444U, 0777U}) {
    const std::string path = directory / ("f" + std::to_string(mode));
    put(path, "old");
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    auto sink = *create_file(path, {.overwrite = true});
    // Never more open than the old file, not even for a moment.
    const std::vector<std::string> names = directory.names();
    ASSERT_TRUE(names[0].starts_with(".f"));
    EXPECT_EQ(mode_at(directory / names[0]) & ~mode, 0u);
    ASSERT_TRUE(sink->finish());
    EXPECT_EQ(mode_at(path), mode);
  }
}

TEST(FileSink, reports_a_full_disk_and_leaves_the_old_file) {
  const ScratchDirectory directory;
  put(directory / "f", "old");
  EXPECT_EQ(in_child([&] {
              ::signal(SIGXFSZ, SIG_IGN);
              const rlimit limit{3'000'000, 3'000'000};
              ::setrlimit(RLIMIT_FSIZE, &limit);
              auto sink = *create_file(directory / "f", {.overwrite = true});
              const std::string piece(500'000, 'x');
              Result<> result;
              int appended = 0;
              while (result && appended < 100) {
                result = sink->append(bytes_of(piece));
                ++appended;
              }
              if (!has(result, Errc::io, EFBIG) || result.error().source != directory / "f")
                return false;
              // It stays broken: a file with a gap is never finished.
              if (!has(sink->append(bytes_of("x")), Errc::io, EFBIG)) return false;
              if (!has(sink->finish(), Errc::io, EFBIG)) return false;

              // The last flush happens in finish.
              auto late = *create_file(directory / "f", {.overwrite = true});
              if (!late->append(bytes_of(std::string(2'900'000, 'x')))) return false;
              if (!late->append(bytes_of(std::string(200'000, 'x')))) return false;
              if (!has(late->finish(), Errc::io, EFBIG)) return false;

              auto spool = *(*create_file(directory / "g"))->spool();
              if (!spool->put(bytes_of(std::string(2'999'999, 'x')))) return false;
              const auto full = spool->put(bytes_of("xx"));
              return !full && full.error().system_errno == EFBIG;
            }),
            0);
  EXPECT_EQ(directory.names(), std::vector<std::string>{"f"});
  EXPECT_EQ(get(directory / "f"), "old");
}

TEST(FileSink, reports_a_size_past_all_file_offsets) {
  const ScratchDirectory directory;
  auto sink = *create_file(directory / "f");
  ASSERT_TRUE(sink->reserve(~std::uint64_t{0} - 1));
  const auto appended = sink->append(bytes_of(std::string(std::size_t{2} << 20, 'x')));
  EXPECT_TRUE(has(appended, Errc::io, EFBIG));
  sink.reset();
  EXPECT_TRUE(directory.names().empty());
}

TEST(FileSink, reports_a_directory_that_cannot_be_written) {
  const ScratchDirectory directory;
  put(directory / "f", "old");
  ASSERT_EQ(::chmod(directory.path().c_str(), 0555), 0);
  EXPECT_EQ(in_child([&] {
              // Root may write everywhere.
              if (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) return false;
              const auto made = created(directory / "new");
              return has(made, Errc::io, EACCES) && made.error().source == directory / "new" &&
                     has(created(directory / "f", {.overwrite = true}), Errc::io, EACCES);
            }),
            0);
  ::chmod(directory.path().c_str(), 0755);
  EXPECT_EQ(directory.names(), std::vector<std::string>{"f"});
  EXPECT_EQ(get(directory / "f"), "old");
}

TEST(FileSink, writes_into_a_directory_that_may_be_entered_but_not_listed) {
  const ScratchDirectory directory;
  ASSERT_EQ(::chmod(directory.path().c_str(), 0333), 0);
  EXPECT_EQ(in_child([&] {
              if (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) return false;
              return write_file(directory / "f", bytes_of("x")).has_value();
            }),
            0);
  ::chmod(directory.path().c_str(), 0755);
  EXPECT_EQ(directory.names(), std::vector<std::string>{"f"});
}

TEST(FileSink, is_not_removed_by_a_forked_child_that_ends) {
  const ScratchDirectory directory;
  auto sink = *create_file(directory / "f");
  ASSERT_TRUE(sink->append(bytes_of("x")));
  EXPECT_EQ(in_child([&] {
              sink.reset();
              return true;
            }),
            0);
  ASSERT_TRUE(sink->finish());
  EXPECT_EQ(get(directory / "f"), "x");
}

TEST(FileSink, holds_no_descriptor_after_it_is_gone) {
  const ScratchDirectory directory;
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto before = open_files();
  for (int round = 0; round < 10; ++round) {
    auto sink = *create_file(directory / "f", {.overwrite = true});
    auto spool = *sink->spool();
    EXPECT_TRUE(round % 2 == 0 || sink->finish().has_value());
    EXPECT_FALSE(created(directory / "missing/x").has_value());
  }
  EXPECT_EQ(open_files(), before);
}

TEST(WriteFile, writes_devices_and_pipes_directly) {
  const ScratchDirectory directory;
  EXPECT_TRUE(write_file("/dev/null", bytes_of("x")));
  EXPECT_TRUE(has(write_file("/dev/full", bytes_of("x")), Errc::io, ENOSPC));
  EXPECT_TRUE(write_file("/dev/full", {}));

  ASSERT_EQ(::mkfifo((directory / "fifo").c_str(), 0600), 0);
  const std::string content(300'000, 'p');
  std::string seen;
  std::jthread reader([&] { seen = get(directory / "fifo"); });
  EXPECT_TRUE(write_file(directory / "fifo", bytes_of(content)));
  reader.join();
  EXPECT_TRUE(seen == content);
  EXPECT_EQ(directory.names(), std::vector<std::string>{"fifo"});
}

TEST(WriteFile, writes_through_a_link_to_a_pipe) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  ASSERT_TRUE(write_file("/dev/fd/" + std::to_string(ends[1]), bytes_of("through")));
  char text[8] = {};
  EXPECT_EQ(::read(ends[0], text, 7), 7);
  EXPECT_STREQ(text, "through");
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace sillar::io
