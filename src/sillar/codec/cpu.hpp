// What the processor can do beyond what the program was compiled for.
#pragma once

#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))
#define SILLAR_X86 1
/// Marks a function that only runs where `has_avx2()`.
#define SILLAR_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#else
#define SILLAR_X86 0
#endif

namespace sillar::codec {

/// AVX2, and the bit operations that came with it. Asked once.
[[nodiscard]] inline bool has_avx2() {
#if SILLAR_X86
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                          __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  return has;
#else
  return false;
#endif
}

}  // namespace sillar::codec
