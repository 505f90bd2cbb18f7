// `sillar demo`: the main job on a real scene, step by step, with figures.
#include "cli/text.hpp"
#include "cli/verb.hpp"
#include <sillar/convert/convert.hpp>
#include <sillar/io/sink.hpp>
#include <sillar/look/quicklook.hpp>
#include <sillar/rumi/reader.hpp>
#include <sillar/rumi/validate.hpp>
#include <sillar/rumi/writer.hpp>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

namespace sillar::cli {
namespace {

struct Options {
  std::string input = SILLAR_DEMO_RASTER;
  std::string folder = "sillar-demo";
};

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

[[nodiscard]] std::string speed(std::uint64_t bytes, double seconds) {
  return fmt::format("{:.0f} MB/s", static_cast<double>(bytes) / 1e6 / seconds);
}

/// The files of one run, and what it tells.
class Demo {
 public:
  Demo(const Options& options, Context& context)
      : input_(options.input), folder_(options.folder), context_(context) {}

  [[nodiscard]] Result<> run() {
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error)
      return in_source(Result<>(fail_errno(Errc::io, "cannot make the folder", error.value())),
                       folder_);
    SILLAR_TRY(convert());
    SILLAR_TRY(validate());
    SILLAR_TRY(read_window());
    SILLAR_TRY(read_all_of_it());
    if (context_.json()) return context_.print_document(json_);
    return {};
  }

 private:
  [[nodiscard]] std::string path(std::string_view name) const {
    return folder_ + "/" + std::string(name);
  }

  /// One line of text, and the same figures for the document.
  [[nodiscard]] Result<> tell(std::string_view step, std::string_view text, const Json& figures) {
    json_["steps"].push_back({{"step", step}});
    json_["steps"].back().update(figures);
    if (context_.json()) return {};
    return Context::print(fmt::format("{:10} {}\n", step, text));
  }

  [[nodiscard]] Result<> convert() {
    convert::ConvertOptions options;
    options.tile = {128, 128};
    options.assign.band_texts = {"B1, blue, 478nm",
                                 "B2, green, 560nm",
                                 "B3, red, 661nm",
                                 "B4, near infrared, 834nm",
                                 "B5, shortwave infrared, 1650nm",
                                 "B7, shortwave infrared, 2208nm"};
    options.assign.undated = true;
    options.overwrite = true;
    SILLAR_TRY(options.pool, context_.pool());
    options.control = Context::control();
    if (input_ != SILLAR_DEMO_RASTER) options.assign.band_texts.clear();
    const Stopwatch watch;
    SILLAR_TRY(auto report, convert::convert(input_, rumi_path_, options));
    const double seconds = watch.seconds();
    blob_ = std::move(report.header_blob);
    SILLAR_TRY(const auto file, rumi::open(rumi_path_));
    SILLAR_TRY(const std::uint64_t size, file.source().size());
    SILLAR_TRY(const auto source, io::open_file(input_));
    SILLAR_TRY(const std::uint64_t source_size, source->size());
    const std::uint64_t raw =
        count_of(report.raster.shape()).value_or(0) * size_of(report.raster.dtype);
    SILLAR_TRY(tell("source",
                    fmt::format("{}: {}, {}, {} x {}, {}{}",
                                printable(std::filesystem::path(input_).filename().string()),
                                count_text(report.raster.times, "time"),
                                count_text(report.raster.bands, "band"), report.raster.rows,
                                report.raster.cols, name_of(report.raster.dtype),
                                report.raster.crs && report.raster.crs->epsg
                                    ? fmt::format(", EPSG:{}", *report.raster.crs->epsg)
                                    : ""),
                    {{"file", printable(input_)},
                     {"size", number(source_size)},
                     {"shape", report.raster.shape()}}));
    const double ratio = static_cast<double>(raw) / static_cast<double>(size);
    const double source_ratio = static_cast<double>(raw) / static_cast<double>(source_size);
    return tell(
        "convert",
        fmt::format(
            "{}: {} of samples in {}, ratio {:.2f} (the source: {:.2f}), {} frames, {:.2f} s",
            printable(rumi_path_), short_size(raw), short_size(size), ratio, source_ratio,
            file.frames().frames(), seconds),
        {{"file", printable(rumi_path_)},
         {"size", number(size)},
         {"samples", number(raw)},
         {"frames", number(file.frames().frames())},
         {"seconds", seconds}});
  }

  [[nodiscard]] Result<> validate() {
    SILLAR_TRY(const auto source, io::open_file(rumi_path_));
    rumi::ValidateOptions options;
    options.header_blob = blob_;
    SILLAR_TRY(options.pool, context_.pool());
    SILLAR_TRY(const Report report, rumi::validate(*source, options));
    SILLAR_TRY(in_source(report.verdict(), rumi_path_));
    return tell("validate",
                fmt::format("every rule holds, every frame decodes; {}",
                            count_text(report.count(Severity::warning), "warning")),
                {{"errors", report.errors()}, {"warnings", report.count(Severity::warning)}});
  }

