// One sample as a person writes it.
#include "cli/sample_value.hpp"

#include "cli/text.hpp"
#include <sillar/base/checked.hpp>

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>

namespace sillar::cli {
namespace {

using Bytes = std::vector<std::byte>;

template <class Number>
[[nodiscard]] Bytes bytes_of(Number number) {
  const auto raw = std::bit_cast<std::array<std::byte, sizeof(Number)>>(number);
  return {raw.begin(), raw.end()};
}

template <class Number>
[[nodiscard]] std::optional<Bytes> whole(std::string_view text) {
  if constexpr (std::signed_integral<Number>) {
    const auto value = parse_signed(text);
    const auto fitting = value ? narrow<Number>(*value) : std::nullopt;
    if (fitting) return bytes_of(*fitting);
  } else {
    const auto value = parse_unsigned(text);
    const auto fitting = value ? narrow<Number>(*value) : std::nullopt;
    if (fitting) return bytes_of(*fitting);
  }
  return std::nullopt;
}

/// A floating-point type of at most 16 bits.
struct SmallFloat {
  int mantissa_bits;
  int exponent_bits;
  int bias;
  bool has_sign;
  /// What the codes without a finite value are.
  enum class Special { ieee, nan_all_ones, nan_negative_zero, nan_exponent } special;

  [[nodiscard]] unsigned codes() const {
    return 1u << (mantissa_bits + exponent_bits + (has_sign ? 1 : 0));
  }

  [[nodiscard]] double value(unsigned code) const {
    const unsigned mantissa_mask = (1u << mantissa_bits) - 1;
    const unsigned exponent_mask = (1u << exponent_bits) - 1;
    const unsigned mantissa = code & mantissa_mask;
    const unsigned exponent = (code >> mantissa_bits) & exponent_mask;
    const bool negative = has_sign && (code >> (mantissa_bits + exponent_bits)) != 0;
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (exponent == exponent_mask) {
      if (special == Special::ieee && mantissa != 0) return nan;
      if (special == Special::ieee) return negative ? -HUGE_VAL : HUGE_VAL;
      if (special == Special::nan_all_ones && mantissa == mantissa_mask) return nan;
      if (special == Special::nan_exponent) return nan;
    }
    if (special == Special::nan_negative_zero && negative && exponent == 0 && mantissa == 0)
      return nan;
    const bool subnormal = exponent == 0 && special != Special::nan_exponent;
    const double significand =
        mantissa + (subnormal ? 0.0 : static_cast<double>(1u << mantissa_bits));
    const double size =
        std::ldexp(significand, static_cast<int>(subnormal ? 1 : exponent) - bias - mantissa_bits);
    return negative ? -size : size;
  }

