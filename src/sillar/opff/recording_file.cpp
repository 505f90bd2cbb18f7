// Creating, filling and publishing a recording.
#include <sillar/opff/recording_file.hpp>

#include <sillar/opff/recorder.hpp>

#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace sillar::opff {
namespace {

/// `call` until no signal interrupts it. Its errno, or 0.
template <class Call>
[[nodiscard]] int uninterrupted(const Call& call) {
  while (call() != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

[[nodiscard]] int lock(int file) {
  return uninterrupted([&] { return ::flock(file, LOCK_EX | LOCK_NB); });
}

/// Asks for blocks behind the end of the file. A file system that cannot do it is no obstacle.
[[nodiscard]] int preallocate([[maybe_unused]] int file, [[maybe_unused]] std::uint64_t size) {
#ifdef __linux__
  const int error = uninterrupted(
      [&] { return ::fallocate(file, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(size)); });
  return error == EOPNOTSUPP || error == ENOSYS ? 0 : error;
#else
  return 0;
#endif
}

[[nodiscard]] std::unexpected<Error> still_recorded(const std::string& path) {
  auto failure = fail(Errc::bad_argument, "it is still being recorded");
  failure.error().source = path;
  return failure;
}

}  // namespace

RecordingFile::RecordingFile(io::FileTarget target, std::string name, io::Descriptor file,
                             std::string path, const Options& options)
    : target_(std::move(target)),
      name_(std::move(name)),
      file_(std::move(file)),
      path_(std::move(path)),
      options_(options) {}

std::unexpected<Error> RecordingFile::failed(std::string_view call, int error) const {
  return io::fail_call(error == EEXIST ? Errc::exists : Errc::io, call, error, path_);
}

Result<RecordingFile> RecordingFile::create(const std::string& path, const Header& header,
                                            const Options& options) {
  SILLAR_TRY(io::FileTarget target, io::resolve_target(path));
  SILLAR_TRY(const auto old, io::mode_of(target, path));
  if (old && !options.overwrite)
    return io::fail_call(Errc::exists, "cannot record to it", EEXIST, path);
  std::string name = target.name + std::string(recording_suffix);
  const std::string recording_path = path + std::string(recording_suffix);
  const int exclusive = options.overwrite ? 0 : O_EXCL;
  io::Descriptor file =
      io::open_at(target.directory.number(), name.c_str(), O_RDWR | O_CREAT | exclusive, 0666);
  if (!file) {
    const int error = errno;
    return io::fail_call(error == EEXIST ? Errc::exists : Errc::io, "cannot create", error,
                         recording_path);
  }
  if (lock(file.number()) == EWOULDBLOCK) return still_recorded(recording_path);
  RecordingFile recording(std::move(target), std::move(name), std::move(file), path, options);
  const int number = recording.file_.number();
  if (const int error = uninterrupted([&] { return ::ftruncate(number, 0); }); error != 0)
    return recording.failed("ftruncate", error);
  if (options.preallocate != 0) {
    if (const int error = preallocate(number, options.preallocate); error != 0) {
      auto failure = recording.failed("cannot preallocate", error);
      recording.discard();
      return failure;
    }
  }
  Header unfinished = header;
  unfinished.frames = 0;
  SILLAR_TRY(recording.append(wire::store_record(unfinished)));
  return recording;
}

Result<RecordingFile> RecordingFile::open(const std::string& recording_path,
                                          const Options& options) {
  SILLAR_TRY(io::FileTarget target, io::resolve_target(recording_path));
  SILLAR_TRY(const auto mode, io::mode_of(target, recording_path));
  std::string name = target.name;
  io::Descriptor file =
      mode ? io::open_at(target.directory.number(), name.c_str(), O_RDWR) : io::Descriptor();
  if (!file) {
    const int error = mode ? errno : ENOENT;
    const Errc code = error == ENOENT || error == EACCES ? Errc::not_found : Errc::io;
    return io::fail_call(code, "cannot open", error, recording_path);
  }
  if (lock(file.number()) == EWOULDBLOCK) return still_recorded(recording_path);
  std::string path = recording_path;
  if (path.ends_with(recording_suffix) && target.name.size() > recording_suffix.size()) {
    path.resize(path.size() - recording_suffix.size());
    target.name.resize(target.name.size() - recording_suffix.size());
  }
  return RecordingFile(std::move(target), std::move(name), std::move(file), std::move(path),
                       options);
}

Result<std::uint64_t> RecordingFile::size() const {
  struct stat status{};
  if (::fstat(file_.number(), &status) != 0) return failed("fstat", errno);
  return static_cast<std::uint64_t>(status.st_size);
}

Result<std::size_t> RecordingFile::read(std::span<std::byte> out, std::uint64_t offset) const {
  const auto count = io::read_at(file_.number(), out, offset);
  if (!count) return failed("cannot read", count.error());
  return *count;
}

Result<> RecordingFile::append(std::span<const std::byte> bytes) {
  if (const int error = io::write_at(file_.number(), bytes, end_); error != 0)
    return failed("cannot write", error);
  end_ += bytes.size();
  return {};
}

Result<> RecordingFile::publish(const Header& header, std::uint64_t size) {
  if (name_ != target_.name && !options_.overwrite) {
    SILLAR_TRY(const auto old, io::mode_of(target_, path_));
    if (old) return failed("cannot rename to it", EEXIST);
  }
  const int number = file_.number();
  // Also gives blocks back that were preallocated and never used.
  const auto end = static_cast<off_t>(size);
  if (const int error = uninterrupted([&] { return ::ftruncate(number, end); }); error != 0)
    return failed("ftruncate", error);
  // The frames are on the disk before the header says that they are.
  const auto sync = [&] { return options_.sync ? io::sync(number) : 0; };
  if (const int error = sync(); error != 0) return failed("fsync", error);
  if (const int error = io::write_at(number, wire::store_record(header), 0); error != 0)
    return failed("cannot write the header", error);
  if (const int error = sync(); error != 0) return failed("fsync", error);
  if (name_ == target_.name) return {};
  SILLAR_TRY(io::take_name(target_, name_, options_.overwrite, path_));
  return options_.sync ? io::sync_directory(target_, path_) : Result<>();
}

void RecordingFile::discard() { ::unlinkat(target_.directory.number(), name_.c_str(), 0); }

}  // namespace sillar::opff
