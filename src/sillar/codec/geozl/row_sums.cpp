#include <sillar/codec/geozl/row_sums.hpp>

#include <cstdint>

#if SILLAR_X86
#include <immintrin.h>
#endif

namespace sillar::codec::geozl {
namespace {

template <Residuals Form, Word T>
[[gnu::always_inline]] inline T running_sum_plainly(const T* codes, const T* north, T* out,
                                                    std::size_t count, T carry) {
  if (north == nullptr) {
    for (std::size_t i = 0; i < count; ++i) {
      carry = wrapped<T>(std::uint64_t{carry} + residual<Form>(codes[i]));
      out[i] = carry;
    }
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      carry = wrapped<T>(std::uint64_t{carry} + residual<Form>(codes[i]));
      out[i] = wrapped<T>(std::uint64_t{carry} + north[i]);
    }
  }
  return carry;
}

// The compiler makes vectors of these two, of the width that the caller allows.

template <Word T>
[[gnu::always_inline]] inline void add_plainly(const T* codes, const T* north, T* out,
                                               std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<T>(codes[i] + north[i]);
}

template <Residuals Form, Word T>
[[gnu::always_inline]] inline void copy_plainly(const T* codes, T* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const T code = codes[i];
    out[i] = Form == Residuals::plain
                 ? code
                 : static_cast<T>(static_cast<T>(code >> 1) ^ static_cast<T>(T{0} - (code & T{1})));
  }
}

}  // namespace

template <Residuals Form, Word T>
T Portable::running_sum(const T* codes, const T* north, T* out, std::size_t count, T carry) {
  return running_sum_plainly<Form>(codes, north, out, count, carry);
}

template <Word T>
void Portable::add(const T* codes, const T* north, T* out, std::size_t count) {
  add_plainly(codes, north, out, count);
}

template <Residuals Form, Word T>
void Portable::copy(const T* codes, T* out, std::size_t count) {
  copy_plainly<Form>(codes, out, count);
}

#if SILLAR_X86

namespace {

/// 32 bytes as words of type T.
template <Word T>
struct Vector {
  static constexpr std::size_t lanes = 32 / sizeof(T);

  SILLAR_AVX2 static __m256i load(const T* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }

  SILLAR_AVX2 static void store(T* to, __m256i value) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
  }

  SILLAR_AVX2 static __m256i add(__m256i a, __m256i b) {
    if constexpr (sizeof(T) == 1) return _mm256_add_epi8(a, b);
    if constexpr (sizeof(T) == 2) return _mm256_add_epi16(a, b);
    if constexpr (sizeof(T) == 4) return _mm256_add_epi32(a, b);
    if constexpr (sizeof(T) == 8) return _mm256_add_epi64(a, b);
  }

  SILLAR_AVX2 static __m256i all(T value) {
    if constexpr (sizeof(T) == 1) return _mm256_set1_epi8(static_cast<char>(value));
    if constexpr (sizeof(T) == 2) return _mm256_set1_epi16(static_cast<short>(value));
    if constexpr (sizeof(T) == 4) return _mm256_set1_epi32(static_cast<int>(value));
    if constexpr (sizeof(T) == 8) return _mm256_set1_epi64x(static_cast<long long>(value));
  }

  SILLAR_AVX2 static T first(__m256i value) {
    return static_cast<T>(_mm_cvtsi128_si64(_mm256_castsi256_si128(value)));
  }

  SILLAR_AVX2 static __m256i unzigzag(__m256i code) {
    const __m256i zero = _mm256_setzero_si256();
    const __m256i odd = _mm256_and_si256(code, all(1));
    if constexpr (sizeof(T) == 1) {
      const __m256i half = _mm256_and_si256(_mm256_srli_epi16(code, 1), all(0x7F));
      return _mm256_xor_si256(half, _mm256_sub_epi8(zero, odd));
    }
    if constexpr (sizeof(T) == 2) {
      return _mm256_xor_si256(_mm256_srli_epi16(code, 1), _mm256_sub_epi16(zero, odd));
    }
    if constexpr (sizeof(T) == 4) {
      return _mm256_xor_si256(_mm256_srli_epi32(code, 1), _mm256_sub_epi32(zero, odd));
    }
    if constexpr (sizeof(T) == 8) {
      return _mm256_xor_si256(_mm256_srli_epi64(code, 1), _mm256_sub_epi64(zero, odd));
    }
  }

  /// Running sums inside each half of the vector. Shifts are cheaper than shuffles, so the sums
  /// grow inside 8 bytes first.
  SILLAR_AVX2 static __m256i sums_in_halves(__m256i value) {
    if constexpr (sizeof(T) <= 1) value = add(value, _mm256_slli_epi64(value, 8));
    if constexpr (sizeof(T) <= 2) value = add(value, _mm256_slli_epi64(value, 16));
    if constexpr (sizeof(T) <= 4) value = add(value, _mm256_slli_epi64(value, 32));
    if constexpr (sizeof(T) == 8) return add(value, _mm256_slli_si256(value, 8));
    // The last sum of the lower 8 bytes, for each word of the upper ones.
    return add(value, _mm256_shuffle_epi8(value, last_word_of_each(0x80, 7)));
  }

