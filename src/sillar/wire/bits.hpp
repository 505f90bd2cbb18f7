// Bit-packed arrays: value i occupies bits [i * bits, (i + 1) * bits), least significant first.
#pragma once

#include <sillar/base/checked.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace sillar::wire {

/// ceil(count * bits / 8), or nothing where that leaves 64 bits.
[[nodiscard]] constexpr std::optional<std::uint64_t> packed_size(std::uint64_t count,
                                                                 unsigned bits) {
  if (bits == 0) return 0;
  // count * bits may pass 64 bits while the number of bytes does not.
  const std::uint64_t whole = count / 8;
  const auto bytes = checked_mul(whole, std::uint64_t{bits});
  return bytes ? checked_add(*bytes, ceil_div(count % 8 * bits, 8)) : std::nullopt;
}

/// Value `index` of a packed array; `bits` is 0 to 64 and `packed` holds the whole array.
[[nodiscard]] constexpr std::uint64_t unpack_at(std::span<const std::byte> packed, unsigned bits,
                                                std::uint64_t index) {
  if (bits == 0) return 0;
  // index * bits in two parts, so that it cannot overflow.
  std::uint64_t byte = index / 8 * bits + index % 8 * bits / 8;
  unsigned shift = static_cast<unsigned>(index % 8 * bits % 8);
  std::uint64_t value = 0;
  unsigned have = 0;
  while (have < bits) {
    const auto piece = std::to_integer<std::uint64_t>(packed[byte++]) >> shift;
    value |= piece << have;
    have += 8 - shift;
    shift = 0;
  }
  return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

/// Sets value `index` of a packed array whose bits there are still zero.
constexpr void pack_at(std::span<std::byte> packed, unsigned bits, std::uint64_t index,
                       std::uint64_t value) {
  if (bits == 0) return;
  std::uint64_t byte = index / 8 * bits + index % 8 * bits / 8;
  unsigned shift = static_cast<unsigned>(index % 8 * bits % 8);
  unsigned left = bits;
  while (left > 0) {
    packed[byte++] |= static_cast<std::byte>(static_cast<std::uint8_t>(value << shift));
    const unsigned done = 8 - shift;
    if (done >= left) break;
    value >>= done;
    left -= done;
    shift = 0;
  }
}

/// The unused bits of the last byte are zero.
[[nodiscard]] constexpr bool padding_is_zero(std::span<const std::byte> packed, std::uint64_t count,
                                             unsigned bits) {
  const auto used = static_cast<unsigned>(count % 8 * bits % 8);
  if (packed.empty() || used == 0) return true;
  return (std::to_integer<unsigned>(packed.back()) >> used) == 0;
}

}  // namespace sillar::wire
