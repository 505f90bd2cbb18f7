// The tree of options as data: help, `--json-usage` and the completions are made from it.
#include "cli/usage.hpp"

#include "cli/text.hpp"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace sillar::cli {
namespace {

[[nodiscard]] OptionUsage usage_of(const CLI::Option& option) {
  OptionUsage usage;
  for (const std::string& name : option.get_snames()) usage.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) usage.names.push_back("--" + name);
  usage.positional = usage.names.empty();
  if (usage.positional) usage.names.push_back(option.get_name());
  const bool flag = option.get_items_expected_max() == 0;
  if (!flag && !usage.positional) usage.value = option.get_type_name();
  const std::string& choices = option.get_type_name();
  if (!flag && choices.find('|') != std::string::npos) {
    for (const std::string_view choice : split(choices, '|')) usage.choices.emplace_back(choice);
    usage.value = choices;
  }
  usage.description = option.get_description();
  usage.required = option.get_required();
  usage.repeatable = option.get_expected_max() > 1;
  usage.global = option.get_group() == global_group;
  return usage;
}

/// "-o, --output FILE"
[[nodiscard]] std::string left_side(const OptionUsage& option) {
  std::string text = fmt::format("{}", fmt::join(option.names, ", "));
  if (!option.positional && option.names.front().starts_with("--")) text.insert(0, "    ");
  if (!option.value.empty() && !option.positional) text += " " + option.value;
  return text;
}

/// Lines of at most 96 columns, the first behind `left`.
void append_entry(std::string& text, const std::string& left, std::string_view right) {
  constexpr std::size_t column = 30;
  constexpr std::size_t width = 96;
  std::string line = "  " + left;
  if (line.size() + 2 > column) {
    text += line + "\n";
    line.clear();
  }
  line.resize(std::max(line.size(), column), ' ');
  std::size_t words = 0;
  for (const std::string_view word : split(right, ' ')) {
    if (words != 0 && line.size() + 1 + word.size() > width) {
      text += line + "\n";
      line.assign(column, ' ');
      words = 0;
    }
    if (words != 0) line += ' ';
    line += word;
    ++words;
  }
  text += line + "\n";
}

void append_options(std::string& text, const VerbUsage& usage, std::string_view title, bool global,
                    bool positional) {
  bool titled = false;
  for (const OptionUsage& option : usage.options) {
    if (option.global != global || option.positional != positional) continue;
    if (!titled) text += fmt::format("\n{}:\n", title);
    titled = true;
    append_entry(text, left_side(option), option.description);
  }
}

[[nodiscard]] Json option_json(const OptionUsage& option) {
  Json json;
  if (option.positional) {
    json["name"] = option.names.front();
  } else {
    json["names"] = option.names;
    json["value"] = option.value.empty() ? Json(nullptr) : Json(option.value);
  }
  if (!option.choices.empty()) json["choices"] = option.choices;
  json["description"] = option.description;
  json["required"] = option.required;
  json["repeatable"] = option.repeatable;
  return json;
}

[[nodiscard]] Json options_json(const VerbUsage& usage, bool global, bool positional) {
  Json list = Json::array();
  for (const OptionUsage& option : usage.options) {
    if (option.global == global && option.positional == positional)
      list.push_back(option_json(option));
  }
  return list;
}

}  // namespace

VerbUsage usage_of(const CLI::App& app, std::string_view name, std::string_view summary,
                   std::string_view examples) {
  VerbUsage usage{
      .name = std::string(name), .summary = std::string(summary), .examples = {}, .options = {}};
  for (const std::string_view line : split(examples, '\n')) usage.examples.emplace_back(line);
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) usage.options.push_back(usage_of(*option));
  }
  return usage;
}

std::string help_text(const VerbUsage& usage, bool all) {
  std::string text = usage.summary + "\n\nUsage: sillar ";
  text += usage.name.empty() ? "VERB [options] FILE..." : usage.name + " [options]";
  for (const OptionUsage& option : usage.options) {
    if (!option.positional) continue;
    text += " " + (option.required ? option.names.front() : "[" + option.names.front() + "]");
    if (option.repeatable) text += "...";
  }
  text += "\n";
  if (usage.name.empty()) {
    text += "\nVerbs:\n";
    for (const Verb& verb : verbs()) append_entry(text, std::string(verb.name), verb.summary);
  }
  append_options(text, usage, "Arguments", false, true);
  append_options(text, usage, "Options", false, false);
  if (all || usage.name.empty()) append_options(text, usage, global_group, true, false);
  if (all && !usage.examples.empty()) {
    text += "\nExamples:\n";
    for (const std::string& line : usage.examples) text += "  " + line + "\n";
  }
  if (usage.name.empty()) {
    text += "\n`sillar VERB --help` tells more of a verb.\n";
  } else if (!all) {
    text += fmt::format("\n`sillar {} --help` adds examples and the global options.\n", usage.name);
  }
  return text;
}

Json usage_json(const VerbUsage& command, const std::vector<VerbUsage>& all) {
  Json json = document("usage");
  json["name"] = "sillar";
  json["version"] = SILLAR_VERSION;
  json["description"] = command.summary;
  json["options"] = options_json(command, false, false);
  json["global_options"] = options_json(command, true, false);
  json["verbs"] = Json::array();
  for (const VerbUsage& verb : all) {
    json["verbs"].push_back(Json{{"name", verb.name},
                                 {"description", verb.summary},
                                 {"arguments", options_json(verb, false, true)},
                                 {"options", options_json(verb, false, false)},
                                 {"examples", verb.examples}});
  }
  return json;
}

}  // namespace sillar::cli
