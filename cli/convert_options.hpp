// The options of `sillar convert`, and what they mean for the library.
#pragma once

#include "cli/selection_options.hpp"
#include <sillar/base/error.hpp>
#include <sillar/convert/convert.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sillar::cli {

/// As the user wrote them; empty where an option was not given.
struct ConvertOptionTexts {
  std::string input;
  std::string output;
  bool overwrite = false;
  bool dry_run = false;
  bool no_verify = false;

  std::string tile;
  std::optional<std::uint64_t> unit;
  std::string profile;
  std::string header_path;

  std::vector<std::string> set_bands;
  std::vector<std::string> set_times;
  std::string set_crs;
  std::string set_transform;
  bool set_point = false;
  bool undated = false;
  std::string fold;
  std::vector<std::string> drops;
  std::string dtype;
  SelectionOptions selection;
};

void declare_convert_options(CLI::App& app, ConvertOptionTexts& options);

/// What the options mean. Reads the files that are named by @. Fails with bad_argument, or as
/// reading does. Pool, limits, control and progress are left to the caller.
[[nodiscard]] Result<convert::ConvertOptions> convert_options_of(const ConvertOptionTexts& texts);

}  // namespace sillar::cli
