// OpenZL's own copy of XXH3, compiled for the instructions of the variant.
#include <sillar/codec/openzl/xxh3.hpp>

#include <cstddef>
#include <cstdlib>
#include <cstring>

#if __has_include(<openzl/shared/xxhash.h>)
#define SILLAR_HAS_XXH3 1

#define SILLAR_VARIANT_IS_v3 1
#define SILLAR_VARIANT_IS(name) SILLAR_VARIANT_IS_OF(name)
#define SILLAR_VARIANT_IS_OF(name) SILLAR_VARIANT_IS_##name

// Nothing but these static functions may be compiled for AVX2, so what they include comes first.
#if SILLAR_VARIANT_IS(SILLAR_OPENZL_VARIANT)
#include <immintrin.h>
#define SILLAR_XXH3_AVX2 1
#define XXH_VECTOR 2  // XXH_AVX2
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
#endif

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#define XXH_INLINE_ALL
#include <openzl/shared/xxhash.h>
#pragma GCC diagnostic pop
#else
#define SILLAR_HAS_XXH3 0
#endif

namespace sillar::codec::openzl::SILLAR_OPENZL_VARIANT {

#if SILLAR_HAS_XXH3

namespace {

std::uint64_t hash_of(const std::byte* bytes, std::size_t size) { return XXH3_64bits(bytes, size); }
void reset(XXH3_state_t* state) { XXH3_64bits_reset(state); }
void update(XXH3_state_t* state, const std::byte* bytes, std::size_t size) {
  XXH3_64bits_update(state, bytes, size);
}
std::uint64_t digest(const XXH3_state_t* state) { return XXH3_64bits_digest(state); }

}  // namespace

#ifdef SILLAR_XXH3_AVX2
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

namespace {

class OwnXxh3 final : public Xxh3 {
 public:
  OwnXxh3() { XXH3_INITSTATE(&state_); }

  [[nodiscard]] std::uint64_t of(std::span<const std::byte> bytes) const override {
    return hash_of(bytes.data(), bytes.size());
  }
  void begin() override { reset(&state_); }
  void add(std::span<const std::byte> bytes) override {
    update(&state_, bytes.data(), bytes.size());
  }
  [[nodiscard]] std::uint64_t end() const override { return digest(&state_); }

 private:
  XXH3_state_t state_;
};

}  // namespace

std::unique_ptr<Xxh3> make_xxh3() { return std::make_unique<OwnXxh3>(); }

#else

std::unique_ptr<Xxh3> make_xxh3() { return nullptr; }

#endif

}  // namespace sillar::codec::openzl::SILLAR_OPENZL_VARIANT
