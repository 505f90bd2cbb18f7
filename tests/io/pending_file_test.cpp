// A file that others write by its path is as whole or absent as one that is appended to.
#include <sillar/io/pending_file.hpp>

#include "scratch_directory.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace sillar::io {
namespace {

using testing::bytes_of;
using testing::get;
using testing::put;
using testing::ScratchDirectory;
using Names = std::vector<std::string>;

constexpr const char* stale = ".f.sillar-0123456789abcdef";

TEST(PendingFile, takes_what_is_written_by_its_path_and_at_any_offset) {
  const ScratchDirectory directory;
  auto file = PendingFile::create(directory / "f");
  ASSERT_TRUE(file.has_value());
  put(file->temporary_path(), "by its path");
  ASSERT_TRUE(file->write(bytes_of("BY"), 0));
  ASSERT_TRUE(file->write(bytes_of("!"), 11));
  ASSERT_EQ(directory.names().size(), 1u);
  EXPECT_TRUE(directory.names()[0].starts_with(".f.sillar-"));
  ASSERT_TRUE(file->publish());
  EXPECT_EQ(directory.names(), Names{"f"});
  EXPECT_EQ(get(directory / "f"), "BY its path!");
}

TEST(PendingFile, is_gone_with_its_object_and_the_old_file_stays) {
  const ScratchDirectory directory;
  put(directory / "f", "old");
  {
    auto file = PendingFile::create(directory / "f", {.overwrite = true});
    ASSERT_TRUE(file.has_value());
    put(file->temporary_path(), "half");
    const PendingFile moved = *std::move(file);
    EXPECT_EQ(moved.path(), directory / "f");
  }
  EXPECT_EQ(directory.names(), Names{"f"});
  EXPECT_EQ(get(directory / "f"), "old");
}

TEST(PendingFile, keeps_the_permissions_of_the_file_that_it_replaces) {
  const ScratchDirectory directory;
  put(directory / "f", "old");
  ASSERT_EQ(::chmod((directory / "f").c_str(), 0666), 0);  // more than the umask leaves
  auto file = PendingFile::create(directory / "f", {.overwrite = true});
  ASSERT_TRUE(file.has_value());
  ASSERT_TRUE(file->publish());
  struct stat status{};
  ASSERT_EQ(::stat((directory / "f").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0666u);
}

TEST(PendingFile, publishes_no_file_that_was_put_in_its_place) {
  const ScratchDirectory directory;
  put(directory / "f", "old");
  auto file = PendingFile::create(directory / "f", {.overwrite = true});
  ASSERT_TRUE(file.has_value());
  const std::string name = directory.names()[0];
  put(directory / "other", "another");
  ASSERT_EQ(::rename((directory / "other").c_str(), (directory / name).c_str()), 0);
  const auto published = file->publish();
  ASSERT_FALSE(published.has_value());
  EXPECT_EQ(published.error().code, Errc::io);
  EXPECT_EQ(published.error().source, directory / "f");
  EXPECT_EQ(get(directory / "f"), "old");
  EXPECT_EQ(directory.names(), Names{"f"});
}

TEST(PendingFile, refuses_a_target_that_is_there_or_appeared_meanwhile) {
  const ScratchDirectory directory;
  auto file = PendingFile::create(directory / "f");
  ASSERT_TRUE(file.has_value());
  put(directory / "f", "faster");
  EXPECT_EQ(PendingFile::create(directory / "f").error().code, Errc::exists);
  EXPECT_EQ(file->publish().error().code, Errc::exists);
  EXPECT_EQ(get(directory / "f"), "faster");
  EXPECT_EQ(directory.names(), Names{"f"});
}

TEST(PendingFile, removes_stale_temporaries_of_its_target_unless_told_not_to) {
  const ScratchDirectory directory;
  put(directory / stale, "of a dead writer");
  put(directory / ".g.sillar-0123456789abcdef", "of another target");
  ASSERT_TRUE(PendingFile::create(directory / "f", {.sweep_stale = false}));
  ASSERT_TRUE(write_file(directory / "f", bytes_of("x"), {.sweep_stale = false}));
  EXPECT_EQ(directory.names(), (Names{stale, ".g.sillar-0123456789abcdef", "f"}));
  ASSERT_TRUE(PendingFile::create(directory / "f", {.overwrite = true}));
  EXPECT_EQ(directory.names(), (Names{".g.sillar-0123456789abcdef", "f"}));
}

}  // namespace
}  // namespace sillar::io
