// The command line as a whole: which verb, with which options, and the exit code.
#include "cli/command.hpp"

#include "cli/context.hpp"
#include "cli/signals.hpp"
#include "cli/text.hpp"
#include "cli/usage.hpp"
#include "cli/verb.hpp"
#include "cli/version.hpp"

#include <CLI/CLI.hpp>  // all of it once: App.hpp alone lacks definitions
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sillar::cli {
namespace {

constexpr std::string_view command_summary = "sillar: arrays in rumi, StarDS and OPFF files";
constexpr std::string_view command_examples =
    "sillar info scene.rumi\n"
    "sillar read scene.rumi --bands 0 --to npy -o band.npy\n"
    "sillar --version --json";

constexpr int of_closed_pipe = 141;  // what a shell gives for SIGPIPE
constexpr int of_signal = 128;

using Arguments = std::vector<std::string>;

void declare_global(CLI::App& app, GlobalOptions& options) {
  const auto global = [](CLI::Option* option) {
    option->group(global_group);
    return option;
  };
  global(app.set_help_flag("-h", "A short help"));
  global(app.set_help_all_flag("--help", "The whole help, with examples"));
  global(app.add_flag("-q,--quiet", options.quiet,
                      "No notes, warnings or progress on standard error"));
  global(app.add_flag("-v,--verbose", options.verbose, "Tell more; twice: still more"));
  global(app.add_flag("--json", options.json,
                      "Answer with one JSON document; errors as JSON on standard error"));
  global(app.add_flag("--jsonl", options.json_lines,
                      "The same, each document on one line; one a file"));
  take_one_of(global(app.add_option("--color", options.color,
                                    "Colours (default auto; NO_COLOR is obeyed)")),
              "auto|always|never");
  global(app.add_option("--threads", options.threads,
                        "Threads for decoding (default SILLAR_NUM_THREADS, else 1), or ALL_CPUS"))
      ->type_name("N");
  global(app.add_flag("--progress{bar}", options.progress,
                      "Show progress also where standard error is no terminal; --progress=json: "
                      "one document a line"))
      ->check(CLI::Validator(
          [](std::string& style) -> std::string {
            return style == "bar" || style == "json" ? ""
                                                     : "\"" + style + "\" is neither bar nor json";
          },
          ""));
  global(app.add_flag("--no-progress", options.no_progress, "Never show progress"));
}

/// A program of options: the command itself, or one verb.
struct Program {
  explicit Program(GlobalOptions& globals) { declare_global(app, globals); }

  CLI::App app;
  Run run;
};

struct CommandProgram : Program {
  explicit CommandProgram(GlobalOptions& globals) : Program(globals) {
    app.add_flag("--version", version,
                 "Versions of the library, the formats and OpenZL, and the build");
    app.add_flag("--json-usage", json_usage, "All verbs and options as JSON");
  }

  bool version = false;
  bool json_usage = false;
};

struct VerbProgram : Program {
  VerbProgram(GlobalOptions& globals, const Verb& verb) : Program(globals) {
    run = verb.declare(app);
  }
};

/// Where the verb stands: the first argument that is no option and no value of a global one.
[[nodiscard]] std::optional<std::size_t> find_verb(const CLI::App& app,
                                                   const Arguments& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--") return i + 1 < arguments.size() ? std::optional(i + 1) : std::nullopt;
    if (argument.size() < 2 || argument[0] != '-') return i;
    const CLI::Option* option = app.get_option_no_throw(argument);
    if (option != nullptr && option->get_items_expected_min() > 0) ++i;
  }
  return std::nullopt;
}

/// Errors come as JSON also where the options cannot be parsed.
[[nodiscard]] bool asks_for_json(const Arguments& arguments) {
  const auto end = std::ranges::find(arguments, "--");
  return std::any_of(arguments.begin(), end,
                     [](const std::string& a) { return a == "--json" || a == "--jsonl"; });
}

[[nodiscard]] int usage_error(const Context& context, std::string detail, std::string_view hint) {
  return context.report(Error{.code = Errc::bad_argument,
                              .rule = nullptr,
                              .offset = {},
                              .detail = std::move(detail),
                              .source = {}},
                        hint);
}

[[nodiscard]] std::string see_help(std::string_view verb) {
  return verb.empty() ? "`sillar --help` lists verbs and options"
                      : fmt::format("`sillar {} --help` lists its options", verb);
}

/// Complains about arguments that nothing takes.
[[nodiscard]] int unexpected(const Context& context, const VerbUsage& usage,
                             const Arguments& left) {
  const auto option = std::ranges::find_if(
      left, [](const std::string& a) { return a.size() > 1 && a[0] == '-' && a != "--"; });
  if (option == left.end()) {
    const auto argument =
        std::ranges::find_if(left, [](const std::string& a) { return a != "--"; });
    return usage_error(
        context, "unexpected argument \"" + (argument == left.end() ? "--" : *argument) + "\"",
        see_help(usage.name));
  }
  const std::string name = option->substr(0, option->find('='));
  std::vector<std::string> known;
  for (const OptionUsage& entry : usage.options) {
    if (!entry.positional) known.insert(known.end(), entry.names.begin(), entry.names.end());
  }
  const auto near = nearest(name, known);
  return usage_error(context, "unknown option " + name,
                     near.empty() ? see_help(usage.name) : fmt::format("did you mean {}?", near));
}

/// Parses `arguments`; the exit code where that is all there is to do.
[[nodiscard]] std::optional<int> parse(const Context& context, Program& program,
                                       const VerbUsage& usage, Arguments arguments) {
  const auto finish = [&](const Result<>& printed) {
    return printed ? 0 : context.report(printed.error());
  };
  std::ranges::reverse(arguments);  // as CLI11 wants them
  try {
    program.app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    return finish(Context::print(help_text(usage, false)));
  } catch (const CLI::CallForAllHelp&) {
    return finish(Context::print(help_text(usage, true)));
  } catch (const CLI::ExtrasError&) {
    return unexpected(context, usage, program.app.remaining());
  } catch (const CLI::ParseError& error) {
    // What is missing may be so because an option was misspelt.
    const Arguments left = program.app.remaining();
    if (!left.empty()) return unexpected(context, usage, left);
    return usage_error(context, error.what(), see_help(usage.name));
  }
  return std::nullopt;
}

[[nodiscard]] int exit_code_of(const Context& context, const Error& error) {
  const bool closed_pipe =
      error.code == Errc::io && error.system_errno == EPIPE && error.source == stdout_name;
  if (closed_pipe) return of_closed_pipe;
  if (error.code == Errc::cancelled && caught_signal() != 0) {
    static_cast<void>(context.report(error));
    return of_signal + caught_signal();
  }
  return context.report(error);
}

[[nodiscard]] int run_verb(const Verb& verb, GlobalOptions& globals, Arguments arguments) {
  Context context(globals, verb.name);
  globals.json = asks_for_json(arguments);
  VerbProgram program(globals, verb);
  const VerbUsage usage = usage_of(program.app, verb.name, verb.summary, verb.examples);
  if (const auto code = parse(context, program, usage, std::move(arguments))) return *code;
  try {
    const auto answer = program.run(context);
    return answer ? *answer : exit_code_of(context, answer.error());
  } catch (const std::bad_alloc&) {
    return context.report(Error{.code = Errc::over_limit,
                                .rule = nullptr,
                                .offset = {},
                                .detail = "out of memory",
                                .source = {}});
  }
}

[[nodiscard]] int run_command(CommandProgram& program, GlobalOptions& globals,
                              Arguments arguments) {
  const Context context(globals, "");
  globals.json = asks_for_json(arguments);
  const VerbUsage usage = usage_of(program.app, "", command_summary, command_examples);
  if (const auto code = parse(context, program, usage, std::move(arguments))) return *code;
  Result<> printed;
  if (program.version) {
    printed =
        context.json() ? context.print_document(version_json()) : Context::print(version_text());
  } else if (program.json_usage) {
    const CommandUsage whole = command_usage();
    printed = context.print_document(usage_json(whole.command, whole.verbs));
  } else {
    return usage_error(context, "no verb was given", see_help(""));
  }
  return printed ? 0 : exit_code_of(context, printed.error());
}

}  // namespace

