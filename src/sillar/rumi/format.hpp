// The records, enumerations and code tables of rumi 0.1.0: what the bytes are.
#pragma once

#include <sillar/rumi/rules.hpp>
#include <sillar/tensor/dtype.hpp>
#include <sillar/wire/record.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>

namespace sillar::rumi {

inline constexpr std::string_view specification_version = "0.1.0";

/// Bytes as the numbers that they are in the tables below.
template <std::size_t N>
[[nodiscard]] constexpr std::array<std::uint8_t, N - 1> bytes_of(const char (&text)[N]) {
  std::array<std::uint8_t, N - 1> bytes{};
  for (std::size_t i = 0; i + 1 < N; ++i) bytes[i] = static_cast<std::uint8_t>(text[i]);
  return bytes;
}

// clang-format off

/// The first bytes of a file ("File header").
struct FileHeader {
  std::array<std::uint8_t, 4> magic = bytes_of("RUMI");
  std::uint16_t version = 1;
  std::uint16_t reserved = 0;
  std::uint64_t ifd_offset = 16;

  static constexpr auto layout = std::tuple{
      wire::field<&FileHeader::magic>     (0, "magic",      wire::exactly(bytes_of("RUMI")), &rules::file_magic),
      wire::field<&FileHeader::version>   (4, "version",    wire::exactly<std::uint16_t>(1), &rules::file_version),
      wire::field<&FileHeader::reserved>  (6, "reserved",   wire::exactly<std::uint16_t>(0), &rules::file_reserved),
      wire::field<&FileHeader::ifd_offset>(8, "ifd_offset", wire::exactly<std::uint64_t>(16), &rules::file_ifd_offset),
  };
};
static_assert(wire::size<FileHeader>() == 16);

/// One entry of the IFD ("Fixed IFD"). The last eight bytes are the value, or its file offset.
struct IfdEntry {
  std::uint16_t tag = 0;
  std::uint16_t type = 0;
  std::uint64_t count = 0;
  std::array<std::uint8_t, 8> value{};

