// StarDS files put together field by field, without the library: what it reads is held against
// them.
#pragma once

#include "golden.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sillar::stards::testing {

using sillar::testing::Bytes;

/// Little-endian fields, one behind the other.
class Fields {
 public:
  Fields& u8(std::uint64_t value) { return number(value, 1); }
  Fields& u16(std::uint64_t value) { return number(value, 2); }
  Fields& u32(std::uint64_t value) { return number(value, 4); }
  Fields& u64(std::uint64_t value) { return number(value, 8); }
  Fields& text(std::string_view value) { return raw(sillar::testing::bytes_of(value)); }
  Fields& name(std::string_view value) { return u16(value.size()).text(value); }
  Fields& raw(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }

  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] const Bytes& bytes() const { return bytes_; }

 private:
  Fields& number(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
    return *this;
  }

  Bytes bytes_;
};

struct MadeBlock {
  std::uint64_t offset, stored, raw;
};

/// An array and its stored bytes; it lies behind the one before it.
struct MadeArray {
  std::string storage_key;
  std::uint8_t data_type = 4;
  std::vector<std::uint64_t> shape;
  std::uint8_t compression = 0;
  std::uint64_t block_size = 1048576;
  std::vector<MadeBlock> blocks;
  Bytes stored;
  std::uint64_t shared = 0;  ///< so many of its first bytes are the last of the array before it
};

/// A metadata block, and the keys that its layer lists.
struct MadeMetadata {
  std::string layer = "__base__";
  std::vector<std::uint16_t> keys;
  std::uint8_t compression = 0;
  Bytes stored;
  bool shared = false;  ///< its bytes are the last of what lies before it
};

/// An array without compression, in blocks of `block_size` bytes.
inline MadeArray plain_array(std::string key, std::uint8_t data_type,
                             std::vector<std::uint64_t> shape, Bytes content,
                             std::uint64_t block_size) {
  MadeArray array{.storage_key = std::move(key),
                  .data_type = data_type,
                  .shape = std::move(shape),
                  .compression = 0,
                  .block_size = block_size,
                  .blocks = {},
                  .stored = std::move(content),
                  .shared = 0};
  for (std::uint64_t at = 0; at < array.stored.size(); at += block_size) {
    const std::uint64_t size = std::min<std::uint64_t>(block_size, array.stored.size() - at);
    array.blocks.push_back({at, size, size});
  }
  return array;
}

/// FNV-1a, one of the hashes that writers have.
inline std::uint64_t made_hash(std::string_view key) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char letter : key) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3;
  return hash;
}

/// A file: the keys of the arrays are the first of the registry, `more_keys` follow. The first
/// layer is the base layer. Presence bits are zero.
inline Bytes make_file(const std::vector<MadeArray>& arrays,
                       const std::vector<std::string>& more_keys,
                       const std::vector<MadeMetadata>& layers) {
  Fields registry;
  for (const MadeArray& array : arrays)
    registry.name(array.storage_key).u64(made_hash(array.storage_key));
  for (const std::string& key : more_keys) registry.name(key).u64(made_hash(key));

  const std::size_t words = (arrays.size() + 63) / 64 * layers.size();
  std::size_t size = 31 + registry.size() + 8 * words;
  for (const MadeMetadata& layer : layers)
    size += 2 + layer.layer.size() + 15 + 2 * layer.keys.size();
  for (const MadeArray& array : arrays)
    size += 45 + 8 * array.shape.size() + 24 * array.blocks.size();

  Fields index;
  Fields data;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const MadeArray& array = arrays[i];
    index.u16(i).u64(size + data.size() - array.shared).u64(array.stored.size());
    index.u8(array.data_type).u64(array.shape.size());
    for (const std::uint64_t extent : array.shape) index.u64(extent);
    index.u8(array.compression).u64(array.block_size).u64(array.blocks.size());
    for (const MadeBlock& block : array.blocks)
      index.u64(block.offset).u64(block.stored).u64(block.raw);
    index.u8(0);
    data.raw(std::span(array.stored).subspan(array.shared));
  }
  Fields layer_registry;
  for (const MadeMetadata& layer : layers) {
    const std::uint64_t back = layer.shared ? layer.stored.size() : 0;
    const std::uint64_t position = layer.stored.empty() ? 0 : size + data.size() - back;
    layer_registry.name(layer.layer).u64(position).u32(layer.stored.size());
    layer_registry.u8(layer.compression).u16(layer.keys.size());
    for (const std::uint16_t key : layer.keys) layer_registry.u16(key);
    if (!layer.shared) data.raw(layer.stored);
  }
  Fields file;
  file.text("STARDS").u8(1).u64(size).u64(arrays.size()).u32(layers.size() - 1);
  file.u32(arrays.size() + more_keys.size());
  file.raw(registry.bytes()).raw(layer_registry.bytes());
  for (std::size_t i = 0; i < words; ++i) file.u64(0);
  file.raw(index.bytes()).raw(data.bytes());
  return file.bytes();
}

}  // namespace sillar::stards::testing
