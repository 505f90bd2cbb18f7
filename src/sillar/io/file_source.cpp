// A byte source over a regular file: positional reads through one descriptor.
#include <sillar/base/checked.hpp>
#include <sillar/io/byte_source.hpp>
#include <sillar/io/descriptor.hpp>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <utility>

namespace sillar::io {
namespace {

// Adjacent ranges are fetched by one call up to this size.
constexpr std::uint64_t merged_size = std::uint64_t{1} << 20;
// A long range is fetched in steps of this size, so that it can be stopped half way.
constexpr std::size_t step_size = std::size_t{8} << 20;

// Ranges [first, last) of a request, which lie end to end and are fetched together.
struct Run {
  std::size_t first = 0;
  std::size_t last = 0;
  ByteRange bytes;
};

// The run that starts at `first`. The ranges lie inside the file, so their ends do not overflow;
// an empty range may lie anywhere and is a run of its own.
Run run_at(std::span<const ByteRange> ranges, std::size_t first) {
  Run run{.first = first, .last = first + 1, .bytes = ranges[first]};
  if (run.bytes.size == 0) return run;
  for (; run.last < ranges.size(); ++run.last) {
    const ByteRange& next = ranges[run.last];
    if (next.size == 0 || next.offset != run.bytes.offset + run.bytes.size) break;
    if (run.bytes.size > merged_size || next.size > merged_size - run.bytes.size) break;
    run.bytes.size += next.size;
  }
  return run;
}

class FileSource final : public ByteSource {
 public:
  FileSource(Descriptor file, std::uint64_t size, std::string path)
      : file_(std::move(file)), size_(size), path_(std::move(path)) {}

  const std::string& name() const override { return path_; }

  Result<std::uint64_t> size() const override { return size_; }

  Result<> read(std::span<const ByteRange> ranges, const OnReady& on_ready,
                const ReadControl& control) const override {
    // All ranges are judged before anything is allocated for them.
    for (const ByteRange& range : ranges) SILLAR_TRY(check_inside(range, size_, path_));
    std::uint64_t largest = 0;
    for (std::size_t first = 0; first < ranges.size();) {
      const Run run = run_at(ranges, first);
      largest = std::max(largest, run.bytes.size);
      first = run.last;
    }
    const auto scratch_size = narrow<std::size_t>(largest);
    if (!scratch_size) return in_source(Result<>(too_large(largest)), path_);
    const auto scratch = std::make_unique_for_overwrite<std::byte[]>(*scratch_size);

    for (std::size_t first = 0; first < ranges.size();) {
      const Run run = run_at(ranges, first);
      const std::span bytes(scratch.get(), static_cast<std::size_t>(run.bytes.size));
      SILLAR_TRY(fetch(run.bytes.offset, bytes, control));
      SILLAR_TRY(deliver(ranges, run, bytes, on_ready, control));
      first = run.last;
    }
    return {};
  }

 private:
  static std::unexpected<Error> too_large(std::uint64_t size) {
    return fail(Errc::over_limit, std::to_string(size) + " bytes do not fit into memory");
  }

  Result<> fetch(std::uint64_t offset, std::span<std::byte> out, const ReadControl& control) const {
    while (!out.empty()) {
      SILLAR_TRY(in_source(control.check(), path_));
      const std::span<std::byte> step = out.first(std::min(out.size(), step_size));
      const auto count = read_at(file_.number(), step, offset);
      if (!count) return fail_call(Errc::io, "cannot read", count.error(), path_);
      offset += *count;
      if (*count < step.size()) return shrunk(offset);
      out = out.subspan(step.size());
    }
    return {};
  }

  // The file was longer when it was opened.
  std::unexpected<Error> shrunk(std::uint64_t offset) const {
    struct stat now{};
    if (::fstat(file_.number(), &now) == 0 && now.st_size >= 0) {
      offset = std::min(offset, static_cast<std::uint64_t>(now.st_size));
    }
    auto failure = fail(Errc::truncated,
                        "the file shrank while it was read: it had " + std::to_string(size_) +
                            " bytes, now it ends at " + std::to_string(offset),
                        offset);
    failure.error().source = path_;
    return failure;
  }

  Result<> deliver(std::span<const ByteRange> ranges, const Run& run,
                   std::span<const std::byte> bytes, const OnReady& on_ready,
                   const ReadControl& control) const {
    for (std::size_t index = run.first; index < run.last; ++index) {
      SILLAR_TRY(in_source(control.check(), path_));
      const auto size = static_cast<std::size_t>(ranges[index].size);
      SILLAR_TRY(on_ready(index, bytes.first(size)));
      bytes = bytes.subspan(size);
    }
    return {};
  }

  Descriptor file_;
  std::uint64_t size_;
  std::string path_;
};

std::string_view kind_of_file(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory, not a regular file";
  if (S_ISFIFO(mode)) return "a pipe, not a regular file";
  if (S_ISSOCK(mode)) return "a socket, not a regular file";
  return "a device, not a regular file";
}

}  // namespace

Result<std::shared_ptr<const ByteSource>> open_file(const std::string& path) {
  if (path.find('\0') != std::string::npos) {
    return fail(Errc::bad_argument, "a path cannot hold a NUL byte");
  }
  // O_NONBLOCK: a pipe without a writer is refused below instead of waited for.
  Descriptor file = open_at(AT_FDCWD, path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file) {
    const int error = errno;
    return fail_call(kind_of_open_error(error), "cannot open", error, path);
  }
  struct stat status{};
  if (::fstat(file.number(), &status) != 0) return fail_call(Errc::io, "fstat", errno, path);
  if (!S_ISREG(status.st_mode)) {
    auto failure = fail(Errc::not_found, std::string(kind_of_file(status.st_mode)));
    failure.error().source = path;
    if (S_ISDIR(status.st_mode)) failure.error().system_errno = EISDIR;
    return failure;
  }
  return std::make_shared<FileSource>(std::move(file), static_cast<std::uint64_t>(status.st_size),
                                      path);
}

}  // namespace sillar::io
