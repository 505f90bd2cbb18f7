// `sillar header`: the external header blob of a rumi file, made, checked or printed.
#include "cli/output.hpp"
#include "cli/rumi.hpp"
#include "cli/text.hpp"
#include "cli/verb.hpp"
#include <sillar/rumi/reader.hpp>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sillar::cli {
namespace {

constexpr std::uint64_t counts_in_head = 8;

struct Options {
  std::string file;
  OutputOptions output;
  bool check = false;
  bool print = false;
};

[[nodiscard]] Result<rumi::Header> header_of_blob(const std::string& path) {
  SILLAR_TRY(const Limits limits, Context::limits());
  SILLAR_TRY(const auto blob, read_all(path, most_of_blob));
  return in_source(rumi::parse_header_blob(blob, limits), path);
}

[[nodiscard]] Result<rumi::Header> header_of_file(const std::string& path) {
  SILLAR_TRY(const Limits limits, Context::limits());
  SILLAR_TRY(const Input input, open_input(path));
  if (input.format != &rumi_format())
    return in_source(
        Result<rumi::Header>(fail(Errc::unsupported, "only rumi files have a header blob")), path);
  SILLAR_TRY(const auto file,
             rumi::open(input.source,
                        {.header_blob = {}, .limits = limits, .control = Context::control()}));
  return file.header();
}

/// A blob or a file, by its first bytes.
[[nodiscard]] Result<rumi::Header> header_of_either(const std::string& path) {
  if (path == "-" || path.ends_with(rumi_format().extension)) return header_of_file(path);
  SILLAR_TRY(const auto source, io::open_file(path));
  SILLAR_TRY(const auto first, source->read_up_to(0, 4));
  return rumi_format().has_magic(first) ? header_of_file(path) : header_of_blob(path);
}

[[nodiscard]] Json header_json(const std::string& path, const rumi::Header& header) {
  const rumi::FrameTable& frames = header.frames;
  Json json = document("header");
  put_path(json, "file", path);
  put_layout(json, header.layout);
  json["frames"] = number(frames.frames());
  json["base_frame_offset"] = number(frames.base_offset());
  json["last_offset"] = number(frames.offset(frames.frames() - 1));
  json["trailer_offset"] = number(frames.end());
  json["count_min"] = frames.count_min();
  json["count_bits"] = rumi::bit_length(frames.count_max() - frames.count_min());
  json["counts_head"] = Json::array();
  for (std::uint64_t i = 0; i < std::min(frames.frames(), counts_in_head); ++i)
    json["counts_head"].push_back(frames.byte_count(i));
  return json;
}

[[nodiscard]] std::string header_text(const std::string& path, const rumi::Header& header) {
  const rumi::FrameTable& frames = header.frames;
  std::string text =
      fmt::format("{}: header of {}\n", printable(path), count_text(frames.frames(), "frame"));
  text += layout_text(header.layout) + frames_text(header);
  text +=
      line_text("counts", fmt::format("least {}, {} bits each above it", frames.count_min(),
                                      rumi::bit_length(frames.count_max() - frames.count_min())));
  text += line_text("offsets", fmt::format("first frame {:#x}, last frame {:#x}, trailer {:#x}",
                                           frames.base_offset(), frames.offset(frames.frames() - 1),
                                           frames.end()));
  return text;
}

[[nodiscard]] Result<int> run(const Options& options, Context& context) {
  if (options.check || options.print) {
    if (!options.output.path.empty())
      return fail(Errc::bad_argument, "-o goes neither with --check nor with --print");
    SILLAR_TRY(const auto header,
               options.check ? header_of_blob(options.file) : header_of_either(options.file));
    if (context.json()) {
      SILLAR_TRY(context.print_document(header_json(options.file, header)));
    } else if (options.print) {
      SILLAR_TRY(Context::print(header_text(options.file, header)));
    } else if (!context.quiet()) {
      SILLAR_TRY(Context::print(fmt::format("{}: valid header of {}\n", printable(options.file),
                                            count_text(header.frames.frames(), "frame"))));
    }
    return 0;
  }
  if (options.output.path.empty())
    return fail(Errc::bad_argument,
                "-o says where to write the blob; --check judges one, --print shows one");
  if (options.output.to_stdout() && context.json())
    return fail(Errc::bad_argument, "--json and -o - both want standard output");
  SILLAR_TRY(const auto header, header_of_file(options.file));
  SILLAR_TRY(write_output(options.output, options.file, rumi::make_header_blob(header)));
  if (context.json()) {
    Json json = header_json(options.file, header);
    put_path(json, "output", options.output.path);
    SILLAR_TRY(context.print_document(json));
  }
  return 0;
}

}  // namespace

Run declare_header(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("FILE", options->file, "The rumi file; with --check a blob, with --print either")
      ->required();
  declare_output(app, options->output, false);
  auto* check = app.add_flag("--check", options->check, "Judge a blob by itself");
  app.add_flag("--print", options->print, "Show the fields of a blob or file")->excludes(check);
  return [options](Context& context) { return run(*options, context); };
}

}  // namespace sillar::cli
