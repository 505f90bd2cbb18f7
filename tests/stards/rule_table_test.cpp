// The table of rules in docs/stards.md is the one in the code.
#include "rule_table.hpp"

#include <sillar/stards/rules.hpp>

#include <gtest/gtest.h>

namespace sillar::stards {
namespace {

TEST(RuleTable, of_the_docs_is_made_of_the_rules_in_the_code) {
  sillar::testing::expect_rule_table("stards", rules::all);
}

}  // namespace
}  // namespace sillar::stards
