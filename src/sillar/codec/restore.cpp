// Kernels in plain C++, and for AVX2.
#include <sillar/codec/restore.hpp>

#include <sillar/codec/cpu.hpp>
#include <sillar/wire/endian.hpp>

#include <array>
#include <bit>
#include <cstring>

#if SILLAR_X86
#include <immintrin.h>
#endif

namespace sillar::codec {
namespace {

static_assert(std::endian::native == std::endian::little, "samples are stored little-endian");

template <std::size_t Width, bool Planar>
inline wire::Bits<Width> stored_word(const std::byte* const* planes, std::size_t i) {
  using Word = wire::Bits<Width>;
  if constexpr (Planar) {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < Width; ++k)
      word |= std::to_integer<std::uint64_t>(planes[k][i]) << (8 * k);
    return static_cast<Word>(word);
  } else {
    Word word;
    std::memcpy(&word, planes[0] + i * Width, Width);
    return word;
  }
}

template <std::size_t Width, bool Planar, bool Zigzag, bool Delta>
void restore_plain(const std::byte* const* planes, std::byte* out, std::size_t count,
                   std::uint64_t& last) {
  using Word = wire::Bits<Width>;
  if constexpr (!Planar && !Zigzag && !Delta) {
    if (count != 0) std::memmove(out, planes[0], count * Width);
    return;
  }
  std::array<const std::byte*, Planar ? Width : 1> from{};
  for (std::size_t k = 0; k < from.size(); ++k) from[k] = planes[k];
  auto sum = static_cast<Word>(last);
  for (std::size_t i = 0; i < count; ++i) {
    Word word = stored_word<Width, Planar>(from.data(), i);
    if constexpr (Zigzag)
      word = static_cast<Word>((word >> 1U) ^ (Word{0} - static_cast<Word>(word & 1U)));
    if constexpr (Delta) {
      sum = static_cast<Word>(sum + word);
      word = sum;
    }
    std::memcpy(out + i * Width, &word, Width);
  }
  if constexpr (Delta) last = sum;
}

#if SILLAR_X86

// Not lambdas: GCC compiles those without the attribute of the function around them.
#define SILLAR_AVX2_INLINE SILLAR_AVX2 __attribute__((always_inline)) inline

// Samples of a block: one vector of each byte plane.
constexpr std::size_t block = 32;

SILLAR_AVX2_INLINE __m256i load(const std::byte* at) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}

/// The two vectors' low and high halves: what unpacking left apart comes into order.
SILLAR_AVX2_INLINE void join_lanes(__m256i a, __m256i b, __m256i& low, __m256i& high) {
  low = _mm256_permute2x128_si256(a, b, 0x20);
  high = _mm256_permute2x128_si256(a, b, 0x31);
}

/// 32 words, in order, from their byte planes.
template <std::size_t Width>
SILLAR_AVX2_INLINE void load_planes(const std::byte* const* planes, std::size_t i,
                                    __m256i (&words)[Width]) {
  if constexpr (Width == 2) {
    const __m256i a = load(planes[0] + i);
    const __m256i b = load(planes[1] + i);
    join_lanes(_mm256_unpacklo_epi8(a, b), _mm256_unpackhi_epi8(a, b), words[0], words[1]);
  } else {
    // In each lane: pairs of bytes, then pairs of pairs, in the order of the samples.
    __m256i fours[Width];
    for (std::size_t k = 0; k < Width; k += 4) {
      const __m256i a = load(planes[k] + i);
      const __m256i b = load(planes[k + 1] + i);
      const __m256i c = load(planes[k + 2] + i);
      const __m256i d = load(planes[k + 3] + i);
      const __m256i ab_low = _mm256_unpacklo_epi8(a, b);
      const __m256i ab_high = _mm256_unpackhi_epi8(a, b);
      const __m256i cd_low = _mm256_unpacklo_epi8(c, d);
      const __m256i cd_high = _mm256_unpackhi_epi8(c, d);
      fours[k] = _mm256_unpacklo_epi16(ab_low, cd_low);
      fours[k + 1] = _mm256_unpackhi_epi16(ab_low, cd_low);
      fours[k + 2] = _mm256_unpacklo_epi16(ab_high, cd_high);
      fours[k + 3] = _mm256_unpackhi_epi16(ab_high, cd_high);
    }
    if constexpr (Width == 4) {
      join_lanes(fours[0], fours[1], words[0], words[2]);
      join_lanes(fours[2], fours[3], words[1], words[3]);
    } else {
      for (std::size_t k = 0; k < 4; ++k) {
        join_lanes(_mm256_unpacklo_epi32(fours[k], fours[k + 4]),
                   _mm256_unpackhi_epi32(fours[k], fours[k + 4]), words[k], words[k + 4]);
      }
    }
  }
}

template <std::size_t Width>
SILLAR_AVX2_INLINE __m256i add(__m256i a, __m256i b) {
  if constexpr (Width == 1) return _mm256_add_epi8(a, b);
  if constexpr (Width == 2) return _mm256_add_epi16(a, b);
  if constexpr (Width == 4) return _mm256_add_epi32(a, b);
  return _mm256_add_epi64(a, b);
}

