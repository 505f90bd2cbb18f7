// The JSON of the StarDS corpus as structures, and that it is what the tests think it is.
#include "stards_manifest.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace sillar::stards::testing {
namespace {

using nlohmann::json;

/// The corpus says E_MAGIC for stards.file.magic, and W_HASH for the warning of that name.
std::string rule_name(const std::string& corpus_name) {
  std::string name = corpus_name.substr(2);
  std::ranges::transform(name, name.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  switch (corpus_name[0]) {
    case 'E':
      return "stards.file." + name;
    case 'A':
      return "stards.array." + name;
    case 'M':
      return "stards.metadata." + name;
    case 'U':
      return "stards.unsupported." + name;
    default:
      break;
  }
  for (const std::string_view part : {"stards.file.", "stards.array.", "stards.metadata."}) {
    for (const Rule* rule : rules::all) {
      if (rule->severity == Severity::warning && rule->id == std::string(part) + name)
        return std::string(rule->id);
    }
  }
  return "no warning " + name;
}

ManifestValue value_of(const json& entry) {
  ManifestValue value;
  value.error = entry.value("error", "");
  value.dtype = entry.value("dtype", "");
  value.shape = entry.value("shape", std::vector<std::uint64_t>{});
  value.sha256 = entry.value("sha256", "");
  if (entry.contains("strings"))
    value.strings = entry.at("strings").get<std::vector<std::string>>();
  value.compression = entry.value("compression", std::uint64_t{0});
  value.block_count = entry.value("nblocks", std::uint64_t{0});
  value.sliceable = entry.value("sliceable", false);
  return value;
}

ManifestValues values_of(const json& entry, const char* what) {
  ManifestValues values;
  if (!entry.contains(what)) return values;
  for (const auto& [layer, keys] : entry.at(what).items()) {
    for (const auto& [key, value] : keys.items()) values[layer][key] = value_of(value);
  }
  return values;
}

ManifestCase case_of(const json& entry) {
  ManifestCase made;
  made.name = entry.at("name");
  made.file = entry.at("file");
  if (entry.contains("rule")) made.rule = rule_name(entry.at("rule").get<std::string>());
  made.detect = entry.value("detect", "");
  made.layers = entry.value("layers", std::vector<std::string>{});
  made.arrays = values_of(entry, "arrays");
  made.metadata = values_of(entry, "metadata");
  if (entry.contains("lost_metadata")) made.lost_metadata = entry.at("lost_metadata");
  for (const json& warning : entry.value("warnings", json::array()))
    made.warnings.push_back(rule_name(warning.get<std::string>()));
  std::ranges::sort(made.warnings);
  return made;
}

Manifest load() {
  std::ifstream file(sillar::testing::data_path("corpus/stards/manifest.json"));
  const json document = json::parse(file);
  Manifest made;
  for (const json& entry : document.at("valid")) made.valid.push_back(case_of(entry));
  for (const json& entry : document.at("invalid")) made.invalid.push_back(case_of(entry));
  return made;
}

const ManifestCase& named(const std::vector<ManifestCase>& cases, std::string_view name) {
  for (const ManifestCase& entry : cases) {
    if (entry.name == name) return entry;
  }
  std::fprintf(stderr, "the corpus has no case %s\n", std::string(name).c_str());
  std::abort();
}

TEST(Corpus, names_rules_that_exist) {
  const auto exists = [](const std::string& id) {
    return std::ranges::any_of(rules::all, [&](const Rule* rule) { return rule->id == id; });
  };
  for (const ManifestCase& entry : manifest().invalid)
    EXPECT_TRUE(exists(entry.rule)) << entry.rule;
  for (const ManifestCase& entry : manifest().valid) {
    for (const std::string& warning : entry.warnings) EXPECT_TRUE(exists(warning)) << warning;
  }
}

TEST(Corpus, has_no_case_of_another_reach) {
  for (const ManifestCase& entry : manifest().invalid) {
    EXPECT_TRUE(entry.detect == "open" || entry.detect == "array" || entry.detect == "metadata" ||
                entry.detect == "unsupported")
        << entry.name;
  }
  EXPECT_EQ(manifest().valid.size(), 87u);
  EXPECT_EQ(manifest().invalid.size(), 188u);
}

}  // namespace

const ManifestCase& Manifest::valid_case(std::string_view name) const { return named(valid, name); }
const ManifestCase& Manifest::invalid_case(std::string_view name) const {
  return named(invalid, name);
}

const Manifest& manifest() {
  static const Manifest made = load();
  return made;
}

}  // namespace sillar::stards::testing
