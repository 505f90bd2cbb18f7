#include <sillar/codec/geozl/pfor.hpp>

#include <sillar/codec/cpu.hpp>
#include <sillar/codec/geozl/geometry.hpp>
#include <sillar/codec/geozl/planar_rows.hpp>
#include <sillar/codec/geozl/row_sums.hpp>
#include <sillar/wire/endian.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#if SILLAR_X86
#include <immintrin.h>
#endif

namespace sillar::codec::geozl {
namespace {

constexpr std::size_t word_size = 16;  // of the base
constexpr std::size_t samples = PforBlock::samples;

template <Word T>
constexpr unsigned bits_of = 8 * sizeof(T);

/// Lanes of a 16-byte word of the base.
template <Word T>
constexpr std::size_t lanes_of = word_size / sizeof(T);

[[nodiscard]] constexpr std::uint64_t low_bits(unsigned count) {
  return count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

bool take(std::span<const std::byte>& stream, std::size_t size, std::span<const std::byte>& piece) {
  if (stream.size() < size) return false;
  piece = stream.first(size);
  stream = stream.subspan(size);
  return true;
}

bool are_increasing(std::span<const std::byte> positions) {
  return std::ranges::adjacent_find(positions, [](std::byte a, std::byte b) { return a >= b; }) ==
         positions.end();
}

unsigned ones(std::span<const std::byte> bitmap) {
  unsigned count = 0;
  for (std::size_t at = 0; at < bitmap.size(); at += 8) {
    count += static_cast<unsigned>(std::popcount(wire::load<std::uint64_t>(bitmap.data() + at)));
  }
  return count;
}

/// The high parts of a block's exceptions, one after the other.
class HighParts {
 public:
  explicit HighParts(const PforBlock& block)
      : bytes_(block.high_parts), width_(block.high_bits), mask_(low_bits(block.high_bits)) {}

  /// The next one, of any width.
  [[nodiscard]] std::uint64_t next() {
    const std::size_t byte = bit_ / 8;
    const auto shift = static_cast<unsigned>(bit_ % 8);
    bit_ += width_;
    std::uint64_t value = 0;
    for (std::size_t i = std::min(bytes_.size(), byte + 8); i-- > byte;) {
      value = value << 8 | std::to_integer<std::uint64_t>(bytes_[i]);
    }
    value >>= shift;
    if (shift + width_ > 64) {
      value |= std::to_integer<std::uint64_t>(bytes_[byte + 8]) << (64 - shift);
    }
    return value & mask_;
  }

  /// The next one, of at most 57 bits, where 8 bytes from any byte of the parts on can be read.
  [[nodiscard]] std::uint64_t next_in_reach() {
    const auto value = wire::load<std::uint64_t>(bytes_.data() + bit_ / 8) >> (bit_ % 8);
    bit_ += width_;
    return value & mask_;
  }

 private:
  std::span<const std::byte> bytes_;
  unsigned width_;
  std::uint64_t mask_;
  std::size_t bit_ = 0;
};

/// Calls `use` with the position of each exception.
template <class Use>
[[gnu::always_inline]] inline void for_each_position(const PforBlock& block, const Use& use) {
  if (!block.has_bitmap) {
    for (const std::byte position : block.positions) use(std::to_integer<std::size_t>(position));
    return;
  }
  for (std::size_t at = 0; at < PforBlock::bitmap_size; at += 8) {
    auto left = wire::load<std::uint64_t>(block.positions.data() + at);
    for (; left != 0; left &= left - 1) {
      use(8 * at + static_cast<std::size_t>(std::countr_zero(left)));
    }
  }
}

template <Word T>
[[gnu::always_inline]] inline void patch(const PforBlock& block, T* out) {
  if (block.exceptions == 0) return;
  HighParts high(block);
  const unsigned shift = block.base_bits;
  // Behind the high parts lies a base of at least 32 bytes, unless it has no bits.
  if (shift > 0 && block.high_bits <= 57) {
    for_each_position(block, [&](std::size_t position) __attribute__((always_inline)) {
      const T part = wrapped<T>(high.next_in_reach() << shift);
      out[position] = static_cast<T>(out[position] | part);
    });
  } else {
    for_each_position(block, [&](std::size_t position) {
      out[position] = static_cast<T>(out[position] | wrapped<T>(high.next() << shift));
    });
  }
}

/// Row r of the base holds the samples r * lanes to (r + 1) * lanes, each in its lane at bits
/// [r * b, (r + 1) * b). Bit p of a lane lies in word p / bits.
template <Word T>
void unpack_base_plainly(const std::byte* base, unsigned b, T* out) {
  constexpr std::size_t lanes = lanes_of<T>;
  constexpr unsigned bits = bits_of<T>;
  const T mask = wrapped<T>(low_bits(b));
  for (unsigned row = 0; row < samples / lanes; ++row, out += lanes) {
    const unsigned bit = row * b;
    const std::byte* word = base + std::size_t{bit / bits} * word_size;
    const unsigned shift = bit % bits;
    std::array<T, lanes> low;
    for (std::size_t i = 0; i < lanes; ++i) {
      low[i] = static_cast<T>(wire::load<T>(word + i * sizeof(T)) >> shift);
    }
    if (shift + b > bits) {
      for (std::size_t i = 0; i < lanes; ++i) {
        const T next = wire::load<T>(word + word_size + i * sizeof(T));
        low[i] = wrapped<T>(low[i] | std::uint64_t{next} << (bits - shift));
      }
    }
    for (std::size_t i = 0; i < lanes; ++i) out[i] = static_cast<T>(low[i] & mask);
  }
}

#if SILLAR_X86

// The first half of the rows fills whole words, so both halves have the same shifts, and one vector
// holds a word of each.

/// Words `index` of both halves of the base.
SILLAR_AVX2 inline __m256i word_pair(const std::byte* base, unsigned b, unsigned index) {
  const std::byte* low = base + std::size_t{index} * word_size;
  const std::byte* high = low + std::size_t{b} * word_size;
  return _mm256_inserti128_si256(
      _mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(low))),
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(high)), 1);
}