  /// The code of the nearest value; of two, the even one. Nothing where the type has no such kind
  /// of value: no NaN, no infinity, too large.
  [[nodiscard]] std::optional<unsigned> nearest(double wanted) const {
    std::optional<unsigned> best;
    double least = HUGE_VAL;
    double largest = 0;
    for (unsigned code = 0; code < codes(); ++code) {
      const double here = value(code);
      if (std::isnan(wanted) ? std::isnan(here)
                             : here == wanted && std::signbit(here) == std::signbit(wanted))
        return code;
      if (!std::isfinite(here) || !std::isfinite(wanted)) continue;
      largest = std::max(largest, std::abs(here));
      const double off = std::abs(here - wanted);
      if (off < least || (off == least && code % 2 == 0)) {
        least = off;
        best = code;
      }
    }
    if (!std::isfinite(wanted) || std::abs(wanted) > largest) return std::nullopt;
    if (!has_sign && wanted <= 0) return std::nullopt;
    return best;
  }
};

[[nodiscard]] std::optional<SmallFloat> small_float(DType dtype) {
  using Special = SmallFloat::Special;
  switch (dtype) {
    case DType::f16:
    case DType::c32:
      return SmallFloat{10, 5, 15, true, Special::ieee};
    case DType::bf16:
      return SmallFloat{7, 8, 127, true, Special::ieee};
    case DType::f8_e4m3fn:
      return SmallFloat{3, 4, 7, true, Special::nan_all_ones};
    case DType::f8_e5m2:
      return SmallFloat{2, 5, 15, true, Special::ieee};
    case DType::f8_e8m0fnu:
      return SmallFloat{0, 8, 127, false, Special::nan_exponent};
    case DType::f8_e4m3fnuz:
      return SmallFloat{3, 4, 8, true, Special::nan_negative_zero};
    case DType::f8_e5m2fnuz:
      return SmallFloat{2, 5, 16, true, Special::nan_negative_zero};
    default:
      return std::nullopt;
  }
}

[[nodiscard]] std::optional<Bytes> real(double value, std::size_t size,
                                        const std::optional<SmallFloat>& small) {
  if (small) {
    const auto code = small->nearest(value);
    if (!code) return std::nullopt;
    return size == 1 ? bytes_of(static_cast<std::uint8_t>(*code))
                     : bytes_of(static_cast<std::uint16_t>(*code));
  }
  if (size == sizeof(double)) return bytes_of(value);
  const auto rounded = static_cast<float>(value);
  if (std::isinf(rounded) && !std::isinf(value)) return std::nullopt;
  return bytes_of(rounded);
}

/// "1.5", "1.5+2j", "-3j".
[[nodiscard]] std::optional<std::pair<double, double>> parse_complex(std::string_view text) {
  if (!text.ends_with('j')) {
    const auto value = parse_double(text);
    if (!value) return std::nullopt;
    return std::pair(*value, 0.0);
  }
  text.remove_suffix(1);
  for (std::size_t at = text.size(); at-- > 1;) {
    if ((text[at] != '+' && text[at] != '-') || text[at - 1] == 'e' || text[at - 1] == 'E')
      continue;
    const auto re = parse_double(text.substr(0, at));
    const auto im = parse_double(text.substr(text[at] == '+' ? at + 1 : at));
    if (!re || !im) return std::nullopt;
    return std::pair(*re, *im);
  }
  const auto im = parse_double(text);
  if (!im) return std::nullopt;
  return std::pair(0.0, *im);
}

[[nodiscard]] std::optional<Bytes> parse(std::string_view text, DType dtype) {
  switch (dtype) {
    case DType::boolean:
      if (text == "0" || text == "false") return bytes_of(std::uint8_t{0});
      if (text == "1" || text == "true") return bytes_of(std::uint8_t{1});
      return std::nullopt;
    case DType::u8:
      return whole<std::uint8_t>(text);
    case DType::u16:
      return whole<std::uint16_t>(text);
    case DType::u32:
      return whole<std::uint32_t>(text);
    case DType::u64:
      return whole<std::uint64_t>(text);
    case DType::i8:
      return whole<std::int8_t>(text);
    case DType::i16:
      return whole<std::int16_t>(text);
    case DType::i32:
      return whole<std::int32_t>(text);
    case DType::i64:
      return whole<std::int64_t>(text);
    default:
      break;
  }
  const std::size_t size = info(dtype).component_size;
  const bool complex = size != size_of(dtype);
  const auto parts = parse_complex(text);
  if (!parts || (!complex && text.ends_with('j'))) return std::nullopt;
  const auto small = small_float(dtype);
  auto bytes = real(parts->first, size, small);
  if (!bytes || !complex) return bytes;
  const auto imaginary = real(parts->second, size, small);
  if (!imaginary) return std::nullopt;
  bytes->insert(bytes->end(), imaginary->begin(), imaginary->end());
  return bytes;
}

}  // namespace

Result<std::vector<std::byte>> sample_bytes(std::string_view text, DType dtype) {
  auto bytes = parse(text, dtype);
  if (!bytes)
    return fail(Errc::bad_argument, fmt::format("\"{}\" is no value of {}", text, name_of(dtype)));
  return *std::move(bytes);
}

}  // namespace sillar::cli