  /// Only the blob and the ranges that it leads to: the front of the file is not touched.
  [[nodiscard]] Result<> read_window() {
    SILLAR_TRY(const auto file,
               rumi::open(rumi_path_, {.header_blob = std::span<const std::byte>(blob_),
                                       .limits = {},
                                       .control = {}}));
    const auto length = static_cast<std::int64_t>(file.layout().image_length);
    const auto width = static_cast<std::int64_t>(file.layout().image_width);
    rumi::Selection selection;
    selection.bands.emplace();
    selection.bands->emplace_back(std::min<std::uint64_t>(3, file.layout().bands() - 1));
    selection.window = geo::Window{length / 3, width / 3, std::max<std::int64_t>(1, length / 4),
                                   std::max<std::int64_t>(1, width / 4)};
    SILLAR_TRY(const auto plan, file.plan(selection));
    const Stopwatch watch;
    SILLAR_TRY(const auto tensor, file.read(selection));
    const double seconds = watch.seconds();
    SILLAR_TRY(const std::uint64_t size, file.source().size());
    return tell(
        "window",
        fmt::format("band {}, {} x {} pixels by the header blob of {} alone: {} of {} frames, {} "
                    "fetched ({:.1f} % of the file), {} decoded, {:.2f} ms",
                    plan.selection.bands[0], selection.window->height, selection.window->width,
                    size_text(blob_.size()), plan.frames.size(), file.frames().frames(),
                    short_size(plan.fetched_bytes()),
                    100.0 * static_cast<double>(plan.fetched_bytes()) / static_cast<double>(size),
                    short_size(plan.decoded_bytes()), seconds * 1e3),
        {{"frames", plan.frames.size()},
         {"fetched", number(plan.fetched_bytes())},
         {"decoded", number(plan.decoded_bytes())},
         {"blob", blob_.size()},
         {"seconds", seconds}});
  }

  [[nodiscard]] Result<> read_all_of_it() {
    SILLAR_TRY(const auto file, rumi::open(rumi_path_));
    SILLAR_TRY(exec::Pool * pool, context_.pool());
    const Stopwatch watch;
    SILLAR_TRY(const auto tensor,
               file.read({}, {.pool = pool, .verify = true, .limits = {}, .control = {}}));
    const double seconds = watch.seconds();
    SILLAR_TRY(
        tell("read",
             fmt::format("all of it: {} at {}, checksums verified",
                         short_size(tensor.bytes().size()), speed(tensor.bytes().size(), seconds)),
             {{"samples", number(tensor.bytes().size())}, {"seconds", seconds}}));
    SILLAR_TRY(compress_again(file, tensor, pool));
    return paint(file);
  }

  /// Into memory, so that neither GDAL nor the disk counts.
  [[nodiscard]] Result<> compress_again(const rumi::File& file, const Tensor& tensor,
                                        exec::Pool* pool) {
    SILLAR_TRY(const auto georeference, file.georeference());
    SILLAR_TRY(const auto trailer, file.trailer());
    std::vector<std::byte> bytes;
    const Stopwatch watch;
    SILLAR_TRY(
        const auto blob,
        rumi::write(io::memory_sink(bytes),
                    {.layout = file.layout(), .georeference = georeference, .trailer = *trailer},
                    tensor.view(), {.write = {}, .pool = pool, .control = Context::control()}));
    const double seconds = watch.seconds();
    return tell(
        "write",
        fmt::format("all of it again, in memory: {} at {}, {}", short_size(bytes.size()),
                    speed(tensor.bytes().size(), seconds),
                    blob == blob_ ? "the same header blob" : "another header blob"),
        {{"size", number(bytes.size())}, {"seconds", seconds}, {"same_blob", blob == blob_}});
  }

  [[nodiscard]] Result<> paint(const rumi::File& file) {
    rumi::Selection selection;
    selection.bands.emplace();
    if (file.layout().bands() >= 3) {
      for (const std::uint64_t band : {2U, 1U, 0U}) selection.bands->emplace_back(band);
    } else {
      selection.bands->emplace_back(std::uint64_t{0});
    }
    selection.times.emplace();
    selection.times->emplace_back(std::uint64_t{0});
    SILLAR_TRY(const auto tensor, file.read(selection));
    SILLAR_TRY(const auto picture, look::quicklook(tensor.view().at(0, 0)));
    SILLAR_TRY(const auto png, look::encode_png(picture));
    const std::string name = path("scene.png");
    SILLAR_TRY(io::write_file(name, png, {.overwrite = true}));
    return tell(
        "picture",
        fmt::format("{}: {} x {} pixels, {}", printable(name), picture.width, picture.height,
                    picture.channels == 3 ? "bands 2, 1, 0 as red, green, blue" : "band 0"),
        {{"file", printable(name)}, {"width", picture.width}, {"height", picture.height}});
  }

  std::string input_;
  std::string folder_;
  Context& context_;
  std::string rumi_path_ = path("scene.rumi");
  std::vector<std::byte> blob_;
  Json json_ = document("demo");
};

}  // namespace

Run declare_demo(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("RASTER", options->input,
                 "Any raster that GDAL reads (default: a Landsat scene that comes with sillar)");
  app.add_option("-o,--output", options->folder, "The folder for its files (default: sillar-demo)");
  return [options](Context& context) -> Result<int> {
    SILLAR_TRY(Demo(*options, context).run());
    return 0;
  };
}

}  // namespace sillar::cli
