// The same steps as the file sink of `io`: beside, durable, renamed.
#include <sillar/convert/output_file.hpp>

#include <sillar/io/file_target.hpp>
#include <sillar/io/temporary.hpp>

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace sillar::convert {
namespace {

constexpr mode_t permissions = 0777;
constexpr mode_t mode_of_a_new_file = 0666;

int sync(int descriptor) {
  int result = 0;
  do {
    result = ::fsync(descriptor);
  } while (result != 0 && errno == EINTR);
  return result != 0 ? errno : 0;
}

}  // namespace

struct OutputFile::State {
  io::FileTarget target;
  io::Temporary file;  // after target, whose directory it uses
  std::string path;
  bool overwrite;
};

OutputFile::OutputFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;
OutputFile::~OutputFile() = default;

Result<OutputFile> OutputFile::create(const std::string& path, bool overwrite) {
  SILLAR_TRY(io::FileTarget target, io::resolve_target(path));
  SILLAR_TRY(const std::optional<mode_t> old, io::mode_of(target, path));
  if (old && !overwrite) return io::fail_call(Errc::exists, "cannot write", EEXIST, path);
  io::remove_stale(target.directory.number(), target.name);
  SILLAR_TRY(io::Temporary file,
             io::Temporary::create(target.directory.number(), target.name,
                                   old ? *old & permissions : mode_of_a_new_file, path));
  return OutputFile(
      std::make_unique<State>(State{std::move(target), std::move(file), path, overwrite}));
}

std::string OutputFile::temporary_path() const {
  // By the open directory: nothing that happens to the path meanwhile leads elsewhere.
  return "/proc/self/fd/" + std::to_string(state_->target.directory.number()) + "/" +
         state_->file.name();
}

const std::string& OutputFile::path() const { return state_->path; }

Result<> OutputFile::write(std::span<const std::byte> bytes, std::uint64_t offset) {
  const int error = io::write_at(state_->file.number(), bytes, offset);
  if (error != 0) return io::fail_call(Errc::io, "cannot write", error, state_->path);
  return {};
}

Result<> OutputFile::finish() {
  const int directory = state_->target.directory.number();
  const char* const from = state_->file.name().c_str();
  const char* const to = state_->target.name.c_str();
  const auto failed = [this](Errc code, std::string_view call, int error) {
    return io::fail_call(code, call, error, state_->path);
  };
  // A library may have put another file under the name; that one was not locked, nor will it be
  // synced.
  struct stat opened{};
  struct stat named{};
  if (::fstat(state_->file.number(), &opened) != 0 ||
      ::fstatat(directory, from, &named, AT_SYMLINK_NOFOLLOW) != 0) {
    return failed(Errc::io, "cannot find the temporary file", errno);
  }
  if (opened.st_ino != named.st_ino || opened.st_dev != named.st_dev) {
    return fail(Errc::io, "the temporary file was replaced");
  }
  SILLAR_TRY(const std::optional<mode_t> old, io::mode_of(state_->target, state_->path));
  if (old && !state_->overwrite) return failed(Errc::exists, "cannot write", EEXIST);
  if (const int error = sync(state_->file.number()); error != 0)
    return failed(Errc::io, "fsync", error);
  if (state_->overwrite) {
    if (::renameat(directory, from, directory, to) != 0)
      return failed(Errc::io, "cannot rename onto it", errno);
    state_->file.release();
  } else if (::renameat2(directory, from, directory, to, RENAME_NOREPLACE) == 0) {
    state_->file.release();
  } else if (errno == EEXIST) {
    return failed(Errc::exists, "cannot write", EEXIST);
  } else if (errno != EINVAL && errno != ENOSYS) {
    return failed(Errc::io, "cannot rename to it", errno);
  } else if (::linkat(directory, from, directory, to, 0) == 0) {
    state_->file.remove();
  } else {
    return failed(errno == EEXIST ? Errc::exists : Errc::io, "cannot link it", errno);
  }
  const io::Descriptor synced = io::open_at(directory, ".", O_RDONLY | O_DIRECTORY);
  if (!synced) return {};
  const int error = sync(synced.number());
  if (error != 0 && error != EINVAL) return failed(Errc::io, "fsync of its directory", error);
  return {};
}

}  // namespace sillar::convert
