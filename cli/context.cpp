// What every verb works with: the global options, standard output, and how much work may cost.
#include "cli/context.hpp"

#include "cli/error_report.hpp"
#include "cli/signals.hpp"
#include "cli/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <thread>
#include <unistd.h>

namespace sillar::cli {
namespace {

/// The value of an environment variable; an empty one counts as absent.
[[nodiscard]] std::optional<std::string_view> environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

constexpr std::uint64_t most_threads = 1024;

[[nodiscard]] Result<std::size_t> parse_threads(std::string_view text, std::string_view what) {
  if (text == "ALL_CPUS" || text == "all") return std::max(1u, std::thread::hardware_concurrency());
  const auto count = parse_unsigned(text);
  if (!count || *count == 0 || *count > most_threads) {
    return fail(Errc::bad_argument, fmt::format("{} is \"{}\", expected 1 to {} or ALL_CPUS", what,
                                                text, most_threads));
  }
  return static_cast<std::size_t>(*count);
}

/// What cannot be written to standard error cannot be told anywhere.
void write_to_stderr(std::string_view text) {
  while (!text.empty()) {
    const auto count = ::write(STDERR_FILENO, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace

Result<> write_to_stdout(std::span<const std::byte> bytes) {
  constexpr std::size_t most = std::size_t{1} << 20;  // so that a signal is seen in between
  while (!bytes.empty()) {
    if (caught_signal() != 0) return fail(Errc::cancelled, "stopped by a signal");
    const auto count = ::write(STDOUT_FILENO, bytes.data(), std::min(bytes.size(), most));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      return in_source(Result<>(fail_errno(Errc::io, "cannot write", errno)), stdout_name);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

bool Context::colored(int descriptor) const {
  if (options_.color == "always") return true;
  if (options_.color == "never" || environment("NO_COLOR")) return false;
  if (const auto force = environment("CLICOLOR_FORCE"); force && *force != "0") return true;
  return ::isatty(descriptor) == 1 && environment("TERM").value_or("dumb") != "dumb";
}

Result<> Context::print(std::string_view text) {
  return write_to_stdout(std::as_bytes(std::span(text)));
}

Result<> Context::print_document(const Json& document) const {
  return print(text_of(document, options_.json_lines));
}

int Context::report(const Error& error, std::string_view given_hint) const {
  const std::string hint = given_hint.empty() ? hint_for(error, verb_) : std::string(given_hint);
  if (json()) {
    write_to_stderr(text_of(error_json(error, hint), true));
  } else {
    write_to_stderr(error_text(error, hint, colored(STDERR_FILENO)));
  }
  return exit_code(error.code);
}

void Context::note(std::string_view text) const {
  if (!quiet() && !json()) write_to_stderr(fmt::format("sillar: {}\n", printable(text)));
}

Result<exec::Pool*> Context::pool() {
  std::size_t threads = 1;
  if (!options_.threads.empty()) {
    SILLAR_TRY(threads, parse_threads(options_.threads, "--threads"));
  } else if (const auto value = environment("SILLAR_NUM_THREADS")) {
    SILLAR_TRY(threads, parse_threads(*value, "SILLAR_NUM_THREADS"));
  }
  if (threads > 1 && pool_ == nullptr) pool_ = std::make_unique<exec::Pool>(threads);
  return pool_.get();
}

Result<Limits> Context::limits() {
  Limits limits;
  if (const auto value = environment("SILLAR_MAX_FRAME_BYTES")) {
    auto size = parse_size(*value);
    if (!size) return fail(Errc::bad_argument, "SILLAR_MAX_FRAME_BYTES: " + size.error().detail);
    limits.frame_bytes = *size;
  }
  return limits;
}

Result<bool> Context::verify(bool no_verify) {
  if (no_verify) return false;
  const auto value = environment("SILLAR_VERIFY");
  if (!value || *value == "1" || *value == "true" || *value == "on" || *value == "yes") return true;
  if (*value == "0" || *value == "false" || *value == "off" || *value == "no") return false;
  return fail(Errc::bad_argument, fmt::format("SILLAR_VERIFY is \"{}\", expected 0 or 1", *value));
}

io::ReadControl Context::control() { return {.stop = stop_on_signals(), .deadline = {}}; }

ProgressStyle Context::progress_style() const {
  if (options_.no_progress) return ProgressStyle::none;
  if (options_.progress == "json") return ProgressStyle::json;
  if (!options_.progress.empty()) return ProgressStyle::bar;
  if (quiet() || json() || ::isatty(STDERR_FILENO) != 1) return ProgressStyle::none;
  return ProgressStyle::bar;
}

}  // namespace sillar::cli
