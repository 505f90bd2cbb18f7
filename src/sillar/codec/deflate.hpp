// Deflate streams in a zlib or gzip wrapper, whole buffers at once.
#pragma once

#include <sillar/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace sillar::codec {

/// What stands around a deflate stream: RFC 1950 or RFC 1952.
enum class DeflateWrapper : std::uint8_t { zlib, gzip };

/// No deflate stream decodes to more than this many bytes a stored byte.
inline constexpr std::uint64_t deflate_ratio_most = 1032;

/// The first stream of `packed` is gzip by its two magic bytes; else it should be zlib.
[[nodiscard]] DeflateWrapper deflate_wrapper_of(std::span<const std::byte> packed);

/// What a stream gave.
struct Inflated {
  std::size_t size = 0;  ///< bytes written
  std::size_t used = 0;  ///< bytes of the input that the stream and its wrapper have
  DeflateWrapper wrapper = DeflateWrapper::zlib;
};

/// Decodes streams, one after the other; for one thread at a time.
class Inflater {
 public:
  Inflater();
  Inflater(Inflater&&) noexcept;
  Inflater& operator=(Inflater&&) noexcept;
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater();

  /// The first stream of `packed`, zlib or gzip, into `out`; its checksum is verified. Fails with
  /// over_limit where the stream gives more than `out` holds, and codec where it is damaged.
  [[nodiscard]] Result<Inflated> decode(std::span<const std::byte> packed,
                                        std::span<std::byte> out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The levels of `Deflater`.
inline constexpr int deflate_level_least = 1;
inline constexpr int deflate_level_most = 12;

/// Encodes zlib streams, one after the other; for one thread at a time.
class Deflater {
 public:
  /// `level` is deflate_level_least to deflate_level_most.
  explicit Deflater(int level);
  Deflater(Deflater&&) noexcept;
  Deflater& operator=(Deflater&&) noexcept;
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater();

  /// The room that `encode` needs for `size` bytes.
  [[nodiscard]] std::size_t bound(std::size_t size) const;

  /// `raw` as one zlib stream at the start of `out`, which holds `bound(raw.size())`. Returns the
  /// size of the stream.
  [[nodiscard]] std::size_t encode(std::span<const std::byte> raw, std::span<std::byte> out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sillar::codec
