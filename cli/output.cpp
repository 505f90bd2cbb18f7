// Where a verb puts its result: a file that appears whole, a device or pipe, or standard output.
#include "cli/output.hpp"

#include "cli/context.hpp"
#include "cli/signals.hpp"

#include <CLI/App.hpp>

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace sillar::cli {
namespace {

[[nodiscard]] bool takes_bytes_directly(const struct stat& status) {
  return S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode) || S_ISFIFO(status.st_mode);
}

}  // namespace

void declare_output(CLI::App& app, OutputOptions& options, bool required) {
  app.add_option("-o,--output", options.path, "Where to write; - is standard output")
      ->type_name("FILE")
      ->required(required);
  app.add_flag("--overwrite", options.overwrite, "Replace an output that is there");
}

Result<Output> Output::open(const OutputOptions& options, const std::string& input) {
  Output output;
  output.path_ = options.path;
  // Also where no read asks for it: a temporary must not be left behind.
  static_cast<void>(stop_on_signals());
  if (options.to_stdout()) {
    if (::isatty(STDOUT_FILENO) == 1)
      return fail(Errc::bad_argument, "the output is binary, and standard output a terminal");
    return output;
  }
  struct stat there{};
  if (::stat(options.path.c_str(), &there) == 0) {
    if (takes_bytes_directly(there)) {
      output.direct_ = io::open_at(AT_FDCWD, options.path.c_str(), O_WRONLY | O_NOCTTY);
      if (!output.direct_) return io::fail_call(Errc::io, "cannot open", errno, options.path);
      return output;
    }
    struct stat from{};
    if (::stat(input.c_str(), &from) == 0 && from.st_dev == there.st_dev &&
        from.st_ino == there.st_ino) {
      return in_source(Result<Output>(fail(Errc::bad_argument, "the output is the input")),
                       options.path);
    }
  }
  SILLAR_TRY(output.sink_, io::create_file(options.path, {.overwrite = options.overwrite}));
  return output;
}

Result<> Output::append(std::span<const std::byte> bytes) {
  constexpr std::size_t step = std::size_t{16} << 20;  // so that a signal is seen in between
  if (sink_ == nullptr && !direct_) return write_to_stdout(bytes);
  while (!bytes.empty()) {
    if (caught_signal() != 0) return fail(Errc::cancelled, "stopped by a signal");
    const auto piece = bytes.first(std::min(step, bytes.size()));
    if (direct_) {
      if (const int error = io::write_all(direct_.number(), piece); error != 0)
        return io::fail_call(Errc::io, "cannot write", error, path_);
    } else {
      SILLAR_TRY(sink_->append(piece));
    }
    bytes = bytes.subspan(piece.size());
  }
  return {};
}

Result<> Output::finish() {
  if (sink_ != nullptr) return sink_->finish();
  if (!direct_) return {};
  if (const int error = direct_.close(); error != 0)
    return io::fail_call(Errc::io, "cannot close", error, path_);
  return {};
}

Result<> write_output(const OutputOptions& options, const std::string& input,
                      std::span<const std::byte> bytes) {
  SILLAR_TRY(Output output, Output::open(options, input));
  SILLAR_TRY(output.append(bytes));
  return output.finish();
}

}  // namespace sillar::cli
