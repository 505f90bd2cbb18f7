// The table of rules in a page of the docs, held against the rules in the code.
#pragma once

#include <sillar/base/rule.hpp>

#include <span>
#include <string>

namespace sillar::testing {

/// Fails unless the table in docs/<format>.md is the one of `rules`. With SILLAR_UPDATE_DOCS=1 it
/// is written anew instead.
void expect_rule_table(const std::string& format, std::span<const Rule* const> rules);

}  // namespace sillar::testing
