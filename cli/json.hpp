// JSON as the documents of the command write it.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sillar::cli {

/// Keys stay in the order in which they are put.
using Json = nlohmann::ordered_json;

/// A document of `sillar.<schema>`, version 1, to be filled.
[[nodiscard]] Json document(std::string_view schema);

/// A number, or a string where a reader with doubles would lose digits (beyond 2^53).
[[nodiscard]] Json number(std::uint64_t value);
[[nodiscard]] Json number(std::int64_t value);

/// A number; "NaN", "Infinity" and "-Infinity" as strings.
[[nodiscard]] Json number(double value);

[[nodiscard]] Json number_or_null(std::optional<std::uint64_t> value);

/// Bytes as lower-case hexadecimal digits.
[[nodiscard]] std::string hex(std::span<const std::byte> bytes);

/// Puts `path` under `key`; where it is not UTF-8, its bytes under `<key>_hex` as well.
void put_path(Json& object, const std::string& key, std::string_view path);

/// The text of a document: on one line, or indented. Foreign bytes that are not UTF-8 come as
/// U+FFFD.
[[nodiscard]] std::string text_of(const Json& value, bool one_line);

}  // namespace sillar::cli
