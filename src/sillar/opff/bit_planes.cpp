// Kernels between packed and unpacked pixels.
#include <sillar/opff/bit_planes.hpp>

#include <algorithm>
#include <cassert>
#include <utility>

namespace sillar::opff {
namespace {

constexpr unsigned bits_of_byte = 8;

/// How far right the bit of pixel `index` of a byte lies.
[[nodiscard]] constexpr unsigned shift_of(unsigned index, BitOrder order) {
  return order == BitOrder::msb_first ? bits_of_byte - 1 - index : index;
}

}  // namespace

void unpack_bits(std::span<const std::byte> packed, std::uint64_t first, BitOrder order,
                 std::span<std::byte> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const std::uint64_t pixel = first + done;
    const std::byte byte = packed[static_cast<std::size_t>(pixel / bits_of_byte)];
    const auto begin = static_cast<unsigned>(pixel % bits_of_byte);
    const auto count =
        static_cast<unsigned>(std::min<std::uint64_t>(bits_of_byte - begin, out.size() - done));
    for (unsigned bit = begin; bit < begin + count; ++bit)
      out[done++] = (byte >> shift_of(bit, order)) & std::byte{1};
  }
}

void pack_bits(std::span<const std::byte> samples, BitOrder order, std::span<std::byte> out) {
  assert(samples.size() == out.size() * bits_of_byte);
  for (std::size_t i = 0; i < out.size(); ++i) {
    auto byte = std::byte{0};
    for (unsigned bit = 0; bit < bits_of_byte; ++bit)
      byte |= samples[i * bits_of_byte + bit] << shift_of(bit, order);
    out[i] = byte;
  }
}

Result<Tensor> unpack(const TensorView& packed, const Geometry& geometry, const Window& window,
                      BitOrder order, std::uint64_t byte_limit) {
  assert(geometry.is_bitmap() && packed.rank() == 3);
  SILLAR_TRY(Tensor pixels, Tensor::allocate(DType::boolean, window.shape(), byte_limit));
  std::byte* out = pixels.view().data();
  const auto row_size = static_cast<std::size_t>(window.columns.extent);
  for (std::uint64_t frame = 0; frame < window.frames.extent; ++frame) {
    for (std::uint64_t channel = 0; channel < window.channels.extent; ++channel) {
      const auto plane =
          packed.at(0, window.frames.start + frame).at(0, window.channels.start + channel).bytes();
      for (std::uint64_t row = 0; row < window.rows.extent; ++row) {
        const std::uint64_t first =
            (window.rows.start + row) * geometry.width + window.columns.start;
        unpack_bits(plane, first, order, {out, row_size});
        out += row_size;
      }
    }
  }
  return pixels;
}

}  // namespace sillar::opff
