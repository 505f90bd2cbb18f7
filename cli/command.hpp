// The command line as a whole: which verb, with which options, and the exit code.
#pragma once

#include <span>

namespace sillar::cli {

/// Runs `argv`, of which the first is the name of the program, and returns the exit code.
[[nodiscard]] int run(std::span<char*> argv);

}  // namespace sillar::cli