template <Word T>
SILLAR_AVX2 inline __m256i all(T value) {
  if constexpr (sizeof(T) == 1) return _mm256_set1_epi8(static_cast<char>(value));
  if constexpr (sizeof(T) == 2) return _mm256_set1_epi16(static_cast<short>(value));
  if constexpr (sizeof(T) == 4) return _mm256_set1_epi32(static_cast<int>(value));
  if constexpr (sizeof(T) == 8) return _mm256_set1_epi64x(static_cast<long long>(value));
}

/// Each word shifted down; bytes borrow bits of their neighbours, which the caller masks.
template <Word T>
SILLAR_AVX2 inline __m256i shift_down(__m256i value, int count) {
  if constexpr (sizeof(T) <= 2) return _mm256_srli_epi16(value, count);
  if constexpr (sizeof(T) == 4) return _mm256_srli_epi32(value, count);
  if constexpr (sizeof(T) == 8) return _mm256_srl_epi64(value, _mm_cvtsi32_si128(count));
}

template <Word T>
SILLAR_AVX2 inline __m256i shift_up(__m256i value, int count) {
  if constexpr (sizeof(T) <= 2) return _mm256_slli_epi16(value, count);
  if constexpr (sizeof(T) == 4) return _mm256_slli_epi32(value, count);
  if constexpr (sizeof(T) == 8) return _mm256_sll_epi64(value, _mm_cvtsi32_si128(count));
}

/// Row `row` of both halves.
template <Word T>
[[gnu::always_inline]] SILLAR_AVX2 inline void unpack_row_pair(const std::byte* base, unsigned b,
                                                               unsigned row, T* out) {
  constexpr unsigned bits = bits_of<T>;
  const unsigned bit = row * b;
  const unsigned index = bit / bits;
  const unsigned shift = bit % bits;
  const T mask = wrapped<T>(low_bits(b));
  __m256i value = shift_down<T>(word_pair(base, b, index), static_cast<int>(shift));
  if (shift + b > bits) {
    const unsigned have = bits - shift;
    __m256i next = shift_up<T>(word_pair(base, b, index + 1), static_cast<int>(have));
    if constexpr (sizeof(T) == 1) {
      value = _mm256_and_si256(value, all(wrapped<T>(low_bits(have))));
      next = _mm256_and_si256(next, all(wrapped<T>(~low_bits(have))));
    }
    value = _mm256_or_si256(value, next);
  }
  if (b < bits) value = _mm256_and_si256(value, all(mask));
  T* low = out + std::size_t{row} * lanes_of<T>;
  _mm_storeu_si128(reinterpret_cast<__m128i*>(low), _mm256_castsi256_si128(value));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(low + samples / 2),
                   _mm256_extracti128_si256(value, 1));
}

