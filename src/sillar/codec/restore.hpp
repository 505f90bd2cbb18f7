// From stored words to samples: byte planes joined, zigzag and differences undone, in one pass.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sillar::codec {

/// How samples were stored; everything below works on their bits, modulo 2^(8 * width).
struct Words {
  std::uint8_t width = 1;  ///< bytes of a sample: 1, 2, 4, 8
  bool planar = false;     ///< one plane for each byte, the lowest first; else whole words
  bool zigzag = false;     ///< signed numbers stored as 0, -1, 1, -2, ...
  bool delta = false;      ///< differences to the sample before
};

/// Restores `count` samples.
///
/// `planes` has `width` pointers to `count` bytes each where the words are planar, else one pointer
/// to `count * width` bytes; `out` has as many. Nothing needs to be aligned. `out` may be the one
/// plane of whole words; else they do not overlap. `last` is the sample before the first one, and
/// is the last one afterwards; it is only used where there are differences. Little-endian hosts.
using RestoreKernel = void (*)(const std::byte* const* planes, std::byte* out, std::size_t count,
                               std::uint64_t& last);

enum class Instructions : std::uint8_t { baseline, avx2 };

/// The quickest that this processor has.
[[nodiscard]] Instructions best_instructions();

/// The kernel for words of this kind. `instructions` must be there.
[[nodiscard]] RestoreKernel restore_kernel(const Words& words,
                                           Instructions instructions = best_instructions());

}  // namespace sillar::codec
