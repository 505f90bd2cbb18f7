// Beside, durable, renamed.
#include <sillar/io/pending_file.hpp>

#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace sillar::io {
namespace {

// A replaced file hands its permissions on. The set-id bits do not go with them: they belonged to
// the old content, and perhaps to another owner.
constexpr mode_t permissions = 0777;

}  // namespace

PendingFile::PendingFile(FileTarget target, Temporary file, std::string path,
                         const FileSinkOptions& options)
    : target_(std::move(target)),
      file_(std::move(file)),
      path_(std::move(path)),
      options_(options) {}

Result<PendingFile> PendingFile::create(const std::string& path, const FileSinkOptions& options) {
  SILLAR_TRY(FileTarget target, resolve_target(path));
  SILLAR_TRY(const std::optional<mode_t> old, mode_of(target, path));
  if (old && !options.overwrite) return fail_call(Errc::exists, "cannot write", EEXIST, path);
  if (options.sweep_stale) remove_stale(target.directory.number(), target.name);
  // What replaces a private file is private from its first byte on.
  constexpr mode_t of_a_new_file = 0666;
  const mode_t mode = old ? *old & permissions : of_a_new_file;
  SILLAR_TRY(Temporary file, Temporary::create(target.directory.number(), target.name, mode, path));
  return PendingFile(std::move(target), std::move(file), path, options);
}

std::string PendingFile::temporary_path() const {
  // By the open directory: nothing that happens to the path meanwhile leads elsewhere.
  return "/proc/self/fd/" + std::to_string(directory()) + "/" + file_.name();
}

Result<> PendingFile::write(std::span<const std::byte> bytes, std::uint64_t offset) {
  const int error = write_at(file_.number(), bytes, offset);
  if (error != 0) return failed("cannot write", error);
  return {};
}

Result<Temporary> PendingFile::another() const {
  constexpr mode_t private_mode = 0600;
  return Temporary::create(directory(), target_.name, private_mode, path_);
}

Result<> PendingFile::publish() {
  Result<> result = put_under_its_name();
  file_.remove();  // nothing where it was renamed
  return result;
}

Result<> PendingFile::put_under_its_name() {
  SILLAR_TRY(check_name());
  SILLAR_TRY(take_permissions());
  if (const int error = sync(file_.number()); error != 0) return failed("fsync", error);
  SILLAR_TRY(take_name(target_, file_.name(), options_.overwrite, path_));
  file_.release();
  return sync_directory(target_, path_);
}

// Whoever wrote by the path may have put another file there, which was not locked and will not be
// synced.
Result<> PendingFile::check_name() const {
  struct stat opened{};
  struct stat named{};
  if (::fstat(file_.number(), &opened) != 0 ||
      ::fstatat(directory(), file_.name().c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0) {
    return failed("cannot find the temporary file", errno);
  }
  if (opened.st_ino == named.st_ino && opened.st_dev == named.st_dev) return {};
  auto failure = fail(Errc::io, "the temporary file was replaced");
  failure.error().source = path_;
  return failure;
}

Result<> PendingFile::take_permissions() const {
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

std::unexpected<Error> PendingFile::failed(std::string_view call, int error) const {
  return fail_call(Errc::io, call, error, path_);
}

std::unexpected<Error> PendingFile::exists() const {
  return fail_call(Errc::exists, "cannot write", EEXIST, path_);
}

}  // namespace sillar::io