/// With the number of bits known to the compiler, all shifts are constants.
template <Word T, unsigned b>
SILLAR_AVX2 void unpack_base_of(const std::byte* base, T* out) {
#pragma GCC unroll 32
  for (unsigned row = 0; row < bits_of<T>; ++row) unpack_row_pair(base, b, row, out);
}

template <Word T>
using UnpackBase = void (*)(const std::byte* base, T* out);

template <Word T, unsigned... b>
constexpr std::array<UnpackBase<T>, sizeof...(b)> make_unpackers(
    std::integer_sequence<unsigned, b...>) {
  return {unpack_base_of<T, b>...};
}

template <Word T>
SILLAR_AVX2 void unpack_base_avx2(const std::byte* base, unsigned b, T* out) {
  if constexpr (sizeof(T) == 8) {
    // 65 unrolled kernels of 64 rows would be too much code.
    for (unsigned row = 0; row < bits_of<T>; ++row) unpack_row_pair(base, b, row, out);
  } else {
    static constexpr auto unpackers =
        make_unpackers<T>(std::make_integer_sequence<unsigned, bits_of<T> + 1>());
    unpackers[b](base, out);
  }
}

#endif

struct PortableUnpack {
  template <Word T>
  static void block(const PforBlock& block, std::span<T, samples> out) {
    unpack_pfor_plainly(block, out);
  }
};

struct Avx2Unpack {
  template <Word T>
  static void block(const PforBlock& block, std::span<T, samples> out) {
    unpack_pfor_avx2(block, out);
  }
};

template <class Use>
auto with_unpack(const Use& use) {
  return has_avx2() ? use(Avx2Unpack{}, Avx2{}) : use(PortableUnpack{}, Portable{});
}

/// Blocks hold at most 128 samples a byte.
bool may_hold(const Input& input, std::uint64_t count) {
  return count / 128 <= input.bytes.size() && (count == 0) == input.bytes.empty();
}

std::unexpected<Error> no_block() { return corrupt("a block of packed words that is damaged"); }

}  // namespace

std::optional<PforBlock> take_pfor_block(std::span<const std::byte>& stream, unsigned word_bits) {
  std::span<const std::byte> piece;
  if (!take(stream, 2, piece)) return std::nullopt;
  PforBlock block;
  block.base_bits = std::to_integer<unsigned>(piece[0]);
  block.exceptions = std::to_integer<unsigned>(piece[1]);
  if (block.base_bits > word_bits) return std::nullopt;
  if (block.exceptions > 0) {
    if (!take(stream, 1, piece)) return std::nullopt;
    const auto form = std::to_integer<unsigned>(piece[0]);
    block.high_bits = form & 0x7F;
    block.has_bitmap = (form & 0x80) == 0;
    if (block.high_bits == 0 || block.base_bits + block.high_bits > word_bits) return std::nullopt;
    const std::size_t positions =
        block.has_bitmap ? PforBlock::bitmap_size : std::size_t{block.exceptions};
    if (!take(stream, positions, block.positions)) return std::nullopt;
    if (block.has_bitmap ? ones(block.positions) != block.exceptions
                         : !are_increasing(block.positions)) {
      return std::nullopt;
    }
    const std::size_t high = (std::size_t{block.exceptions} * block.high_bits + 7) / 8;
    if (!take(stream, high, block.high_parts)) return std::nullopt;
  }
  if (!take(stream, std::size_t{block.base_bits} * 32, block.base)) return std::nullopt;
  return block;
}