  static constexpr auto layout = std::tuple{
      wire::field<&IfdEntry::tag>  ( 0, "tag"),
      wire::field<&IfdEntry::type> ( 2, "type"),
      wire::field<&IfdEntry::count>( 4, "count"),
      wire::field<&IfdEntry::value>(12, "value or offset"),
  };
};
static_assert(wire::size<IfdEntry>() == 20);

/// The codes of value types, and their sizes.
enum class TagType : std::uint16_t { short_ = 3, long_ = 4, double_ = 12, long8 = 16 };

[[nodiscard]] constexpr std::uint64_t size_of(TagType type) {
  switch (type) {
    case TagType::short_: return 2;
    case TagType::long_:  return 4;
    case TagType::double_:
    case TagType::long8:  return 8;
  }
  return 0;
}

/// How many values a tag has: a fixed number, one a band, or one a frame.
enum class TagCount : std::uint8_t { fixed, bands, frames };

struct Tag {
  std::uint16_t number;
  std::string_view name;
  TagType type;
  TagCount counted;
  std::uint64_t count;  ///< where `counted` is fixed
};

/// The thirteen tags of every file, in the order of the file.
inline constexpr std::array tag_table = {
    Tag{  256, "ImageWidth",             TagType::long_,   TagCount::fixed,   1},
    Tag{  257, "ImageLength",            TagType::long_,   TagCount::fixed,   1},
    Tag{  258, "BitsPerSample",          TagType::short_,  TagCount::bands,   0},
    Tag{  277, "SamplesPerPixel",        TagType::short_,  TagCount::fixed,   1},
    Tag{  322, "TileWidth",              TagType::short_,  TagCount::fixed,   1},
    Tag{  323, "TileLength",             TagType::short_,  TagCount::fixed,   1},
    Tag{  324, "TileOffsets",            TagType::long8,   TagCount::frames,  0},
    Tag{  325, "TileByteCounts",         TagType::long_,   TagCount::frames,  0},
    Tag{  339, "SampleFormat",           TagType::short_,  TagCount::bands,   0},
    Tag{34264, "ModelTransformationTag", TagType::double_, TagCount::fixed,  16},
    Tag{34735, "GeoKeyDirectoryTag",     TagType::short_,  TagCount::fixed,  16},
    Tag{65000, "FrameUnit",              TagType::short_,  TagCount::fixed,   1},
    Tag{65001, "TimeCount",              TagType::long_,   TagCount::fixed,   1},
};

/// Where each tag stands in `tag_table`.
enum class TagIndex : std::uint8_t {
  image_width, image_length, bits_per_sample, samples_per_pixel, tile_width, tile_length, tile_offsets,
  tile_byte_counts, sample_format, model_transformation, geo_key_directory, frame_unit, time_count,
};

[[nodiscard]] constexpr const Tag& tag(TagIndex index) { return tag_table[static_cast<std::size_t>(index)]; }
static_assert(tag(TagIndex::time_count).number == 65001);

inline constexpr std::uint64_t ifd_offset = wire::size<FileHeader>();
inline constexpr std::uint64_t ifd_entries_offset = ifd_offset + 8;
inline constexpr std::uint64_t ifd_next_offset = ifd_entries_offset + wire::size<IfdEntry>() * tag_table.size();
inline constexpr std::uint64_t external_offset = ifd_next_offset + 8;  ///< where external values begin
inline constexpr std::uint64_t inline_size = 8;                        ///< values up to this size stand in the entry
static_assert(external_offset == 292);

/// Both georeferencing tags stand right before the first frame ("Undefined georeferencing").
inline constexpr std::uint64_t georeferencing_size = 128 + 32;

/// A pair of sample format and bits ("Sample encodings").
struct SampleEncoding {
  std::uint16_t sample_format;
  std::uint16_t bits_per_sample;
  std::uint8_t decoded_bytes;
  DType dtype;
  std::string_view name;  ///< NumPy's spelling, but "bool"
};

/// The only valid pairs.
inline constexpr std::array sample_encodings = {
    SampleEncoding{  1,   1,  1, DType::boolean,     "bool"},
    SampleEncoding{  1,   8,  1, DType::u8,          "uint8"},
    SampleEncoding{  1,  16,  2, DType::u16,         "uint16"},
    SampleEncoding{  1,  32,  4, DType::u32,         "uint32"},
    SampleEncoding{  1,  64,  8, DType::u64,         "uint64"},
    SampleEncoding{  2,   8,  1, DType::i8,          "int8"},
    SampleEncoding{  2,  16,  2, DType::i16,         "int16"},
    SampleEncoding{  2,  32,  4, DType::i32,         "int32"},
    SampleEncoding{  2,  64,  8, DType::i64,         "int64"},
    SampleEncoding{  3,  16,  2, DType::f16,         "float16"},
    SampleEncoding{  3,  32,  4, DType::f32,         "float32"},
    SampleEncoding{  3,  64,  8, DType::f64,         "float64"},
    SampleEncoding{  6,  32,  4, DType::c32,         "complex32"},
    SampleEncoding{  6,  64,  8, DType::c64,         "complex64"},
    SampleEncoding{  6, 128, 16, DType::c128,        "complex128"},
    SampleEncoding{100,   8,  1, DType::f8_e4m3fn,   "float8_e4m3fn"},
    SampleEncoding{101,   8,  1, DType::f8_e5m2,     "float8_e5m2"},
    SampleEncoding{102,  16,  2, DType::bf16,        "bfloat16"},
    SampleEncoding{103,   8,  1, DType::f8_e8m0fnu,  "float8_e8m0fnu"},
    SampleEncoding{107,   8,  1, DType::f8_e4m3fnuz, "float8_e4m3fnuz"},
    SampleEncoding{108,   8,  1, DType::f8_e5m2fnuz, "float8_e5m2fnuz"},
};

/// The listed pair, or null.
[[nodiscard]] constexpr const SampleEncoding* find_encoding(std::uint64_t sample_format, std::uint64_t bits_per_sample) {
  for (const SampleEncoding& encoding : sample_encodings) {
    if (encoding.sample_format == sample_format && encoding.bits_per_sample == bits_per_sample) return &encoding;
  }
  return nullptr;
}

/// The pair of a dtype: every dtype has exactly one.
[[nodiscard]] constexpr const SampleEncoding& encoding_of(DType dtype) {
  for (const SampleEncoding& encoding : sample_encodings) {
    if (encoding.dtype == dtype) return encoding;
  }
  return sample_encodings.front();
}
static_assert([] {
  for (const DTypeInfo& entry : dtype_table) {
    const SampleEncoding& encoding = encoding_of(entry.dtype);
    if (encoding.dtype != entry.dtype || encoding.decoded_bytes != entry.size || encoding.name != entry.name) return false;
  }
  return sample_encodings.size() == dtype_table.size();
}());

/// What a frame holds ("Frames").
enum class FrameKind : std::uint8_t { tile, cell };

/// Which of B and T a unit asks to exceed 1 ("frame_unit").
enum class UnitAxes : std::uint8_t { any, one, both };

/// A decoded layout of frames ("frame_unit"). `axes` names the axes of a decoded frame, outermost
/// first; "a" stands for the one of b and t that exceeds 1.
struct FrameUnit {
  std::uint8_t number;
  FrameKind kind;
  UnitAxes valid;
  bool time_outside;       ///< of tiles: the index walks t before b
  std::string_view axes;
};

inline constexpr std::array frame_units = {
    FrameUnit{0, FrameKind::tile, UnitAxes::any,  false, "hw"},
    FrameUnit{1, FrameKind::cell, UnitAxes::one,  false, "ahw"},
    FrameUnit{2, FrameKind::cell, UnitAxes::one,  false, "hwa"},
    FrameUnit{3, FrameKind::cell, UnitAxes::both, false, "bthw"},
    FrameUnit{4, FrameKind::cell, UnitAxes::both, false, "tbhw"},
    FrameUnit{5, FrameKind::cell, UnitAxes::both, false, "bhwt"},
    FrameUnit{6, FrameKind::cell, UnitAxes::both, false, "thwb"},
    FrameUnit{7, FrameKind::cell, UnitAxes::both, false, "hwbt"},
    FrameUnit{8, FrameKind::cell, UnitAxes::both, false, "hwtb"},
    FrameUnit{9, FrameKind::tile, UnitAxes::both, true,  "hw"},
};

/// The registered unit, or null.
[[nodiscard]] constexpr const FrameUnit* find_unit(std::uint64_t number) {
  return number < frame_units.size() ? &frame_units[static_cast<std::size_t>(number)] : nullptr;
}

/// The unit may be used with this many bands and times.
[[nodiscard]] constexpr bool is_valid_for(const FrameUnit& unit, std::uint64_t bands, std::uint64_t times) {
  switch (unit.valid) {
    case UnitAxes::any:  return true;
    case UnitAxes::one:  return (bands > 1) != (times > 1);
    case UnitAxes::both: return bands > 1 && times > 1;
  }
  return false;
}

/// The fixed part of a header blob ("Header fields").
struct HeaderBlobFields {
  std::array<std::uint8_t, 4> magic{0x4C, 0x4F, 0x56, 0x45};
  std::uint16_t version = 1;
  std::uint32_t image_width = 0;
  std::uint32_t image_length = 0;
  std::uint32_t time_count = 0;
  std::uint16_t tile_width = 0;
  std::uint16_t tile_length = 0;
  std::uint16_t samples_per_pixel = 0;
  std::uint8_t bits_per_sample = 0;
  std::uint8_t sample_format = 0;
  std::uint8_t frame_unit = 0;
  std::uint32_t count_min = 0;
  std::uint8_t count_bits = 0;

