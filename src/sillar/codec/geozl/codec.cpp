#include <sillar/codec/geozl/codec.hpp>

#include <sillar/base/checked.hpp>

namespace sillar::codec::geozl {
namespace {

std::unexpected<Error> too_large(const char* what) {
  return fail(Errc::codec, std::string("geozl: ") + what + " larger than the decoded frame");
}

}  // namespace

Result<std::span<std::byte>> Output::words(std::uint64_t count, std::size_t width) {
  const auto size = checked_mul(count, std::uint64_t{width});
  if (!size || *size > ceiling_) return too_large("a stream");
  SILLAR_TRY(const auto memory, make_words(static_cast<std::size_t>(count), width));
  return memory.first(static_cast<std::size_t>(*size));
}

Result<std::span<std::byte>> Output::scratch(std::uint64_t size) {
  // The hungriest codec has its blocks in bytes and in words, and two buffers of bytes.
  constexpr std::uint64_t times = 4;
  constexpr std::uint64_t spare = 4096;
  if (size > spare && (size - spare) / times > ceiling_) return too_large("a block");
  SILLAR_TRY(const auto memory, make_scratch(static_cast<std::size_t>(size)));
  return memory.first(static_cast<std::size_t>(size));
}

}  // namespace sillar::codec::geozl
