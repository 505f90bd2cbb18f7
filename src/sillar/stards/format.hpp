// The records and code tables of StarDS v1: what the bytes are.
#pragma once

#include <sillar/stards/rules.hpp>
#include <sillar/tensor/view.hpp>
#include <sillar/wire/cursor.hpp>
#include <sillar/wire/record.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace sillar::stards {

inline constexpr std::uint8_t format_version = 1;

/// The name of the layer that every file has.
inline constexpr std::string_view base_layer = "__base__";

/// What stands before the key of an array in a named layer: `__layer_<layer>__:<key>`.
inline constexpr std::string_view layer_prefix = "__layer_";
inline constexpr std::string_view layer_suffix = "__:";

/// What a metadata block begins with.
inline constexpr std::string_view metadata_magic = "STARMETA";
inline constexpr std::uint8_t metadata_version = 1;

/// Keys are named by 16 bits, and so are the metadata keys of a layer counted.
inline constexpr std::uint64_t key_count_most = 65536;
inline constexpr std::uint64_t metadata_key_count_most = 65535;
inline constexpr std::uint64_t name_size_most = 65535;

/// A check for values from `least` on.
struct AtLeast {
  std::uint64_t least;
  constexpr bool operator()(std::uint64_t value) const { return value >= least; }
  [[nodiscard]] std::string expected() const { return "at least " + std::to_string(least); }
};

inline constexpr std::array<std::uint8_t, 6> file_magic = {'S', 'T', 'A', 'R', 'D', 'S'};
inline constexpr std::uint64_t fixed_header_size = 31;

// clang-format off

/// The first bytes of a file ("Fixed file header").
struct FixedHeader {
  std::array<std::uint8_t, 6> magic = file_magic;
  std::uint8_t format_version = stards::format_version;
  std::uint64_t header_size = 0;
  std::uint64_t entry_count = 0;
  std::uint32_t layer_count = 0;  ///< named layers: one less than the layer registry has
  std::uint32_t key_registry_count = 0;

  static constexpr auto layout = std::tuple{
      wire::field<&FixedHeader::magic>             ( 0, "magic",              wire::exactly(file_magic),             &rules::file_magic),
      wire::field<&FixedHeader::format_version>    ( 6, "format version",     wire::exactly(stards::format_version), &rules::file_version),
      wire::field<&FixedHeader::header_size>       ( 7, "header size",        AtLeast{fixed_header_size},            &rules::file_header_size_small),
      wire::field<&FixedHeader::entry_count>       (15, "entry count"),
      wire::field<&FixedHeader::layer_count>       (23, "layer count"),
      wire::field<&FixedHeader::key_registry_count>(27, "key registry count"),
  };
};
static_assert(wire::size<FixedHeader>() == fixed_header_size);

/// One block of an array ("Block metadata (BlockInfo, per block)").
struct Block {
  std::uint64_t offset = 0;             ///< from the array's position
  std::uint64_t compressed_size = 0;
  std::uint64_t uncompressed_size = 0;
  friend bool operator==(const Block&, const Block&) = default;
};

/// "Data types": the codes of element types. A string has no size of its own.
struct DataType {
  std::uint8_t code;
  std::string_view name;
  std::optional<DType> dtype;  ///< none for strings
};

inline constexpr std::array data_types = {
    DataType{ 0, "int8",    DType::i8},
    DataType{ 1, "int16",   DType::i16},
    DataType{ 2, "int32",   DType::i32},
    DataType{ 3, "int64",   DType::i64},
    DataType{ 4, "uint8",   DType::u8},
    DataType{ 5, "uint16",  DType::u16},
    DataType{ 6, "uint32",  DType::u32},
    DataType{ 7, "uint64",  DType::u64},
    DataType{ 8, "float32", DType::f32},
    DataType{ 9, "float64", DType::f64},
    DataType{10, "string",  std::nullopt},
};

/// What a block is packed with.
enum class BlockCodec : std::uint8_t { none, gzip, lz4 };

/// "Compression types": the codes, and the words that commands and options use.
struct Compression {
  std::uint8_t code;
  std::string_view name;
  std::optional<BlockCodec> codec;  ///< none where nobody writes it
  bool shuffle;                     ///< bytes are shuffled before they are split into blocks
};

inline constexpr std::array compressions = {
    Compression{0, "none",         BlockCodec::none, false},
    Compression{1, "gzip",         BlockCodec::gzip, false},
    Compression{2, "zstd",         std::nullopt,     false},
    Compression{3, "lz4",          BlockCodec::lz4,  false},
    Compression{4, "gzip-shuffle", BlockCodec::gzip, true},
    Compression{5, "lz4-shuffle",  BlockCodec::lz4,  true},
};
// clang-format on

inline constexpr std::uint8_t string_code = 10;

/// The type of that code, or null where it is not listed.
[[nodiscard]] constexpr const DataType* find_data_type(std::uint8_t code) {
  return code < data_types.size() ? &data_types[code] : nullptr;
}

/// The code of a type, or nothing where the format has none.
[[nodiscard]] constexpr std::optional<std::uint8_t> code_of(DType dtype) {
  for (const DataType& type : data_types) {
    if (type.dtype == dtype) return type.code;
  }
  return std::nullopt;
}

/// The compression of that code, or null where it is not listed.
[[nodiscard]] constexpr const Compression* find_compression(std::uint8_t code) {
  return code < compressions.size() ? &compressions[code] : nullptr;
}

/// The compression of that word, or null.
[[nodiscard]] constexpr const Compression* find_compression(std::string_view name) {
  for (const Compression& compression : compressions) {
    if (compression.name == name) return &compression;
  }
  return nullptr;
}

