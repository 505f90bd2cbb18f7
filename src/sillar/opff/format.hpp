// The header, the depth codes and the layouts of OPFF 1.0: what the bytes are.
#pragma once

#include <sillar/opff/rules.hpp>
#include <sillar/tensor/dtype.hpp>
#include <sillar/wire/record.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

namespace sillar::opff {

inline constexpr std::string_view specification_version = "1.0";

/// How the channels of a frame lie (bit 7 of `config`).
enum class Layout : std::uint8_t {
  interleaved,  ///< (frame, y, x, channel)
  planar,       ///< (frame, channel, y, x)
};

[[nodiscard]] constexpr std::string_view name_of(Layout layout) {
  return layout == Layout::planar ? "planar" : "interleaved";
}

inline constexpr std::uint8_t planar_bit = 0x80;
inline constexpr std::uint8_t most_channels = 0x7F;  ///< also the bits of `config` that count them
inline constexpr std::uint8_t most_frames = 0xFF;
inline constexpr std::uint16_t most_extent = 0xFFFF;

inline constexpr char core_letter = 'F';     ///< nothing is known of a footer
inline constexpr char sandbox_letter = 'X';  ///< unformalized, for local tests

[[nodiscard]] constexpr bool is_letter(std::uint8_t byte) { return byte >= 'A' && byte <= 'Z'; }

// clang-format off

/// What the depth byte says of one sample ("Hardware Routing & Data Types").
struct Depth {
  std::uint8_t code;
  std::string_view name;
  std::uint8_t size;  ///< bytes of one sample; 0 where eight share a byte
  DType dtype;        ///< what samples are handed out as: the flavour of an fp8 is not stored
};

/// The nine codes.
inline constexpr std::array depth_table = {
    Depth{0x00, "bit", 0, DType::boolean},
    Depth{0x01, "u8",  1, DType::u8},
    Depth{0x02, "u16", 2, DType::u16},
    Depth{0x04, "u32", 4, DType::u32},
    Depth{0x08, "u64", 8, DType::u64},
    Depth{0x10, "fp8", 1, DType::u8},
    Depth{0x20, "f16", 2, DType::f16},
    Depth{0x40, "f32", 4, DType::f32},
    Depth{0x80, "f64", 8, DType::f64},
};

// clang-format on

/// The listed depth, or null.
[[nodiscard]] constexpr const Depth* find_depth(std::uint64_t code) {
  for (const Depth& depth : depth_table) {
    if (depth.code == code) return &depth;
  }
  return nullptr;
}

/// The depth of that name ("bit", "u8", ...), or null.
[[nodiscard]] constexpr const Depth* find_depth(std::string_view name) {
  for (const Depth& depth : depth_table) {
    if (depth.name == name) return &depth;
  }
  return nullptr;
}

/// The depth that samples of this dtype are stored with, or null: signed integers, bfloat16,
/// complex numbers and booleans have none of their own. The two floats of 8 bits that hardware
/// agrees on are fp8.
[[nodiscard]] constexpr const Depth* natural_depth(DType dtype) {
  if (dtype == DType::boolean) return nullptr;
  if (dtype == DType::f8_e4m3fn || dtype == DType::f8_e5m2) return find_depth(0x10);
  for (const Depth& depth : depth_table) {
    if (depth.dtype == dtype) return &depth;
  }
  return nullptr;
}
static_assert(natural_depth(DType::u8)->code == 0x01);

struct IsKnownMagic {
  constexpr bool operator()(const std::array<std::uint8_t, 4>& magic) const {
    return magic[0] == 'O' && magic[1] == 'P' && magic[2] == 'F' && is_letter(magic[3]);
  }
  [[nodiscard]] std::string expected() const { return "OPF and a letter A to Z"; }
};

struct IsSingleBit {
  constexpr bool operator()(std::uint8_t depth) const { return std::popcount(depth) <= 1; }
  [[nodiscard]] std::string expected() const { return "0 or a single bit"; }
};

struct HasChannels {
  constexpr bool operator()(std::uint8_t config) const { return (config & most_channels) != 0; }
  [[nodiscard]] std::string expected() const { return "1 to 127 channels in the lower 7 bits"; }
};

// clang-format off

/// The fixed header, bytes 0x00-0x3F ("The Header & Cache Alignment").
struct Header {
  std::array<std::uint8_t, 4> magic{'O', 'P', 'F', core_letter};
  std::uint8_t version = 1;
  std::uint8_t depth = 0x01;
  std::uint8_t config = 1;
  std::uint8_t frames = 1;
  std::uint32_t start_id = 0;
  std::uint16_t width = 1;
  std::uint16_t height = 1;
  std::array<std::uint8_t, 48> reserved{};

  static constexpr auto layout = std::tuple{
      wire::field<&Header::magic>   (0x00, "magic",    IsKnownMagic{}, &rules::magic),
      wire::field<&Header::version> (0x04, "version",  wire::exactly<std::uint8_t>(1), &rules::version),
      wire::field<&Header::depth>   (0x05, "depth",    IsSingleBit{}, &rules::depth),
      wire::field<&Header::config>  (0x06, "config",   HasChannels{}, &rules::channels),
      wire::field<&Header::frames>  (0x07, "frames",   wire::nonzero, &rules::zero_dimension),
      wire::field<&Header::start_id>(0x08, "start_id"),
      wire::field<&Header::width>   (0x0C, "width",    wire::nonzero, &rules::zero_dimension),
      wire::field<&Header::height>  (0x0E, "height",   wire::nonzero, &rules::zero_dimension),
      wire::field<&Header::reserved>(0x10, "reserved", wire::exactly(std::array<std::uint8_t, 48>{}), &rules::reserved),
  };

  [[nodiscard]] constexpr char letter() const { return static_cast<char>(magic[3]); }

  friend bool operator==(const Header&, const Header&) = default;
};
static_assert(wire::size<Header>() == 64);  // the offsets add up, without a gap

/// The head of the footer that this library may write: then the text, then the end of the file.
struct FooterHead {
  std::array<std::uint8_t, 8> magic{'s', 'i', 'l', 'l', 'a', 'r', '\r', '\n'};
  std::uint32_t version = 1;
  std::uint32_t length = 0;  ///< bytes of the text

  static constexpr auto layout = std::tuple{
      wire::field<&FooterHead::magic>  ( 0, "magic",   wire::exactly(std::array<std::uint8_t, 8>{'s', 'i', 'l', 'l', 'a', 'r', '\r', '\n'}), &rules::footer_magic),
      wire::field<&FooterHead::version>( 8, "version", wire::exactly<std::uint32_t>(1), &rules::footer_version),
      wire::field<&FooterHead::length> (12, "length"),
  };
};
static_assert(wire::size<FooterHead>() == 16);

// clang-format on

inline constexpr std::uint64_t header_size = wire::size<Header>();

/// Which bit of a packed byte is the first pixel. The format does not say; most significant first
/// is what PBM, PNG and TIFF do.
enum class BitOrder : std::uint8_t { msb_first, lsb_first };

}  // namespace sillar::opff
