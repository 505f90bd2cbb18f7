// The formats that the command knows, and what it can do with files of each.
#include "cli/formats.hpp"

#include "cli/opff.hpp"
#include "cli/rumi.hpp"
#include "cli/signals.hpp"
#include "cli/stards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <unistd.h>
#include <utility>

namespace sillar::cli {
namespace {

[[nodiscard]] bool begins_with(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), bytes.begin(),
                    [](char a, std::byte b) { return std::byte(a) == b; });
}

[[nodiscard]] bool is_rumi(std::span<const std::byte> bytes) { return begins_with(bytes, "RUMI"); }
[[nodiscard]] bool is_stards(std::span<const std::byte> bytes) {
  return begins_with(bytes, "STARDS");
}
[[nodiscard]] bool is_opff(std::span<const std::byte> bytes) {
  return begins_with(bytes, "OPF") && bytes.size() > 3 && bytes[3] >= std::byte{'A'} &&
         bytes[3] <= std::byte{'Z'};
}

// A format is built by filling its row.
constexpr std::array table = {
    Format{"rumi", "rumi", ".rumi", is_rumi, describe_rumi, validate_rumi, plan_rumi, read_rumi},
    Format{"stards", "StarDS", ".stards", is_stards, describe_stards, validate_stards, nullptr,
           read_stards},
    Format{"opff", "OPFF", ".opff", is_opff, describe_opff, validate_opff, nullptr, read_opff},
};

constexpr std::size_t longest_magic = 6;

// What standard input may hold; it is kept in memory.
constexpr std::uint64_t most_of_stdin = std::uint64_t{4} << 30;

[[nodiscard]] std::unexpected<Error> too_long(std::string_view path, std::uint64_t limit) {
  auto failure = fail(Errc::over_limit, fmt::format("more than {} bytes", limit));
  failure.error().source = path;
  return failure;
}

[[nodiscard]] Result<std::vector<std::byte>> read_stdin(std::uint64_t limit) {
  constexpr std::string_view name = "standard input";
  constexpr std::size_t step = std::size_t{1} << 16;
  static_cast<void>(stop_on_signals());  // a signal wakes `read` up
  std::vector<std::byte> bytes;
  for (;;) {
    if (caught_signal() != 0) return fail(Errc::cancelled, "stopped by a signal");
    const std::size_t size = bytes.size();
    if (size > limit) return too_long(name, limit);
    if (bytes.capacity() - size < step) bytes.reserve(std::max(2 * size, step));
    bytes.resize(size + step);
    const auto count = ::read(STDIN_FILENO, bytes.data() + size, step);
    bytes.resize(size + static_cast<std::size_t>(std::max<::ssize_t>(count, 0)));
    if (count == 0) return bytes;
    if (count < 0 && errno != EINTR)
      return in_source(Result<std::vector<std::byte>>(fail_errno(Errc::io, "cannot read", errno)),
                       name);
  }
}

/// The part of "file:///path" that names a file, or `path` itself where it is no URL. Fails for
/// other schemes.
[[nodiscard]] Result<std::string> local_path(const std::string& path) {
  constexpr std::array remote = {"http", "https", "s3", "gs", "az"};
  const std::size_t end = path.find("://");
  if (end == std::string::npos || end == 0) return path;
  const std::string scheme = path.substr(0, end);
  const bool is_scheme = std::ranges::all_of(scheme, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '-' || c == '.';
  });
  if (!is_scheme) return path;
  if (scheme == "file") {
    std::string local = path.substr(end + 3);
    if (local.starts_with("localhost/")) local.erase(0, 9);
    if (!local.starts_with('/'))
      return in_source(
          Result<std::string>(fail(Errc::bad_argument, "a file:// URL names an absolute path")),
          path);
    return local;
  }
  if (std::ranges::find(remote, scheme) != remote.end()) {
    return in_source(Result<std::string>(
                         fail(Errc::unsupported, "reading over " + scheme + " is not built yet")),
                     path);
  }
  return in_source(Result<std::string>(
                       fail(Errc::bad_argument, "the scheme " + scheme + " is not known; file is")),
                   path);
}

[[nodiscard]] Result<std::shared_ptr<const io::ByteSource>> open_source(const std::string& path) {
  if (path == "-") {
    SILLAR_TRY(auto bytes, read_stdin(most_of_stdin));
    return io::memory_source(std::move(bytes), "standard input");
  }
  SILLAR_TRY(const std::string local, local_path(path));
  return io::open_file(local);
}

[[nodiscard]] const Format* by_extension(std::string_view path) {
  const auto found = std::ranges::find_if(
      table, [&](const Format& format) { return path.ends_with(format.extension); });
  return found != table.end() ? found : nullptr;
}

[[nodiscard]] Result<const Format*> by_magic(const io::ByteSource& source) {
  SILLAR_TRY(const auto first, source.read_up_to(0, longest_magic));
  for (const Format& format : table) {
    if (format.has_magic(first)) return &format;
  }
  return in_source(Result<const Format*>(fail(Errc::malformed, "a file of no known format", 0)),
                   source.name());
}

}  // namespace

std::span<const Format> formats() { return table; }
const Format& rumi_format() { return table.front(); }

std::unexpected<Error> not_built(const Format& format, std::string_view verb) {
  return fail(Errc::unsupported,
              fmt::format("`{}` of {} files is not built yet", verb, format.title));
}

Result<Input> open_input(const std::string& path) {
  SILLAR_TRY(auto source, open_source(path));
  const Format* format = by_extension(path);
  if (format == nullptr) {
    SILLAR_TRY(format, by_magic(*source));
  }
  return Input{.path = path, .source = std::move(source), .format = format};
}

Result<Input> open_input_as(const Format& format, const std::string& path) {
  SILLAR_TRY(auto source, open_source(path));
  return Input{.path = path, .source = std::move(source), .format = &format};
}

Result<std::vector<std::byte>> read_all(const std::string& path, std::uint64_t limit) {
  if (path == "-") return read_stdin(limit);
  SILLAR_TRY(const auto source, open_source(path));
  SILLAR_TRY(const std::uint64_t size, source->size());
  if (size > limit) return too_long(path, limit);
  return source->read(0, size);
}

}  // namespace sillar::cli
