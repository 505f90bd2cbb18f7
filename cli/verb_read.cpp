// `sillar read`: samples, all or a selection, into another file.
#include "cli/formats.hpp"
#include "cli/output.hpp"
#include "cli/read_targets.hpp"
#include "cli/text.hpp"
#include "cli/verb.hpp"
#include "cli/verb_convert.hpp"
#include "cli/verb_plan.hpp"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace sillar::cli {
namespace {

struct Options {
  std::string file;
  std::string to;
  OutputOptions output;
  ReadOptions read;
  bool explain = false;
  bool footer = false;
  bool canonical = false;
  std::string bit_order;
  StardsParts stards;

  [[nodiscard]] bool asks_opff() const { return footer || canonical || !bit_order.empty(); }
  [[nodiscard]] bool asks_stards() const {
    return stards.has_key || stards.layer != "__base__" || stards.metadata || stards.inherit ||
           !stards.slice.empty();
  }
};

/// The target that was asked for, else the one that the output's name ends in.
[[nodiscard]] Result<const ReadTarget*> target_of(const Options& options) {
  const auto targets = read_targets();
  const auto found = std::ranges::find_if(targets, [&](const ReadTarget& target) {
    return options.to.empty() ? options.output.path.ends_with("." + std::string(target.name))
                              : target.name == options.to;
  });
  if (found == targets.end())
    return fail(Errc::bad_argument, "--to says what to write: raw, npy, tif or png");
  return &*found;
}

[[nodiscard]] Result<> print_summary(const Options& options, const ReadTarget& target,
                                     const Input& input, const Samples& samples,
                                     const Context& context) {
  const std::uint64_t bytes = samples.tensor.bytes().size();
  if (!context.json()) {
    if (context.verbose() > 0) {
      context.note(fmt::format("{}: {} ({}), {}, {}", options.output.path,
                               fmt::join(samples.tensor.shape(), " x "), samples.axes,
                               name_of(samples.tensor.dtype()), size_text(bytes)));
    }
    return {};
  }
  Json json = document("read");
  json["format"] = input.format->name;
  put_path(json, "file", options.file);
  put_path(json, "output", options.output.path);
  json["to"] = target.name;
  json["dtype"] = name_of(samples.tensor.dtype());
  json["axes"] = samples.axes;
  json["shape"] = samples.tensor.shape();
  json["bytes"] = number(bytes);
  return context.print_document(json);
}

/// A GeoTIFF keeps more than samples, so it comes about as `convert` makes it.
[[nodiscard]] Result<int> write_geotiff(const Options& options, Context& context) {
  if (!options.read.header.empty() || options.read.selection.axes != "tbyx") {
    return fail(
        Errc::bad_argument,
        "--to tif reads the front of the file and has axes of its own: no --header, no --axes");
  }
  ConvertOptionTexts texts;
  texts.input = options.file;
  texts.output = options.output.path;
  texts.overwrite = options.output.overwrite;
  texts.no_verify = options.read.no_verify;
  texts.selection = options.read.selection;
  return convert_file(texts, context);
}

[[nodiscard]] Result<int> run(const Options& options, Context& context) {
  if (options.explain) return explain(options.file, options.read, false, context);
  if (options.output.path.empty()) return fail(Errc::bad_argument, "-o says where to write");
  if (options.output.to_stdout() && context.json())
    return fail(Errc::bad_argument, "--json and -o - both want standard output");
  SILLAR_TRY(const ReadTarget* target, target_of(options));
  if (target->name == "tif") return write_geotiff(options, context);
  SILLAR_TRY(ReadRequest request, request_of(options.read));
  request.opff = {.footer = options.footer,
                  .canonical = options.canonical || (target->name != "raw" && !options.footer),
                  .bit_order = options.bit_order == "lsb" ? opff::BitOrder::lsb_first
                                                          : opff::BitOrder::msb_first};
  request.stards = options.stards;
  SILLAR_TRY(const Input input, open_for_reading(options.file, options.read));
  if (options.asks_opff() && input.format->name != "opff")
    return fail(Errc::bad_argument, "--footer, --canonical and --bit-order go with OPFF files");
  if (options.asks_stards() && input.format->name != "stards")
    return fail(Errc::bad_argument,
                "--key, --layer, --metadata, --inherit and --slice go with StarDS files");
  if (options.footer && target->name != "raw")
    return fail(Errc::bad_argument, "--footer goes with --to raw");
  if (input.format->read == nullptr)
    return in_source(Result<int>(not_built(*input.format, "read")), options.file);

  std::optional<Output> output;
  const auto before_decoding = [&](DType dtype, const Shape& shape) -> Result<> {
    SILLAR_TRY(in_source(target->check(dtype, shape), options.file));
    SILLAR_TRY(output, Output::open(options.output, options.file));
    return {};
  };
  SILLAR_TRY(const Samples samples, input.format->read(input, request, before_decoding, context));
  SILLAR_TRY(target->write(samples, *output));
  SILLAR_TRY(output->finish());
  SILLAR_TRY(print_summary(options, *target, input, samples, context));
  return 0;
}

}  // namespace

Run declare_read(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("FILE", options->file, "The file to read; - is standard input")->required();
  take_one_of(app.add_option("--to", options->to,
                             "What to write (default: what the output's name ends in)"),
              "raw|npy|tif|png");
  declare_output(app, options->output, false);
  declare_read_options(app, options->read);
  app.add_flag("--no-verify", options->read.no_verify, "Leave the frames' own checksums unchecked");
  app.add_flag("--footer", options->footer, "OPFF: the bytes behind the samples");
  app.add_flag("--canonical", options->canonical,
               "OPFF: samples as (frame, channel, y, x), one byte a pixel of a bitmap, instead of "
               "the stored bytes");
  take_one_of(app.add_option("--bit-order", options->bit_order,
                             "OPFF: which bit of a bitmap's byte is the first pixel"),
              "msb|lsb");
  StardsParts& stards = options->stards;
  const CLI::Option* key = app.add_option("--key", stards.key, "StarDS: which array");
  app.add_option("--layer", stards.layer, "StarDS: of which layer (default __base__)");
  app.add_flag("--metadata", stards.metadata, "StarDS: the metadata value of that key instead");
  app.add_flag("--inherit", stards.inherit, "StarDS: what the layer lacks comes from the base");
  app.add_option("--slice", stards.slice, "StarDS: a part of the array, as in 0:10:2,-3,:");
  app.add_flag("--explain,--dry-run", options->explain,
               "Only show what would be fetched and decoded");
  return [options, key](Context& context) {
    options->stards.has_key = key->count() != 0;
    return run(*options, context);
  };
}

}  // namespace sillar::cli
