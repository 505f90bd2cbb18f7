// The table of rules in docs/opff.md is the one in the code.
#include <sillar/opff/rules.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace sillar::opff {
namespace {

constexpr std::string_view begin_marker =
    "<!-- rules: begin, made by tests/opff/rule_table_test.cpp -->\n";
constexpr std::string_view end_marker = "<!-- rules: end -->\n";
const std::string page_path = SILLAR_SOURCE_DIR "/docs/opff.md";

/// "|" would end a cell.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char letter : text)
    escaped += letter == '|' ? std::string("\\|") : std::string(1, letter);
  return escaped;
}

std::string table() {
  std::string text = "| rule | section | demand | severity |\n|---|---|---|---|\n";
  for (const Rule* rule : rules::all) {
    text += "| `" + cell(rule->id) + "` | " + cell(rule->section) + " | " + cell(rule->demand) +
            " | " + std::string(name_of(rule->severity)) + " |\n";
  }
  return text;
}

std::string read_page() {
  std::ifstream file(page_path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(RuleTable, of_the_docs_is_made_of_the_rules_in_the_code) {
  std::string page = read_page();
  const std::size_t begin = page.find(begin_marker);
  const std::size_t end = page.find(end_marker);
  ASSERT_NE(begin, std::string::npos) << page_path << " lacks the line " << begin_marker;
  ASSERT_NE(end, std::string::npos) << page_path << " lacks the line " << end_marker;
  const std::size_t from = begin + begin_marker.size();
  ASSERT_LE(from, end);
  const char* update = std::getenv("SILLAR_UPDATE_DOCS");
  if (update != nullptr && std::string_view(update) == "1" &&
      page.substr(from, end - from) != table()) {
    page.replace(from, end - from, table());
    std::ofstream file(page_path, std::ios::binary | std::ios::trunc);
    file << page << std::flush;
    ASSERT_TRUE(file.good()) << page_path << " cannot be written";
    return;
  }
  EXPECT_EQ(page.substr(from, end - from), table()) << "SILLAR_UPDATE_DOCS=1 writes the table anew";
}

}  // namespace
}  // namespace sillar::opff
