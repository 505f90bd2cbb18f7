// Every demand of the rumi specification 0.1.0 on a file, a header blob, a frame and a writer.
#pragma once

#include <sillar/base/rule.hpp>

#include <array>

namespace sillar::rumi::rules {

// clang-format off
// The file header and the extent of the file.
inline constexpr Rule file_truncated_header{"rumi.file.truncated_header", "File header", "a file holds at least its 16-byte header"};
inline constexpr Rule file_magic{"rumi.file.magic", "File header", "the first four bytes spell RUMI"};
inline constexpr Rule file_version{"rumi.file.version", "File header", "the file version is 1"};
inline constexpr Rule file_reserved{"rumi.file.reserved", "File header", "the reserved field is zero"};
inline constexpr Rule file_ifd_offset{"rumi.file.ifd_offset", "File header", "ifd_offset is 16"};
inline constexpr Rule file_frames_truncated{"rumi.file.frames_truncated", "File profile", "every frame lies inside the file"};

// The IFD and its values.
inline constexpr Rule ifd_truncated{"rumi.ifd.truncated", "Placement", "the whole IFD of 276 bytes lies inside the file"};
inline constexpr Rule ifd_entry_count{"rumi.ifd.entry_count", "Fixed IFD", "the IFD has exactly 13 entries"};
inline constexpr Rule ifd_tags{"rumi.ifd.tags", "Fixed IFD", "the IFD holds the 13 fixed tags, in rising order"};
inline constexpr Rule ifd_type{"rumi.ifd.type", "Fixed IFD", "every entry has the type code of its tag"};
inline constexpr Rule ifd_count{"rumi.ifd.count", "Fixed IFD", "every entry has as many values as its tag demands"};
inline constexpr Rule ifd_next{"rumi.ifd.next", "Fixed IFD", "the offset of the next IFD is zero"};
inline constexpr Rule ifd_inline_padding{"rumi.ifd.inline_padding", "Placement", "unused bytes of an inline value are zero"};
inline constexpr Rule ifd_external_offset{"rumi.ifd.external_offset", "Placement", "external values follow the IFD in rising tag order, without gaps"};
inline constexpr Rule ifd_external_truncated{"rumi.ifd.external_truncated", "Placement", "every external value lies inside the file"};
inline constexpr Rule ifd_zero_dimension{"rumi.ifd.zero_dimension", "Fixed IFD", "image, tile, band and time dimensions are more than zero"};
inline constexpr Rule ifd_sample_mixed{"rumi.ifd.sample_mixed", "Fixed IFD", "BitsPerSample and SampleFormat repeat one pair for every band"};
inline constexpr Rule ifd_sample_pair{"rumi.ifd.sample_pair", "Sample encodings", "the pair of sample format and bits is listed"};
inline constexpr Rule ifd_frame_unit{"rumi.ifd.frame_unit", "Validating frame_unit", "FrameUnit is registered"};
inline constexpr Rule ifd_frame_unit_axes{"rumi.ifd.frame_unit_axes", "Validating frame_unit", "FrameUnit is valid for this number of bands and times"};
inline constexpr Rule ifd_frame_count{"rumi.ifd.frame_count", "Validating frame_unit", "TileOffsets and TileByteCounts have one entry for each frame"};
inline constexpr Rule ifd_zero_byte_count{"rumi.ifd.zero_byte_count", "File profile", "every frame byte count is more than zero"};
inline constexpr Rule ifd_base_offset{"rumi.ifd.base_offset", "Deriving base_frame_offset", "the first frame begins right behind the last external value"};
inline constexpr Rule ifd_frame_offsets{"rumi.ifd.frame_offsets", "Frame order", "TileOffsets are those of one contiguous run in frame order"};
inline constexpr Rule ifd_offset_overflow{"rumi.ifd.offset_overflow", "Offset reconstruction", "every frame offset fits 64 bits"};

// Georeferencing.
inline constexpr Rule geo_key_header{"rumi.geo.key_header", "GeoKeyDirectoryTag", "the header of the key directory is (1, 1, 0, 3)"};
inline constexpr Rule geo_key_form{"rumi.geo.key_form", "GeoKeyDirectoryTag", "every key is stored as (key, 0, 1, value)"};
inline constexpr Rule geo_key_order{"rumi.geo.key_order", "GeoKeyDirectoryTag", "the keys are 1024, 1025, then 2048 or 3072"};
inline constexpr Rule geo_model_type{"rumi.geo.model_type", "GeoKeyDirectoryTag", "GTModelTypeGeoKey is 0, 1 or 2"};
inline constexpr Rule geo_raster_type{"rumi.geo.raster_type", "GeoKeyDirectoryTag", "GTRasterTypeGeoKey is 1 or 2"};
inline constexpr Rule geo_key_model_mismatch{"rumi.geo.key_model_mismatch", "GeoKeyDirectoryTag", "key 3072 goes with a projected model, key 2048 with a geographic or undefined one"};
inline constexpr Rule geo_epsg_range{"rumi.geo.epsg_range", "GeoKeyDirectoryTag", "an EPSG code lies between 1024 and 32766"};
inline constexpr Rule geo_undefined_code{"rumi.geo.undefined_code", "Undefined georeferencing", "the CRS key of an undefined georeference is zero"};
inline constexpr Rule geo_matrix_row3{"rumi.geo.matrix_row3", "ModelTransformationTag", "the third row of the matrix is zero"};
inline constexpr Rule geo_matrix_form{"rumi.geo.matrix_form", "ModelTransformationTag", "the third column of the matrix is zero and its fourth row is 0 0 0 1"};
inline constexpr Rule geo_undefined_matrix{"rumi.geo.undefined_matrix", "Undefined georeferencing", "an undefined georeference carries the fixed matrix", Severity::warning};
inline constexpr Rule geo_epsg_registry{"rumi.geo.epsg_registry", "GeoKeyDirectoryTag", "the EPSG registry defines the code, as a CRS of the stored model type", Severity::warning};
inline constexpr Rule geo_affine_singular{"rumi.geo.affine_singular", "ModelTransformationTag", "the affine is finite and can be inverted, so that world coordinates lead back to pixels", Severity::warning};

// The trailer.
inline constexpr Rule trailer_missing{"rumi.trailer.missing", "Trailer", "a trailer begins right behind the last frame"};
inline constexpr Rule trailer_truncated{"rumi.trailer.truncated", "Trailer", "the trailer holds all of its fields"};
inline constexpr Rule trailer_magic{"rumi.trailer.magic", "Magic and version", "the trailer begins with TAIL"};
inline constexpr Rule trailer_version{"rumi.trailer.version", "Magic and version", "the trailer version is 1"};
inline constexpr Rule trailer_size{"rumi.trailer.size", "Trailer", "the file ends right behind the trailer"};
inline constexpr Rule trailer_text_empty{"rumi.trailer.text_empty", "Band descriptions", "a band text has at least one byte"};
inline constexpr Rule trailer_text_utf8{"rumi.trailer.text_utf8", "Band descriptions", "a band text is valid UTF-8"};
inline constexpr Rule trailer_text_nul{"rumi.trailer.text_nul", "Band descriptions", "a band text has no zero byte"};
inline constexpr Rule trailer_text_duplicate{"rumi.trailer.text_duplicate", "Band descriptions", "no two band texts are equal"};
inline constexpr Rule trailer_time_type{"rumi.trailer.time_type", "time_type", "time_type is 1 or 2"};
inline constexpr Rule trailer_time_bits{"rumi.trailer.time_bits", "time_bits", "time_bits lies between 0 and 64"};
inline constexpr Rule trailer_time_scale{"rumi.trailer.time_scale", "time_epoch, time_step and time_scale", "time_scale is 1 or 86400"};
inline constexpr Rule trailer_time_pad_bits{"rumi.trailer.time_pad_bits", "Bit-packed arrays", "unused bits behind the last residual are zero"};
inline constexpr Rule trailer_time_epoch{"rumi.trailer.time_epoch", "time_epoch, time_step and time_scale", "time_epoch is the first coordinate"};
inline constexpr Rule trailer_time_range{"rumi.trailer.time_range", "Encoding", "every coordinate fits a signed 64-bit integer"};
inline constexpr Rule trailer_time_step{"rumi.trailer.time_step", "time_epoch, time_step and time_scale", "time_step is the rounded slope between the first and last coordinate"};
inline constexpr Rule trailer_time_bits_minimal{"rumi.trailer.time_bits_minimal", "Encoding", "time_bits is the least width that holds every residual"};
inline constexpr Rule trailer_time_scale_canonical{"rumi.trailer.time_scale_canonical", "time_epoch, time_step and time_scale", "time_scale is 86400 where every coordinate is a whole day"};
inline constexpr Rule trailer_time_order{"rumi.trailer.time_order", "time_type", "instants never decrease"};
inline constexpr Rule trailer_time_interval{"rumi.trailer.time_interval", "time_type", "an interval ends after its start"};
inline constexpr Rule trailer_time_overlap{"rumi.trailer.time_overlap", "time_type", "an interval starts no earlier than the one before it ends"};

// Frames.
inline constexpr Rule frame_decode{"rumi.frame.decode", "Frames", "a frame is one whole OpenZL frame that decodes"};
inline constexpr Rule frame_outputs{"rumi.frame.outputs", "Frames", "a frame has exactly one output"};
inline constexpr Rule frame_size{"rumi.frame.size", "Sample encodings", "a frame decodes to the size that its place demands"};
inline constexpr Rule frame_boolean{"rumi.frame.boolean", "Sample encodings", "a boolean sample is 0 or 1"};
inline constexpr Rule frame_codec{"rumi.frame.codec", "Frames", "the codecs of a frame are known to the reader", Severity::unsupported};

// The header blob.
inline constexpr Rule blob_truncated{"rumi.blob.truncated", "Header fields", "a header blob holds at least its 32-byte header"};
inline constexpr Rule blob_magic{"rumi.blob.magic", "magic", "a header blob begins with 4C 4F 56 45"};
inline constexpr Rule blob_version{"rumi.blob.version", "version", "the version of a header blob is 1"};
inline constexpr Rule blob_zero_dimension{"rumi.blob.zero_dimension", "image_width, image_length and time_count", "image, tile, band and time dimensions are more than zero"};
inline constexpr Rule blob_sample_pair{"rumi.blob.sample_pair", "bits_per_sample and sample_format", "the pair of sample format and bits is listed"};
inline constexpr Rule blob_frame_unit{"rumi.blob.frame_unit", "frame_unit", "frame_unit is registered"};
inline constexpr Rule blob_frame_unit_axes{"rumi.blob.frame_unit_axes", "frame_unit", "frame_unit is valid for this number of bands and times"};
inline constexpr Rule blob_count_bits{"rumi.blob.count_bits", "count_min and count_bits", "count_bits lies between 0 and 32"};
inline constexpr Rule blob_size{"rumi.blob.size", "Header blob", "a header blob is exactly as long as its packed counts demand"};
inline constexpr Rule blob_pad_bits{"rumi.blob.pad_bits", "Bit-packed arrays", "unused bits behind the last count are zero"};
inline constexpr Rule blob_zero_count{"rumi.blob.zero_count", "Frame byte counts", "every frame byte count is more than zero"};
inline constexpr Rule blob_count_range{"rumi.blob.count_range", "Decoding", "every frame byte count fits 32 bits"};
inline constexpr Rule blob_count_min{"rumi.blob.count_min", "Encoding", "count_min is the least frame byte count"};
inline constexpr Rule blob_count_bits_minimal{"rumi.blob.count_bits_minimal", "Encoding", "count_bits is the least width that holds every residual"};
inline constexpr Rule blob_offset_overflow{"rumi.blob.offset_overflow", "Offset reconstruction", "every frame offset fits 64 bits"};
inline constexpr Rule pair_mismatch{"rumi.pair.mismatch", "Creating the header blob", "every value that the header blob repeats is that of the file"};

// What only a writer can break.
inline constexpr Rule write_crs{"rumi.write.crs", "GeoKeyDirectoryTag", "the kind of a CRS comes from the EPSG registry and is projected or geographic"};
inline constexpr Rule write_affine{"rumi.write.affine", "ModelTransformationTag", "an affine that is written is finite and can be inverted"};
inline constexpr Rule write_transform_without_crs{"rumi.write.transform_without_crs", "Undefined georeferencing", "a raster without CRS has no transform of its own"};
inline constexpr Rule write_time_axis{"rumi.write.time_axis", "Encoding", "the slope and residuals of the times fit signed 64-bit integers"};
inline constexpr Rule write_frame_count{"rumi.write.frame_count", "File profile", "every frame is given exactly once"};
inline constexpr Rule write_byte_count{"rumi.write.byte_count", "Decoding", "a compressed frame is no larger than 32 bits can count"};

/// All of them, in the order above.
inline constexpr std::array all = {
    &file_truncated_header, &file_magic, &file_version, &file_reserved, &file_ifd_offset, &file_frames_truncated,
    &ifd_truncated, &ifd_entry_count, &ifd_tags, &ifd_type, &ifd_count, &ifd_next, &ifd_inline_padding,
    &ifd_external_offset, &ifd_external_truncated, &ifd_zero_dimension, &ifd_sample_mixed, &ifd_sample_pair,
    &ifd_frame_unit, &ifd_frame_unit_axes, &ifd_frame_count, &ifd_zero_byte_count, &ifd_base_offset,
    &ifd_frame_offsets, &ifd_offset_overflow,
    &geo_key_header, &geo_key_form, &geo_key_order, &geo_model_type, &geo_raster_type, &geo_key_model_mismatch,
    &geo_epsg_range, &geo_undefined_code, &geo_matrix_row3, &geo_matrix_form, &geo_undefined_matrix,
    &geo_epsg_registry, &geo_affine_singular,
    &trailer_missing, &trailer_truncated, &trailer_magic, &trailer_version, &trailer_size, &trailer_text_empty,
    &trailer_text_utf8, &trailer_text_nul, &trailer_text_duplicate, &trailer_time_type, &trailer_time_bits,
    &trailer_time_scale, &trailer_time_pad_bits, &trailer_time_epoch, &trailer_time_range, &trailer_time_step,
    &trailer_time_bits_minimal, &trailer_time_scale_canonical, &trailer_time_order, &trailer_time_interval,
    &trailer_time_overlap,
    &frame_decode, &frame_outputs, &frame_size, &frame_boolean, &frame_codec,
    &blob_truncated, &blob_magic, &blob_version, &blob_zero_dimension, &blob_sample_pair, &blob_frame_unit,
    &blob_frame_unit_axes, &blob_count_bits, &blob_size, &blob_pad_bits, &blob_zero_count, &blob_count_range,
    &blob_count_min, &blob_count_bits_minimal, &blob_offset_overflow, &pair_mismatch,
    &write_crs, &write_affine, &write_transform_without_crs, &write_time_axis, &write_frame_count, &write_byte_count,
};
// clang-format on

}  // namespace sillar::rumi::rules