  /// The last word of each half, in all words of that half.
  SILLAR_AVX2 static __m256i last_in_halves(__m256i value) {
    return _mm256_shuffle_epi8(value, last_word_of_each(15, 15));
  }

 private:
  /// Indices of bytes for a shuffle: in the lower 8 bytes of each half `low`, in the upper ones
  /// `high`, each meant as the last byte of a word. 0x80 gives zeros.
  SILLAR_AVX2 static __m256i last_word_of_each(int low, int high) {
    return _mm256_set_epi64x(indices(high), indices(low), indices(high), indices(low));
  }

  static constexpr long long indices(int last) {
    std::uint64_t packed = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      const std::size_t back = sizeof(T) - 1 - i % sizeof(T);
      const auto index =
          last == 0x80 ? std::uint64_t{0x80} : static_cast<std::uint64_t>(last) - back;
      packed |= index << (8 * i);
    }
    return static_cast<long long>(packed);
  }
};

template <Residuals Form, bool HasNorth, Word T>
SILLAR_AVX2 T running_sum_of_vectors(const T* codes, const T* north, T* out, std::size_t count,
                                     T carry) {
  using V = Vector<T>;
  __m256i before = V::all(carry);
  std::size_t i = 0;
  for (; i + V::lanes <= count; i += V::lanes) {
    __m256i value = V::load(codes + i);
    if constexpr (Form == Residuals::zigzag) value = V::unzigzag(value);
    value = V::sums_in_halves(value);
    const __m256i last = V::last_in_halves(value);
    value = V::add(value, _mm256_permute2x128_si256(last, last, 0x08));  // (0, lower half)
    value = V::add(value, before);
    if constexpr (HasNorth) value = V::add(value, V::load(north + i));
    V::store(out + i, value);
    // The sum of all words does not wait for the sums in front of it.
    const __m256i swapped = _mm256_permute2x128_si256(last, last, 0x01);
    before = V::add(before, V::add(last, swapped));
  }
  return running_sum_plainly<Form>(codes + i, HasNorth ? north + i : nullptr, out + i, count - i,
                                   V::first(before));
}

template <Word T>
SILLAR_AVX2 void add_vectors(const T* codes, const T* north, T* out, std::size_t count) {
  add_plainly(codes, north, out, count);
}

template <Residuals Form, Word T>
SILLAR_AVX2 void copy_vectors(const T* codes, T* out, std::size_t count) {
  copy_plainly<Form>(codes, out, count);
}

}  // namespace

template <Residuals Form, Word T>
T Avx2::running_sum(const T* codes, const T* north, T* out, std::size_t count, T carry) {
  return north == nullptr ? running_sum_of_vectors<Form, false>(codes, north, out, count, carry)
                          : running_sum_of_vectors<Form, true>(codes, north, out, count, carry);
}

template <Word T>
void Avx2::add(const T* codes, const T* north, T* out, std::size_t count) {
  add_vectors(codes, north, out, count);
}

template <Residuals Form, Word T>
void Avx2::copy(const T* codes, T* out, std::size_t count) {
  copy_vectors<Form>(codes, out, count);
}

#else

template <Residuals Form, Word T>
T Avx2::running_sum(const T* codes, const T* north, T* out, std::size_t count, T carry) {
  return Portable::running_sum<Form>(codes, north, out, count, carry);
}

template <Word T>
void Avx2::add(const T* codes, const T* north, T* out, std::size_t count) {
  Portable::add(codes, north, out, count);
}

template <Residuals Form, Word T>
void Avx2::copy(const T* codes, T* out, std::size_t count) {
  Portable::copy<Form>(codes, out, count);
}

#endif

#define SILLAR_GEOZL_MAKE_FORM(Set, form, T)                                                   \
  template T Set::running_sum<form>(const T* codes, const T* north, T* out, std::size_t count, \
                                    T carry);                                                  \
  template void Set::copy<form>(const T* codes, T* out, std::size_t count);
#define SILLAR_GEOZL_MAKE(Set, T)                   \
  SILLAR_GEOZL_MAKE_FORM(Set, Residuals::plain, T)  \
  SILLAR_GEOZL_MAKE_FORM(Set, Residuals::zigzag, T) \
  template void Set::add(const T* codes, const T* north, T* out, std::size_t count);
#define SILLAR_GEOZL_MAKE_ALL(Set)      \
  SILLAR_GEOZL_MAKE(Set, std::uint8_t)  \
  SILLAR_GEOZL_MAKE(Set, std::uint16_t) \
  SILLAR_GEOZL_MAKE(Set, std::uint32_t) \
  SILLAR_GEOZL_MAKE(Set, std::uint64_t)
SILLAR_GEOZL_MAKE_ALL(Portable)
SILLAR_GEOZL_MAKE_ALL(Avx2)

}  // namespace sillar::codec::geozl
