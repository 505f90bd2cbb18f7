// IEEE, bfloat16, ONNX float8 and OCP E8M0 codes as doubles.
#include <sillar/tensor/numeric.hpp>

#include <cmath>
#include <cstring>
#include <limits>

namespace sillar {
namespace {

using Specials = SmallFloat::Specials;

constexpr SmallFloat binary16{5, 10, 15, Specials::ieee};
constexpr SmallFloat bfloat16{8, 7, 127, Specials::ieee};
constexpr SmallFloat e5m2{5, 2, 15, Specials::ieee};
constexpr SmallFloat e4m3fn{4, 3, 7, Specials::nan_only};
constexpr SmallFloat e4m3fnuz{4, 3, 8, Specials::nan_is_zero};
constexpr SmallFloat e5m2fnuz{5, 2, 16, Specials::nan_is_zero};

template <class T>
[[nodiscard]] T load(const std::byte* bytes) {
  T value{};
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <class T>
[[nodiscard]] double number(const std::byte* bytes) {
  return static_cast<double>(load<T>(bytes));
}

/// An exponent and nothing else: 2^(code - 127), all ones is NaN.
[[nodiscard]] double decode_e8m0(std::uint8_t code) {
  if (code == 0xFF) return std::numeric_limits<double>::quiet_NaN();
  return std::ldexp(1.0, code - 127);
}

}  // namespace

double decode_small_float(std::uint32_t bits, const SmallFloat& format) {
  const std::uint32_t fraction_mask = (1U << format.fraction_bits) - 1;
  const std::uint32_t exponent_mask = (1U << format.exponent_bits) - 1;
  const std::uint32_t fraction = bits & fraction_mask;
  const std::uint32_t exponent = (bits >> format.fraction_bits) & exponent_mask;
  const bool negative = ((bits >> (format.fraction_bits + format.exponent_bits)) & 1U) != 0;
  const double sign = negative ? -1.0 : 1.0;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  switch (format.specials) {
    case Specials::ieee:
      if (exponent == exponent_mask)
        return fraction != 0 ? nan : sign * std::numeric_limits<double>::infinity();
      break;
    case Specials::nan_only:
      if (exponent == exponent_mask && fraction == fraction_mask) return nan;
      break;
    case Specials::nan_is_zero:
      if (negative && exponent == 0 && fraction == 0) return nan;
      break;
  }
  const auto width = static_cast<int>(format.fraction_bits);
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - format.bias - width);
  return sign *
         std::ldexp(fraction + fraction_mask + 1, static_cast<int>(exponent) - format.bias - width);
}

double load_as_double(const std::byte* bytes, DType dtype) {
  switch (dtype) {
    case DType::boolean:
    case DType::u8:
      return number<std::uint8_t>(bytes);
    case DType::u16:
      return number<std::uint16_t>(bytes);
    case DType::u32:
      return number<std::uint32_t>(bytes);
    case DType::u64:
      return number<std::uint64_t>(bytes);
    case DType::i8:
      return number<std::int8_t>(bytes);
    case DType::i16:
      return number<std::int16_t>(bytes);
    case DType::i32:
      return number<std::int32_t>(bytes);
    case DType::i64:
      return number<std::int64_t>(bytes);
    case DType::f16:
      return decode_small_float(load<std::uint16_t>(bytes), binary16);
    case DType::f32:
      return number<float>(bytes);
    case DType::f64:
      return load<double>(bytes);
    case DType::c32:
      return std::hypot(load_as_double(bytes, DType::f16), load_as_double(bytes + 2, DType::f16));
    case DType::c64:
      return std::hypot(load_as_double(bytes, DType::f32), load_as_double(bytes + 4, DType::f32));
    case DType::c128:
      return std::hypot(load_as_double(bytes, DType::f64), load_as_double(bytes + 8, DType::f64));
    case DType::bf16:
      return decode_small_float(load<std::uint16_t>(bytes), bfloat16);
    case DType::f8_e4m3fn:
      return decode_small_float(load<std::uint8_t>(bytes), e4m3fn);
    case DType::f8_e5m2:
      return decode_small_float(load<std::uint8_t>(bytes), e5m2);
    case DType::f8_e8m0fnu:
      return decode_e8m0(load<std::uint8_t>(bytes));
    case DType::f8_e4m3fnuz:
      return decode_small_float(load<std::uint8_t>(bytes), e4m3fnuz);
    case DType::f8_e5m2fnuz:
      return decode_small_float(load<std::uint8_t>(bytes), e5m2fnuz);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace sillar
