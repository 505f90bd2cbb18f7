// The sample types that the three formats can hold.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sillar {

/// The type of one element. Complex types store real, then imaginary; booleans are one byte, 0
/// or 1.
enum class DType : std::uint8_t {
  boolean,
  u8,
  u16,
  u32,
  u64,
  i8,
  i16,
  i32,
  i64,
  f16,
  f32,
  f64,
  c32,   ///< two f16
  c64,   ///< two f32
  c128,  ///< two f64
  bf16,
  f8_e4m3fn,
  f8_e5m2,
  f8_e8m0fnu,
  f8_e4m3fnuz,
  f8_e5m2fnuz,
};

/// What there is to know of a type.
struct DTypeInfo {
  DType dtype;
  std::string_view name;        ///< as NumPy and ml_dtypes spell it
  std::uint8_t size;            ///< bytes of one element
  std::uint8_t component_size;  ///< bytes of one number in it: half of `size` for complex types
  std::uint8_t dlpack_code;     ///< DLDataTypeCode
  std::uint8_t dlpack_bits;     ///< bits of one element in DLPack
};

// clang-format off
inline constexpr std::array dtype_table = {
    DTypeInfo{DType::boolean,     "bool",            1,  1,  6,   8},
    DTypeInfo{DType::u8,          "uint8",           1,  1,  1,   8},
    DTypeInfo{DType::u16,         "uint16",          2,  2,  1,  16},
    DTypeInfo{DType::u32,         "uint32",          4,  4,  1,  32},
    DTypeInfo{DType::u64,         "uint64",          8,  8,  1,  64},
    DTypeInfo{DType::i8,          "int8",            1,  1,  0,   8},
    DTypeInfo{DType::i16,         "int16",           2,  2,  0,  16},
    DTypeInfo{DType::i32,         "int32",           4,  4,  0,  32},
    DTypeInfo{DType::i64,         "int64",           8,  8,  0,  64},
    DTypeInfo{DType::f16,         "float16",         2,  2,  2,  16},
    DTypeInfo{DType::f32,         "float32",         4,  4,  2,  32},
    DTypeInfo{DType::f64,         "float64",         8,  8,  2,  64},
    DTypeInfo{DType::c32,         "complex32",       4,  2,  5,  32},
    DTypeInfo{DType::c64,         "complex64",       8,  4,  5,  64},
    DTypeInfo{DType::c128,        "complex128",     16,  8,  5, 128},
    DTypeInfo{DType::bf16,        "bfloat16",        2,  2,  4,  16},
    DTypeInfo{DType::f8_e4m3fn,   "float8_e4m3fn",   1,  1, 10,   8},
    DTypeInfo{DType::f8_e5m2,     "float8_e5m2",     1,  1, 12,   8},
    DTypeInfo{DType::f8_e8m0fnu,  "float8_e8m0fnu",  1,  1, 14,   8},
    DTypeInfo{DType::f8_e4m3fnuz, "float8_e4m3fnuz", 1,  1, 11,   8},
    DTypeInfo{DType::f8_e5m2fnuz, "float8_e5m2fnuz", 1,  1, 13,   8},
};
// clang-format on

[[nodiscard]] constexpr const DTypeInfo& info(DType dtype) {
  return dtype_table[static_cast<std::size_t>(dtype)];
}

[[nodiscard]] constexpr std::size_t size_of(DType dtype) { return info(dtype).size; }
[[nodiscard]] constexpr std::string_view name_of(DType dtype) { return info(dtype).name; }

/// The type of that name, or nothing.
[[nodiscard]] constexpr std::optional<DType> dtype_of(std::string_view name) {
  for (const DTypeInfo& entry : dtype_table) {
    if (entry.name == name) return entry.dtype;
  }
  return std::nullopt;
}

}  // namespace sillar
