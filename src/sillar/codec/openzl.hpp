// OpenZL frames: what a frame says of itself, decoding, and encoding by standard graphs.
#pragma once

#include <sillar/base/error.hpp>

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sillar::codec::openzl {

/// What a frame's outputs are to OpenZL. The stored bytes of numeric, structured and serial ones
/// are the same on a little-endian host.
enum class OutputType { serial, structure, numeric, string };

[[nodiscard]] std::string_view name_of(OutputType type);

/// What the header of a frame states, unproved.
struct FrameInfo {
  unsigned format_version = 0;
  std::uint64_t outputs = 0;
  OutputType type = OutputType::serial;  ///< of the first output
  std::uint64_t decoded_size = 0;        ///< bytes of the first output

  friend bool operator==(const FrameInfo&, const FrameInfo&) = default;
};

/// Reads the header of `frame`. Fails with codec (no OpenZL frame) or unsupported (a format version
/// that this build does not know).
[[nodiscard]] Result<FrameInfo> inspect(std::span<const std::byte> frame);

struct DecodeOptions {
  bool verify = true;  ///< check the frame's own checksums, where it has some
  bool native = true;  ///< plain graphs without OpenZL; off only to compare the two
};

/// Samples of a frame whose one output is `frame_height` rows of `frame_width` samples, one row
/// after the other, and which of them are wanted.
struct Rectangle {
  std::size_t sample_width = 1;  ///< bytes
  std::size_t frame_width = 0;   ///< the rest in samples
  std::size_t frame_height = 0;
  std::size_t row = 0;  ///< the first wanted one
  std::size_t rows = 0;
  std::size_t column = 0;  ///< the first wanted one
  std::size_t columns = 0;
};

/// Where rows go: the first sample of the first one, and from each row to the next. Nothing needs
/// to be aligned.
struct RowTarget {
  std::byte* data = nullptr;
  std::ptrdiff_t stride = 0;  ///< bytes, also negative; rows must not overlap
};

/// Decodes frames; reuses its memory from frame to frame. One thread at a time.
class Decoder {
 public:
  Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  virtual ~Decoder() = default;

  /// Decodes the one output of a whole frame into `out`, which has exactly its size and is aligned
  /// to 8 bytes. Fails with codec (damaged, or of another size), checksum, or unsupported (a codec
  /// that is not registered here, named). What a frame may allocate on the way follows from the
  /// size of `out`, not from the frame. On failure the content of `out` is unspecified.
  [[nodiscard]] virtual Result<> decode(std::span<const std::byte> frame, std::span<std::byte> out,
                                        const DecodeOptions& options) = 0;

  /// Decodes the wanted samples of a frame straight into rows; bytes between the rows are left
  /// alone. True when they are there. False when this is not a frame for it, and then only this is
  /// known: `decode` decodes it or tells what is wrong with it, and what stood in the rows may be
  /// lost. That is so for frames of many graphs, of another size than `wanted` says, and with any
  /// damage. Only plain frames that were verified, where `options` ask for it, give true.
  ///
  /// Without verification rows below the wanted ones are not restored. Keeps memory of at most the
  /// frame's decoded size; it allocates nothing that the size which `wanted` states does not cover.
  /// Fails with bad_argument where the rectangle does not lie in its frame.
  [[nodiscard]] virtual Result<bool> decode_rectangle(std::span<const std::byte> frame,
                                                      const Rectangle& wanted,
                                                      const RowTarget& target,
                                                      const DecodeOptions& options) = 0;
};

/// A step of a compression graph: each takes one stream and gives one.
enum class Step : std::uint8_t {
  delta,   ///< differences of neighbours, along the whole stream
  zigzag,  ///< signed to unsigned, small magnitudes first
};

/// What a graph ends in.
enum class Sink : std::uint8_t {
  store,              ///< the bytes as they are
  constant,           ///< one value, repeated
  zstd,               ///< zstd over the bytes
  entropy,            ///< entropy coding of 1- or 2-byte symbols
  transpose_zstd,     ///< byte planes, each by zstd
  transpose_entropy,  ///< byte planes, each entropy coded
  field_lz,           ///< LZ over whole elements
};

/// How hard and for what zstd searches; 0 leaves a choice to its level.
struct Zstd {
  int level = 0;
  int min_match = 0;      ///< bytes that a repeat needs
  int target_length = 0;  ///< the larger, the more is skipped where nothing repeats

  friend auto operator<=>(const Zstd&, const Zstd&) = default;
};

/// For differences of neighbours, whose short repeats are chance: they are left to the entropy
/// coder. Faster both ways than any level of zstd; on optical scenes smaller too, on fields of
/// floating-point numbers about one percent larger.
inline constexpr Zstd zstd_for_differences{.level = 1, .min_match = 7, .target_length = 4};

/// A compression graph of standard nodes: any OpenZL decoder reads what it makes.
struct Graph {
  std::array<Step, 2> steps{};
  std::uint8_t step_count = 0;
  Sink sink = Sink::store;
  Zstd zstd{};  ///< where the sink has some

  friend bool operator==(const Graph&, const Graph&) = default;

  /// "delta>zigzag>transpose>zstd-1"; the other numbers of zstd follow, "zstd-1:7:16".
  [[nodiscard]] std::string name() const;
};

struct EncodeOptions {
  unsigned format_version = 24;  ///< the newest that readers of OpenZL 0.2 know
  bool checksums = true;         ///< of the content and of the compressed bytes
};

/// Encodes frames with one numeric output. One thread at a time; the same input and graph give the
/// same bytes on every thread and machine.
class Encoder {
 public:
  Encoder() = default;
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  virtual ~Encoder() = default;

  /// Replaces the content of `frame` with `samples` compressed by `graph`. `samples` holds whole
  /// words of `width` bytes (1, 2, 4, 8), aligned to them. A frame that would grow is stored. Fails
  /// with bad_argument where the graph cannot take the input (a constant graph on other data), or
  /// codec.
  [[nodiscard]] virtual Result<> encode(const Graph& graph, std::span<const std::byte> samples,
                                        std::size_t width, std::vector<std::byte>& frame) = 0;
};

[[nodiscard]] std::unique_ptr<Decoder> make_decoder();
[[nodiscard]] std::unique_ptr<Encoder> make_encoder(const EncodeOptions& options = {});

/// The build of OpenZL that runs here: "0.3.0 (x86-64-v3)".
[[nodiscard]] std::string description();

/// The name of a custom codec that is known by number but not built in, such as GeoZL's; empty
/// where nothing is known of it.
[[nodiscard]] std::string_view custom_codec_name(std::uint32_t id);

}  // namespace sillar::codec::openzl
