// Recursive descent over JSON text, bounded in depth.
#include <sillar/opff/json_text.hpp>

#include <charconv>
#include <cstddef>
#include <utility>

namespace sillar::opff {
namespace {

constexpr int deepest = 64;

[[nodiscard]] bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

/// A position in a text. Every function takes what it names, and is false where something else
/// stands there.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  [[nodiscard]] bool at_end() {
    skip_space();
    return at_ == text_.size();
  }

  /// `use` is called with the key (empty in arrays) and the text of each value.
  template <class Use>
  [[nodiscard]] bool members(int depth, const Use& use) {
    return list(depth, '{', '}', use);
  }
  template <class Use>
  [[nodiscard]] bool items(int depth, const Use& use) {
    return list(depth, '[', ']', use);
  }

  [[nodiscard]] bool string(std::string& out) {
    if (!take('"')) return false;
    while (at_ < text_.size()) {
      const char letter = text_[at_++];
      if (letter == '"') return true;
      if (static_cast<unsigned char>(letter) < 0x20) return false;
      if (letter != '\\') {
        out += letter;
      } else if (!escape(out)) {
        return false;
      }
    }
    return false;
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
  }

  [[nodiscard]] bool take(char wanted) {
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  [[nodiscard]] bool word(std::string_view wanted) {
    if (!text_.substr(at_).starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }

  template <class Use>
  [[nodiscard]] bool list(int depth, char begin, char end, const Use& use) {
    skip_space();
    if (depth == deepest || !take(begin)) return false;
    skip_space();
    if (take(end)) return true;
    for (;;) {
      std::string key;
      if (begin == '{') {
        skip_space();
        if (!string(key)) return false;
        skip_space();
        if (!take(':')) return false;
      }
      skip_space();
      const std::size_t from = at_;
      if (!value(depth + 1) || !use(key, text_.substr(from, at_ - from))) return false;
      skip_space();
      if (take(end)) return true;
      if (!take(',')) return false;
    }
  }

  [[nodiscard]] bool value(int depth) {
    const auto ignore = [](const std::string&, std::string_view) { return true; };
    std::string text;
    switch (at_ < text_.size() ? text_[at_] : '\0') {
      case '{':
        return members(depth, ignore);
      case '[':
        return items(depth, ignore);
      case '"':
        return string(text);
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return number();
    }
  }

  [[nodiscard]] bool digits() {
    const std::size_t from = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    return at_ > from;
  }

  [[nodiscard]] bool number() {
    static_cast<void>(take('-'));
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (take('e') || take('E')) {
      if (!take('+')) static_cast<void>(take('-'));
      return digits();
    }
    return true;
  }

  [[nodiscard]] bool hexadecimal(std::uint32_t& unit) {
    const std::string_view four = text_.substr(at_, 4);
    const auto [end, error] = std::from_chars(four.begin(), four.end(), unit, 16);
    if (four.size() != 4 || error != std::errc() || end != four.end()) return false;
    at_ += 4;
    return true;
  }

  [[nodiscard]] bool escape(std::string& out) {
    constexpr std::string_view names = "\"\\/bfnrt";
    constexpr std::string_view values = "\"\\/\b\f\n\r\t";
    if (at_ == text_.size()) return false;
    const char name = text_[at_++];
    if (const std::size_t index = names.find(name); index != names.npos) {
      out += values[index];
      return true;
    }
    std::uint32_t code = 0;
    if (name != 'u' || !hexadecimal(code)) return false;
    if (code >= 0xDC00 && code < 0xE000) return false;
    if (code >= 0xD800 && code < 0xDC00) {  // the first of a pair
      std::uint32_t low = 0;
      if (!word("\\u") || !hexadecimal(low) || low < 0xDC00 || low >= 0xE000) return false;
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    append_utf8(out, code);
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

bool for_each_member(std::string_view text,
                     const std::function<bool(const std::string&, std::string_view)>& use) {
  Scanner scanner(text);
  return scanner.members(0, use) && scanner.at_end();
}

std::optional<std::string> json_string(std::string_view value) {
  Scanner scanner(value);
  std::string text;
  if (!scanner.string(text) || !scanner.at_end()) return std::nullopt;
  return text;
}

std::optional<std::uint64_t> json_count(std::string_view value) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(value.begin(), value.end(), count);
  if (error != std::errc() || end != value.end()) return std::nullopt;
  return count;
}

std::optional<std::vector<std::string_view>> json_items(std::string_view value) {
  Scanner scanner(value);
  std::vector<std::string_view> list;
  const auto keep = [&](const std::string&, std::string_view item) {
    list.push_back(item);
    return true;
  };
  if (!scanner.items(0, keep) || !scanner.at_end()) return std::nullopt;
  return list;
}

std::string quoted(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "\"";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      out += '\\';
      out += letter;
    } else if (code < 0x20) {
      out += "\\u00";
      out += digits[code >> 4];
      out += digits[code & 0xF];
    } else {
      out += letter;
    }
  }
  return out + '"';
}

}  // namespace sillar::opff
