// What a GeoZL decoder is given, and where its output goes.
#pragma once

#include <sillar/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace sillar::codec::geozl {

/// One stream that a decoder consumes. Numeric ones hold words of the host's byte order, aligned to
/// their width. The memory belongs to the caller.
struct Input {
  std::span<const std::byte> bytes;  ///< count * width of them
  std::size_t width = 1;             ///< bytes of an element; 1 for serial streams

  [[nodiscard]] std::uint64_t count() const { return bytes.size() / width; }
};

/// Memory for the one numeric output of a decoder. Sizes come from the frame, so they are held
/// against a ceiling before anything is allocated.
class Output {
 public:
  /// No decoder writes more than `ceiling` bytes. Scratch memory may be some times as large.
  explicit Output(std::uint64_t ceiling) : ceiling_(ceiling) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  virtual ~Output() = default;

  /// Memory for `count` words of `width` bytes, aligned to them, overlapping no input. A decoder
  /// asks once and fills all of it. Fails with codec past the ceiling.
  [[nodiscard]] Result<std::span<std::byte>> words(std::uint64_t count, std::size_t width);

  /// Memory until the decoder returns, aligned to 8 bytes. Fails with codec past the ceiling.
  [[nodiscard]] Result<std::span<std::byte>> scratch(std::uint64_t size);

 private:
  virtual Result<std::span<std::byte>> make_words(std::size_t count, std::size_t width) = 0;
  virtual Result<std::span<std::byte>> make_scratch(std::size_t size) = 0;

  std::uint64_t ceiling_;
};

/// Undoes one codec. `inputs` has the number and kinds of streams that the table of codecs states.
/// Fails with codec where header and streams do not fit each other or `out`; the output is then
/// unspecified.
using Decode = Result<> (*)(std::span<const std::byte> header, std::span<const Input> inputs,
                            Output& out);

}  // namespace sillar::codec::geozl
