// Judging a file by every rule, to the end.
#pragma once

#include <sillar/base/limits.hpp>
#include <sillar/base/report.hpp>
#include <sillar/exec/pool.hpp>
#include <sillar/io/byte_source.hpp>
#include <sillar/stards/reader.hpp>

#include <cstdint>

namespace sillar::stards {

struct ValidateOptions {
  bool decode = true;  ///< decode every block of every array; metadata is decoded in any case
  exec::Pool* pool = nullptr;
  std::uint64_t header_bytes = header_size_limit;
  Limits limits = {};
  io::ReadControl control = {};
};

/// All findings: header section, arrays in the order of the index, metadata, then how they lie in
/// the file. Fails only where the file cannot be judged: io, over_limit, cancelled.
[[nodiscard]] Result<Report> validate(const io::ByteSource& source,
                                      const ValidateOptions& options = {});

}  // namespace sillar::stards
