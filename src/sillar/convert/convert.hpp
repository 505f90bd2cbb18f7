// One file into another: the whole way, from two paths and a list of wishes.
#pragma once

#include <sillar/base/limits.hpp>
#include <sillar/convert/labels.hpp>
#include <sillar/convert/losses.hpp>
#include <sillar/convert/raster.hpp>
#include <sillar/convert/transfer.hpp>
#include <sillar/exec/pool.hpp>
#include <sillar/geo/crs.hpp>
#include <sillar/rumi/profile.hpp>
#include <sillar/rumi/selection.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sillar::convert {

/// The kinds of file on either side. `gdal` is whatever else GDAL reads.
enum class FileKind : std::uint8_t { rumi, npy, geotiff, gdal };

[[nodiscard]] std::string_view name_of(FileKind kind);

/// What a file of that name is to become: what its extension says, and without one another file of
/// the input's kind. Fails with bad_argument for another extension than .rumi, .tif, .tiff and
/// .npy.
[[nodiscard]] Result<FileKind> output_kind_of(std::string_view path, FileKind from);

struct TileSize {
  std::uint64_t rows = 256;
  std::uint64_t cols = 256;

  friend bool operator==(const TileSize&, const TileSize&) = default;
};

struct ConvertOptions {
  // How a rumi file is written; what is absent is as in a rumi source, else 256 x 256, unit 0.
  std::optional<TileSize> tile{};
  std::optional<unsigned> unit{};
  std::optional<rumi::Profile> profile{};
  std::string header_path{};  ///< where the header blob goes too, or ""

  // What is written.
  std::optional<rumi::Selection> selection{};
  std::optional<geo::Bounds> bounds{};  ///< a selection by world coordinates of the source
  std::optional<DType> dtype{};         ///< bool for uint8; any type for plain bytes of an npy file
  Assignments assign{};
  DropList drops{};

  bool overwrite = false;
  bool dry_run = false;  ///< all checks that need no sample, and nothing written
  bool verify = true;    ///< check the checksums of frames that are read
  const geo::CrsRegistry* registry = nullptr;  ///< null: PROJ's, else the built-in table
  exec::Pool* pool = nullptr;
  Limits limits{};
  io::ReadControl control{};
  Progress progress{};
};

/// What was done, or would be.
struct ConvertReport {
  FileKind from = FileKind::gdal;
  FileKind to = FileKind::rumi;
  RasterDescription raster;            ///< as it is written
  std::optional<rumi::Layout> layout;  ///< of a rumi output
  bool frames_copied = false;          ///< rumi to rumi, without decoding into samples
  std::vector<Extra> lost;             ///< by nature: worth a warning
  std::vector<Extra> dropped;          ///< on purpose
  std::vector<std::string> notes;      ///< whence times come, a deprecated CRS, ...
  std::vector<std::byte> header_blob;  ///< of a rumi output
};

/// Converts `input` to `output`. A rumi file becomes another with its frames as they are stored,
/// unless tiles, unit, profile, dtype or a selection ask for others. On any failure no file
/// appears. Fails with unsupported where something would be lost that was not dropped on purpose
/// (all of it is named, with the option), and as sources and targets do.
[[nodiscard]] Result<ConvertReport> convert(const std::string& input, const std::string& output,
                                            const ConvertOptions& options = {});

}  // namespace sillar::convert
