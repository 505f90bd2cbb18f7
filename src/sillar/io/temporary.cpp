// Temporaries are told apart by a lock: one that can be locked has lost its writer.
//
// Writer and cleaner may meet between the writer's `open` and its lock. Both lock first, and then
// ask whether the name still leads to the locked file:
//
//     writer                          cleaner
//     open, created by us             open
//     lock, else another name         lock, else it lives
//     still our file? else again      still that file? else leave it
//     write ...                       unlink
#include <sillar/io/temporary.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace sillar::io {
namespace {

constexpr std::size_t longest_name = 255;  // NAME_MAX of Linux
constexpr std::size_t digit_count = 16;    // of RANDOM and of the hash
constexpr std::string_view mark = ".sillar-";

std::string hexadecimal(std::uint64_t value) {
  std::string text(digit_count, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, value >>= 4) {
    *digit = "0123456789abcdef"[value & 0xF];
  }
  return text;
}

std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  return hash;
}

// At most `size` first bytes of `name`, without a part of a UTF-8 character at the end.
std::string_view cut(std::string_view name, std::size_t size) {
  const auto continues = [&](std::size_t index) {
    return (static_cast<unsigned char>(name[index]) & 0xC0) == 0x80;
  };
  std::size_t end = size;
  while (end > 0 && size - end < 4 && continues(end)) --end;
  return name.substr(0, continues(end) ? size : end);  // bytes that are no UTF-8 are cut anywhere
}

bool is_random(std::string_view text) {
  return text.size() == digit_count && std::ranges::all_of(text, [](char digit) {
           return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
         });
}

// 0, or the errno. EWOULDBLOCK: somebody holds it.
int lock(int file) {
  int result = 0;
  do {
    result = ::flock(file, LOCK_EX | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  return result != 0 ? errno : 0;
}

// Does `name` lead to the open file `file`?
bool leads_to(int directory, const char* name, int file) {
  struct stat named{};
  struct stat opened{};
  return ::fstatat(directory, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         ::fstat(file, &opened) == 0 && named.st_dev == opened.st_dev &&
         named.st_ino == opened.st_ino;
}

bool is_regular(int directory, const char* name) {
  struct stat status{};
  return ::fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode);
}

void remove_if_stale(int directory, const char* name) {
  if (!is_regular(directory, name)) return;
  // Some network file systems lock only what is open for writing.
  constexpr int flags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  Descriptor file = open_at(directory, name, O_RDWR | flags);
  if (!file) file = open_at(directory, name, O_RDONLY | flags);
  if (!file || lock(file.number()) != 0) return;
  if (leads_to(directory, name, file.number())) ::unlinkat(directory, name, 0);
}

}  // namespace

std::string temporary_prefix(std::string_view name) {
  constexpr std::size_t room = longest_name - 1 - mark.size() - digit_count;
  std::string prefix = ".";
  if (name.size() <= room) {
    prefix += name;
  } else {
    prefix += cut(name, room - 1 - digit_count);
    prefix += '~';
    prefix += hexadecimal(fnv1a(name));
  }
  prefix += mark;
  return prefix;
}

Temporary::Temporary(int directory, Descriptor file, std::string name)
    : directory_(directory), file_(std::move(file)), name_(std::move(name)), owner_(::getpid()) {}

Temporary::Temporary(Temporary&& other) noexcept
    : directory_(other.directory_),
      file_(std::move(other.file_)),
      name_(std::exchange(other.name_, {})),
      owner_(other.owner_) {}

Result<Temporary> Temporary::create(int directory, std::string_view name, mode_t mode,
                                    std::string_view path) {
  const std::string prefix = temporary_prefix(name);
  // A cleaner or a name in use costs one round; a directory that is removed and made anew all the
  // time shall not hold us for ever.
  for (int round = 0; round < 100; ++round) {
    std::uint64_t random = 0;
    if (::getrandom(&random, sizeof random, 0) != static_cast<ssize_t>(sizeof random)) {
      if (errno == EINTR) continue;
      return fail_call(Errc::io, "getrandom", errno, path);
    }
    std::string candidate = prefix + hexadecimal(random);
    Descriptor file = open_at(directory, candidate.c_str(), O_RDWR | O_CREAT | O_EXCL, mode);
    if (!file) {
      if (errno == EEXIST) continue;
      return fail_call(Errc::io, "cannot create a temporary file beside it", errno, path);
    }
    // A file system without locks has no cleaner either: it removes only what it could lock.
    if (lock(file.number()) == EWOULDBLOCK) {
      ::unlinkat(directory, candidate.c_str(), 0);
      continue;
    }
    if (!leads_to(directory, candidate.c_str(), file.number())) continue;
    return Temporary(directory, std::move(file), std::move(candidate));
  }
  return fail_call(Errc::io, "cannot create a temporary file beside it", EAGAIN, path);
}

void Temporary::remove() {
  if (!name_.empty() && owner_ == ::getpid()) ::unlinkat(directory_, name_.c_str(), 0);
  name_.clear();
}

void remove_stale(int directory, std::string_view name) {
  Descriptor opened = open_at(directory, ".", O_RDONLY | O_DIRECTORY);
  if (!opened) return;  // may be entered but not listed
  const auto close = [](DIR* stream) { ::closedir(stream); };
  const std::unique_ptr<DIR, decltype(close)> entries(::fdopendir(opened.number()));
  if (!entries) return;
  opened.release();

  const std::string prefix = temporary_prefix(name);
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view found = entry->d_name;
    if (found.starts_with(prefix) && is_random(found.substr(prefix.size()))) {
      remove_if_stale(directory, entry->d_name);
    }
  }
}

}  // namespace sillar::io
