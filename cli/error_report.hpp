// An error as the command tells it, in text or JSON.
#pragma once

#include "cli/json.hpp"
#include <sillar/base/error.hpp>

#include <string>
#include <string_view>

namespace sillar::cli {

/// What to do about `error`, in one sentence, or "". `verb` is what was being done.
[[nodiscard]] std::string hint_for(const Error& error, std::string_view verb);

/// The message without source, offset and rule.
[[nodiscard]] std::string detail_of(const Error& error);

/// "sillar: error: FILE: offset 0x1a4: rumi.ifd.tags: message", then "hint: ..." on a line of its
/// own where there is one.
[[nodiscard]] std::string error_text(const Error& error, std::string_view hint, bool colored);

/// The same as a document of schema `sillar.error`.
[[nodiscard]] Json error_json(const Error& error, std::string_view hint);

}  // namespace sillar::cli
