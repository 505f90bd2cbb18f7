// Blocks of arrays, from their stored bytes and back.
#pragma once

#include <sillar/codec/deflate.hpp>
#include <sillar/stards/format.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace sillar::stards {

/// What a judge may remark about a block that decodes.
struct BlockRemarks {
  bool gzip_wrapper = false;    ///< RFC 1952, where other readers want RFC 1950
  bool trailing_input = false;  ///< bytes behind the stream
};

/// Decodes blocks, one after the other; for one thread at a time.
class BlockDecoder {
 public:
  /// `stored` into all of `out`. Fails with codec, by a rule of arrays, without an offset.
  [[nodiscard]] Result<BlockRemarks> decode(BlockCodec codec, std::span<const std::byte> stored,
                                            std::span<std::byte> out);

  /// Room for `size` bytes, uninitialised or of an earlier block; valid until the next call.
  [[nodiscard]] std::span<std::byte> scratch(std::size_t size);

  [[nodiscard]] codec::Inflater& inflater() { return inflater_; }

 private:
  codec::Inflater inflater_;
  std::unique_ptr<std::byte[]> scratch_;
  std::size_t scratch_size_ = 0;
};

/// The level of a codec where nobody asks for another: that of the reference for GZIP, the fast
/// search for LZ4.
[[nodiscard]] int default_level(BlockCodec codec);

/// Encodes blocks, one after the other; for one thread at a time.
class BlockEncoder {
 public:
  /// `level` as the codec counts it. Fails with bad_argument where the codec has no such level.
  [[nodiscard]] static Result<BlockEncoder> make(BlockCodec codec, std::optional<int> level);

  /// `raw` as one stored block; valid until the next call. For LZ4, `raw` has at most
  /// `codec::lz4_raw_most` bytes.
  [[nodiscard]] std::span<const std::byte> encode(std::span<const std::byte> raw);

 private:
  BlockEncoder(BlockCodec codec, int level);

  BlockCodec codec_;
  int level_;
  std::optional<codec::Deflater> deflater_;
  std::vector<std::byte> stored_;
};

}  // namespace sillar::stards
