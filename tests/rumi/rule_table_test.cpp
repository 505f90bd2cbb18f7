// The table of rules in docs/rumi.md is the one in the code.
#include "rule_table.hpp"

#include <sillar/rumi/rules.hpp>

#include <gtest/gtest.h>

namespace sillar::rumi {
namespace {

TEST(RuleTable, of_the_docs_is_made_of_the_rules_in_the_code) {
  testing::expect_rule_table("rumi", rules::all);
}

}  // namespace
}  // namespace sillar::rumi
