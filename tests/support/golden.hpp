// Files of tests/data, and bytes written as hexadecimal digits.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sillar::testing {

using Bytes = std::vector<std::byte>;

/// The path of a file of tests/data.
[[nodiscard]] std::string data_path(std::string_view name);

/// The bytes of a file of tests/data. Ends the test program where there is none.
[[nodiscard]] Bytes golden(std::string_view name);

/// "52 55 4d49" as bytes; blanks and line ends are skipped.
[[nodiscard]] Bytes from_hex(std::string_view digits);

/// Bytes as lower-case digits without blanks.
[[nodiscard]] std::string to_hex(std::span<const std::byte> bytes);

/// The bytes of a text.
[[nodiscard]] Bytes bytes_of(std::string_view text);

}  // namespace sillar::testing
