// A file descriptor that is closed once, and whole reads and writes through it.
#pragma once

#include <sillar/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>
#include <utility>

namespace sillar::io {

/// Owns a file descriptor; -1 owns none.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { static_cast<void>(close()); }

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] explicit operator bool() const { return number_ >= 0; }

  /// Closes it now; the errno of `close`, or 0. The descriptor is gone in either case.
  [[nodiscard]] int close();

  /// Gives the number away, to an owner of another kind.
  int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

/// `openat`, repeated when a signal interrupts it; closed on exec. On failure it owns none, and
/// errno tells why.
[[nodiscard]] Descriptor open_at(int directory, const char* path, int flags, unsigned mode = 0);

/// What an errno of `open` means: io for lack of descriptors or memory, which says nothing about
/// the path, else not_found.
[[nodiscard]] Errc kind_of_open_error(int error);

/// Reads into `out` from `offset` on until it is full or the file ends. Returns the bytes read, or
/// the errno of `pread`. Needs offset + out.size() <= INT64_MAX.
[[nodiscard]] std::expected<std::size_t, int> read_at(int descriptor, std::span<std::byte> out,
                                                      std::uint64_t offset);

/// Writes all of `bytes` at `offset`. The errno of `pwrite`, or 0; EFBIG where the end would leave
/// the range of file offsets.
[[nodiscard]] int write_at(int descriptor, std::span<const std::byte> bytes, std::uint64_t offset);

/// Writes all of `bytes` at the descriptor's own position, as devices and pipes want it. The errno
/// of `write`, or 0.
[[nodiscard]] int write_all(int descriptor, std::span<const std::byte> bytes);

/// `fsync`, repeated when a signal interrupts it. Its errno, or 0.
[[nodiscard]] int sync(int descriptor);

/// The error of a failed system call on `source`.
[[nodiscard]] inline std::unexpected<Error> fail_call(Errc code, std::string_view call, int error,
                                                      std::string_view source) {
  auto failure = fail_errno(code, call, error);
  failure.error().source = source;
  return failure;
}

}  // namespace sillar::io
