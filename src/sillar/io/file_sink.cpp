// The atomic file: written beside its target, made durable, and only then put under its name.
#include <sillar/io/descriptor.hpp>
#include <sillar/io/file_target.hpp>
#include <sillar/io/sink.hpp>
#include <sillar/io/sink_order.hpp>
#include <sillar/io/temporary.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace sillar::io {
namespace {

// Small appends are collected up to this size.
constexpr std::size_t buffer_size = std::size_t{1} << 20;

// A replaced file hands its permissions on. The set-id bits do not go with them: they belonged to
// the old content, and perhaps to another owner.
constexpr mode_t permissions = 0777;

// `fsync`, repeated when a signal interrupts it. Its errno, or 0.
int sync(int descriptor) {
  int result = 0;
  do {
    result = ::fsync(descriptor);
  } while (result != 0 && errno == EINTR);
  return result != 0 ? errno : 0;
}

class FileSpool final : public Spool {
 public:
  FileSpool(Temporary file, std::string path) : file_(std::move(file)), path_(std::move(path)) {
    file_.remove();  // only the descriptor holds it, so it ends with the process
  }

  Result<std::uint64_t> put(std::span<const std::byte> bytes) override {
    const int error = write_at(file_.number(), bytes, size_);
    if (error != 0) return fail_call(Errc::io, "cannot write the spool", error, path_);
    return std::exchange(size_, size_ + bytes.size());
  }

  Result<> get(std::uint64_t offset, std::span<std::byte> out) const override {
    if (offset > size_ || out.size() > size_ - offset) {
      return fail(Errc::bad_argument, "these bytes were never put into the spool", offset);
    }
    const auto count = read_at(file_.number(), out, offset);
    if (!count) return fail_call(Errc::io, "cannot read the spool", count.error(), path_);
    if (*count != out.size()) return fail_call(Errc::io, "cannot read the spool", EIO, path_);
    return {};
  }

 private:
  Temporary file_;
  std::string path_;
  std::uint64_t size_ = 0;
};

class FileSink final : public Sink {
 public:
  FileSink(FileTarget target, Temporary file, std::string path, FileSinkOptions options)
      : target_(std::move(target)),
        file_(std::move(file)),
        path_(std::move(path)),
        options_(options) {}

  Result<> reserve(std::uint64_t size) override {
    SILLAR_TRY(order_.reserve(size));
    flushed_ = size;
    return {};
  }

  Result<> append(std::span<const std::byte> bytes) override {
    SILLAR_TRY(order_.append());
    SILLAR_TRY(sound());
    if (buffered_ + bytes.size() <= buffer_size) return keep(bytes);
    SILLAR_TRY(flush());
    if (bytes.size() < buffer_size) return keep(bytes);
    SILLAR_TRY(write(bytes, flushed_));
    flushed_ += bytes.size();
    return {};
  }

  Result<> put_front(std::span<const std::byte> bytes) override {
    SILLAR_TRY(order_.put_front(bytes.size()));
    SILLAR_TRY(sound());
    return write(bytes, 0);
  }

  Result<> finish() override {
    SILLAR_TRY(order_.finish());
    Result<> result = publish();
    file_.remove();  // nothing where it was published
    return result;
  }

  Result<std::unique_ptr<Spool>> spool() override {
    constexpr mode_t private_mode = 0600;
    SILLAR_TRY(Temporary file, Temporary::create(directory(), target_.name, private_mode, path_));
    return std::make_unique<FileSpool>(std::move(file), path_);
  }

 private:
  int directory() const { return target_.directory.number(); }

  std::unexpected<Error> failed(std::string_view call, int error) const {
    return fail_call(Errc::io, call, error, path_);
  }

  // After a failed write the file has a gap: it must not be finished.
  Result<> sound() const {
    if (broken_) return std::unexpected(*broken_);
    return {};
  }

  Result<> keep(std::span<const std::byte> bytes) {
    if (!buffer_) buffer_ = std::make_unique_for_overwrite<std::byte[]>(buffer_size);
    std::ranges::copy(bytes, buffer_.get() + buffered_);
    buffered_ += bytes.size();
    return {};
  }

  Result<> flush() {
    SILLAR_TRY(write({buffer_.get(), buffered_}, flushed_));
    flushed_ += std::exchange(buffered_, 0);
    return {};
  }

  Result<> write(std::span<const std::byte> bytes, std::uint64_t offset) {
    const int error = write_at(file_.number(), bytes, offset);
    if (error == 0) return {};
    auto failure = failed("cannot write", error);
    broken_ = failure.error();
    return failure;
  }

