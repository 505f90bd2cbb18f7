// A verb of the command, and the table of all of them.
#pragma once

#include "cli/context.hpp"
#include <sillar/base/error.hpp>

#include <functional>
#include <span>
#include <string_view>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace sillar::cli {

/// Does the work once the options are parsed. The value is the exit code of an answer: 0, or 1 for
/// a negative one.
using Run = std::function<Result<int>(Context&)>;

struct Verb {
  std::string_view name;
  std::string_view summary;   ///< one line
  std::string_view examples;  ///< lines, each a whole command
  Run (*declare)(CLI::App&);  ///< declares the verb's options; what it returns owns their values
};

// Each stands in its own file, verb_<name>.cpp.
Run declare_info(CLI::App& app);
Run declare_validate(CLI::App& app);
Run declare_read(CLI::App& app);
Run declare_plan(CLI::App& app);
Run declare_header(CLI::App& app);
Run declare_decode_frame(CLI::App& app);
Run declare_completion(CLI::App& app);
Run declare_convert(CLI::App& app);
Run declare_demo(CLI::App& app);

/// All verbs, in the order of the help.
[[nodiscard]] std::span<const Verb> verbs();

/// Makes `option` take one of the words of `choices`, which are parted by "|".
void take_one_of(CLI::Option* option, std::string_view choices);

}  // namespace sillar::cli
