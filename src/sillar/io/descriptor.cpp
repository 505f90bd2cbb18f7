// Whole reads and writes: short counts and interrupted calls are carried on.
#include <sillar/io/descriptor.hpp>

#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <sys/types.h>
#include <unistd.h>

namespace sillar::io {

int Descriptor::close() {
  if (number_ < 0) return 0;
  // The number is free after EINTR too: another close would hit what a second thread has opened.
  const int failed = ::close(std::exchange(number_, -1)) != 0 ? errno : 0;
  return failed == EINTR ? 0 : failed;
}

Descriptor open_at(int directory, const char* path, int flags, unsigned mode) {
  int number = -1;
  do {
    number = ::openat(directory, path, flags | O_CLOEXEC, static_cast<mode_t>(mode));
  } while (number < 0 && errno == EINTR);
  return Descriptor(number);
}

Errc kind_of_open_error(int error) {
  switch (error) {
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EIO:
      return Errc::io;
    default:
      return Errc::not_found;
  }
}

std::expected<std::size_t, int> read_at(int descriptor, std::span<std::byte> out,
                                        std::uint64_t offset) {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t count = ::pread(descriptor, out.data() + done, out.size() - done,
                                  static_cast<off_t>(offset + done));
    if (count == 0) break;
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      return std::unexpected(errno);
    }
  }
  return done;
}

namespace {

// Calls `write(rest)` until nothing rests.
template <class Write>
int write_with(std::span<const std::byte> bytes, Write write) {
  while (!bytes.empty()) {
    const ssize_t count = write(bytes);
    if (count > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    } else if (count == 0) {
      return EIO;  // no byte and no reason: asking again might never end
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

int write_at(int descriptor, std::span<const std::byte> bytes, std::uint64_t offset) {
  constexpr auto last = static_cast<std::uint64_t>(std::numeric_limits<off_t>::max());
  if (offset > last || bytes.size() > last - offset) return EFBIG;
  return write_with(bytes, [&](std::span<const std::byte> rest) {
    const std::uint64_t position = offset + (bytes.size() - rest.size());
    return ::pwrite(descriptor, rest.data(), rest.size(), static_cast<off_t>(position));
  });
}

int write_all(int descriptor, std::span<const std::byte> bytes) {
  return write_with(bytes, [&](std::span<const std::byte> rest) {
    return ::write(descriptor, rest.data(), rest.size());
  });
}

int sync(int descriptor) {
  int result = 0;
  do {
    result = ::fsync(descriptor);
  } while (result != 0 && errno == EINTR);
  return result != 0 ? errno : 0;
}

}  // namespace sillar::io
