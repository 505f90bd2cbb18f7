// Blocks of arrays.
#include <sillar/stards/block.hpp>

#include <sillar/codec/lz4.hpp>

#include <algorithm>
#include <memory>
#include <string>

namespace sillar::stards {
namespace {

[[nodiscard]] std::unexpected<Error> short_block(std::size_t size, std::size_t wanted) {
  return fail(
      rules::array_block_len,
      "it decodes to " + std::to_string(size) + " bytes, expected " + std::to_string(wanted), {},
      Errc::codec);
}

}  // namespace

Result<BlockRemarks> BlockDecoder::decode(BlockCodec codec, std::span<const std::byte> stored,
                                          std::span<std::byte> out) {
  switch (codec) {
    case BlockCodec::none:
      if (stored.size() != out.size()) return short_block(stored.size(), out.size());
      std::ranges::copy(stored, out.begin());
      return BlockRemarks{};
    case BlockCodec::gzip: {
      const auto inflated = inflater_.decode(stored, out);
      if (!inflated) return fail(rules::array_gzip, inflated.error().detail, {}, Errc::codec);
      if (inflated->size != out.size()) return short_block(inflated->size, out.size());
      return BlockRemarks{.gzip_wrapper = inflated->wrapper == codec::DeflateWrapper::gzip,
                          .trailing_input = inflated->used != stored.size()};
    }
    case BlockCodec::lz4: {
      const auto size = codec::decode_lz4(stored, out);
      if (!size) return fail(rules::array_lz4, size.error().detail, {}, Errc::codec);
      if (*size != out.size()) return short_block(*size, out.size());
      return BlockRemarks{};
    }
  }
  return BlockRemarks{};
}

std::span<std::byte> BlockDecoder::scratch(std::size_t size) {
  if (scratch_size_ < size) {
    scratch_ = nullptr;  // before the larger one is there
    scratch_ = std::make_unique_for_overwrite<std::byte[]>(size);
    scratch_size_ = size;
  }
  return {scratch_.get(), size};
}

int default_level(BlockCodec codec) { return codec == BlockCodec::gzip ? 9 : 0; }

Result<BlockEncoder> BlockEncoder::make(BlockCodec codec, std::optional<int> level) {
  const int chosen = level.value_or(default_level(codec));
  const bool gzip = codec == BlockCodec::gzip;
  const int least = gzip ? codec::deflate_level_least : 0;
  const int most = gzip                       ? codec::deflate_level_most
                   : codec == BlockCodec::lz4 ? codec::lz4_level_most
                                              : 0;
  if (chosen < least || chosen > most) {
    return fail(Errc::bad_argument, "level " + std::to_string(chosen) + " is outside " +
                                        std::to_string(least) + ".." + std::to_string(most));
  }
  return BlockEncoder(codec, chosen);
}

BlockEncoder::BlockEncoder(BlockCodec codec, int level) : codec_(codec), level_(level) {
  if (codec == BlockCodec::gzip) deflater_.emplace(level);
}

std::span<const std::byte> BlockEncoder::encode(std::span<const std::byte> raw) {
  switch (codec_) {
    case BlockCodec::none:
      return raw;
    case BlockCodec::gzip:
      stored_.resize(deflater_->bound(raw.size()));
      return std::span(stored_).first(deflater_->encode(raw, stored_));
    case BlockCodec::lz4:
      stored_.resize(codec::lz4_bound(raw.size()));
      return std::span(stored_).first(codec::encode_lz4(raw, stored_, level_));
  }
  return raw;
}

}  // namespace sillar::stards
