// What every verb works with: the global options, standard output, and how much work may cost.
#pragma once

#include "cli/json.hpp"
#include "cli/progress.hpp"
#include <sillar/base/error.hpp>
#include <sillar/base/limits.hpp>
#include <sillar/exec/pool.hpp>
#include <sillar/io/byte_source.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sillar::cli {

/// Options that every verb takes, before or after its name.
struct GlobalOptions {
  bool quiet = false;
  int verbose = 0;
  bool json = false;
  bool json_lines = false;
  std::string color = "auto";
  std::string threads;
  std::string progress;
  bool no_progress = false;
};

class Context {
 public:
  /// `verb` names what is done, for messages.
  Context(const GlobalOptions& options, std::string_view verb) : options_(options), verb_(verb) {}

  [[nodiscard]] bool quiet() const { return options_.quiet; }
  [[nodiscard]] int verbose() const { return options_.verbose; }
  [[nodiscard]] std::string_view verb() const { return verb_; }

  /// Documents instead of text; one a line where `json_lines`.
  [[nodiscard]] bool json() const { return options_.json || options_.json_lines; }
  [[nodiscard]] bool json_lines() const { return options_.json_lines; }

  /// Whether colours fit the stream of this descriptor ("--color", NO_COLOR, CLICOLOR_FORCE, TERM).
  [[nodiscard]] bool colored(int descriptor) const;

  /// Writes to standard output. Fails with io; EPIPE where nobody reads any more.
  [[nodiscard]] static Result<> print(std::string_view text);
  [[nodiscard]] Result<> print_document(const Json& document) const;

  /// Tells an error on standard error, with `hint` or the usual one, and returns its exit code.
  int report(const Error& error, std::string_view hint = {}) const;

  /// A line on standard error, unless quiet; never with JSON.
  void note(std::string_view text) const;

  /// The pool of `--threads`, else of SILLAR_NUM_THREADS; null for one thread. Fails with
  /// bad_argument where either is no number of threads.
  [[nodiscard]] Result<exec::Pool*> pool();

  /// The library's limits, with SILLAR_MAX_FRAME_BYTES. Fails with bad_argument.
  [[nodiscard]] static Result<Limits> limits();

  /// False with `no_verify`, or where SILLAR_VERIFY says so. Fails with bad_argument.
  [[nodiscard]] static Result<bool> verify(bool no_verify);

  /// Ends reads on a signal.
  [[nodiscard]] static io::ReadControl control();

  /// How to show progress on standard error.
  [[nodiscard]] ProgressStyle progress_style() const;

 private:
  const GlobalOptions& options_;
  std::string_view verb_;
  std::unique_ptr<exec::Pool> pool_;
};

/// What errors of standard output have as their source.
inline constexpr std::string_view stdout_name = "standard output";

/// Writes all of `bytes` to standard output; a signal ends it with cancelled.
[[nodiscard]] Result<> write_to_stdout(std::span<const std::byte> bytes);

}  // namespace sillar::cli
