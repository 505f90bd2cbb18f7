// Running sums along rows: what undoes every predictor that looks left and up.
#pragma once

#include <sillar/codec/cpu.hpp>
#include <sillar/codec/geozl/words.hpp>

#include <cstddef>

namespace sillar::codec::geozl {

// The kernels come in one set for any processor and one for AVX2. Each pointer names `count` words;
// `out` may be `codes`, and overlaps nothing else.

/// For any processor.
struct Portable {
  /// out[i] = north[i] + carry + residuals 0 to i; `north` may be null, for zeros. Returns carry +
  /// all residuals, with which the next part of the row goes on.
  template <Residuals Form, Word T>
  static T running_sum(const T* codes, const T* north, T* out, std::size_t count, T carry);

  /// out[i] = north[i] + codes[i].
  template <Word T>
  static void add(const T* codes, const T* north, T* out, std::size_t count);

  /// out[i] = residual of codes[i].
  template <Residuals Form, Word T>
  static void copy(const T* codes, T* out, std::size_t count);
};

/// The same for processors with AVX2, where `has_avx2()`; elsewhere it does what Portable does.
struct Avx2 {
  template <Residuals Form, Word T>
  static T running_sum(const T* codes, const T* north, T* out, std::size_t count, T carry);

  template <Word T>
  static void add(const T* codes, const T* north, T* out, std::size_t count);

  template <Residuals Form, Word T>
  static void copy(const T* codes, T* out, std::size_t count);
};

/// Calls `use` with the set of kernels that this processor runs best.
template <class Use>
auto with_kernels(const Use& use) {
  return has_avx2() ? use(Avx2{}) : use(Portable{});
}

}  // namespace sillar::codec::geozl
