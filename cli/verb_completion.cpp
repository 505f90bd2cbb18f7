// `sillar completion`: scripts for shells, made from the tree of options.
#include "cli/text.hpp"
#include "cli/usage.hpp"
#include "cli/verb.hpp"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

namespace sillar::cli {
namespace {

struct Options {
  std::string shell;
};

[[nodiscard]] std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

[[nodiscard]] std::vector<std::string> verb_names(const CommandUsage& usage) {
  std::vector<std::string> names;
  names.reserve(usage.verbs.size());
  for (const VerbUsage& verb : usage.verbs) names.push_back(verb.name);
  return names;
}

/// Every spelling of every option of `verb`; with `values` only those that take a value.
[[nodiscard]] std::vector<std::string> option_names(const VerbUsage& verb, bool values) {
  std::vector<std::string> names;
  for (const OptionUsage& option : verb.options) {
    if (option.positional || (values && option.value.empty())) continue;
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

/// The words that a positional argument takes, where it takes words.
[[nodiscard]] std::vector<std::string> positional_choices(const VerbUsage& verb) {
  for (const OptionUsage& option : verb.options) {
    if (option.positional && !option.choices.empty()) return option.choices;
  }
  return {};
}

/// `text` between single quotes, for bash and zsh.
[[nodiscard]] std::string single_quoted(std::string_view text) {
  std::string text_in_quotes = "'";
  for (const char c : text) text_in_quotes += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text_in_quotes + "'";
}

/// The branch of one verb, "" for the command itself: what follows an option with choices, what
/// follows one with another value, and what else may stand there.
[[nodiscard]] std::string bash_branch(const VerbUsage& verb,
                                      const std::vector<std::string>& verbs) {
  std::string text = fmt::format("    {})\n      case $before in\n", single_quoted(verb.name));
  std::vector<std::string> free;
  for (const OptionUsage& option : verb.options) {
    if (option.positional || option.value.empty()) continue;
    if (!option.choices.empty()) {
      text += fmt::format("        {}) words={} ;;\n", fmt::join(option.names, "|"),
                          single_quoted(joined(option.choices)));
    } else if (option.takes_file()) {
      text += fmt::format("        {}) files=1 ;;\n", fmt::join(option.names, "|"));
    } else {
      free.insert(free.end(), option.names.begin(), option.names.end());
    }
  }
  if (!free.empty()) text += fmt::format("        {}) ;;\n", fmt::join(free, "|"));
  const auto choices = verb.name.empty() ? verbs : positional_choices(verb);
  text += fmt::format("        *)\n          if [[ $word == -* ]]; then words={}; else {}; fi ;;\n",
                      single_quoted(joined(option_names(verb, false))),
                      choices.empty() ? "files=1" : "words=" + single_quoted(joined(choices)));
  return text + "      esac ;;\n";
}

[[nodiscard]] std::string bash_script(const CommandUsage& usage) {
  const auto verbs = verb_names(usage);
  std::string text = fmt::format(
      "# bash completion of sillar {}\n"
      "_sillar() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} verb= words= "
      "files= i\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case ${{COMP_WORDS[i]}} in\n"
      "      {}) verb=${{COMP_WORDS[i]}}; break ;;\n"
      "    esac\n"
      "  done\n"
      "  case $verb in\n",
      SILLAR_VERSION, fmt::join(verbs, "|"));
  text += bash_branch(usage.command, verbs);
  for (const VerbUsage& verb : usage.verbs) text += bash_branch(verb, verbs);
  return text +
         "  esac\n"
         "  if [[ -n $files ]]; then\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
         "  else\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "  fi\n"
         "}\n"
         "complete -F _sillar sillar\n";
}

/// "[what it does]", with what zsh's _arguments would read as syntax escaped.
[[nodiscard]] std::string zsh_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

[[nodiscard]] std::string zsh_value(const OptionUsage& option) {
  if (option.value.empty() && !option.positional) return {};
  const std::string name = zsh_escaped(option.positional ? option.names.front() : option.value);
  if (!option.choices.empty())
    return fmt::format(":{}:({})", option.positional ? name : "value", joined(option.choices));
  return fmt::format(":{}:{}", name, option.takes_file() ? "_files" : " ");
}

[[nodiscard]] std::string zsh_arguments(const VerbUsage& verb) {
  std::string text;
  for (const OptionUsage& option : verb.options) {
    if (option.positional) {
      text += " \\\n        " + single_quoted((option.repeatable ? "*" : "1") + zsh_value(option));
      continue;
    }
    for (const std::string& name : option.names) {
      text += " \\\n        " +
              single_quoted(fmt::format("{}{}[{}]{}", option.repeatable ? "*" : "", name,
                                        zsh_escaped(option.description), zsh_value(option)));
    }
  }
  return text;
}

[[nodiscard]] std::string zsh_script(const CommandUsage& usage) {
  std::string text = fmt::format(
      "#compdef sillar\n"
      "# zsh completion of sillar {}\n"
      "_sillar() {{\n"
      "  local context state state_descr line\n"
      "  typeset -A opt_args\n"
      "  local -a verbs=(\n",
      SILLAR_VERSION);
  for (const VerbUsage& verb : usage.verbs)
    text += fmt::format("    {}\n", single_quoted(verb.name + ":" + zsh_escaped(verb.summary)));
  text += "  )\n  _arguments -C" + zsh_arguments(usage.command) +
          " \\\n        '1:verb:->verb' '*::argument:->argument'\n";
  text +=
      "  case $state in\n"
      "    verb) _describe verb verbs ;;\n"
      "    argument)\n"
      "      case $line[1] in\n";
  for (const VerbUsage& verb : usage.verbs)
    text += fmt::format("      {}) _arguments{} ;;\n", verb.name, zsh_arguments(verb));
  return text +
         "      esac ;;\n"
         "  esac\n"
         "}\n"
         "if [[ $funcstack[1] == _sillar ]]; then _sillar \"$@\"; else compdef _sillar sillar; "
         "fi\n";
}

/// `text` between single quotes, for fish.
[[nodiscard]] std::string fish_quoted(std::string_view text) {
  std::string text_in_quotes = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') text_in_quotes += '\\';
    text_in_quotes += c;
  }
  return text_in_quotes + "'";
}

[[nodiscard]] std::string fish_option(const OptionUsage& option, std::string_view condition) {
  std::string text = fmt::format("complete -c sillar -n {}", fish_quoted(condition));
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.value.empty()) text += option.takes_file() ? " -r -F" : " -x";
  if (!option.choices.empty()) text += " -a " + fish_quoted(joined(option.choices));
  return text + " -d " + fish_quoted(option.description) + "\n";
}

[[nodiscard]] std::string fish_script(const CommandUsage& usage) {
  constexpr std::string_view no_verb = "__fish_use_subcommand";
  std::string text = fmt::format("# fish completion of sillar {}\n", SILLAR_VERSION);
  for (const VerbUsage& verb : usage.verbs) {
    text += fmt::format("complete -c sillar -f -n {} -a {} -d {}\n", no_verb, verb.name,
                        fish_quoted(verb.summary));
  }
  for (const OptionUsage& option : usage.command.options) text += fish_option(option, no_verb);
  for (const VerbUsage& verb : usage.verbs) {
    const std::string condition = "__fish_seen_subcommand_from " + verb.name;
    for (const OptionUsage& option : verb.options) {
      if (!option.positional) text += fish_option(option, condition);
    }
    if (const auto choices = positional_choices(verb); !choices.empty()) {
      text += fmt::format("complete -c sillar -f -n {} -a {}\n", fish_quoted(condition),
                          fish_quoted(joined(choices)));
    }
  }
  return text;
}

struct Shell {
  std::string_view name;
  std::string (*script)(const CommandUsage&);
};

constexpr std::array shells = {Shell{"bash", bash_script}, Shell{"zsh", zsh_script},
                               Shell{"fish", fish_script}};

[[nodiscard]] Result<int> run(const Options& options, const Context& context) {
  const auto shell = std::ranges::find(shells, std::string_view(options.shell), &Shell::name);
  if (shell == shells.end())
    return fail(Errc::bad_argument, "completion is made for bash, zsh and fish");
  const std::string script = shell->script(command_usage());
  if (!context.json()) {
    SILLAR_TRY(Context::print(script));
    return 0;
  }
  Json json = document("completion");
  json["shell"] = shell->name;
  json["script"] = script;
  SILLAR_TRY(context.print_document(json));
  return 0;
}

}  // namespace

Run declare_completion(CLI::App& app) {
  auto options = std::make_shared<Options>();
  take_one_of(app.add_option("SHELL", options->shell, "The shell")->required(), "bash|zsh|fish");
  return [options](Context& context) { return run(*options, context); };
}

}  // namespace sillar::cli
