// SHA-256 of bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace sillar::testing {

/// As 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256(std::span<const std::byte> bytes);

}  // namespace sillar::testing
