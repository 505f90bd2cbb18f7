// Numbers and foreign text as people read them.
#include "cli/text.hpp"

#include <sillar/base/checked.hpp>
#include <sillar/wire/utf8.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

namespace sillar::cli {
namespace {

template <class Number>
[[nodiscard]] std::optional<Number> parse_all(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// C0, DEL and C1 (U+0080 to U+009F, two bytes in UTF-8).
[[nodiscard]] bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
}

/// Edits that turn `a` into `b`: insert, delete, replace, or swap two neighbours.
[[nodiscard]] std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + cost});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

}  // namespace

std::string printable(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = wire::utf8_length(bytes);
    if (length == 0) {
      text += "\uFFFD";
      bytes.remove_prefix(1);
      continue;
    }
    const std::string_view character = bytes.substr(0, length);
    if (is_control(character)) {
      for (const char byte : character)
        text += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    } else {
      text += character;
    }
    bytes.remove_prefix(length);
  }
  return text;
}

std::string short_size(std::uint64_t bytes) {
  constexpr std::array units = {"kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 10'000) return count_text(bytes, "byte");
  auto value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (value >= 999.95 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, units.at(unit));
}

std::string size_text(std::uint64_t bytes) {
  return bytes < 10'000 ? short_size(bytes)
                        : fmt::format("{} ({} bytes)", short_size(bytes), bytes);
}

std::string count_text(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

Result<std::uint64_t> parse_size(std::string_view text) {
  struct Unit {
    char letter;
    std::uint64_t decimal, binary;
  };
  constexpr std::array units = {
      Unit{'K', 1'000, std::uint64_t{1} << 10},
      Unit{'M', 1'000'000, std::uint64_t{1} << 20},
      Unit{'G', 1'000'000'000, std::uint64_t{1} << 30},
      Unit{'T', 1'000'000'000'000, std::uint64_t{1} << 40},
  };
  std::string_view digits = text;
  if (digits.ends_with('B')) digits.remove_suffix(1);
  const bool binary = digits.ends_with('i');
  if (binary) digits.remove_suffix(1);
  std::uint64_t factor = binary ? 0 : 1;  // "4i" is no size
  for (const Unit& unit : units) {
    if (!digits.empty() &&
        (digits.back() == unit.letter || digits.back() == unit.letter + ('a' - 'A'))) {
      factor = binary ? unit.binary : unit.decimal;
      digits.remove_suffix(1);
      break;
    }
  }
  const auto number = parse_unsigned(digits);
  const auto size = number && factor != 0 ? checked_mul(*number, factor) : std::nullopt;
  if (!size)
    return fail(Errc::bad_argument,
                fmt::format("\"{}\" is no size, expected a number such as 4096, 64K or 2Gi", text));
  return *size;
}

std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
  return parse_all<std::uint64_t>(text);
}
std::optional<std::int64_t> parse_signed(std::string_view text) {
  return parse_all<std::int64_t>(text);
}
std::optional<double> parse_double(std::string_view text) { return parse_all<double>(text); }

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const std::size_t end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::string_view nearest(std::string_view word, std::span<const std::string> candidates) {
  std::string_view best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    // What the user began to type is near, however much of it is missing.
    const bool begun = word.size() >= 2 && candidate.starts_with(word);
    const std::size_t edits = begun ? 1 : distance(word, candidate);
    if (edits < least) {
      least = edits;
      best = candidate;
    }
  }
  return best;
}

}  // namespace sillar::cli
