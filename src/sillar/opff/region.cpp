// Mapping and unmapping.
#include <sillar/opff/region.hpp>

#include <sillar/base/checked.hpp>
#include <sillar/io/descriptor.hpp>

#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <utility>

namespace sillar::opff {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

[[nodiscard]] std::unexpected<Error> not_regular(mode_t mode, const std::string& path) {
  const std::string_view kind = S_ISDIR(mode)    ? "a directory, not a regular file"
                                : S_ISFIFO(mode) ? "a pipe, which cannot be mapped"
                                                 : "not a regular file";
  auto failure = fail(Errc::not_found, std::string(kind));
  failure.error().source = path;
  if (S_ISDIR(mode)) failure.error().system_errno = EISDIR;
  return failure;
}

[[nodiscard]] std::unexpected<Error> too_large(std::uint64_t size) {
  return fail(Errc::over_limit, std::to_string(size) + " bytes do not fit into memory");
}

}  // namespace

Region::Region(Region&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Region& Region::operator=(Region&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Region::~Region() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

Result<Region> Region::map(const std::string& path, Access access) {
  if (path.find('\0') != std::string::npos)
    return fail(Errc::bad_argument, "a path cannot hold a NUL byte");
  // O_NONBLOCK: a pipe without a writer is refused below instead of waited for.
  const io::Descriptor file = io::open_at(AT_FDCWD, path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file) {
    const int error = errno;
    return io::fail_call(io::kind_of_open_error(error), "cannot open", error, path);
  }
  struct stat status{};
  if (::fstat(file.number(), &status) != 0) return io::fail_call(Errc::io, "fstat", errno, path);
  if (!S_ISREG(status.st_mode)) return not_regular(status.st_mode, path);
  if (status.st_size == 0) return Region();
  const auto size = narrow<std::size_t>(status.st_size);
  if (!size)
    return in_source(Result<Region>(too_large(static_cast<std::uint64_t>(status.st_size))), path);
  const bool shares = access == Access::read_only;  // what others write to the file is seen
  void* const data = ::mmap(nullptr, *size, shares ? PROT_READ : PROT_READ | PROT_WRITE,
                            shares ? MAP_SHARED : MAP_PRIVATE, file.number(), 0);
  if (data == MAP_FAILED) return io::fail_call(Errc::io, "cannot map", errno, path);
  return Region(static_cast<std::byte*>(data), *size);
}

Result<Region> Region::reserve(std::uint64_t size) {
  if (size == 0) return Region();
  const auto count = narrow<std::size_t>(size);
  if (!count) return too_large(size);
  void* const data = ::mmap(nullptr, *count, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) {
    auto failure = too_large(size);
    failure.error().system_errno = errno;
    return failure;
  }
#ifdef __linux__
  if (*count >= huge_page) ::madvise(data, *count, MADV_HUGEPAGE);  // advice: may be refused
#endif
  return Region(static_cast<std::byte*>(data), *count);
}

}  // namespace sillar::opff
