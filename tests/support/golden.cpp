// Reads golden files whole.
#include "golden.hpp"

#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace sillar::testing {

std::string data_path(std::string_view name) {
  return std::string(SILLAR_TEST_DATA) + "/" + std::string(name);
}

Bytes golden(std::string_view name) {
  std::ifstream file(data_path(name), std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "no golden file %s\n", data_path(name).c_str());
    std::abort();
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return bytes_of(text);
}

Bytes from_hex(std::string_view digits) {
  std::string clean;
  for (const char digit : digits) {
    if (std::isspace(static_cast<unsigned char>(digit)) == 0) clean += digit;
  }
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < clean.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(clean.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::string to_hex(std::span<const std::byte> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += digits[std::to_integer<std::size_t>(byte >> 4)];
    text += digits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return text;
}

Bytes bytes_of(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

}  // namespace sillar::testing
