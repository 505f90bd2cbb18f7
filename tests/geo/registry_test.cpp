// The two EPSG registries: the table in the program, and PROJ's database.
#include <sillar/geo/crs.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace sillar::geo {
namespace {

struct Known {
  std::uint32_t code;
  CrsKind kind;
  bool deprecated;
  std::string name;
};

/// Kinds, deprecation and names as epsg.org lists them.
const Known known_codes[] = {
    {32633, CrsKind::projected, false, "WGS 84 / UTM zone 33N"},
    {4326, CrsKind::geographic_2d, false, "WGS 84"},
    {4979, CrsKind::geographic_3d, false, "WGS 84"},
    {4978, CrsKind::geocentric, false, "WGS 84"},
    {7415, CrsKind::compound, false, "Amersfoort / RD New + NAP height"},
    {6349, CrsKind::compound, false, "NAD83(2011) + NAVD88 height"},
    {5498, CrsKind::compound, false, "NAD83 + NAVD88 height"},
    {5773, CrsKind::vertical, false, "EGM96 height"},
    {3855, CrsKind::vertical, false, "EGM2008 height"},
    {2400, CrsKind::projected, true, "RT90 2.5 gon W"},
};

/// Not in the registry: user-defined, private, zero, and both ends of the number range.
constexpr std::uint32_t unknown_codes[] = {0, 1, 1023, 32767, 32768, 99999, 4294967295};

TEST(BuiltinRegistry, knows_the_kind_of_each_code) {
  for (const Known& known : known_codes) {
    const auto entry = builtin_registry().find(known.code);
    ASSERT_TRUE(entry.has_value());
    ASSERT_TRUE(entry->has_value()) << known.code;
    EXPECT_EQ(**entry, (CrsEntry{known.code, known.kind, known.deprecated, ""})) << known.code;
  }
}

TEST(BuiltinRegistry, does_not_know_what_epsg_does_not_define) {
  for (const std::uint32_t code : unknown_codes) {
    const auto entry = builtin_registry().find(code);
    ASSERT_TRUE(entry.has_value());
    EXPECT_FALSE(entry->has_value()) << code;
  }
}

TEST(BuiltinRegistry, names_the_version_of_its_dataset) {
  EXPECT_TRUE(builtin_registry().description().starts_with("built-in table, EPSG v"));
}

#ifndef SILLAR_PROJ_MODULE_NAME
/// Whether this build has PROJ is not known here.
constexpr bool built_with_proj = false;
#else
constexpr bool built_with_proj = true;
#endif

/// Tests of PROJ's database run when the module is there; a build that made it must find it.
class ProjRegistryWhenItsModuleIsThere : public testing::Test {
 protected:
  void SetUp() override {
    auto registry = proj_registry();
    if (registry) {
      proj_ = *registry;
    } else if (built_with_proj || registry.error().code != Errc::unsupported) {
      FAIL() << registry.error().message();
    } else {
      GTEST_SKIP() << registry.error().message();
    }
  }

