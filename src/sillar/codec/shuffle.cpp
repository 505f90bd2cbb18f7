// The byte shuffle, sixteen elements at a time.
#include <sillar/codec/shuffle.hpp>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <cstring>

namespace sillar::codec {
namespace {

// Vectors of GCC and Clang: the compiler picks the instructions of the machine.
using Vector [[gnu::vector_size(16)]] = std::uint8_t;
constexpr std::size_t lanes = sizeof(Vector);

[[nodiscard]] Vector load(const std::byte* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof(vector));
  return vector;
}

void store(std::byte* to, Vector vector) { std::memcpy(to, &vector, sizeof(vector)); }

[[nodiscard]] Vector interleave_low(Vector a, Vector b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

[[nodiscard]] Vector interleave_high(Vector a, Vector b) {
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                 31);
}

[[nodiscard]] Vector even(Vector a, Vector b) {
  return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
}

[[nodiscard]] Vector odd(Vector a, Vector b) {
  return __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
}

// A transpose of N planes of 16 bytes is log2(N) rounds that interleave plane i with plane i + N/2;
// the way back undoes the rounds.
template <std::size_t N>
void unshuffle_sixteen(const std::byte* planes, std::size_t count, std::byte* elements) {
  std::array<Vector, N> now;
  for (std::size_t i = 0; i < N; ++i) now[i] = load(planes + i * count);
  for (std::size_t round = 1; round < N; round *= 2) {
    std::array<Vector, N> next;
    for (std::size_t i = 0; i < N / 2; ++i) {
      next[2 * i] = interleave_low(now[i], now[i + N / 2]);
      next[2 * i + 1] = interleave_high(now[i], now[i + N / 2]);
    }
    now = next;
  }
  for (std::size_t i = 0; i < N; ++i) store(elements + i * lanes, now[i]);
}

template <std::size_t N>
void shuffle_sixteen(const std::byte* elements, std::byte* planes, std::size_t count) {
  std::array<Vector, N> now;
  for (std::size_t i = 0; i < N; ++i) now[i] = load(elements + i * lanes);
  for (std::size_t round = 1; round < N; round *= 2) {
    std::array<Vector, N> next;
    for (std::size_t i = 0; i < N / 2; ++i) {
      next[i] = even(now[2 * i], now[2 * i + 1]);
      next[i + N / 2] = odd(now[2 * i], now[2 * i + 1]);
    }
    now = next;
  }
  for (std::size_t i = 0; i < N; ++i) store(planes + i * count, now[i]);
}

// Calls `use` with the number of bytes as a constant, where there is a kernel for it.
template <class Use>
void with_kernel(std::size_t element_size, const Use& use) {
  switch (element_size) {
    case 2:
      return use.template operator()<2>();
    case 4:
      return use.template operator()<4>();
    case 8:
      return use.template operator()<8>();
    default:
      return;
  }
}

}  // namespace

void shuffle(std::span<const std::byte> elements, std::span<std::byte> planes,
             std::size_t element_size) {
  assert(elements.size() == planes.size() && elements.size() % element_size == 0);
  const std::size_t count = elements.size() / element_size;
  std::size_t done = 0;
  with_kernel(element_size, [&]<std::size_t N>() {
    for (; done + lanes <= count; done += lanes)
      shuffle_sixteen<N>(elements.data() + done * N, planes.data() + done, count);
  });
  for (std::size_t byte = 0; byte < element_size; ++byte) {
    for (std::size_t i = done; i < count; ++i)
      planes[byte * count + i] = elements[i * element_size + byte];
  }
}

void unshuffle(std::span<const std::byte> planes, std::span<std::byte> elements,
               std::size_t element_size) {
  assert(elements.size() == planes.size() && elements.size() % element_size == 0);
  const std::size_t count = elements.size() / element_size;
  std::size_t done = 0;
  with_kernel(element_size, [&]<std::size_t N>() {
    for (; done + lanes <= count; done += lanes)
      unshuffle_sixteen<N>(planes.data() + done, count, elements.data() + done * N);
  });
  for (std::size_t i = done; i < count; ++i) {
    for (std::size_t byte = 0; byte < element_size; ++byte)
      elements[i * element_size + byte] = planes[byte * count + i];
  }
}

}  // namespace sillar::codec
