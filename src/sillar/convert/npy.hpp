// NumPy's .npy files: the header, a source and a target.
#pragma once

#include <sillar/base/limits.hpp>
#include <sillar/convert/raster.hpp>
#include <sillar/io/byte_source.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sillar::convert {

/// What the header of a .npy file says.
struct NpyHeader {
  /// Of the elements; nothing for `V1`, `V2`, ...: plain bytes, as NumPy stores types that it does
  /// not know (bfloat16, float8).
  std::optional<DType> dtype;
  std::uint64_t item_size = 0;
  bool swapped = false;  ///< not in this machine's byte order
  bool fortran_order = false;
  Shape shape;
  std::uint64_t data_offset = 0;

  friend bool operator==(const NpyHeader&, const NpyHeader&) = default;
};

/// The file begins as .npy files do.
[[nodiscard]] bool is_npy(std::span<const std::byte> bytes);

/// Parses versions 1, 2 and 3. `bytes` is the start of the file, the whole header at least. Fails
/// with malformed, truncated, or unsupported (structured, object, text and date types, by name).
[[nodiscard]] Result<NpyHeader> parse_npy_header(std::span<const std::byte> bytes);

/// The header of a C-ordered little-endian array, padded so that the samples begin at a multiple of
/// 64. Types that NumPy does not know are written as plain bytes ("<V2").
[[nodiscard]] std::vector<std::byte> make_npy_header(DType dtype, const Shape& shape);

struct NpyOptions {
  std::optional<DType> dtype{};  ///< what plain bytes are, or bool for uint8
  Limits limits{};
};

/// An array (y, x), (b, y, x) or (t, b, y, x), read piece by piece. Fails with bad_argument
/// (another number of axes, an axis of zero, a dtype of another size), truncated, malformed (bytes
/// behind the samples), or as the parser does.
[[nodiscard]] Result<std::unique_ptr<RasterSource>> open_npy(
    std::shared_ptr<const io::ByteSource> source, const NpyOptions& options = {});

/// A file (t, b, y, x) in C order. Fails as `io::PendingFile::create` does.
[[nodiscard]] Result<std::unique_ptr<RasterTarget>> create_npy(const std::string& path,
                                                               const RasterDescription& raster,
                                                               bool overwrite);

}  // namespace sillar::convert
