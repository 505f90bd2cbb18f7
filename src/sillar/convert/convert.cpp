// source -> bool? -> fold? -> select? -> assign, judge losses -> target
#include <sillar/convert/convert.hpp>

#include <sillar/convert/as_boolean.hpp>
#include <sillar/convert/gdal_raster.hpp>
#include <sillar/convert/npy.hpp>
#include <sillar/convert/rumi_raster.hpp>
#include <sillar/convert/selected.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <sys/stat.h>
#include <utility>

namespace sillar::convert {
namespace {

/// An opened source; the file where it is one of rumi.
struct Opened {
  FileKind kind = FileKind::gdal;
  std::unique_ptr<RasterSource> source;
  std::optional<rumi::File> file;
};

[[nodiscard]] bool is_rumi(std::span<const std::byte> first) {
  const rumi::FileHeader expected;
  if (first.size() < expected.magic.size()) return false;
  for (std::size_t i = 0; i < expected.magic.size(); ++i) {
    if (std::to_integer<std::uint8_t>(first[i]) != expected.magic[i]) return false;
  }
  return true;
}

/// Where the path cannot be read as plain bytes it is one of GDAL's, unless its name says
/// otherwise.
[[nodiscard]] Result<Opened> open_source(const std::string& path, const ConvertOptions& options) {
  Opened opened;
  auto bytes = io::open_file(path);
  if (!bytes && (path.ends_with(".rumi") || path.ends_with(".npy")))
    return std::unexpected(std::move(bytes).error());
  std::vector<std::byte> first;
  if (bytes) {
    SILLAR_TRY(first, in_source((*bytes)->read_up_to(0, 16), path));
  }
  if (is_rumi(first) || (bytes && path.ends_with(".rumi"))) {
    opened.kind = FileKind::rumi;
    SILLAR_TRY(opened.file, rumi::open(*std::move(bytes), {.header_blob = {},
                                                           .limits = options.limits,
                                                           .control = options.control}));
    SILLAR_TRY(opened.source, in_source(rumi_source(*opened.file, {.verify = options.verify,
                                                                   .pool = options.pool,
                                                                   .limits = options.limits}),
                                        path));
  } else if (is_npy(first) || (bytes && path.ends_with(".npy"))) {
    opened.kind = FileKind::npy;
    SILLAR_TRY(opened.source,
               open_npy(*std::move(bytes), {.dtype = options.dtype, .limits = options.limits}));
  } else {
    SILLAR_TRY(opened.source, open_with_gdal(path));
  }
  return opened;
}

[[nodiscard]] Result<std::unique_ptr<RasterSource>> folded(std::unique_ptr<RasterSource> source,
                                                           const Assignments& assign) {
  const RasterDescription& flat = source->description();
  if (flat.times != 1) {
    if (assign.fold)
      return fail(Errc::bad_argument,
                  "--fold is for a source of one time, this one has " + std::to_string(flat.times));
    return source;
  }
  // What an earlier conversion wrote into the descriptions is taken from there.
  const auto labels = read_plane_texts(flat.band_texts, assign.fold);
  if (!assign.fold) {
    if (!labels || !flat.periods.empty()) return source;
    return fold(std::move(source), 1, FoldOrder::time_major, labels);
  }
  const std::uint64_t times = !assign.periods.empty() ? assign.periods.size()
                              : labels                ? labels->periods.size()
                                                      : 0;
  if (times == 0) return fail(Errc::bad_argument, "--fold needs --set-time once for each date");
  return fold(std::move(source), times, *assign.fold, labels);
}

[[nodiscard]] Result<std::unique_ptr<RasterSource>> selected(std::unique_ptr<RasterSource> source,
                                                             const ConvertOptions& options) {
  if (!options.selection && !options.bounds) return source;
  rumi::Selection selection = options.selection.value_or(rumi::Selection{});
  if (options.bounds) {
    const RasterDescription& raster = source->description();
    if (!raster.transform)
      return fail(Errc::bad_argument, "bounds need a transform, and the source has none");
    SILLAR_TRY(selection.window,
               geo::window_of(geo::corner_transform(*raster.transform, raster.pixel_is_point),
                              *options.bounds));
  }
  return select(std::move(source), selection);
}

[[nodiscard]] Holds holds_of(FileKind kind) {
  switch (kind) {
    case FileKind::npy:
      return {.crs = false, .lone_transform = false};
    case FileKind::geotiff:
      return {.crs = true, .lone_transform = true};
    default:
      return {.crs = true, .lone_transform = false};
  }
}

/// The registry to ask, and what keeps it alive.
struct Registry {
  std::shared_ptr<const geo::CrsRegistry> owner;
  const geo::CrsRegistry* registry = nullptr;
};

[[nodiscard]] Result<Registry> registry_of(const ConvertOptions& options) {
  if (options.registry != nullptr) return Registry{{}, options.registry};
  auto proj = geo::proj_registry();
  if (proj) return Registry{*proj, proj->get()};
  if (proj.error().code != Errc::unsupported) return std::unexpected(std::move(proj).error());
  return Registry{{}, &geo::builtin_registry()};
}

/// Tile and unit: as asked for, else as the source's, else the usual ones.
[[nodiscard]] Result<rumi::Layout> layout_for(const Opened& opened, const ConvertOptions& options,
                                              ConvertReport& report) {
  TileSize tile;
  unsigned unit = 0;
  if (opened.file) {
    const rumi::Layout& layout = opened.file->layout();
    tile = {layout.tile_length, layout.tile_width};
    unit = layout.unit->number;
    if (!options.unit &&
        !rumi::is_valid_for(*layout.unit, report.raster.bands, report.raster.times)) {
      report.notes.push_back("frames become tiles (unit 0): unit " + std::to_string(unit) +
                             " of the source does not go with the selection");
      unit = 0;
    }
  }
  tile = options.tile.value_or(tile);
  return rumi::layout_of(report.raster.shape(), report.raster.dtype, tile.rows, tile.cols,
                         options.unit.value_or(unit));
}

[[nodiscard]] bool copies_frames(const Opened& opened, const ConvertOptions& options,
                                 const rumi::Layout& layout) {
  return opened.file && !options.profile && !options.selection && !options.bounds &&
         !options.dtype && layout == opened.file->layout();
}

/// The georeference of the rumi file that `raster` comes from, where it still lies there.
[[nodiscard]] std::optional<rumi::Georeference> kept_georeference(const Opened& opened,
                                                                  const RasterDescription& raster) {
  if (!opened.file) return std::nullopt;
  const auto georeference = opened.file->georeference();
  const auto source = describe(*opened.file);
  if (!georeference || !source || source->crs != raster.crs ||
      source->pixel_is_point != raster.pixel_is_point)
    return std::nullopt;
  // By their bits: a file may hold NaN.
  using Bits = std::array<std::uint64_t, 6>;
  const auto bits = [](const std::optional<geo::Affine>& affine) {
    return std::bit_cast<Bits>(affine.value_or(geo::Affine{}).values());
  };
  if (bits(source->transform) != bits(raster.transform)) return std::nullopt;
  return *georeference;
}

void note_origins(const RasterDescription& source, const Assignments& assign,
                  ConvertReport& report) {
  if (!report.raster.periods_origin.empty()) {
    report.notes.push_back("times are taken from " + report.raster.periods_origin +
                           " of the source (--set-time gives others)");
  }
  if (report.to != FileKind::rumi || !assign.band_texts.empty() ||
      report.raster.band_texts == source.band_texts)
    return;
  const bool some =
      std::ranges::any_of(source.band_texts, [](const std::string& text) { return !text.empty(); });
  if (some)
    report.notes.emplace_back(
        "the source's band descriptions are not usable as distinct texts; bands are called band 1, "
        "... (--set-bands gives others)");
}

[[nodiscard]] Result<> write_rumi(Opened& opened, RasterSource& source, const std::string& output,
                                  const ConvertOptions& options, ConvertReport& report) {
  SILLAR_TRY(report.layout, layout_for(opened, options, report));
  rumi::Content content{.layout = *report.layout, .georeference = {}, .trailer = {}};
  SILLAR_TRY(const Registry registry, registry_of(options));
  SILLAR_TRY(content, content_of(report.raster, *report.layout, *registry.registry,
                                 kept_georeference(opened, report.raster)));
  SILLAR_TRY(rumi::check_content(content));
  if (content.georeference.defined()) {
    SILLAR_TRY(const auto entry, registry.registry->find(content.georeference.epsg));
    if (entry && entry->deprecated)
      report.notes.push_back("EPSG:" + std::to_string(entry->code) + " is deprecated");
  }
  report.frames_copied = copies_frames(opened, options, *report.layout);
  if (options.dry_run) return {};

  rumi::WriteOptions write;
  write.profile = options.profile.value_or(rumi::Profile::portable);
  write.limits = options.limits;
  SILLAR_TRY(auto sink, io::create_file(output, {.overwrite = options.overwrite}));
  if (report.frames_copied) {
    SILLAR_TRY(
        report.header_blob,
        copy_frames(
            *opened.file, std::move(sink), std::move(content), write,
            {.pool = options.pool, .control = options.control, .progress = options.progress}));
    return {};
  }
  SILLAR_TRY(const auto target,
             rumi_target(std::move(sink), std::move(content), write, report.header_blob));
  const std::size_t threads = options.pool == nullptr ? 1 : options.pool->threads();
  constexpr std::uint64_t all_pieces = std::uint64_t{96} << 20;
  constexpr std::uint64_t most_of_one = std::uint64_t{32} << 20;
  SILLAR_TRY(transfer(source, *target,
                      {.pool = options.pool,
                       .piece_bytes = std::min(most_of_one, all_pieces / threads),
                       .control = options.control,
                       .progress = options.progress}));
  return target->finish();
}

[[nodiscard]] Result<> write_other(RasterSource& source, const std::string& output,
                                   const ConvertOptions& options, ConvertReport& report) {
  if (options.tile || options.unit || options.profile || !options.header_path.empty()) {
    return fail(Errc::bad_argument,
                "tile, unit, profile and header blob are matters of rumi files");
  }
  const bool npy = report.to == FileKind::npy;
  if (npy && (!report.raster.periods.empty() || !report.raster.band_texts.empty())) {
    report.notes.emplace_back("an npy file has no place for band texts and times");
  }
  if (options.dry_run) return {};
  std::unique_ptr<RasterTarget> target;
  if (npy) {
    SILLAR_TRY(target, create_npy(output, report.raster, options.overwrite));
  } else {
    SILLAR_TRY(target,
               create_geotiff(output, report.raster,
                              {.order = options.assign.fold.value_or(FoldOrder::time_major),
                               .overwrite = options.overwrite,
                               .threads = options.pool == nullptr ? 1 : options.pool->threads()}));
  }
  SILLAR_TRY(
      transfer(source, *target,
               {.pool = options.pool, .control = options.control, .progress = options.progress}));
  return target->finish();
}

/// Success where `path` may be written.
[[nodiscard]] Result<> check_free(const std::string& path, const std::string& input,
                                  bool overwrite) {
  struct stat there{};
  if (::stat(path.c_str(), &there) != 0) return {};
  struct stat from{};
  if (::stat(input.c_str(), &from) == 0 && from.st_dev == there.st_dev &&
      from.st_ino == there.st_ino) {
    return in_source(Result<>(fail(Errc::bad_argument, "the output is the input")), path);
  }
  if (!overwrite)
    return in_source(Result<>(fail_errno(Errc::exists, "cannot write", EEXIST)), path);
  return {};
}

}  // namespace

std::string_view name_of(FileKind kind) {
  switch (kind) {
    case FileKind::rumi:
      return "rumi";
    case FileKind::npy:
      return "npy";
    case FileKind::geotiff:
      return "geotiff";
    case FileKind::gdal:
      return "gdal";
  }
  return "gdal";
}

Result<FileKind> output_kind_of(std::string_view path, FileKind from) {
  if (path.ends_with(".rumi")) return FileKind::rumi;
  if (path.ends_with(".tif") || path.ends_with(".tiff")) return FileKind::geotiff;
  if (path.ends_with(".npy")) return FileKind::npy;
  const auto name = path.substr(path.find_last_of('/') + 1);
  if (!name.contains('.') && from != FileKind::gdal) return from;
  return fail(Errc::bad_argument, "the output's name says what it becomes: .rumi, .tif or .npy");
}

Result<ConvertReport> convert(const std::string& input, const std::string& output,
                              const ConvertOptions& options) {
  ConvertReport report;
  SILLAR_TRY(check_free(output, input, options.overwrite));
  if (!options.header_path.empty())
    SILLAR_TRY(check_free(options.header_path, input, options.overwrite));
  SILLAR_TRY(Opened opened, open_source(input, options));
  report.from = opened.kind;
  SILLAR_TRY(report.to, in_source(output_kind_of(output, report.from), output));

  const auto describe_output = [&]() -> Result<> {
    if (options.dtype == DType::boolean) {
      SILLAR_TRY(opened.source, as_boolean(std::move(opened.source)));
    } else if (options.dtype && opened.source->description().dtype != *options.dtype) {
      return fail(Errc::bad_argument,
                  "samples of " + std::string(sillar::name_of(opened.source->description().dtype)) +
                      " are not " + std::string(sillar::name_of(*options.dtype)) +
                      "; samples are never cast");
    }
    // A cube that is exported keeps --fold for the order of its planes.
    if (opened.kind != FileKind::rumi) {
      SILLAR_TRY(opened.source, folded(std::move(opened.source), options.assign));
    }
    SILLAR_TRY(opened.source, selected(std::move(opened.source), options));
    SILLAR_TRY(report.raster,
               assign(opened.source->description(), options.assign,
                      report.to == FileKind::rumi ? Labels::required : Labels::optional));
    const Holds holds = holds_of(report.to);
    Losses losses = judge_losses(report.raster, holds, options.drops);
    SILLAR_TRY(losses.verdict());
    report.lost = std::move(losses.warnings);
    report.dropped = std::move(losses.dropped);
    report.raster = without_losses(std::move(report.raster), holds);
    note_origins(opened.source->description(), options.assign, report);
    return {};
  };
  SILLAR_TRY(in_source(describe_output(), input));
  SILLAR_TRY(in_source(report.to == FileKind::rumi
                           ? write_rumi(opened, *opened.source, output, options, report)
                           : write_other(*opened.source, output, options, report),
                       output));
  if (!options.header_path.empty() && !options.dry_run) {
    SILLAR_TRY(
        io::write_file(options.header_path, report.header_blob, {.overwrite = options.overwrite}));
  }
  return report;
}

}  // namespace sillar::convert
