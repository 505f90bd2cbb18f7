// Where checks put what they find: all of it for a validator, the first error for a reader.
#pragma once

#include <sillar/base/error.hpp>
#include <sillar/base/rule.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sillar {

struct Finding {
  Severity severity = Severity::error;
  Error error;
};

/// The same checks serve reader and validator: they report here, and ask `done()` before they go
/// on. A reader's report is done with the first error, a validator's never.
class Report {
 public:
  enum class Until { first_error, end };

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
    if (severity == Severity::error) ++errors_;
    if (until_ == Until::end || (severity == Severity::error && errors_ == 1)) {
      findings_.push_back({severity, std::move(error)});
    }
  }

  /// True when nobody wants to know more.
  [[nodiscard]] bool done() const { return until_ == Until::first_error && errors_ > 0; }

  [[nodiscard]] std::uint64_t errors() const { return errors_; }
  [[nodiscard]] const std::vector<Finding>& findings() const { return findings_; }

  /// The first error, or success.
  [[nodiscard]] Result<> verdict() const {
    for (const Finding& finding : findings_) {
      if (finding.severity == Severity::error) return std::unexpected(finding.error);
    }
    return {};
  }

 private:
  Until until_;
  std::uint64_t errors_ = 0;
  std::vector<Finding> findings_;
};

}  // namespace sillar