CommandUsage command_usage() {
  GlobalOptions globals;
  const CommandProgram program(globals);
  CommandUsage whole{.command = usage_of(program.app, "", command_summary, command_examples),
                     .verbs = {}};
  for (const Verb& verb : verbs()) {
    const VerbProgram verb_program(globals, verb);
    whole.verbs.push_back(usage_of(verb_program.app, verb.name, verb.summary, verb.examples));
  }
  return whole;
}

int run(std::span<char*> argv) {
  prepare_process();
  Arguments arguments;
  if (!argv.empty()) arguments.assign(argv.begin() + 1, argv.end());
  GlobalOptions globals;
  CommandProgram command(globals);
  const auto at = find_verb(command.app, arguments);
  if (!at) return run_command(command, globals, std::move(arguments));
  const std::string name = arguments[*at];
  const auto verb = std::ranges::find(verbs(), std::string_view(name), &Verb::name);
  if (verb == verbs().end()) {
    globals.json = asks_for_json(arguments);
    std::vector<std::string> names;
    for (const Verb& known : verbs()) names.emplace_back(known.name);
    const auto near = nearest(name, names);
    return usage_error(Context(globals, ""), "unknown verb \"" + name + "\"",
                       near.empty() ? see_help("") : fmt::format("did you mean {}?", near));
  }
  arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(*at));
  return run_verb(*verb, globals, std::move(arguments));
}

}  // namespace sillar::cli