template <std::size_t Width>
SILLAR_AVX2_INLINE __m256i undo_zigzag(__m256i x) {
  const __m256i zero = _mm256_setzero_si256();
  if constexpr (Width == 1) {
    const __m256i half = _mm256_and_si256(_mm256_srli_epi16(x, 1), _mm256_set1_epi8(0x7F));
    const __m256i sign = _mm256_sub_epi8(zero, _mm256_and_si256(x, _mm256_set1_epi8(1)));
    return _mm256_xor_si256(half, sign);
  } else if constexpr (Width == 2) {
    const __m256i sign = _mm256_sub_epi16(zero, _mm256_and_si256(x, _mm256_set1_epi16(1)));
    return _mm256_xor_si256(_mm256_srli_epi16(x, 1), sign);
  } else if constexpr (Width == 4) {
    const __m256i sign = _mm256_sub_epi32(zero, _mm256_and_si256(x, _mm256_set1_epi32(1)));
    return _mm256_xor_si256(_mm256_srli_epi32(x, 1), sign);
  } else {
    const __m256i sign = _mm256_sub_epi64(zero, _mm256_and_si256(x, _mm256_set1_epi64x(1)));
    return _mm256_xor_si256(_mm256_srli_epi64(x, 1), sign);
  }
}

/// The running sums of `x`, on top of `sum`, which has the last one in all places before and
/// afterwards. Only one addition hangs on the vector before.
template <std::size_t Width>
SILLAR_AVX2_INLINE __m256i undo_delta(__m256i x, __m256i& sum) {
  if constexpr (Width <= 1) x = add<Width>(x, _mm256_slli_si256(x, 1));
  if constexpr (Width <= 2) x = add<Width>(x, _mm256_slli_si256(x, 2));
  if constexpr (Width <= 4) x = add<Width>(x, _mm256_slli_si256(x, 4));
  x = add<Width>(x, _mm256_slli_si256(x, 8));
  __m256i of_lane;  // its sum, in all places
  if constexpr (Width == 1) {
    of_lane = _mm256_shuffle_epi8(x, _mm256_set1_epi8(15));
  } else if constexpr (Width == 2) {
    of_lane = _mm256_shuffle_epi8(x, _mm256_set1_epi16(0x0F0E));
  } else if constexpr (Width == 4) {
    of_lane = _mm256_shuffle_epi32(x, 0xFF);
  } else {
    of_lane = _mm256_shuffle_epi32(x, 0xEE);
  }
  const __m256i of_other = _mm256_permute2x128_si256(of_lane, of_lane, 0x01);
  const __m256i high = _mm256_set_epi64x(-1, -1, 0, 0);
  x = add<Width>(x, _mm256_and_si256(of_other, high));
  const __m256i restored = add<Width>(x, sum);
  sum = add<Width>(sum, add<Width>(of_lane, of_other));
  return restored;
}

template <std::size_t Width>
SILLAR_AVX2_INLINE __m256i in_all_places(std::uint64_t word) {
  if constexpr (Width == 1) return _mm256_set1_epi8(static_cast<char>(word));
  if constexpr (Width == 2) return _mm256_set1_epi16(static_cast<short>(word));
  if constexpr (Width == 4) return _mm256_set1_epi32(static_cast<int>(word));
  return _mm256_set1_epi64x(static_cast<long long>(word));
}

template <std::size_t Width, bool Planar, bool Zigzag, bool Delta>
SILLAR_AVX2 void restore_avx2(const std::byte* const* planes, std::byte* out, std::size_t count,
                              std::uint64_t& last) {
  std::array<const std::byte*, Planar ? Width : 1> from{};
  for (std::size_t k = 0; k < from.size(); ++k) from[k] = planes[k];
  __m256i sum = in_all_places<Width>(last);
  std::size_t i = 0;
  for (; i + block <= count; i += block) {
    __m256i words[Width];
    if constexpr (Planar) {
      load_planes<Width>(from.data(), i, words);
    } else {
      for (std::size_t k = 0; k < Width; ++k) words[k] = load(from[0] + i * Width + k * 32);
    }
    for (std::size_t k = 0; k < Width; ++k) {
      if constexpr (Zigzag) words[k] = undo_zigzag<Width>(words[k]);
      if constexpr (Delta) words[k] = undo_delta<Width>(words[k], sum);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i * Width + k * 32), words[k]);
    }
  }
  if constexpr (Delta) last = static_cast<std::uint64_t>(_mm256_extract_epi64(sum, 0));
  for (const std::byte*& plane : from) plane += Planar ? i : i * Width;
  restore_plain<Width, Planar, Zigzag, Delta>(from.data(), out + i * Width, count - i, last);
}

#endif

template <std::size_t Width, bool Planar, bool Zigzag, bool Delta>
RestoreKernel pick(Instructions instructions) {
#if SILLAR_X86
  if (instructions == Instructions::avx2 && (Planar || Zigzag || Delta))
    return restore_avx2<Width, Planar, Zigzag, Delta>;
#endif
  (void)instructions;
  return restore_plain<Width, Planar, Zigzag, Delta>;
}

template <std::size_t Width, bool Planar>
RestoreKernel pick(const Words& words, Instructions instructions) {
  if (words.zigzag) {
    return words.delta ? pick<Width, Planar, true, true>(instructions)
                       : pick<Width, Planar, true, false>(instructions);
  }
  return words.delta ? pick<Width, Planar, false, true>(instructions)
                     : pick<Width, Planar, false, false>(instructions);
}

template <std::size_t Width>
RestoreKernel pick(const Words& words, Instructions instructions) {
  if constexpr (Width > 1) {
    if (words.planar) return pick<Width, true>(words, instructions);
  }
  return pick<Width, false>(words, instructions);
}

}  // namespace

Instructions best_instructions() {
  return has_avx2() ? Instructions::avx2 : Instructions::baseline;
}

RestoreKernel restore_kernel(const Words& words, Instructions instructions) {
  switch (words.width) {
    case 1:
      return pick<1>(words, instructions);
    case 2:
      return pick<2>(words, instructions);
    case 4:
      return pick<4>(words, instructions);
    default:
      return pick<8>(words, instructions);
  }
}

}  // namespace sillar::codec
