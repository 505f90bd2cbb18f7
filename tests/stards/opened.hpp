// What many tests of StarDS files ask: values as bytes, findings as names.
#pragma once

#include "golden.hpp"
#include <sillar/stards/reader.hpp>
#include <sillar/stards/validate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace sillar::stards::testing {

using sillar::testing::Bytes;

/// Opens a copy of `bytes`.
inline Result<File> open_bytes(const Bytes& bytes) { return open(io::memory_source(Bytes(bytes))); }

inline std::string rule_of(const Error& error) {
  return error.rule == nullptr ? std::string(name_of(error.code)) : std::string(error.rule->id);
}

/// The rules of all findings, sorted, each once.
inline std::vector<std::string> rules_in(const Report& report) {
  std::vector<std::string> ids;
  for (const Finding& finding : report.findings()) ids.push_back(rule_of(finding.error));
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

/// The same of one severity.
inline std::vector<std::string> rules_in(const Report& report, Severity severity) {
  std::vector<std::string> ids;
  for (const Finding& finding : report.findings()) {
    if (finding.severity == severity) ids.push_back(rule_of(finding.error));
  }
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

/// All rules that a file breaks; the error's own where it cannot be judged.
inline std::vector<std::string> broken_by(const Bytes& bytes, const ValidateOptions& options = {}) {
  const auto report = validate(*io::memory_source(Bytes(bytes)), options);
  if (!report) return {rule_of(report.error())};
  return rules_in(*report);
}

/// The elements of numbers, or of strings, as a file without compression stores them.
inline Bytes bytes_in(const Value& value) {
  if (const auto* tensor = std::get_if<Tensor>(&value))
    return {tensor->bytes().begin(), tensor->bytes().end()};
  const auto payload = std::get<Strings>(value).payload();
  return {payload.begin(), payload.end()};
}

inline const Shape& shape_in(const Value& value) {
  if (const auto* tensor = std::get_if<Tensor>(&value)) return tensor->shape();
  return std::get<Strings>(value).shape();
}

}  // namespace sillar::stards::testing