/// A metadata block is never shuffled.
[[nodiscard]] constexpr bool packs_metadata(const Compression& compression) {
  return compression.codec.has_value() && !compression.shuffle;
}

/// A key of the registry ("Global key registry").
struct KeyEntry {
  std::string name;
  std::uint64_t hash = 0;
};

/// A layer of the registry ("Layer metadata registry").
struct LayerEntry {
  std::string name;
  std::uint64_t metadata_position = 0;  ///< from the start of the file
  std::uint32_t metadata_size = 0;      ///< 0: the layer has no metadata block
  std::uint8_t metadata_compression = 0;
  std::vector<std::uint16_t> metadata_keys;  ///< indices into the key registry
};

/// An array ("Index entries").
struct IndexEntry {
  std::uint16_t key = 0;       ///< index into the key registry
  std::uint64_t position = 0;  ///< from the start of the file
  std::uint64_t total_bytes = 0;
  std::uint8_t data_type = 0;
  Shape shape;
  std::uint8_t compression = 0;
  std::uint64_t block_size = 0;
  std::vector<Block> blocks;
  std::uint8_t stored_in_metadata = 0;

  /// More dimensions or blocks were stated than there was room for.
  bool shape_is_cut = false;
  bool blocks_are_cut = false;
};

/// The bytes of an index entry without dimensions and blocks.
inline constexpr std::uint64_t index_entry_size_least = 45;

/// A value of a metadata block, without its payload.
struct MetadataHead {
  std::uint16_t key = 0;  ///< index into the key registry
  std::uint8_t data_type = 0;
  Shape shape;
};

/// A name with its length before it. Reads or writes, as all below.
template <class Wire>
void carry_name(Wire& wire, std::string& name) {
  auto size = static_cast<std::uint16_t>(name.size());
  wire.number(size);
  wire.text(name, size);
}

/// Nothing behind this is read any more.
inline void give_up(wire::Reader& wire) {
  std::string rest;
  wire.text(rest, wire.remaining() + 1);
}

/// `count` items. False, and nothing is read any more, where there are no bytes for so many.
template <class Wire, class T, class Item>
bool carry_list(Wire& wire, std::vector<T>& list, std::uint64_t count, std::uint64_t item_size,
                const Item& item) {
  if constexpr (Wire::reads) {
    if (count > wire.remaining() / item_size) {
      give_up(wire);
      return false;
    }
    list.resize(static_cast<std::size_t>(count));
  }
  for (T& entry : list) item(entry);
  return true;
}

template <class Wire>
void carry(Wire& wire, KeyEntry& entry) {
  carry_name(wire, entry.name);
  wire.number(entry.hash);
}

template <class Wire>
void carry(Wire& wire, LayerEntry& entry) {
  carry_name(wire, entry.name);
  wire.number(entry.metadata_position);
  wire.number(entry.metadata_size);
  wire.number(entry.metadata_compression);
  auto count = static_cast<std::uint16_t>(entry.metadata_keys.size());
  wire.number(count);
  carry_list(wire, entry.metadata_keys, count, sizeof(std::uint16_t),
             [&](std::uint16_t& key) { wire.number(key); });
}

template <class Wire>
void carry(Wire& wire, Block& block) {
  wire.number(block.offset);
  wire.number(block.compressed_size);
  wire.number(block.uncompressed_size);
}

template <class Wire>
void carry(Wire& wire, IndexEntry& entry) {
  wire.number(entry.key);
  wire.number(entry.position);
  wire.number(entry.total_bytes);
  wire.number(entry.data_type);
  auto dimensions = static_cast<std::uint64_t>(entry.shape.size());
  wire.number(dimensions);
  entry.shape_is_cut = !carry_list(wire, entry.shape, dimensions, sizeof(std::uint64_t),
                                   [&](std::uint64_t& extent) { wire.number(extent); });
  wire.number(entry.compression);
  wire.number(entry.block_size);
  auto blocks = static_cast<std::uint64_t>(entry.blocks.size());
  wire.number(blocks);
  entry.blocks_are_cut = !carry_list(wire, entry.blocks, blocks, 3 * sizeof(std::uint64_t),
                                     [&](Block& block) { carry(wire, block); });
  wire.number(entry.stored_in_metadata);
}

template <class Wire>
void carry(Wire& wire, MetadataHead& head) {
  wire.number(head.key);
  wire.number(head.data_type);
  auto dimensions = static_cast<std::uint8_t>(head.shape.size());
  wire.number(dimensions);
  carry_list(wire, head.shape, dimensions, sizeof(std::uint64_t),
             [&](std::uint64_t& extent) { wire.number(extent); });
}

/// Elements of a known type lie in C order, `count` of them in `bytes` bytes.
struct Extent {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

/// How much an array of that shape has, or nothing where it leaves 64 bits. A zero dimension does
/// not undo an overflow of the others. Strings count as one byte each.
[[nodiscard]] inline std::optional<Extent> extent_of(const Shape& shape, const DataType& type) {
  const std::uint64_t element = type.dtype ? size_of(*type.dtype) : 1;
  std::optional<std::uint64_t> bytes = element;
  for (const std::uint64_t extent : shape) {
    if (bytes && extent != 0) bytes = checked_mul(*bytes, extent);
  }
  if (!bytes) return std::nullopt;
  const bool empty = std::ranges::find(shape, std::uint64_t{0}) != shape.end();
  return empty ? Extent{} : Extent{*bytes / element, *bytes};
}

}  // namespace sillar::stards
