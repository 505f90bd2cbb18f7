// A strict reader of one JSON object: enough to judge a footer and to take its top-level values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sillar::opff {

/// Calls `use(key, value)` for every member of the object `text`, `value` being the JSON text of
/// the value. False where `text` is not exactly one JSON object (RFC 8259; nesting up to 64), or
/// where `use` returns false.
[[nodiscard]] bool for_each_member(
    std::string_view text, const std::function<bool(const std::string&, std::string_view)>& use);

/// The value of a JSON text of that kind, or nothing where it is of another.
[[nodiscard]] std::optional<std::string> json_string(std::string_view value);
[[nodiscard]] std::optional<std::uint64_t> json_count(std::string_view value);

/// The JSON texts of the items of an array, or nothing where it is none.
[[nodiscard]] std::optional<std::vector<std::string_view>> json_items(std::string_view value);

/// `text` as a JSON string, in quotes. UTF-8 stays as it is.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace sillar::opff
