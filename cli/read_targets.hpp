// What `read` can write: one row and one writer a target.
#pragma once

#include "cli/formats.hpp"
#include "cli/output.hpp"

#include <span>
#include <string_view>

namespace sillar::cli {

struct ReadTarget {
  std::string_view name;

  /// Judges a target before anything is decoded. Fails with bad_argument or unsupported.
  Result<> (*check)(DType dtype, const Shape& shape);

  /// Writes the samples; `finish` is the caller's.
  Result<> (*write)(const Samples& samples, Output& output);
};

[[nodiscard]] std::span<const ReadTarget> read_targets();

}  // namespace sillar::cli
