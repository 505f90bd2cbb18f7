// Judging a file by every rule, to the end.
#pragma once

#include <sillar/base/limits.hpp>
#include <sillar/base/report.hpp>
#include <sillar/exec/pool.hpp>
#include <sillar/geo/crs.hpp>
#include <sillar/io/byte_source.hpp>

#include <cstddef>
#include <optional>
#include <span>

namespace sillar::rumi {

struct ValidateOptions {
  std::optional<std::span<const std::byte>> header_blob;  ///< compare it with the file
  bool decode = true;                                     ///< decode every frame
  exec::Pool* pool = nullptr;
  const geo::CrsRegistry* registry =
      nullptr;  ///< where to look EPSG codes up; null: the built-in table
  Limits limits;
  io::ReadControl control;
};

/// All findings, in the order of the file: front, trailer, frames, blob; of each rule the first
/// ones as `Report` keeps them, so that a million broken frames cost no memory. The same at any
/// number of threads. Fails only where the file cannot be judged: io, over_limit, cancelled.
[[nodiscard]] Result<Report> validate(const io::ByteSource& source,
                                      const ValidateOptions& options = {});

}  // namespace sillar::rumi
