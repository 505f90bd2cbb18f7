// Where a verb puts its result: a file that appears whole, a device or pipe, or standard output.
#pragma once

#include <sillar/base/error.hpp>
#include <sillar/io/descriptor.hpp>
#include <sillar/io/sink.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace CLI {
class App;
}

namespace sillar::cli {

struct OutputOptions {
  std::string path;
  bool overwrite = false;

  [[nodiscard]] bool to_stdout() const { return path == "-"; }
};

/// Declares -o and --overwrite.
void declare_output(CLI::App& app, OutputOptions& options, bool required);

/// An output being made. Without `finish` no file appears.
class Output {
 public:
  /// Fails with exists (and no --overwrite), bad_argument (the output is `input`, or binary data
  /// would go to a terminal), not_found, io. `input` may be "-" or a URL.
  [[nodiscard]] static Result<Output> open(const OutputOptions& options, const std::string& input);

  [[nodiscard]] Result<> append(std::span<const std::byte> bytes);
  [[nodiscard]] Result<> finish();

 private:
  Output() = default;

  std::string path_;
  std::unique_ptr<io::Sink> sink_;  ///< null for devices, pipes and standard output
  io::Descriptor direct_;           ///< a device or pipe
};

/// `bytes` as the whole output.
[[nodiscard]] Result<> write_output(const OutputOptions& options, const std::string& input,
                                    std::span<const std::byte> bytes);

}  // namespace sillar::cli
