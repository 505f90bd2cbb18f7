// Writing OPFF files: a tensor of any strides, in one pass, the file whole or not at all.
#pragma once

#include <sillar/base/error.hpp>
#include <sillar/io/byte_source.hpp>
#include <sillar/io/sink.hpp>
#include <sillar/opff/plan.hpp>
#include <sillar/tensor/view.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace sillar::opff {

/// How samples become the samples of a file.
struct SampleOptions {
  Layout layout = Layout::interleaved;

  /// The depth code to store. Without one the dtype decides, and a dtype without a code of its own
  /// is refused. With one, samples of the same footprint are stored bit by bit (int16 as 0x02);
  /// 0x00 packs booleans, most significant bit first.
  std::optional<std::uint8_t> depth;
  BitOrder bit_order = BitOrder::msb_first;

  /// Of the samples in memory; the file is little-endian always.
  std::endian byte_order = std::endian::native;
};

struct WriteOptions {
  SampleOptions samples;
  char letter = core_letter;
  std::uint32_t start_id = 0;
  std::span<const std::byte> footer;  ///< goes behind the samples as it is
  io::ReadControl control;
};

/// The geometry of a file of `samples`, which are (frame, channel, y, x), (channel, y, x) or
/// (y, x). Fails with bad_argument by the rule that would be broken: opff.write.dtype,
/// opff.write.frames, opff.write.extent, opff.channels, opff.zero_dimension,
/// opff.interleaved_bitmap, opff.bitmap_modulo.
[[nodiscard]] Result<Geometry> geometry_for(DType dtype, const Shape& shape,
                                            const SampleOptions& options);

/// Writes `samples` with any strides. Everything is judged before the first byte is written, but
/// for booleans that are neither 0 nor 1. Fails with bad_argument, io or cancelled.
[[nodiscard]] Result<> write(io::Sink& sink, const TensorView& samples,
                             const WriteOptions& options = {});
[[nodiscard]] Result<> write(const std::string& path, const TensorView& samples,
                             const WriteOptions& options = {}, io::FileSinkOptions file = {});

/// Writes `payload`, which is stored already as `geometry` says, byte for byte: of
/// `options.samples` nothing is looked at. Fails with bad_argument (opff.write.size among others)
/// or io.
[[nodiscard]] Result<> write_payload(io::Sink& sink, const Geometry& geometry,
                                     std::span<const std::byte> payload,
                                     const WriteOptions& options = {});
[[nodiscard]] Result<> write_payload(const std::string& path, const Geometry& geometry,
                                     std::span<const std::byte> payload,
                                     const WriteOptions& options = {},
                                     io::FileSinkOptions file = {});

/// Takes pieces of a payload, in their order.
using TakeBytes = std::function<Result<>(std::span<const std::byte>)>;

/// The bytes of `samples`, (frame, channel, y, x), in the order in which `geometry` stores them:
/// in one piece where they lie so already, else in pieces of about 1 MiB. Fails with bad_argument
/// for a boolean that is neither 0 nor 1, or what `take` returns.
[[nodiscard]] Result<> for_each_piece(const Geometry& geometry, const TensorView& samples,
                                      const SampleOptions& options, const TakeBytes& take);

}  // namespace sillar::opff