  std::shared_ptr<const CrsRegistry> proj_;
};

TEST_F(ProjRegistryWhenItsModuleIsThere, knows_kind_and_name_of_each_code) {
  for (const Known& known : known_codes) {
    const auto entry = proj_->find(known.code);
    ASSERT_TRUE(entry.has_value()) << entry.error().message();
    ASSERT_TRUE(entry->has_value()) << known.code;
    EXPECT_EQ(**entry, (CrsEntry{known.code, known.kind, known.deprecated, known.name}))
        << known.code << " " << (*entry)->name;
  }
}

TEST_F(ProjRegistryWhenItsModuleIsThere, does_not_know_what_epsg_does_not_define) {
  for (const std::uint32_t code : unknown_codes) {
    const auto entry = proj_->find(code);
    ASSERT_TRUE(entry.has_value()) << entry.error().message();
    EXPECT_FALSE(entry->has_value()) << code;
  }
}

TEST_F(ProjRegistryWhenItsModuleIsThere, names_proj_and_the_version_of_its_dataset) {
  EXPECT_TRUE(proj_->description().starts_with("PROJ "));
  EXPECT_NE(proj_->description().find(", EPSG v"), std::string::npos);
}

TEST_F(ProjRegistryWhenItsModuleIsThere, agrees_with_the_builtin_table_for_every_code_to_40000) {
  const auto version = [](const std::string& text) { return text.substr(text.find("EPSG ")); };
  if (version(proj_->description()) != version(builtin_registry().description())) {
    GTEST_SKIP() << "other versions of EPSG: " << proj_->description() << " and "
                 << builtin_registry().description();
  }
  std::size_t defined = 0;
  for (std::uint32_t code = 1; code <= 40000; ++code) {
    auto expected = proj_->find(code);
    ASSERT_TRUE(expected.has_value()) << expected.error().message();
    if (*expected) {
      ++defined;
      (*expected)->name.clear();
    }
    ASSERT_EQ(builtin_registry().find(code), expected) << code;
  }
  EXPECT_GT(defined, 7000U);
}

TEST_F(ProjRegistryWhenItsModuleIsThere, is_loaded_once) { EXPECT_EQ(proj_registry(), proj_); }

TEST_F(ProjRegistryWhenItsModuleIsThere, answers_many_threads_at_once) {
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        const auto registry = proj_registry();
        for (const Known& known : known_codes) {
          const auto entry = registry ? (*registry)->find(known.code) : fail(Errc::io, "");
          if (!entry || !*entry || (*entry)->kind != known.kind) ++wrong;
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST_F(ProjRegistryWhenItsModuleIsThere, answers_in_a_forked_process) {
  ASSERT_TRUE(proj_->find(4326).has_value());
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto entry = proj_->find(32633);
    ::_exit(entry && *entry && (*entry)->kind == CrsKind::projected ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

constexpr int exit_as_expected = 0;
constexpr int exit_without_module = 77;

/// Asks for the registry with PROJ_DATA set to `folder`, and exits: as expected when that is an io
/// error that names the database and the remedy. For a process of its own, which has not met PROJ.
[[noreturn]] void expect_io_error_with(const std::filesystem::path& folder) {
  ::setenv("PROJ_DATA", folder.c_str(), 1);
  ::setenv("PROJ_LIB", folder.c_str(), 1);
  ::setenv("HOME", folder.c_str(), 1);
  ::unsetenv("XDG_DATA_HOME");
  const auto registry = proj_registry();
  if (registry) std::_Exit(1);
  const auto& [code, rule, offset, detail, source, system_errno] = registry.error();
  if (code == Errc::unsupported && !built_with_proj) std::_Exit(exit_without_module);
  const bool is_clear = detail.contains("proj.db") && detail.contains("PROJ_DATA");
  std::_Exit(code == Errc::io && is_clear ? exit_as_expected : 2);
}

bool is_accepted(int status) {
  return WIFEXITED(status) &&
         (WEXITSTATUS(status) == exit_as_expected || WEXITSTATUS(status) == exit_without_module);
}

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "sillar-geo-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// No fixture: it would load PROJ in the child before PROJ_DATA is set.
TEST(ProjRegistryWithoutItsDatabase, is_an_io_error_that_says_what_to_do) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const ScratchFolder empty;
  ASSERT_FALSE(empty.path().empty());
  EXPECT_EXIT(expect_io_error_with(empty.path()), is_accepted, "");
}

TEST(ProjRegistryWithADamagedDatabase, is_an_io_error_that_says_what_to_do) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const ScratchFolder folder;
  ASSERT_FALSE(folder.path().empty());
  std::ofstream(folder.path() / "proj.db") << "this is no database";
  EXPECT_EXIT(expect_io_error_with(folder.path()), is_accepted, "");
}

}  // namespace
}  // namespace sillar::geo
