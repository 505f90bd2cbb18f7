// What `convert` does, for other verbs that write the same files.
#pragma once

#include "cli/context.hpp"
#include "cli/convert_options.hpp"
#include <sillar/base/error.hpp>

namespace sillar::cli {

/// Converts as the texts say, and tells about it. The value is an exit code.
[[nodiscard]] Result<int> convert_file(const ConvertOptionTexts& texts, Context& context);

}  // namespace sillar::cli
