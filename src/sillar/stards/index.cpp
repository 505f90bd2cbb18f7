// "Index entries".
#include <sillar/stards/index.hpp>

#include <sillar/codec/deflate.hpp>
#include <sillar/codec/lz4.hpp>

#include <algorithm>
#include <optional>
#include <string>

namespace sillar::stards {
namespace {

[[nodiscard]] std::string text_of(std::uint64_t value) { return std::to_string(value); }

/// The sum of one member of all blocks, or nothing where it leaves 64 bits.
[[nodiscard]] std::optional<std::uint64_t> sum_of(const std::vector<Block>& blocks,
                                                  std::uint64_t Block::* member) {
  std::optional<std::uint64_t> sum = 0;
  for (const Block& block : blocks) {
    if (sum) sum = checked_add(*sum, block.*member);
  }
  return sum;
}

/// Position and size against the file.
void check_bounds(const IndexEntry& entry, std::uint64_t at, std::uint64_t header_size,
                  std::uint64_t file_size, Report& report) {
  const auto end = checked_add(entry.position, entry.total_bytes);
  if (!end || *end > file_size) {
    report.add(rules::array_bounds, at + entry_position_at,
               "the array has " + text_of(entry.total_bytes) + " bytes from " +
                   text_of(entry.position) + ", the file has " + text_of(file_size),
               Errc::truncated);
    return;
  }
  if (entry.total_bytes != 0 && entry.position < header_size) {
    report.add(rules::array_in_header, at + entry_position_at,
               "the array begins at " + text_of(entry.position) + ", the header section ends at " +
                   text_of(header_size));
  }
}

/// The blocks against the stored bytes of the array.
void check_stored(const IndexEntry& entry, std::uint64_t at, Report& report) {
  const std::uint64_t blocks_at = at + entry_blocks_at(entry);
  bool inside = true;
  for (std::size_t i = 0; i < entry.blocks.size() && inside; ++i) {
    const Block& block = entry.blocks[i];
    const auto end = checked_add(block.offset, block.compressed_size);
    inside = end && *end <= entry.total_bytes;
    if (!inside) {
      report.add(rules::array_block_bounds, blocks_at + 24 * i,
                 "block " + text_of(i) + " has " + text_of(block.compressed_size) + " bytes from " +
                     text_of(block.offset) + ", the array has " + text_of(entry.total_bytes));
    }
  }
  const auto sum = sum_of(entry.blocks, &Block::compressed_size);
  if (inside && sum != entry.total_bytes) {
    report.add(rules::array_stored_sum, at + entry_total_bytes_at,
               "the blocks have " + (sum ? text_of(*sum) : "more than 2^64") +
                   " stored bytes, the array " + text_of(entry.total_bytes));
  }
  if (!inside) return;
  const auto begins_before = [&](std::size_t a, std::size_t b) {
    return entry.blocks[a].offset < entry.blocks[b].offset;
  };
  std::vector<std::size_t> order(entry.blocks.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (!std::ranges::is_sorted(order, begins_before)) std::ranges::stable_sort(order, begins_before);
  std::uint64_t end = 0;
  for (const std::size_t i : order) {
    const Block& block = entry.blocks[i];
    if (block.compressed_size == 0) continue;
    if (block.offset < end) {
      report.add(rules::array_block_overlap, blocks_at + 24 * i,
                 "block " + text_of(i) + " begins at " + text_of(block.offset) +
                     ", another ends at " + text_of(end));
      return;
    }
    end = block.offset + block.compressed_size;
  }
}

/// The uncompressed sizes against the shape.
void check_raw(const IndexEntry& entry, std::uint64_t at, const DataType& type, Report& report) {
  const auto extent = extent_of(entry.shape, type);
  if (!extent) {
    report.add(rules::array_shape_overflow, at + entry_shape_at,
               "the shape asks for more bytes than 64 bits can count");
    return;
  }
  const auto raw = sum_of(entry.blocks, &Block::uncompressed_size);
  const std::string found = raw ? text_of(*raw) : "more than 2^64";
  const std::uint64_t blocks_at = at + entry_blocks_at(entry);
  if (type.dtype) {
    if (raw != extent->bytes) {
      report.add(rules::array_raw_sum, blocks_at,
                 "the blocks have " + found + " uncompressed bytes, the shape asks for " +
                     text_of(extent->bytes));
    }
    return;
  }
  // A total, and a length for each string.
  const auto lengths = checked_mul(extent->count, 4);
  const auto least = lengths ? checked_add(*lengths, 4) : std::nullopt;
  if (!raw || !least || *raw < *least) {
    report.add(rules::array_string, blocks_at,
               "the blocks have " + found + " uncompressed bytes, " + text_of(extent->count) +
                   " strings need " + (least ? "at least " + text_of(*least) : "more"));
  }
}

/// The uncompressed size of every block against what its codec can do.
void check_ratios(const IndexEntry& entry, std::uint64_t at, BlockCodec codec, Report& report) {
  for (std::size_t i = 0; i < entry.blocks.size(); ++i) {
    const Block& block = entry.blocks[i];
    const std::uint64_t block_at = at + entry_blocks_at(entry) + 24 * i;
    const std::string sizes = "block " + text_of(i) + " has " + text_of(block.compressed_size) +
                              " stored and " + text_of(block.uncompressed_size) +
                              " uncompressed bytes";
    if (codec == BlockCodec::none) {
      if (block.compressed_size == block.uncompressed_size) continue;
      report.add(rules::array_none_size, block_at + 8, sizes);
      return;
    }
    const bool gzip = codec == BlockCodec::gzip;
    if (block.compressed_size == 0) {
      // No stream and no block is empty.
      report.add(gzip ? rules::array_gzip : rules::array_lz4, block_at + 8, sizes, Errc::codec);
      return;
    }
    const auto most = checked_mul(block.compressed_size,
                                  gzip ? codec::deflate_ratio_most : codec::lz4_ratio_most);
    if (most && block.uncompressed_size > *most) {
      report.add(rules::array_bomb, block_at + 16,
                 sizes + ", the codec cannot give more than " + text_of(*most));
      return;
    }
  }
}

/// `block_size` is advice that some writers get wrong.
void check_block_size(const IndexEntry& entry, std::uint64_t at, Report& report) {
  bool fits = entry.block_size != 0 || entry.blocks.size() <= 1;
  for (std::size_t i = 0; i < entry.blocks.size() && fits && entry.block_size != 0; ++i) {
    const std::uint64_t size = entry.blocks[i].uncompressed_size;
    const bool last = i + 1 == entry.blocks.size();
    fits = last ? size <= entry.block_size : size == entry.block_size;
  }
  if (fits) return;
  report.add(rules::array_block_size, at + entry_compression_at(entry) + 1,
             "the block size is " + text_of(entry.block_size) + ", the blocks have other sizes");
}

}  // namespace

Index check_index(wire::Reader& wire, std::uint64_t count, const KeyRegistry& keys,
                  Report& report) {
  Index index;
  const std::uint64_t first = wire.position();
  if (count > wire.remaining() / index_entry_size_least) {
    report.add(rules::file_entry_count, first,
               text_of(count) + " index entries do not fit the " + text_of(wire.remaining()) +
                   " bytes that are left of the header section");
    give_up(wire);
    return index;
  }
  index.entries.reserve(static_cast<std::size_t>(count));
  index.offsets.reserve(static_cast<std::size_t>(count));
  std::vector<bool> seen(keys.size());
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = wire.position();
    IndexEntry& entry = index.entries.emplace_back();
    carry(wire, entry);
    index.offsets.push_back(at);
    const bool known = entry.key < keys.size();
    if (!known) {
      report.add(rules::file_entry_key_index, at,
                 "index entry " + text_of(i) + " has key " + text_of(entry.key) +
                     ", the registry has " + text_of(keys.size()));
    }
    if (!wire.ok()) {
      const Rule& rule = entry.shape_is_cut     ? rules::file_ndim
                         : entry.blocks_are_cut ? rules::file_num_blocks
                                                : rules::file_entry_count;
      report.add(rule, at,
                 "index entry " + text_of(i) + " of " + text_of(count) +
                     " does not fit the header section");
      return index;
    }
    if (known && seen[entry.key]) {
      report.add(rules::file_entry_duplicate, at,
                 "index entry " + text_of(i) + " has key " + text_of(entry.key) +
                     ", which an earlier one has");
    }
    if (known) seen[entry.key] = true;
    if (report.done()) return index;
  }
  return index;
}

void check_array(const IndexEntry& entry, std::uint64_t at, std::uint64_t header_size,
                 std::uint64_t file_size, Report& report) {
  if (entry.stored_in_metadata != 0) {
    report.add(rules::array_stored_flag, at + entry_flag_at(entry),
               "the flag is " + text_of(entry.stored_in_metadata) + ", expected 0");
  }
  check_bounds(entry, at, header_size, file_size, report);
  check_stored(entry, at, report);
  const DataType* type = find_data_type(entry.data_type);
  if (type != nullptr) {
    check_raw(entry, at, *type, report);
  } else {
    report.add(rules::unsupported_dtype, at + entry_data_type_at,
               "data type " + text_of(entry.data_type), Errc::unsupported);
  }
  const Compression* compression = find_compression(entry.compression);
  const std::uint64_t compression_at = at + entry_compression_at(entry);
  if (compression != nullptr && compression->codec) {
    check_ratios(entry, at, *compression->codec, report);
    if (compression->shuffle && entry.data_type == string_code) {
      report.add(rules::array_shuffle_string, compression_at,
                 "a string array names " + std::string(compression->name));
    }
  } else {
    report.add(rules::unsupported_compression, compression_at,
               "compression " + text_of(entry.compression) +
                   (compression != nullptr ? " (" + std::string(compression->name) + ")" : ""),
               Errc::unsupported);
  }
  check_block_size(entry, at, report);
}

Result<> refusal_of(const Report& report) {
  SILLAR_TRY(report.verdict());
  for (const Finding& finding : report.findings()) {
    if (finding.severity == Severity::unsupported) return std::unexpected(finding.error);
  }
  return {};
}

}  // namespace sillar::stards
