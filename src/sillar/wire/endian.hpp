// Little-endian numbers to and from bytes. The only place that knows the host's byte order.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sillar::wire {

template <class T>
concept Number = std::integral<T> || std::same_as<T, float> || std::same_as<T, double>;

template <std::size_t Size>
using Bits = std::conditional_t<
    Size == 1, std::uint8_t,
    std::conditional_t<Size == 2, std::uint16_t,
                       std::conditional_t<Size == 4, std::uint32_t, std::uint64_t>>>;

/// The number stored at `bytes`, which need not be aligned.
template <Number T>
[[nodiscard]] constexpr T load(const std::byte* bytes) {
  std::array<std::byte, sizeof(T)> raw{};
  for (std::size_t i = 0; i < raw.size(); ++i) raw[i] = bytes[i];
  auto bits = std::bit_cast<Bits<sizeof(T)>>(raw);
  if constexpr (std::endian::native == std::endian::big) bits = std::byteswap(bits);
  return std::bit_cast<T>(bits);
}

template <Number T>
constexpr void store(std::byte* bytes, T value) {
  auto bits = std::bit_cast<Bits<sizeof(T)>>(value);
  if constexpr (std::endian::native == std::endian::big) bits = std::byteswap(bits);
  const auto raw = std::bit_cast<std::array<std::byte, sizeof(T)>>(bits);
  for (std::size_t i = 0; i < raw.size(); ++i) bytes[i] = raw[i];
}

}  // namespace sillar::wire
