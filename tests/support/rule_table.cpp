// A table in Markdown between two comments, made of a list of rules.
#include "rule_table.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

namespace sillar::testing {
namespace {

/// "|" would end a cell.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char letter : text)
    escaped += letter == '|' ? std::string("\\|") : std::string(1, letter);
  return escaped;
}

std::string table_of(std::span<const Rule* const> rules) {
  std::string text = "| rule | section | demand | severity |\n|---|---|---|---|\n";
  for (const Rule* rule : rules) {
    text += "| `" + cell(rule->id) + "` | " + cell(rule->section) + " | " + cell(rule->demand) +
            " | " + std::string(name_of(rule->severity)) + " |\n";
  }
  return text;
}

std::string read_page(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

void expect_rule_table(const std::string& format, std::span<const Rule* const> rules) {
  const std::string path = SILLAR_SOURCE_DIR "/docs/" + format + ".md";
  const std::string begin_marker =
      "<!-- rules: begin, made by tests/" + format + "/rule_table_test.cpp -->\n";
  const std::string end_marker = "<!-- rules: end -->\n";
  std::string page = read_page(path);
  const std::size_t begin = page.find(begin_marker);
  const std::size_t end = page.find(end_marker);
  ASSERT_NE(begin, std::string::npos) << path << " lacks the line " << begin_marker;
  ASSERT_NE(end, std::string::npos) << path << " lacks the line " << end_marker;
  const std::size_t from = begin + begin_marker.size();
  ASSERT_LE(from, end);
  const std::string table = table_of(rules);
  const char* update = std::getenv("SILLAR_UPDATE_DOCS");
  if (update != nullptr && std::string_view(update) == "1" &&
      page.substr(from, end - from) != table) {
    page.replace(from, end - from, table);
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << page << std::flush;
    ASSERT_TRUE(file.good()) << path << " cannot be written";
    return;
  }
  EXPECT_EQ(page.substr(from, end - from), table) << "SILLAR_UPDATE_DOCS=1 writes the table anew";
}

}  // namespace sillar::testing
