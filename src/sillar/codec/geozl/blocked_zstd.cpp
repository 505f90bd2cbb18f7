#include <sillar/codec/geozl/blocked_zstd.hpp>

#include <sillar/base/checked.hpp>
#include <sillar/codec/geozl/words.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <new>

#define ZSTD_STATIC_LINKING_ONLY  // frames without a magic number
#include <zstd.h>

namespace sillar::codec::geozl {
namespace {

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};
using Context = std::unique_ptr<ZSTD_DCtx, FreeContext>;

Context make_context() {
  Context context(ZSTD_createDCtx());
  if (context == nullptr ||
      ZSTD_isError(ZSTD_DCtx_setParameter(context.get(), ZSTD_d_format, ZSTD_f_zstd1_magicless))) {
    throw std::bad_alloc();
  }
  return context;
}

/// Word i takes byte k from position i of plane k, the lowest byte first.
template <Word T>
void weave(std::span<const std::byte> planes, T* words) {
  const std::size_t count = planes.size() / sizeof(T);
  std::array<const std::byte*, sizeof(T)> plane;
  for (std::size_t k = 0; k < sizeof(T); ++k) plane[k] = planes.data() + k * count;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < sizeof(T); ++k) {
      value |= std::to_integer<std::uint64_t>(plane[k][i]) << (8 * k);
    }
    words[i] = wrapped<T>(value);
  }
}

}  // namespace

Result<> decode_blocked_transpose_zstd(std::span<const std::byte> header,
                                       std::span<const Input> inputs, Output& out) {
  constexpr std::uint32_t largest_block = std::uint32_t{64} << 20;
  HeaderReader fields(header);
  const auto version = fields.take<std::uint8_t>();
  const auto width = fields.take<std::uint8_t>();
  const auto reserved = fields.take<std::uint16_t>();
  const auto block = fields.take<std::uint32_t>();
  const auto count = fields.take<std::uint64_t>();
  if (!fields.whole()) return corrupt("a header of another size");
  if (version != 1 || reserved != 0) return corrupt("blocks of an unknown version");
  return with_word(width, [&](auto word) -> Result<> {
    using T = decltype(word);
    if (block < sizeof(T) || block % sizeof(T) != 0 || block > largest_block) {
      return corrupt("blocks of a wrong size");
    }
    SILLAR_TRY(const auto memory, out.words(count, sizeof(T)));
    const std::size_t most = std::min<std::size_t>(block, memory.size());
    std::span<std::byte> planes;
    if constexpr (sizeof(T) > 1) {
      SILLAR_TRY(planes, out.scratch(most));
    }
    const Context context = make_context();
    auto stream = inputs[0].bytes;
    for (std::size_t at = 0; at < memory.size(); at += most) {
      const auto target = memory.subspan(at, std::min(most, memory.size() - at));
      const auto decoded = sizeof(T) > 1 ? planes.first(target.size()) : target;
      if (stream.size() < 4) return corrupt("a block that is cut off");
      const std::size_t size = wire::load<std::uint32_t>(stream.data());
      stream = stream.subspan(4);
      if (size == 0 || size > stream.size()) return corrupt("a block that is cut off");
      const std::size_t written =
          ZSTD_decompressDCtx(context.get(), decoded.data(), decoded.size(), stream.data(), size);
      if (written != decoded.size()) return corrupt("a block that zstd does not decode");
      stream = stream.subspan(size);
      if constexpr (sizeof(T) > 1) weave(decoded, words_of<T>(target).data());
    }
    if (!stream.empty()) return corrupt("bytes behind the last block");
    return {};
  });
}

}  // namespace sillar::codec::geozl