  static constexpr auto layout = std::tuple{
      wire::field<&HeaderBlobFields::magic>            ( 0, "magic",             wire::exactly(std::array<std::uint8_t, 4>{0x4C, 0x4F, 0x56, 0x45}), &rules::blob_magic),
      wire::field<&HeaderBlobFields::version>          ( 4, "version",           wire::exactly<std::uint16_t>(1), &rules::blob_version),
      wire::field<&HeaderBlobFields::image_width>      ( 6, "image_width",       wire::nonzero, &rules::blob_zero_dimension),
      wire::field<&HeaderBlobFields::image_length>     (10, "image_length",      wire::nonzero, &rules::blob_zero_dimension),
      wire::field<&HeaderBlobFields::time_count>       (14, "time_count",        wire::nonzero, &rules::blob_zero_dimension),
      wire::field<&HeaderBlobFields::tile_width>       (18, "tile_width",        wire::nonzero, &rules::blob_zero_dimension),
      wire::field<&HeaderBlobFields::tile_length>      (20, "tile_length",       wire::nonzero, &rules::blob_zero_dimension),
      wire::field<&HeaderBlobFields::samples_per_pixel>(22, "samples_per_pixel", wire::nonzero, &rules::blob_zero_dimension),
      wire::field<&HeaderBlobFields::bits_per_sample>  (24, "bits_per_sample"),
      wire::field<&HeaderBlobFields::sample_format>    (25, "sample_format"),
      wire::field<&HeaderBlobFields::frame_unit>       (26, "frame_unit"),
      wire::field<&HeaderBlobFields::count_min>        (27, "count_min",         wire::nonzero, &rules::blob_zero_count),
      wire::field<&HeaderBlobFields::count_bits>       (31, "count_bits",        wire::at_most<std::uint8_t>(32), &rules::blob_count_bits),
  };
};
static_assert(wire::size<HeaderBlobFields>() == 32);

/// The start of a trailer ("Magic and version").
struct TrailerHead {
  std::array<std::uint8_t, 4> magic = bytes_of("TAIL");
  std::uint16_t version = 1;

