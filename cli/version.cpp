// What was built, and with what.
#include "cli/version.hpp"

#include <sillar/codec/openzl.hpp>
#include <sillar/geo/crs.hpp>
#include <sillar/rumi/format.hpp>

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <system_error>

namespace sillar::cli {
namespace {

namespace fs = std::filesystem;

/// The modules that can be loaded, by the files beside the command; none is loaded for it.
[[nodiscard]] bool has_module(std::string_view name) {
  std::error_code ignored;
  const fs::path command = fs::read_symlink("/proc/self/exe", ignored);
  return fs::exists(command.parent_path() / fmt::format("sillar_{}.so", name), ignored);
}

constexpr std::string_view build_type =
#ifdef NDEBUG
    "release";
#else
    "debug";
#endif

constexpr std::string_view compiler =
#ifdef __clang__
    "clang " __clang_version__;
#else
    "gcc " __VERSION__;
#endif

}  // namespace

Json version_json() {
  Json json = document("version");
  json["sillar"] = SILLAR_VERSION;
  json["specifications"] = Json{{"rumi", rumi::specification_version}};
  json["openzl"] = codec::openzl::description();
  json["crs_registry"] = geo::builtin_registry().description();
  json["modules"] = Json{{"proj", has_module("proj")}, {"gdal", has_module("gdal")}};
  json["build"] = Json{{"type", build_type}, {"compiler", compiler}};
  return json;
}

std::string version_text() {
  const auto yes = [](bool there) { return there ? "yes" : "no"; };
  return fmt::format(
      "sillar {}\n"
      "formats   rumi {}\n"
      "OpenZL    {}\n"
      "CRS       {}\n"
      "modules   PROJ {}, GDAL {}\n"
      "build     {}, {}\n",
      SILLAR_VERSION, rumi::specification_version, codec::openzl::description(),
      geo::builtin_registry().description(), yes(has_module("proj")), yes(has_module("gdal")),
      build_type, compiler);
}

}  // namespace sillar::cli
