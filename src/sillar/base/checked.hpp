// Arithmetic on sizes and offsets that says when it overflows.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>

namespace sillar {

[[nodiscard]] constexpr std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

[[nodiscard]] constexpr std::optional<std::uint64_t> checked_mul(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

/// The product of all factors, or nothing where it leaves 64 bits. A later zero does not undo an
/// overflow.
template <std::same_as<std::uint64_t>... More>
[[nodiscard]] constexpr std::optional<std::uint64_t> checked_mul(std::uint64_t a, std::uint64_t b,
                                                                 More... more) {
  const auto product = checked_mul(a, b);
  if constexpr (sizeof...(more) == 0) {
    return product;
  } else {
    return product ? checked_mul(*product, more...) : std::nullopt;
  }
}

/// `value` as a `To`, or nothing where it does not fit.
template <std::integral To, std::integral From>
[[nodiscard]] constexpr std::optional<To> narrow(From value) {
  if (!std::in_range<To>(value)) return std::nullopt;
  return static_cast<To>(value);
}

[[nodiscard]] constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

}  // namespace sillar