template <Word T>
void unpack_pfor_plainly(const PforBlock& block, std::span<T, samples> out) {
  if (block.base_bits == 0) {
    std::ranges::fill(out, T{0});
  } else {
    unpack_base_plainly(block.base.data(), block.base_bits, out.data());
  }
  patch(block, out.data());
}

#if SILLAR_X86
template <Word T>
SILLAR_AVX2 void unpack_pfor_avx2(const PforBlock& block, std::span<T, samples> out) {
  if (block.base_bits == 0) {
    std::ranges::fill(out, T{0});
  } else {
    unpack_base_avx2(block.base.data(), block.base_bits, out.data());
  }
  patch(block, out.data());
}
#else
template <Word T>
void unpack_pfor_avx2(const PforBlock& block, std::span<T, samples> out) {
  unpack_pfor_plainly(block, out);
}
#endif

#define SILLAR_GEOZL_MAKE(T)                                                            \
  template void unpack_pfor_plainly(const PforBlock& block, std::span<T, samples> out); \
  template void unpack_pfor_avx2(const PforBlock& block, std::span<T, samples> out);
SILLAR_GEOZL_MAKE(std::uint8_t)
SILLAR_GEOZL_MAKE(std::uint16_t)
SILLAR_GEOZL_MAKE(std::uint32_t)
SILLAR_GEOZL_MAKE(std::uint64_t)

Result<> decode_pfor(std::span<const std::byte> header, std::span<const Input> inputs,
                     Output& out) {
  HeaderReader fields(header);
  const auto count = fields.take<std::uint64_t>();
  const auto width = fields.take<std::uint8_t>();
  if (!fields.whole()) return corrupt("a header of another size");
  if (!may_hold(inputs[0], count)) return corrupt("more words than bytes can hold");
  return with_word(width, [&](auto word) -> Result<> {
    using T = decltype(word);
    SILLAR_TRY(const auto memory, out.words(count, sizeof(T)));
    return with_unpack([&](auto unpack, auto) -> Result<> {
      auto stream = inputs[0].bytes;
      auto rest = words_of<T>(memory);
      while (!rest.empty()) {
        const auto block = take_pfor_block(stream, bits_of<T>);
        if (!block) return no_block();
        if (rest.size() >= samples) {
          unpack.block(*block, rest.template first<samples>());
          rest = rest.subspan(samples);
        } else {
          std::array<T, samples> whole;
          unpack.block(*block, std::span(whole));
          std::copy_n(whole.begin(), rest.size(), rest.begin());
          rest = {};
        }
      }
      if (!stream.empty()) return corrupt("bytes behind the last block of packed words");
      return {};
    });
  });
}

Result<> decode_planar_zigzag_pfor(std::span<const std::byte> header, std::span<const Input> inputs,
                                   Output& out) {
  HeaderReader fields(header);
  const auto count = fields.take<std::uint64_t>();
  const auto width = fields.take<std::uint8_t>();
  const auto row = fields.take<std::uint32_t>();
  const auto planes = fields.take<std::uint32_t>();
  if (!fields.whole()) return corrupt("a header of another size");
  if (!may_hold(inputs[0], count)) return corrupt("more words than bytes can hold");
  SILLAR_TRY(const Geometry geometry, make_geometry(row, planes, count));
  return with_word(width, [&](auto word) -> Result<> {
    using T = decltype(word);
    SILLAR_TRY(const auto memory, out.words(count, sizeof(T)));
    return with_unpack([&](auto unpack, auto kernels) -> Result<> {
      auto stream = inputs[0].bytes;
      PlanarRows<decltype(kernels), Residuals::zigzag, T> rows(geometry, words_of<T>(memory));
      alignas(32) std::array<T, samples> codes;
      for (std::uint64_t left = count; left > 0;) {
        const auto block = take_pfor_block(stream, bits_of<T>);
        if (!block) return no_block();
        unpack.block(*block, std::span(codes));
        const auto used = static_cast<std::size_t>(std::min<std::uint64_t>(left, samples));
        rows.take(std::span<const T>(codes).first(used));
        left -= used;
      }
      if (!stream.empty()) return corrupt("bytes behind the last block of packed words");
      return {};
    });
  });
}

}  // namespace sillar::codec::geozl
