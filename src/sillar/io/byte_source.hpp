// Where bytes come from: "these ranges, please".
#pragma once

#include <sillar/base/error.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace sillar::io {

/// Bytes [offset, offset + size) of a source.
struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// How a read may be ended early. A stop gives `cancelled`, a passed deadline gives `io`.
struct ReadControl {
  std::stop_token stop;
  std::optional<std::chrono::steady_clock::time_point> deadline;

  /// Success while the read may go on.
  [[nodiscard]] Result<> check() const;
};

/// Success where `range` lies inside a source of `source_size` bytes, else truncated at
/// `source_size`, the first byte that is not there. An empty range lies inside every source.
[[nodiscard]] Result<> check_inside(ByteRange range, std::uint64_t source_size,
                                    const std::string& source_name);

/// Called once for each range, in any order; `bytes` live only during the call. An error ends the
/// read and is what it returns.
using OnReady = std::function<Result<>(std::size_t index, std::span<const std::byte> bytes)>;

/// A file, a piece of memory, an object in a bucket. It has no position, may be read from many
/// threads at once, and is neither copied nor changed while it is open.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// What messages call it: a path or URL, or "" for memory.
  [[nodiscard]] virtual const std::string& name() const = 0;

  /// Its size in bytes. Fails with io.
  [[nodiscard]] virtual Result<std::uint64_t> size() const = 0;

  /// Delivers every range whole, or fails: with truncated when a range ends past the source (offset
  /// of the first byte that is not there), io, cancelled, or what `on_ready` returned. `on_ready`
  /// is called by the calling thread, one range at a time, while it reads the next ones at most.
  [[nodiscard]] virtual Result<> read(std::span<const ByteRange> ranges, const OnReady& on_ready,
                                      const ReadControl& control) const = 0;

  /// One range as a buffer of its own. The caller has held `size` against a limit.
  [[nodiscard]] Result<std::vector<std::byte>> read(std::uint64_t offset, std::uint64_t size,
                                                    const ReadControl& control = {}) const;

  /// At most `size` bytes from `offset` on, fewer where the source ends.
  [[nodiscard]] Result<std::vector<std::byte>> read_up_to(std::uint64_t offset,
                                                          std::uint64_t size) const;
};

/// A source over bytes that the caller keeps alive for as long as the source lives.
[[nodiscard]] std::shared_ptr<const ByteSource> memory_source(std::span<const std::byte> bytes,
                                                              std::string name = {});

/// A source that owns its bytes.
[[nodiscard]] std::shared_ptr<const ByteSource> memory_source(std::vector<std::byte> bytes,
                                                              std::string name = {});

/// Opens a regular file for positional reads (`pread`): one descriptor, shared by all threads and
/// usable in a forked child. Fails with not_found (missing, a directory, no permission) or io. A
/// file that shrinks while it is read gives truncated, never zeros.
[[nodiscard]] Result<std::shared_ptr<const ByteSource>> open_file(const std::string& path);

}  // namespace sillar::io
