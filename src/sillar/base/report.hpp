// Where checks put what they find: all of it for a validator, the first error for a reader.
#pragma once

#include <sillar/base/error.hpp>
#include <sillar/base/rule.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sillar {

struct Finding {
  Severity severity = Severity::error;
  Error error;
};

/// How many more findings of a rule there are than are listed.
struct Unlisted {
  const Rule* rule = nullptr;
  Severity severity = Severity::error;
  std::uint64_t count = 0;

  friend bool operator==(const Unlisted&, const Unlisted&) = default;
};

/// The same checks serve reader and validator: they report here, and ask `done()` before they go
/// on. A reader's report is done with the first error, a validator's never; of a rule that is
/// broken over and over it lists the first findings, and counts the others.
class Report {
 public:
  enum class Until { first_error, end };

  /// Findings of one rule and severity that are listed.
  static constexpr std::uint64_t most_of_a_rule = 100;

  explicit Report(Until until) : until_(until) {}

  /// Notes that `rule` is broken; its own severity decides whether that is an error.
  void add(const Rule& rule, std::optional<std::uint64_t> offset, std::string detail,
           Errc code = Errc::malformed) {
    add(rule.severity, Error{.code = code,
                             .rule = &rule,
                             .offset = offset,
                             .detail = std::move(detail),
                             .source = {}});
  }

  void add(Severity severity, Error error) {
    Count& count = count_of(error.rule, severity);
    if (severity == Severity::error) ++errors_;
    if (until_ == Until::first_error) {
      if (severity != Severity::error || errors_ != 1) return;
    } else if (count.listed == most_of_a_rule) {
      ++count.unlisted;
      return;
    }
    ++count.listed;
    findings_.push_back({severity, std::move(error)});
  }

  /// Notes `count` findings of `rule` that a check counted itself, behind as many as are listed.
  void add_unlisted(const Rule& rule, std::uint64_t count) {
    if (count == 0) return;
    count_of(&rule, rule.severity).unlisted += count;
    if (rule.severity == Severity::error) errors_ += count;
  }

  /// True when nobody wants to know more.
  [[nodiscard]] bool done() const { return until_ == Until::first_error && errors_ > 0; }

  /// All errors, listed or not.
  [[nodiscard]] std::uint64_t errors() const { return errors_; }

  /// All findings of a severity, listed or not.
  [[nodiscard]] std::uint64_t count(Severity severity) const {
    std::uint64_t sum = 0;
    for (const Count& count : counts_) {
      if (count.severity == severity) sum += count.listed + count.unlisted;
    }
    return sum;
  }

  [[nodiscard]] const std::vector<Finding>& findings() const { return findings_; }

  /// What is not among the findings, a rule each, in the order in which the rules were first
  /// broken.
  [[nodiscard]] std::vector<Unlisted> unlisted() const {
    std::vector<Unlisted> more;
    for (const Count& count : counts_) {
      if (count.unlisted != 0) more.push_back({count.rule, count.severity, count.unlisted});
    }
    return more;
  }

  /// The first error, or success.
  [[nodiscard]] Result<> verdict() const {
    for (const Finding& finding : findings_) {
      if (finding.severity == Severity::error) return std::unexpected(finding.error);
    }
    return {};
  }

 private:
  struct Count {
    const Rule* rule = nullptr;
    Severity severity = Severity::error;
    std::uint64_t listed = 0;
    std::uint64_t unlisted = 0;
  };

  Count& count_of(const Rule* rule, Severity severity) {
    // The last one first: findings of a rule come in runs.
    for (std::size_t i = counts_.size(); i-- > 0;) {
      if (counts_[i].rule == rule && counts_[i].severity == severity) return counts_[i];
    }
    return counts_.emplace_back(rule, severity);
  }

  Until until_;
  std::uint64_t errors_ = 0;
  std::vector<Finding> findings_;
  std::vector<Count> counts_;
};

}  // namespace sillar
