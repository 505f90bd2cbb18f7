// `sillar validate`: files held against every rule of their format.
#include "cli/error_report.hpp"
#include "cli/formats.hpp"
#include "cli/text.hpp"
#include "cli/verb.hpp"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace sillar::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string header;
  bool no_decode = false;
};

/// A file and what was found in it.
struct Judged {
  std::string path;
  const Format* format = nullptr;
  Report report{Report::Until::end};

  [[nodiscard]] bool valid() const { return report.errors() == 0; }
};

[[nodiscard]] Result<Judged> judge(const std::string& path, const Options& options,
                                   const ValidateRequest& request, Context& context) {
  SILLAR_TRY(const Input input,
             options.header.empty() ? open_input(path) : open_input_as(rumi_format(), path));
  if (input.format->validate == nullptr)
    return in_source(Result<Judged>(not_built(*input.format, "validate")), path);
  SILLAR_TRY(auto report, input.format->validate(input, request, context));
  return Judged{.path = path, .format = input.format, .report = std::move(report)};
}

[[nodiscard]] Json file_json(const Judged& judged) {
  Json json;
  put_path(json, "file", judged.path);
  json["format"] = judged.format->name;
  json["valid"] = judged.valid();
  json["findings"] = Json::array();
  for (const Finding& finding : judged.report.findings()) {
    const Error& error = finding.error;
    json["findings"].push_back(
        Json{{"rule", error.rule != nullptr ? Json(error.rule->id) : Json(nullptr)},
             {"severity", name_of(finding.severity)},
             {"offset", number_or_null(error.offset)},
             {"message", detail_of(error)},
             {"section", error.rule != nullptr ? Json(error.rule->section) : Json(nullptr)}});
  }
  json["unlisted"] = Json::array();
  for (const Unlisted& more : judged.report.unlisted()) {
    json["unlisted"].push_back(
        Json{{"rule", more.rule != nullptr ? Json(more.rule->id) : Json(nullptr)},
             {"severity", name_of(more.severity)},
             {"count", number(more.count)}});
  }
  return json;
}

[[nodiscard]] Json validate_json(Json files) {
  Json json = document("validate");
  json["files"] = std::move(files);
  return json;
}

[[nodiscard]] std::string finding_text(const std::string& path, const Finding& finding) {
  const Error& error = finding.error;
  std::string text = fmt::format("{}: {}", printable(path), name_of(finding.severity));
  if (error.offset) text += fmt::format(" at {:#x}", *error.offset);
  if (error.rule != nullptr) text += fmt::format(": {}", error.rule->id);
  text += ": " + printable(detail_of(error));
  if (error.rule != nullptr) text += fmt::format(" (\"{}\")", error.rule->section);
  return text + "\n";
}

[[nodiscard]] std::string unlisted_text(const std::string& path, const Unlisted& more) {
  return fmt::format("{}: {}{}{}: {} more, not listed\n", printable(path), name_of(more.severity),
                     more.rule != nullptr ? ": " : "",
                     more.rule != nullptr ? more.rule->id : std::string_view(), more.count);
}

[[nodiscard]] std::string verdict_text(const Judged& judged, bool colored) {
  std::string counts;
  for (const auto& [severity, noun] :
       {std::pair(Severity::error, "error"), std::pair(Severity::warning, "warning"),
        std::pair(Severity::unsupported, "unsupported part")}) {
    const std::uint64_t count = judged.report.count(severity);
    if (count != 0) counts += (counts.empty() ? ": " : ", ") + count_text(count, noun);
  }
  const std::string_view color = !colored ? "" : judged.valid() ? "\x1b[32m" : "\x1b[1;31m";
  return fmt::format("{}: {}{}{}{}\n", printable(judged.path), color,
                     judged.valid() ? "valid" : "not valid", colored ? "\x1b[0m" : "", counts);
}

[[nodiscard]] Result<> print(const Judged& judged, const Context& context) {
  std::string text;
  for (const Finding& finding : judged.report.findings())
    text += finding_text(judged.path, finding);
  for (const Unlisted& more : judged.report.unlisted()) text += unlisted_text(judged.path, more);
  if (!context.quiet()) text += verdict_text(judged, context.colored(STDOUT_FILENO));
  return Context::print(text);
}

/// Goes on after a file that cannot be judged; the first such error decides the exit code, else 1
/// where a file is not valid.
[[nodiscard]] Result<int> run(const Options& options, Context& context) {
  ValidateRequest request{.header_blob = {}, .decode = !options.no_decode};
  if (!options.header.empty()) {
    if (options.files.size() > 1) return fail(Errc::bad_argument, "--header goes with one file");
    SILLAR_TRY(request.header_blob, read_all(options.header, most_of_blob));
  }
  int failure = 0;
  int negative = 0;
  Json files = Json::array();
  for (const std::string& path : options.files) {
    auto judged = judge(path, options, request, context);
    if (!judged) {
      if (judged.error().code == Errc::cancelled || options.files.size() == 1)
        return std::unexpected(judged.error());
      const int code = context.report(judged.error());
      if (failure == 0) failure = code;
      continue;
    }
    if (!judged->valid()) negative = 1;
    if (context.json_lines()) {
      SILLAR_TRY(context.print_document(validate_json(Json::array({file_json(*judged)}))));
    } else if (context.json()) {
      files.push_back(file_json(*judged));
    } else {
      SILLAR_TRY(print(*judged, context));
    }
  }
  if (context.json() && !context.json_lines() && !files.empty())
    SILLAR_TRY(context.print_document(validate_json(std::move(files))));
  return failure != 0 ? failure : negative;
}

}  // namespace

Run declare_validate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("FILE", options->files, "Files to judge; - is standard input")->required();
  app.add_option("--header", options->header,
                 "Judge this external header blob as well, and against the file")
      ->type_name("BLOB");
  app.add_flag("--no-decode", options->no_decode, "Leave the frames undecoded: structure only");
  return [options](Context& context) { return run(*options, context); };
}

}  // namespace sillar::cli