  Result<> publish() {
    SILLAR_TRY(sound());
    SILLAR_TRY(flush());
    SILLAR_TRY(take_permissions());
    if (const int error = sync(file_.number()); error != 0) return failed("fsync", error);
    SILLAR_TRY(options_.overwrite ? replace() : add());
    return sync_directory();
  }

  Result<> take_permissions() const {
    SILLAR_TRY(const std::optional<mode_t> old, mode_of(target_, path_));
    if (!old) return {};
    if (!options_.overwrite) return exists();
    struct stat made{};
    if (::fstat(file_.number(), &made) != 0) return failed("fstat", errno);
    if ((made.st_mode & permissions) == (*old & permissions)) return {};
    if (::fchmod(file_.number(), *old & permissions) != 0) {
      return failed("cannot take over the permissions of the old file", errno);
    }
    return {};
  }

  Result<> replace() {
    if (::renameat(directory(), file_.name().c_str(), directory(), target_.name.c_str()) != 0) {
      return failed("cannot rename onto it", errno);
    }
    file_.release();
    return {};
  }

  // Puts the file under a name that must not be there, without a moment in which it could be lost.
  Result<> add() {
    const char* from = file_.name().c_str();
    const char* to = target_.name.c_str();
    if (::renameat2(directory(), from, directory(), to, RENAME_NOREPLACE) == 0) {
      file_.release();
      return {};
    }
    if (errno == EEXIST) return exists();
    // Not every kernel and file system knows the flag (NFS does not).
    if (errno != EINVAL && errno != ENOSYS) return failed("cannot rename to it", errno);
    if (::linkat(directory(), from, directory(), to, 0) == 0) return {};  // `finish` removes `from`
    if (errno == EEXIST) return exists();
    return failed("cannot link it", errno);
  }

  std::unexpected<Error> exists() const {
    return fail_call(Errc::exists, "cannot write", EEXIST, path_);
  }

  Result<> sync_directory() const {
    const Descriptor opened = open_at(directory(), ".", O_RDONLY | O_DIRECTORY);
    if (!opened) return {};  // may be entered but not listed: there is no way to sync it
    const int error = sync(opened.number());
    // EINVAL: a file system without this notion.
    if (error != 0 && error != EINVAL) return failed("fsync of its directory", error);
    return {};
  }

  FileTarget target_;
  Temporary file_;  // after target_, whose directory it uses
  std::string path_;
  FileSinkOptions options_;
  SinkOrder order_;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t buffered_ = 0;
  std::uint64_t flushed_ = 0;  // where the buffer goes
  std::optional<Error> broken_;
};

// Is there something at `path` that takes bytes but cannot be replaced?
bool is_device_or_pipe(const std::string& path) {
  struct stat status{};
  if (path.find('\0') != std::string::npos || ::stat(path.c_str(), &status) != 0) return false;
  return S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode) || S_ISFIFO(status.st_mode);
}

Result<> write_directly(const std::string& path, std::span<const std::byte> bytes) {
  Descriptor file = open_at(AT_FDCWD, path.c_str(), O_WRONLY | O_NOCTTY);
  if (!file) return fail_call(Errc::io, "cannot open", errno, path);
  if (const int error = write_all(file.number(), bytes); error != 0) {
    return fail_call(Errc::io, "cannot write", error, path);
  }
  if (const int error = file.close(); error != 0) {
    return fail_call(Errc::io, "cannot close", error, path);
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Sink>> create_file(const std::string& path, FileSinkOptions options) {
  SILLAR_TRY(FileTarget target, resolve_target(path));
  SILLAR_TRY(const std::optional<mode_t> old, mode_of(target, path));
  if (old && !options.overwrite) return fail_call(Errc::exists, "cannot write", EEXIST, path);

  remove_stale(target.directory.number(), target.name);
  // What replaces a private file is private from its first byte on.
  constexpr mode_t of_a_new_file = 0666;
  const mode_t mode = old ? *old & permissions : of_a_new_file;
  SILLAR_TRY(Temporary file, Temporary::create(target.directory.number(), target.name, mode, path));
  return std::make_unique<FileSink>(std::move(target), std::move(file), path, options);
}

Result<> write_file(const std::string& path, std::span<const std::byte> bytes,
                    FileSinkOptions options) {
  if (is_device_or_pipe(path)) return write_directly(path, bytes);
  SILLAR_TRY(const std::unique_ptr<Sink> sink, create_file(path, options));
  SILLAR_TRY(sink->append(bytes));
  return sink->finish();
}

}  // namespace sillar::io
