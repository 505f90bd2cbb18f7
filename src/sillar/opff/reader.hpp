// Reading OPFF files: mapped, from memory, from a source of bytes, from a pipe.
//
// A mapped file that somebody cuts short kills the process with SIGBUS when the lost pages are
// touched: that is the nature of a mapping. `read` copies instead, and fails with truncated.
#pragma once

#include <sillar/base/limits.hpp>
#include <sillar/io/byte_source.hpp>
#include <sillar/opff/header.hpp>
#include <sillar/opff/region.hpp>
#include <sillar/tensor/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace sillar::opff {

struct MapOptions {
  Access access = Access::read_only;
  std::string letters;  ///< those of the namespace that the caller accepts; empty: all
};

struct ReadOptions {
  bool footer = true;   ///< read the bytes behind the samples too
  std::string letters;  ///< those of the namespace that the caller accepts; empty: all
  Limits limits;
  io::ReadControl control;
};

/// An array and what keeps its bytes alive: immutable, cheap to copy, usable from many threads. No
/// descriptor is held. Samples are little-endian, as they are stored: a big-endian host swaps them
/// itself.
class File {
 public:
  [[nodiscard]] const Outline& outline() const;
  [[nodiscard]] const Header& header() const { return outline().header; }
  [[nodiscard]] const Geometry& geometry() const { return outline().geometry; }

  /// All samples as (frame, channel, y, x), planar and interleaved alike, told apart by strides. Of
  /// a bitmap: the packed bytes as (frame, channel, byte) of uint8. Valid as long as any copy of
  /// `memory()` lives; the first sample of a mapped or read file is aligned to 64 bytes.
  [[nodiscard]] TensorView view() const;

  /// A part of the samples, without a copy. Fails with bad_argument: a range outside, or a window
  /// of a bitmap, whose rows are no whole bytes (`unpack` gives it).
  [[nodiscard]] Result<TensorView> view(const Selection& selection) const;

  /// One frame, (channel, y, x) or (channel, byte). Fails with bad_argument.
  [[nodiscard]] Result<TensorView> frame(std::uint64_t index) const;

  /// One channel of all frames, (frame, y, x) or (frame, byte). Fails with bad_argument.
  [[nodiscard]] Result<TensorView> channel(std::uint64_t index) const;

  /// All samples to be written to: of a file mapped with `private_copy`, or one that was read.
  /// Fails with bad_argument for others.
  [[nodiscard]] Result<MutableTensorView> mutable_view() const;

  /// Pixels of a bitmap as booleans (frame, channel, y, x). Fails with bad_argument (no bitmap, a
  /// range outside) or over_limit.
  [[nodiscard]] Result<Tensor> unpack(const Selection& selection = {},
                                      BitOrder order = BitOrder::msb_first,
                                      const Limits& limits = {}) const;

  /// The stored samples, byte for byte.
  [[nodiscard]] std::span<const std::byte> payload() const;

  /// The bytes behind the samples; nobody has looked at them. Empty where they were not read.
  [[nodiscard]] std::span<const std::byte> footer() const;

  /// What keeps `view()`, `payload()` and `footer()` alive, for owners of another kind (a NumPy
  /// array, a DLPack capsule).
  [[nodiscard]] std::shared_ptr<const void> memory() const { return state_; }

 private:
  struct State;
  explicit File(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  [[nodiscard]] static File of(Region region, const Outline& outline, std::uint64_t size,
                               bool writable);
  friend Result<File> map(const std::string& path, const MapOptions& options);
  friend Result<File> read(const io::ByteSource& source, const ReadOptions& options);
  friend Result<File> read_stream(int descriptor, const ReadOptions& options);
  friend Result<File> of_memory(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                const std::string& letters);

  std::shared_ptr<const State> state_;
};

/// Maps a file: open, fstat, mmap of its size, close. The header is judged in the mapping and no
/// sample is read. Fails with not_found, io, malformed, truncated, unsupported (a letter that the
/// caller does not accept).
[[nodiscard]] Result<File> map(const std::string& path, const MapOptions& options = {});

/// Reads a file into memory, after header and size were judged. Fails like `map`, and with
/// over_limit before anything is allocated.
[[nodiscard]] Result<File> read(const std::string& path, const ReadOptions& options = {});
[[nodiscard]] Result<File> read(const io::ByteSource& source, const ReadOptions& options = {});

/// Reads the header and exactly the samples from a pipe or socket; what follows is left there, so
/// the footer is empty. Memory is taken as bytes come. Fails with truncated (opff.size) where the
/// stream ends early, and like `read`.
[[nodiscard]] Result<File> read_stream(int descriptor, const ReadOptions& options = {});

/// A file that lies in memory already, at any alignment. `owner`, if any, keeps `bytes` alive; else
/// the caller does. Fails like `map`.
[[nodiscard]] Result<File> of_memory(std::span<const std::byte> bytes,
                                     std::shared_ptr<const void> owner = {},
                                     const std::string& letters = {});

/// The outline of a source, of which 64 bytes are read at most. Fails like `map`.
[[nodiscard]] Result<Outline> outline_of(const io::ByteSource& source,
                                         const io::ReadControl& control = {});

/// The same, every finding kept in `report`. Fails with io or cancelled alone.
[[nodiscard]] Result<std::optional<Outline>> check_outline_of(const io::ByteSource& source,
                                                              Report& report,
                                                              const io::ReadControl& control = {});

}  // namespace sillar::opff
