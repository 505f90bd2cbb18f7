// Tells well-formed UTF-8 from other bytes.
#pragma once

#include <cstddef>
#include <string_view>

namespace sillar::wire {

/// The length of the well-formed UTF-8 sequence at the start of `text`, 0 where there is none
/// (Unicode, table "Well-Formed UTF-8 Byte Sequences").
[[nodiscard]] constexpr std::size_t utf8_length(std::string_view text) {
  const auto byte = [text](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto continues = [&](std::size_t i, unsigned least = 0x80, unsigned most = 0xBF) {
    return byte(i) >= least && byte(i) <= most;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return continues(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned least = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned most = lead == 0xED ? 0x9F : 0xBF;
    return continues(1, least, most) && continues(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned least = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned most = lead == 0xF4 ? 0x8F : 0xBF;
    return continues(1, least, most) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

/// Every byte belongs to a well-formed sequence.
[[nodiscard]] constexpr bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace sillar::wire
