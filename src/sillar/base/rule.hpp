// A rule: one sentence of a specification that a file can break.
#pragma once

#include <string_view>

namespace sillar {

/// How much a broken rule weighs.
enum class Severity {
  error,        ///< the file is not valid
  warning,      ///< the file is valid; somebody may be surprised
  unsupported,  ///< the file may be valid; this library cannot judge or read that part
};

/// One demand of a specification. Rules are constants of the format that they belong to; an
/// `Error` points at one, so a `Rule` must have static storage duration.
struct Rule {
  std::string_view id;       ///< "format.part.name", stable: programs may compare it
  std::string_view section;  ///< the title of the section of the specification
  std::string_view demand;   ///< what it asks for, in our own words
  Severity severity = Severity::error;
};

/// The severity as the JSON documents spell it: "error", "warning", "unsupported".
[[nodiscard]] constexpr std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::unsupported:
      return "unsupported";
  }
  return "error";
}

}  // namespace sillar
