// Every demand of StarDS v1 on a file, its arrays and its metadata, and what a reader may not know.
#pragma once

#include <sillar/base/rule.hpp>

#include <array>

namespace sillar::stards::rules {

// clang-format off
// The header section. A file that breaks one of these is refused as a whole.
inline constexpr Rule file_empty{"stards.file.empty", "1. Fixed file header (31 bytes)", "a file holds at least the 31 bytes of its fixed header"};
inline constexpr Rule file_magic{"stards.file.magic", "1. Fixed file header (31 bytes)", "the first six bytes spell STARDS"};
inline constexpr Rule file_version{"stards.file.version", "Format version", "the format version is 1"};
inline constexpr Rule file_header_size_small{"stards.file.header_size_small", "Validation", "the header section is no smaller than its fixed header"};
inline constexpr Rule file_header_size_file{"stards.file.header_size_file", "Validation", "the header section lies inside the file"};
inline constexpr Rule file_header_size_mismatch{"stards.file.header_size_mismatch", "Validation", "the header section ends right behind its last index entry"};
inline constexpr Rule file_key_count{"stards.file.key_count", "2. Global key registry", "every key of the registry lies inside the header section"};
inline constexpr Rule file_key_utf8{"stards.file.key_utf8", "Endianness and encoding", "a key is valid UTF-8"};
inline constexpr Rule file_key_duplicate{"stards.file.key_duplicate", "2. Global key registry", "no two keys of the registry are equal"};
inline constexpr Rule file_layer_count{"stards.file.layer_count", "3. Layer metadata registry", "every layer of the registry lies inside the header section"};
inline constexpr Rule file_layer_utf8{"stards.file.layer_utf8", "Endianness and encoding", "a layer name is valid UTF-8"};
inline constexpr Rule file_layer_base{"stards.file.layer_base", "3. Layer metadata registry", "the first layer is __base__"};
inline constexpr Rule file_layer_duplicate{"stards.file.layer_duplicate", "3. Layer metadata registry", "no two layers have the same name"};
inline constexpr Rule file_meta_key_index{"stards.file.meta_key_index", "Validation", "every metadata key of a layer is a key of the registry"};
inline constexpr Rule file_meta_key_duplicate{"stards.file.meta_key_duplicate", "3. Layer metadata registry", "a layer lists a metadata key once"};
inline constexpr Rule file_bitmap{"stards.file.bitmap", "4. Layer presence bitmaps", "every presence bitmap lies inside the header section"};
inline constexpr Rule file_entry_count{"stards.file.entry_count", "Validation", "the header section holds as many index entries as it says"};
inline constexpr Rule file_ndim{"stards.file.ndim", "5. Index entries", "the shape of an index entry lies inside the header section"};
inline constexpr Rule file_num_blocks{"stards.file.num_blocks", "Block metadata (BlockInfo, per block)", "the block list of an index entry lies inside the header section"};
inline constexpr Rule file_entry_key_index{"stards.file.entry_key_index", "Validation", "the key of an index entry is a key of the registry"};
inline constexpr Rule file_entry_duplicate{"stards.file.entry_duplicate", "5. Index entries", "no two index entries have the same key"};
inline constexpr Rule file_hash{"stards.file.hash", "2. Global key registry", "the hashes of the keys are those of a known function", Severity::warning};
inline constexpr Rule file_unused_key{"stards.file.unused_key", "2. Global key registry", "every key of the registry is the key of an array or of metadata", Severity::warning};
inline constexpr Rule file_meta_key_order{"stards.file.meta_key_order", "3. Layer metadata registry", "a layer lists its metadata keys in rising order", Severity::warning};
inline constexpr Rule file_presence_past_end{"stards.file.presence_past_end", "4. Layer presence bitmaps", "no presence bit is set past the last index entry", Severity::warning};
inline constexpr Rule file_gap{"stards.file.gap", "Binary structure", "arrays and metadata blocks follow the header section without gaps", Severity::warning};
inline constexpr Rule file_trailing_file{"stards.file.trailing_file", "Binary structure", "the file ends with its last array or metadata block", Severity::warning};

// One array. Only that array is refused.
inline constexpr Rule array_stored_flag{"stards.array.stored_flag", "5. Index entries", "the stored-in-metadata flag is 0"};
inline constexpr Rule array_bounds{"stards.array.bounds", "Validation", "the stored bytes of an array lie inside the file"};
inline constexpr Rule array_in_header{"stards.array.in_header", "Data section", "the stored bytes of an array begin behind the header section"};
inline constexpr Rule array_overlap{"stards.array.overlap", "Data section", "an array shares no bytes with another array or a metadata block"};
inline constexpr Rule array_shape_overflow{"stards.array.shape_overflow", "Uncompressed data", "the byte size of an array fits 64 bits, a zero dimension left aside"};
inline constexpr Rule array_block_bounds{"stards.array.block_bounds", "Block metadata (BlockInfo, per block)", "every block lies inside the stored bytes of its array"};
inline constexpr Rule array_block_overlap{"stards.array.block_overlap", "Block metadata (BlockInfo, per block)", "no two blocks of an array share bytes"};
inline constexpr Rule array_stored_sum{"stards.array.stored_sum", "5. Index entries", "the stored sizes of the blocks add up to the stored size of the array"};
inline constexpr Rule array_raw_sum{"stards.array.raw_sum", "Uncompressed data", "the uncompressed sizes of the blocks add up to the byte size of the array"};
inline constexpr Rule array_none_size{"stards.array.none_size", "Uncompressed data", "a block that is not compressed is stored with its own size"};
inline constexpr Rule array_bomb{"stards.array.bomb", "Block metadata (BlockInfo, per block)", "the codec can make the uncompressed size out of the stored one"};
inline constexpr Rule array_gzip{"stards.array.gzip", "Compression types", "a GZIP block is one whole zlib or gzip stream"};
inline constexpr Rule array_lz4{"stards.array.lz4", "Compression types", "an LZ4 block is one whole raw LZ4 block"};
inline constexpr Rule array_block_len{"stards.array.block_len", "Block metadata (BlockInfo, per block)", "a block decodes to its uncompressed size"};
inline constexpr Rule array_string{"stards.array.string", "Data types", "the lengths of a string array fit its bytes and its shape"};
inline constexpr Rule array_string_utf8{"stards.array.string_utf8", "Endianness and encoding", "a string is valid UTF-8"};
inline constexpr Rule array_block_size{"stards.array.block_size", "Compressed data (block-based)", "all blocks but the last have the block size of their entry", Severity::warning};
inline constexpr Rule array_gzip_wrapper{"stards.array.gzip_wrapper", "Compression types", "a GZIP block is a zlib stream, which every known reader takes", Severity::warning};
inline constexpr Rule array_trailing_input{"stards.array.trailing_input", "Compression types", "no bytes follow the stream of a GZIP block", Severity::warning};
inline constexpr Rule array_shuffle_string{"stards.array.shuffle_string", "Byte-shuffle prefilter (*_SHUFFLE)", "a string array, which is never shuffled, names a codec without shuffle", Severity::warning};

// The metadata block of one layer. Only that layer's metadata is refused.
inline constexpr Rule metadata_bounds{"stards.metadata.bounds", "Validation", "a metadata block lies inside the file"};
inline constexpr Rule metadata_in_header{"stards.metadata.in_header", "Data section", "a metadata block begins behind the header section"};
inline constexpr Rule metadata_overlap{"stards.metadata.overlap", "Data section", "a metadata block shares no bytes with an array or another block"};
inline constexpr Rule metadata_missing{"stards.metadata.missing", "3. Layer metadata registry", "a layer with metadata keys has a metadata block"};
inline constexpr Rule metadata_bomb{"stards.metadata.bomb", "Compression types", "the codec can make the stated size of a metadata block out of its stored one"};
inline constexpr Rule metadata_gzip{"stards.metadata.gzip", "Compression types", "a GZIP metadata block is one whole zlib or gzip stream"};
inline constexpr Rule metadata_lz4{"stards.metadata.lz4", "Compression types", "an LZ4 metadata block is its size and one whole raw LZ4 block of that size"};
inline constexpr Rule metadata_magic{"stards.metadata.magic", "Data section", "a metadata block begins with STARMETA"};
inline constexpr Rule metadata_version{"stards.metadata.version", "Data section", "the version of a metadata block is 1"};
inline constexpr Rule metadata_layer_name{"stards.metadata.layer_name", "3. Layer metadata registry", "a metadata block repeats the name of its layer"};
inline constexpr Rule metadata_key_index{"stards.metadata.key_index", "Validation", "the key of a metadata value is a key of the registry"};
inline constexpr Rule metadata_duplicate{"stards.metadata.duplicate", "3. Layer metadata registry", "a metadata block holds a key once"};
inline constexpr Rule metadata_keys{"stards.metadata.keys", "3. Layer metadata registry", "a metadata block holds the keys that the registry lists for its layer"};
inline constexpr Rule metadata_shape_overflow{"stards.metadata.shape_overflow", "Uncompressed data", "the byte size of a metadata value fits 64 bits, a zero dimension left aside"};
inline constexpr Rule metadata_truncated{"stards.metadata.truncated", "Data section", "every metadata value lies inside its block"};
inline constexpr Rule metadata_string{"stards.metadata.string", "Data types", "the lengths of a string value fit its bytes and its shape"};
inline constexpr Rule metadata_string_utf8{"stards.metadata.string_utf8", "Endianness and encoding", "a string is valid UTF-8"};
inline constexpr Rule metadata_trailing{"stards.metadata.trailing", "Data section", "a metadata block ends with its last value"};
inline constexpr Rule metadata_gzip_wrapper{"stards.metadata.gzip_wrapper", "Compression types", "a GZIP metadata block is a zlib stream, which every known reader takes", Severity::warning};
inline constexpr Rule metadata_trailing_input{"stards.metadata.trailing_input", "Compression types", "no bytes follow the stream of a GZIP metadata block", Severity::warning};

// What a reader may not know. That part is refused, and nothing says that it is broken.
inline constexpr Rule unsupported_dtype{"stards.unsupported.dtype", "Data types", "the data type of an array is listed", Severity::unsupported};
inline constexpr Rule unsupported_compression{"stards.unsupported.compression", "Compression types", "the compression of an array is listed and not reserved", Severity::unsupported};
inline constexpr Rule unsupported_meta_compression{"stards.unsupported.meta_compression", "Compression types", "the compression of a metadata block is NONE, GZIP or LZ4", Severity::unsupported};
inline constexpr Rule unsupported_meta_dtype{"stards.unsupported.meta_dtype", "Data types", "the data type of a metadata value is listed", Severity::unsupported};

/// All of them, in the order above.
inline constexpr std::array all = {
    &file_empty, &file_magic, &file_version, &file_header_size_small, &file_header_size_file,
    &file_header_size_mismatch, &file_key_count, &file_key_utf8, &file_key_duplicate, &file_layer_count,
    &file_layer_utf8, &file_layer_base, &file_layer_duplicate, &file_meta_key_index, &file_meta_key_duplicate,
    &file_bitmap, &file_entry_count, &file_ndim, &file_num_blocks, &file_entry_key_index, &file_entry_duplicate,
    &file_hash, &file_unused_key, &file_meta_key_order, &file_presence_past_end, &file_gap, &file_trailing_file,
    &array_stored_flag, &array_bounds, &array_in_header, &array_overlap, &array_shape_overflow, &array_block_bounds,
    &array_block_overlap, &array_stored_sum, &array_raw_sum, &array_none_size, &array_bomb, &array_gzip, &array_lz4,
    &array_block_len, &array_string, &array_string_utf8, &array_block_size, &array_gzip_wrapper,
    &array_trailing_input, &array_shuffle_string,
    &metadata_bounds, &metadata_in_header, &metadata_overlap, &metadata_missing, &metadata_bomb, &metadata_gzip,
    &metadata_lz4, &metadata_magic, &metadata_version, &metadata_layer_name, &metadata_key_index,
    &metadata_duplicate, &metadata_keys, &metadata_shape_overflow, &metadata_truncated, &metadata_string,
    &metadata_string_utf8, &metadata_trailing, &metadata_gzip_wrapper, &metadata_trailing_input,
    &unsupported_dtype, &unsupported_compression, &unsupported_meta_compression, &unsupported_meta_dtype,
};
// clang-format on

}  // namespace sillar::stards::rules
