// Decoding one frame, and judging it by the rules of frames.
#pragma once

#include <sillar/base/error.hpp>
#include <sillar/codec/openzl.hpp>
#include <sillar/rumi/layout.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace sillar::rumi {

/// The header of `frame` states one output of `decoded_size` bytes ("Frames", "Sample encodings").
/// Costs well under a microsecond and allocates nothing of that size.
[[nodiscard]] Result<> check_frame_header(std::span<const std::byte> frame,
                                          std::uint64_t decoded_size);

/// Every byte is 0 or 1.
[[nodiscard]] Result<> check_booleans(std::span<const std::byte> samples);

/// Decodes frames of one file after another; keeps its memory. One thread at a time.
class FrameDecoder {
 public:
  FrameDecoder() : decoder_(codec::openzl::make_decoder()) {}

  /// Decodes `frame` into `out`, which has exactly the size that its place demands and is aligned
  /// to 8 bytes. Fails with a rule of frames (malformed, codec, checksum, unsupported); offsets
  /// count from the start of the frame.
  [[nodiscard]] Result<> decode(std::span<const std::byte> frame, std::span<std::byte> out,
                                DType dtype, bool verify);

  /// Decodes the wanted rectangle of a frame of one plane straight into rows, where frame and dtype
  /// allow that. False when they do not: then `decode` decodes the frame or tells what is wrong
  /// with it, and what stood in the rows may be lost. Samples of 16 bytes are two words of the
  /// rectangle.
  [[nodiscard]] Result<bool> decode_rectangle(std::span<const std::byte> frame,
                                              const codec::openzl::Rectangle& wanted,
                                              const codec::openzl::RowTarget& target, DType dtype,
                                              bool verify);

  /// Room for a decoded frame, aligned to 64 bytes; what it held is gone.
  [[nodiscard]] std::span<std::byte> scratch(std::size_t size);

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };

  std::unique_ptr<codec::openzl::Decoder> decoder_;
  std::unique_ptr<std::byte, Free> scratch_;
  std::size_t scratch_size_ = 0;
};

}  // namespace sillar::rumi
