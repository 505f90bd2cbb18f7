// The table of rules in docs/opff.md is the one in the code.
#include "rule_table.hpp"

#include <sillar/opff/rules.hpp>

#include <gtest/gtest.h>

namespace sillar::opff {
namespace {

TEST(RuleTable, of_the_docs_is_made_of_the_rules_in_the_code) {
  testing::expect_rule_table("opff", rules::all);
}

}  // namespace
}  // namespace sillar::opff
