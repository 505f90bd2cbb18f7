// What `plan` and `read` share: which samples, and by which header.
#pragma once

#include "cli/formats.hpp"

#include <string>

namespace sillar::cli {

struct ReadOptions {
  std::string header;
  SelectionOptions selection;
  bool no_verify = false;
};

void declare_read_options(CLI::App& app, ReadOptions& options);

/// The options with the header blob read. Fails as reading that file does.
[[nodiscard]] Result<ReadRequest> request_of(const ReadOptions& options);

/// The input; with a header blob it is a rumi file, whatever its name.
[[nodiscard]] Result<Input> open_for_reading(const std::string& path, const ReadOptions& options);

/// Prints what a read would do.
[[nodiscard]] Result<int> explain(const std::string& path, const ReadOptions& options,
                                  bool every_frame, Context& context);

}  // namespace sillar::cli
