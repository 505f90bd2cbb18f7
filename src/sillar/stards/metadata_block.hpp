// The metadata of one layer: a block that holds all of its values.
#pragma once

#include <sillar/base/limits.hpp>
#include <sillar/base/report.hpp>
#include <sillar/io/byte_source.hpp>
#include <sillar/stards/header_section.hpp>
#include <sillar/stards/strings.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sillar::stards {

/// One value. `bytes` are its elements in C order, little-endian; empty for strings.
struct MetadataValue {
  std::uint16_t key = 0;  ///< index into the key registry
  const DataType* type = nullptr;
  Shape shape;
  std::vector<std::byte> bytes;
  std::optional<Strings> strings;
};

/// The values of a layer, in the order of the block.
struct MetadataBlock {
  std::vector<MetadataValue> values;

  /// The value of a key, or null.
  [[nodiscard]] const MetadataValue* find(std::uint32_t key) const;
};

/// Judges the block of layer `layer`, decoded; findings are told at `at`, where the block lies in
/// the file. Nothing where it has an error or a part that is not supported.
[[nodiscard]] std::optional<MetadataBlock> check_metadata_block(std::span<const std::byte> bytes,
                                                                std::uint64_t at,
                                                                const LayerEntry& layer,
                                                                const KeyRegistry& keys,
                                                                Report& report);

/// Fetches, decodes and judges the block of layer `layer`. A layer without metadata gives an empty
/// block. Fails only with io or over_limit (a block that decodes to more than
/// `limits.trailer_bytes`); nothing where a finding stands against it.
[[nodiscard]] Result<std::optional<MetadataBlock>> check_metadata_of(
    const io::ByteSource& source, const HeaderSection& header, std::size_t layer,
    const Limits& limits, Report& report, const io::ReadControl& control);

/// The bytes of a block before they are compressed. Types, shapes and payloads fit each other.
[[nodiscard]] std::vector<std::byte> make_metadata_block(std::string_view layer,
                                                         std::span<const MetadataValue> values);

}  // namespace sillar::stards
