// Samples of every type as numbers.
#pragma once

#include <sillar/tensor/dtype.hpp>

#include <cstddef>
#include <cstdint>

namespace sillar {

/// A float of few bits: sign, `exponent_bits` and `fraction_bits`, and what its special codes mean.
struct SmallFloat {
  unsigned exponent_bits;
  unsigned fraction_bits;
  int bias;
  enum class Specials : std::uint8_t {
    ieee,         ///< infinities and NaNs in the top exponent
    nan_only,     ///< all ones but the sign is NaN; no infinity ("FN")
    nan_is_zero,  ///< the code of -0 is NaN; no infinity, no -0 ("FNUZ")
  } specials;
};

/// The value of the code `bits` of such a float.
[[nodiscard]] double decode_small_float(std::uint32_t bits, const SmallFloat& format);

/// The element at `bytes`, which need not be aligned, in the host's byte order. 64-bit integers are
/// rounded to the nearest double; a complex number gives its magnitude.
[[nodiscard]] double load_as_double(const std::byte* bytes, DType dtype);

}  // namespace sillar
