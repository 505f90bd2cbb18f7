// Judging a file by every rule, to the end.
#pragma once

#include <sillar/base/report.hpp>
#include <sillar/io/byte_source.hpp>

namespace sillar::opff {

struct ValidateOptions {
  bool footer = false;  ///< judge the footer too, as one that this library writes
  io::ReadControl control;
};

/// All findings, in the order of the rules. The samples are not read: any bytes are samples. Fails
/// only where the file cannot be judged: io, over_limit, cancelled.
[[nodiscard]] Result<Report> validate(const io::ByteSource& source,
                                      const ValidateOptions& options = {});

}  // namespace sillar::opff
