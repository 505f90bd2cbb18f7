// Deflate by libdeflate.
#include <sillar/codec/deflate.hpp>

#include <libdeflate.h>

#include <cassert>
#include <new>

namespace sillar::codec {
namespace {

template <class T, void (*free)(T*)>
struct Free {
  void operator()(T* object) const { free(object); }
};

// libdeflate's pointers must not be null, even where they lead to no byte.
constexpr std::byte nowhere{};

}  // namespace

DeflateWrapper deflate_wrapper_of(std::span<const std::byte> packed) {
  const bool gzip =
      packed.size() >= 2 && packed[0] == std::byte{0x1F} && packed[1] == std::byte{0x8B};
  return gzip ? DeflateWrapper::gzip : DeflateWrapper::zlib;
}

struct Inflater::State {
  std::unique_ptr<libdeflate_decompressor,
                  Free<libdeflate_decompressor, libdeflate_free_decompressor>>
      decompressor{libdeflate_alloc_decompressor()};
};

Inflater::Inflater() : state_(std::make_unique<State>()) {
  if (state_->decompressor == nullptr) throw std::bad_alloc();
}
Inflater::Inflater(Inflater&&) noexcept = default;
Inflater& Inflater::operator=(Inflater&&) noexcept = default;
Inflater::~Inflater() = default;

Result<Inflated> Inflater::decode(std::span<const std::byte> packed, std::span<std::byte> out) {
  Inflated inflated{.size = 0, .used = 0, .wrapper = deflate_wrapper_of(packed)};
  std::byte none{};
  const void* const from = packed.empty() ? &nowhere : packed.data();
  void* const to = out.empty() ? &none : out.data();
  const bool gzip = inflated.wrapper == DeflateWrapper::gzip;
  const auto decode_stream = gzip ? libdeflate_gzip_decompress_ex : libdeflate_zlib_decompress_ex;
  switch (decode_stream(state_->decompressor.get(), from, packed.size(), to, out.size(),
                        &inflated.used, &inflated.size)) {
    case LIBDEFLATE_SUCCESS:
      return inflated;
    case LIBDEFLATE_INSUFFICIENT_SPACE:
      return fail(Errc::over_limit,
                  "the stream gives more than " + std::to_string(out.size()) + " bytes");
    default:
      return fail(Errc::codec, std::string(gzip ? "a gzip" : "a zlib") +
                                   " stream that is damaged or ends early");
  }
}

struct Deflater::State {
  std::unique_ptr<libdeflate_compressor, Free<libdeflate_compressor, libdeflate_free_compressor>>
      compressor;
};

Deflater::Deflater(int level) : state_(std::make_unique<State>()) {
  assert(level >= deflate_level_least && level <= deflate_level_most);
  state_->compressor.reset(libdeflate_alloc_compressor(level));
  if (state_->compressor == nullptr) throw std::bad_alloc();
}
Deflater::Deflater(Deflater&&) noexcept = default;
Deflater& Deflater::operator=(Deflater&&) noexcept = default;
Deflater::~Deflater() = default;

std::size_t Deflater::bound(std::size_t size) const {
  return libdeflate_zlib_compress_bound(state_->compressor.get(), size);
}

std::size_t Deflater::encode(std::span<const std::byte> raw, std::span<std::byte> out) {
  const void* const from = raw.empty() ? &nowhere : raw.data();
  const std::size_t size =
      libdeflate_zlib_compress(state_->compressor.get(), from, raw.size(), out.data(), out.size());
  assert(size != 0);
  return size;
}

}  // namespace sillar::codec
