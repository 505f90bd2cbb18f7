// JSON as the documents of the command write it.
#include "cli/json.hpp"

#include <sillar/wire/utf8.hpp>

#include <cmath>

namespace sillar::cli {
namespace {

constexpr std::int64_t exact = std::int64_t{1} << 53;

}  // namespace

Json document(std::string_view schema) {
  return Json{{"schema", "sillar." + std::string(schema)}, {"schema_version", 1}};
}

Json number(std::uint64_t value) {
  if (value > static_cast<std::uint64_t>(exact)) return std::to_string(value);
  return value;
}

Json number(std::int64_t value) {
  if (value > exact || value < -exact) return std::to_string(value);
  return value;
}

Json number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

Json number_or_null(std::optional<std::uint64_t> value) {
  return value ? number(*value) : Json(nullptr);
}

std::string hex(std::span<const std::byte> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    text += digits[std::to_integer<unsigned>(byte >> 4)];
    text += digits[std::to_integer<unsigned>(byte & std::byte{15})];
  }
  return text;
}

void put_path(Json& object, const std::string& key, std::string_view path) {
  object[key] = path;
  if (!wire::is_utf8(path)) object[key + "_hex"] = hex(std::as_bytes(std::span(path)));
}

std::string text_of(const Json& value, bool one_line) {
  constexpr int indent = 2;
  return value.dump(one_line ? -1 : indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sillar::cli
