// The file sink: appends, collected, into a file that is put under its name when it is whole.
#include <sillar/io/descriptor.hpp>
#include <sillar/io/pending_file.hpp>
#include <sillar/io/sink.hpp>
#include <sillar/io/sink_order.hpp>
#include <sillar/io/temporary.hpp>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <utility>

namespace sillar::io {
namespace {

// Small appends are collected up to this size.
constexpr std::size_t buffer_size = std::size_t{1} << 20;

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
  explicit FileSink(PendingFile file) : file_(std::move(file)) {}

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
    SILLAR_TRY(sound());
    SILLAR_TRY(flush());
    return file_.publish();
  }

  Result<std::unique_ptr<Spool>> spool() override {
    SILLAR_TRY(Temporary file, file_.another());
    return std::make_unique<FileSpool>(std::move(file), file_.path());
  }

 private:
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
    Result<> written = file_.write(bytes, offset);
    if (!written) broken_ = written.error();
    return written;
  }

  PendingFile file_;
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
  SILLAR_TRY(PendingFile file, PendingFile::create(path, options));
  return std::make_unique<FileSink>(std::move(file));
}

Result<> write_file(const std::string& path, std::span<const std::byte> bytes,
                    FileSinkOptions options) {
  if (is_device_or_pipe(path)) return write_directly(path, bytes);
  SILLAR_TRY(const std::unique_ptr<Sink> sink, create_file(path, options));
  SILLAR_TRY(sink->append(bytes));
  return sink->finish();
}

}  // namespace sillar::io
