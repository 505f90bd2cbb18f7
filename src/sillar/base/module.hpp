// Finds the parts of the library that are loaded only when they are needed.
#pragma once

#include <sillar/base/error.hpp>

#include <string_view>

namespace sillar {

/// The address of `symbol` in the module `file_name`, which is looked for beside the library or
/// program that holds `neighbour` (any function or constant of the caller), beside the program, and
/// where the loader looks. A module is never unloaded. Fails with unsupported, with the reason.
[[nodiscard]] Result<void*> load_symbol(std::string_view file_name, const char* symbol,
                                        const void* neighbour);

}  // namespace sillar
