// CRS codes as people write them, judged by kind.
#include <sillar/geo/crs.hpp>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace sillar::geo {
namespace {

constexpr std::string_view urn_prefix = "urn:ogc:def:crs:";
constexpr std::string_view epsg_prefix = "EPSG:";
constexpr std::size_t shown_characters = 64;

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && equal_ignoring_case(text.substr(0, prefix.size()), prefix);
}

/// Printable ASCII of at most `shown_characters`, so that a message stays one line of text.
std::string quoted(std::string_view text) {
  std::string shown = "\"";
  for (const char c : text.substr(0, shown_characters)) shown += c >= ' ' && c <= '~' ? c : '?';
  return shown + (text.size() > shown_characters ? "...\"" : "\"");
}

/// "ESRI", "IAU_2015": a letter, then letters, digits, '_', '-' or '.'.
bool is_authority(std::string_view text) {
  const auto is_letter = [](char c) { return lower(c) >= 'a' && lower(c) <= 'z'; };
  const auto is_name = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
  };
  return !text.empty() && text.size() <= shown_characters && is_letter(text.front()) &&
         std::ranges::all_of(text, is_name);
}

std::unexpected<Error> fail_form(std::string_view text) {
  return fail(Errc::bad_argument,
              quoted(text) +
                  " is not an EPSG code; expected a form like EPSG:32719, 32719 or "
                  "urn:ogc:def:crs:EPSG::32719");
}

/// Digits without a sign or a leading zero, within 32 bits. `text` is shown in errors.
Result<std::uint32_t> parse_code(std::string_view digits, std::string_view text) {
  std::uint32_t code = 0;
  const char* const end = digits.data() + digits.size();
  if (digits.empty() || digits.front() == '0') return fail_form(text);
  const auto [stop, error] = std::from_chars(digits.data(), end, code);
  if (error != std::errc{} || stop != end) return fail_form(text);
  return code;
}

/// "a compound CRS", "an engineering CRS".
std::string with_article(CrsKind kind) {
  if (kind == CrsKind::other) return "a CRS of another kind";
  const std::string name(name_of(kind));
  return (kind == CrsKind::engineering ? "an " : "a ") + name + " CRS";
}

}  // namespace

std::string_view name_of(CrsKind kind) {
  switch (kind) {
    case CrsKind::geographic_2d:
      return "geographic 2D";
    case CrsKind::geographic_3d:
      return "geographic 3D";
    case CrsKind::projected:
      return "projected";
    case CrsKind::geocentric:
      return "geocentric";
    case CrsKind::vertical:
      return "vertical";
    case CrsKind::compound:
      return "compound";
    case CrsKind::engineering:
      return "engineering";
    case CrsKind::other:
      return "other";
  }
  return "other";
}

bool is_horizontal(CrsKind kind) {
  return kind == CrsKind::projected || kind == CrsKind::geographic_2d ||
         kind == CrsKind::geographic_3d;
}

Result<std::uint32_t> parse_epsg(std::string_view text) {
  const bool is_urn = starts_with_ignoring_case(text, urn_prefix);
  const std::string_view name = is_urn ? text.substr(urn_prefix.size()) : text;

  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return is_urn ? fail_form(text) : parse_code(name, text);

  const std::string_view authority = name.substr(0, colon);
  if (!starts_with_ignoring_case(name, epsg_prefix)) {
    if (!is_authority(authority) || equal_ignoring_case(authority, "urn")) return fail_form(text);
    return fail(Errc::bad_argument, quoted(text) + " is a code of the authority " +
                                        std::string(authority) + "; expected a code of EPSG");
  }

  std::string_view code = name.substr(epsg_prefix.size());
  if (is_urn) {
    // A URN may name a version of the dataset; which one a code was looked up in cannot be kept.
    if (code.empty() || code.front() != ':') return fail_form(text);
    code.remove_prefix(1);
  }
  return parse_code(code, text);
}

Result<CrsEntry> require_horizontal(const CrsRegistry& registry, std::uint32_t code) {
  const std::string name = "EPSG:" + std::to_string(code);
  SILLAR_TRY(auto entry, registry.find(code));
  if (!entry) {
    return fail(Errc::bad_argument,
                "EPSG does not define " + name + " (looked up in " + registry.description() + ")");
  }
  if (!is_horizontal(entry->kind)) {
    return fail(Errc::bad_argument, name + " is " + with_article(entry->kind) +
                                        "; expected a projected or geographic one");
  }
  return *std::move(entry);
}

}  // namespace sillar::geo
