// The tree of options as data: help, `--json-usage` and the completions are made from it.
#pragma once

#include "cli/json.hpp"
#include "cli/verb.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sillar::cli {

/// The group under which global options are declared.
inline constexpr const char* global_group = "Global options";

struct OptionUsage {
  std::vector<std::string>
      names;          ///< "-o", "--output"; for a positional its one name without dashes
  std::string value;  ///< what stands for the value; empty for a flag
  std::vector<std::string> choices;
  std::string description;
  bool required = false;
  bool repeatable = false;
  bool global = false;
  bool positional = false;

  /// The value is a path.
  [[nodiscard]] bool takes_file() const {
    return value == "FILE" || value == "BLOB" || (positional && value.empty());
  }
};

struct VerbUsage {
  std::string name;  ///< empty for the command itself
  std::string summary;
  std::vector<std::string> examples;
  std::vector<OptionUsage> options;  ///< positionals among them
};

/// What the options declared on `app` are.
[[nodiscard]] VerbUsage usage_of(const CLI::App& app, std::string_view name,
                                 std::string_view summary, std::string_view examples);

/// The help of a verb, or of the command itself with its verbs; `all` adds examples and global
/// options.
[[nodiscard]] std::string help_text(const VerbUsage& usage, bool all);

[[nodiscard]] Json usage_json(const VerbUsage& command, const std::vector<VerbUsage>& all);

/// The command itself, then its verbs.
struct CommandUsage {
  VerbUsage command;
  std::vector<VerbUsage> verbs;
};

/// Of all verbs: every one is declared for it.
[[nodiscard]] CommandUsage command_usage();

}  // namespace sillar::cli
