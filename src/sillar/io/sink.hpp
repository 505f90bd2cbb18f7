// Where a file goes: bytes in order, the front last, nothing under the final name before finish().
#pragma once

#include <sillar/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sillar::io {

/// The file being made. One owner, one thread at a time. Destroyed without a successful
/// `finish()` it leaves nothing behind, and an older file of the same name is untouched.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  /// Leaves `size` bytes free at the start, for `put_front`. Called once, before any `append`.
  [[nodiscard]] virtual Result<> reserve(std::uint64_t size) = 0;

  /// Adds `bytes` at the end.
  [[nodiscard]] virtual Result<> append(std::span<const std::byte> bytes) = 0;

  /// Fills the reserved bytes; as many as were reserved.
  [[nodiscard]] virtual Result<> put_front(std::span<const std::byte> bytes) = 0;

  /// Makes the file durable and puts it under its name, whole. Nothing may follow.
  [[nodiscard]] virtual Result<> finish() = 0;

  /// A place for pieces that come out of order, as long as the sink lives.
  [[nodiscard]] virtual Result<std::unique_ptr<class Spool>> spool() = 0;
};

/// Temporary bytes on the same disk as the sink; gone when it is destroyed or the process dies.
class Spool {
 public:
  Spool() = default;
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;
  virtual ~Spool() = default;

  /// Keeps `bytes` and returns their offset.
  [[nodiscard]] virtual Result<std::uint64_t> put(std::span<const std::byte> bytes) = 0;

  /// Copies bytes that were put at `offset` back into `out`.
  [[nodiscard]] virtual Result<> get(std::uint64_t offset, std::span<std::byte> out) const = 0;
};

struct FileSinkOptions {
  bool overwrite = false;  ///< without it an existing target fails with exists

  /// Look for temporaries of the same target that a dead writer left, and remove them. That lists
  /// the whole directory, so that the time for a file grows with the number of its neighbours. A
  /// writer of many files into one directory turns it off; what dead writers left there then stays
  /// until a writer of the same target sweeps again.
  bool sweep_stale = true;
};

/// A sink for the file `path`: a temporary `.NAME.sillar-RANDOM` beside it, held by a lock, then
/// fsync, rename, fsync of the directory. Creating one removes temporaries of the same target whose
/// lock is free (their writer died), unless `sweep_stale` is off, and nothing else. A symbolic link
/// is followed: its target is replaced. Fails with exists, not_found (no such directory), or io
/// (with errno).
[[nodiscard]] Result<std::unique_ptr<Sink>> create_file(const std::string& path,
                                                        FileSinkOptions options = {});

/// Writes `bytes` as the whole file `path`, by way of `create_file`; a target that is a device or
/// pipe is written directly.
[[nodiscard]] Result<> write_file(const std::string& path, std::span<const std::byte> bytes,
                                  FileSinkOptions options = {});

/// A sink that keeps the file in `out`, which must outlive it; `out` is filled by `finish()`.
[[nodiscard]] std::unique_ptr<Sink> memory_sink(std::vector<std::byte>& out);

}  // namespace sillar::io
