// GDAL's sample types and ours.
#pragma once

#include <sillar/tensor/dtype.hpp>

#include <gdal.h>

#include <optional>

namespace sillar::convert {

/// GDAL's type that holds the bytes of `dtype`, or nothing. int8 and bool are bytes with a remark
/// (PIXELTYPE, NBITS) where GDAL has no type for them.
[[nodiscard]] constexpr std::optional<GDALDataType> gdal_type_of(DType dtype) {
  switch (dtype) {  // NOLINT(bugprone-branch-clone): older GDAL has one type for two
    case DType::boolean:
    case DType::u8:
      return GDT_Byte;
    case DType::i8:
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 7, 0)
      return GDT_Int8;
#else
      return GDT_Byte;
#endif
    case DType::u16:
      return GDT_UInt16;
    case DType::i16:
      return GDT_Int16;
    case DType::u32:
      return GDT_UInt32;
    case DType::i32:
      return GDT_Int32;
    case DType::u64:
      return GDT_UInt64;
    case DType::i64:
      return GDT_Int64;
    case DType::f32:
      return GDT_Float32;
    case DType::f64:
      return GDT_Float64;
    case DType::c64:
      return GDT_CFloat32;
    case DType::c128:
      return GDT_CFloat64;
    default:
      return std::nullopt;
  }
}

/// Our type of GDAL's, or nothing (complex integers).
[[nodiscard]] constexpr std::optional<DType> dtype_of(GDALDataType type) {
  for (const DTypeInfo& entry : dtype_table) {
    if (entry.dtype != DType::boolean && gdal_type_of(entry.dtype) == type) return entry.dtype;
  }
  return std::nullopt;
}
static_assert(dtype_of(GDT_Byte) == DType::u8);

}  // namespace sillar::convert
