// `sillar info`: what a file holds.
#include "cli/formats.hpp"
#include "cli/text.hpp"
#include "cli/verb.hpp"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace sillar::cli {
namespace {

struct Options {
  std::vector<std::string> files;
};

[[nodiscard]] Result<> describe(const std::string& path, Context& context) {
  SILLAR_TRY(const Input input, open_input(path));
  if (input.format->describe == nullptr)
    return in_source(Result<>(not_built(*input.format, "info")), path);
  SILLAR_TRY(const std::uint64_t size, input.source->size());
  SILLAR_TRY(auto description, input.format->describe(input, context));
  if (!context.json()) {
    return Context::print(fmt::format("{}: {}, {}\n{}", printable(path), input.format->title,
                                      size_text(size), description.text));
  }
  Json json = document("info");
  json["format"] = input.format->name;
  put_path(json, "file", path);
  json["size"] = number(size);
  json[std::string(input.format->name)] = std::move(description.json);
  return context.print_document(json);
}

/// Goes on after a file that cannot be described; the first error decides the exit code.
[[nodiscard]] Result<int> run(const Options& options, Context& context) {
  if (options.files.size() > 1 && context.json() && !context.json_lines()) {
    return fail(Errc::bad_argument, "--json gives one document; --jsonl takes several files");
  }
  Result<int> answer = 0;
  for (std::size_t i = 0; i < options.files.size(); ++i) {
    const auto described = describe(options.files[i], context);
    if (described) continue;
    const Error& error = described.error();
    const bool last = i + 1 == options.files.size();
    if (error.source == stdout_name || error.code == Errc::cancelled || (last && answer == 0))
      return std::unexpected(error);
    const int code = context.report(error);
    if (answer == 0) answer = code;
  }
  return answer;
}

}  // namespace

Run declare_info(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("FILE", options->files, "Files to describe; - is standard input")->required();
  return [options](Context& context) { return run(*options, context); };
}

}  // namespace sillar::cli