  static constexpr auto layout = std::tuple{
      wire::field<&TrailerHead::magic>  (0, "magic",   wire::exactly(bytes_of("TAIL")), &rules::trailer_magic),
      wire::field<&TrailerHead::version>(4, "version", wire::exactly<std::uint16_t>(1), &rules::trailer_version),
  };
};
static_assert(wire::size<TrailerHead>() == 6);

/// What the coordinates of a time step are ("time_type").
enum class TimeType : std::uint8_t { interval = 1, instant = 2 };

struct IsTimeType {
  constexpr bool operator()(std::uint8_t value) const { return value == 1 || value == 2; }
  [[nodiscard]] std::string expected() const { return "1 (interval) or 2 (instant)"; }
};

struct IsTimeScale {
  constexpr bool operator()(std::uint32_t value) const { return value == 1 || value == 86400; }
  [[nodiscard]] std::string expected() const { return "1 or 86400"; }
};

/// The time fields of a trailer ("Time coordinates").
struct TimeFields {
  std::uint8_t time_type = 2;
  std::uint8_t time_bits = 0;
  std::int64_t time_epoch = 0;
  std::int64_t time_step = 0;
  std::uint32_t time_scale = 1;

  static constexpr auto layout = std::tuple{
      wire::field<&TimeFields::time_type> ( 0, "time_type",  IsTimeType{}, &rules::trailer_time_type),
      wire::field<&TimeFields::time_bits> ( 1, "time_bits",  wire::at_most<std::uint8_t>(64), &rules::trailer_time_bits),
      wire::field<&TimeFields::time_epoch>( 2, "time_epoch"),
      wire::field<&TimeFields::time_step> (10, "time_step"),
      wire::field<&TimeFields::time_scale>(18, "time_scale", IsTimeScale{}, &rules::trailer_time_scale),
  };
};
static_assert(wire::size<TimeFields>() == 22);

/// The keys of the key directory ("GeoKeyDirectoryTag").
inline constexpr std::array<std::uint16_t, 4> geo_key_header = {1, 1, 0, 3};
inline constexpr std::uint16_t model_type_key = 1024;
inline constexpr std::uint16_t raster_type_key = 1025;
inline constexpr std::uint16_t geographic_type_key = 2048;
inline constexpr std::uint16_t projected_type_key = 3072;
inline constexpr std::uint16_t epsg_least = 1024;
inline constexpr std::uint16_t epsg_most = 32766;

/// GTModelTypeGeoKey.
enum class CrsModel : std::uint16_t { none = 0, projected = 1, geographic = 2 };

// clang-format on

}  // namespace sillar::rumi
