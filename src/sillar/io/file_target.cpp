// Symbolic links are followed one by one, each from its own directory, as the kernel does.
#include <sillar/io/file_target.hpp>

#include <climits>

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace sillar::io {
namespace {

constexpr int most_links = 40;  // as Linux, path_resolution(7)

struct Split {
  std::string directory;
  std::string name;  // empty behind a slash at the end
};

Split split(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {.directory = ".", .name = path};
  return {.directory = path.substr(0, slash + 1), .name = path.substr(slash + 1)};
}

bool names_a_directory(std::string_view name) {
  return name.empty() || name == "." || name == "..";
}

}  // namespace

Result<FileTarget> resolve_target(const std::string& path) {
  if (path.find('\0') != std::string::npos) {
    return fail(Errc::bad_argument, "a path cannot hold a NUL byte");
  }
  if (path.empty()) return fail_call(Errc::not_found, "an empty path", ENOENT, path);

  FileTarget target;
  std::string rest = path;
  for (int links = 0; links <= most_links; ++links) {
    Split parts = split(rest);
    const int from = target.directory ? target.directory.number() : AT_FDCWD;
    Descriptor directory = open_at(from, parts.directory.c_str(), O_PATH | O_DIRECTORY);
    if (!directory) {
      const int error = errno;
      const bool missing = error == ENOENT || error == ENOTDIR;
      return fail_call(missing ? Errc::not_found : Errc::io, "cannot enter its directory", error,
                       path);
    }
    if (names_a_directory(parts.name)) {
      return fail_call(Errc::io, "cannot write", EISDIR, path);
    }
    target.directory = std::move(directory);
    target.name = std::move(parts.name);

    std::array<char, PATH_MAX> text{};
    const ssize_t size =
        ::readlinkat(target.directory.number(), target.name.c_str(), text.data(), text.size());
    if (size < 0) {
      // EINVAL: not a link. ENOENT: not there yet.
      if (errno == EINVAL || errno == ENOENT) return target;
      return fail_call(Errc::io, "cannot look at it", errno, path);
    }
    rest.assign(text.data(), static_cast<std::size_t>(size));
  }
  return fail_call(Errc::io, "cannot follow it", ELOOP, path);
}

Result<std::optional<mode_t>> mode_of(const FileTarget& target, const std::string& path) {
  struct stat status{};
  if (::fstatat(target.directory.number(), target.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) !=
      0) {
    if (errno == ENOENT) return std::nullopt;
    return fail_call(Errc::io, "cannot look at it", errno, path);
  }
  if (S_ISDIR(status.st_mode)) return fail_call(Errc::io, "cannot write", EISDIR, path);
  if (!S_ISREG(status.st_mode)) {
    auto failure = fail(Errc::io, "not a regular file");
    failure.error().source = path;
    return failure;
  }
  return status.st_mode;
}

Result<> take_name(const FileTarget& target, const std::string& from, bool overwrite,
                   const std::string& path) {
  const int directory = target.directory.number();
  const char* to = target.name.c_str();
  const auto failed = [&path](std::string_view call) {
    return fail_call(errno == EEXIST ? Errc::exists : Errc::io, call, errno, path);
  };
  if (overwrite) {
    if (::renameat(directory, from.c_str(), directory, to) == 0) return {};
    return failed("cannot rename onto it");
  }
  if (::renameat2(directory, from.c_str(), directory, to, RENAME_NOREPLACE) == 0) return {};
  // Not every kernel and file system knows the flag (NFS does not).
  if (errno != EINVAL && errno != ENOSYS) return failed("cannot rename to it");
  if (::linkat(directory, from.c_str(), directory, to, 0) != 0) return failed("cannot link it");
  ::unlinkat(directory, from.c_str(), 0);
  return {};
}

Result<> sync_directory(const FileTarget& target, const std::string& path) {
  const Descriptor opened = open_at(target.directory.number(), ".", O_RDONLY | O_DIRECTORY);
  if (!opened) return {};  // may be entered but not listed: there is no way to sync it
  const int error = sync(opened.number());
  // EINVAL: a file system without this notion.
  if (error != 0 && error != EINVAL) {
    return fail_call(Errc::io, "fsync of its directory", error, path);
  }
  return {};
}

}  // namespace sillar::io
