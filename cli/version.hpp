// What was built, and with what.
#pragma once

#include "cli/json.hpp"

#include <string>

namespace sillar::cli {

[[nodiscard]] std::string version_text();
[[nodiscard]] Json version_json();

}  // namespace sillar::cli
