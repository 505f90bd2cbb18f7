// `sillar plan`: what a read would fetch and decode.
#include "cli/verb_plan.hpp"

#include "cli/text.hpp"
#include "cli/verb.hpp"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <memory>
#include <utility>

namespace sillar::cli {
namespace {

struct Options {
  std::string file;
  ReadOptions read;
  bool explain = false;
  bool frames = false;
};

}  // namespace

void declare_read_options(CLI::App& app, ReadOptions& options) {
  app.add_option("--header", options.header,
                 "The external header blob of a rumi file: its own front is not read")
      ->type_name("BLOB");
  declare_selection(app, options.selection);
}

Result<ReadRequest> request_of(const ReadOptions& options) {
  ReadRequest request{.header_blob = {},
                      .header_path = options.header,
                      .selection = options.selection,
                      .no_verify = options.no_verify,
                      .opff = {},
                      .stards = {}};
  if (!options.header.empty()) {
    SILLAR_TRY(request.header_blob, read_all(options.header, most_of_blob));
  }
  return request;
}

Result<Input> open_for_reading(const std::string& path, const ReadOptions& options) {
  return options.header.empty() ? open_input(path) : open_input_as(rumi_format(), path);
}

Result<int> explain(const std::string& path, const ReadOptions& options, bool every_frame,
                    Context& context) {
  SILLAR_TRY(const ReadRequest request, request_of(options));
  SILLAR_TRY(const Input input, open_for_reading(path, options));
  if (input.format->plan == nullptr)
    return in_source(Result<int>(not_built(*input.format, "plan")), path);
  SILLAR_TRY(auto description, input.format->plan(input, request, every_frame, context));
  if (!context.json()) {
    SILLAR_TRY(
        Context::print(fmt::format("{}: plan of a read\n{}", printable(path), description.text)));
    return 0;
  }
  Json json = document("plan");
  json["format"] = input.format->name;
  put_path(json, "file", path);
  json.update(description.json);
  SILLAR_TRY(context.print_document(json));
  return 0;
}

Run declare_plan(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("FILE", options->file, "The file that would be read; - is standard input")
      ->required();
  declare_read_options(app, options->read);
  app.add_flag("--explain", options->explain, "The text form, which is the default without --json");
  app.add_flag("--frames", options->frames, "List every frame as well");
  return [options](Context& context) {
    return explain(options->file, options->read, options->frames, context);
  };
}

}  // namespace sillar::cli
