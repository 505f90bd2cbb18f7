#include <sillar/codec/geozl/planar.hpp>

#include <sillar/codec/geozl/geometry.hpp>
#include <sillar/codec/geozl/planar_rows.hpp>
#include <sillar/codec/geozl/row_sums.hpp>

namespace sillar::codec::geozl {
namespace {

template <Residuals Form>
Result<> undo_planar(std::span<const std::byte> header, const Input& input, Output& out) {
  SILLAR_TRY(const Geometry geometry, read_geometry(header, input.count()));
  SILLAR_TRY(const auto memory, out.words(input.count(), input.width));
  return with_word(input.width, [&](auto word) -> Result<> {
    using T = decltype(word);
    with_kernels([&](auto kernels) {
      PlanarRows<decltype(kernels), Form, T>(geometry, words_of<T>(memory))
          .take(words_of<T>(input));
    });
    return {};
  });
}

}  // namespace

Result<> decode_planar(std::span<const std::byte> header, std::span<const Input> inputs,
                       Output& out) {
  return undo_planar<Residuals::plain>(header, inputs[0], out);
}

Result<> decode_planar_zigzag(std::span<const std::byte> header, std::span<const Input> inputs,
                              Output& out) {
  return undo_planar<Residuals::zigzag>(header, inputs[0], out);
}

Result<> decode_delta_w(std::span<const std::byte> header, std::span<const Input> inputs,
                        Output& out) {
  const Input& input = inputs[0];
  SILLAR_TRY(const Geometry geometry, read_geometry(header, input.count()));
  SILLAR_TRY(const auto memory, out.words(input.count(), input.width));
  return with_word(input.width, [&](auto word) -> Result<> {
    using T = decltype(word);
    const auto codes = words_of<T>(input);
    const auto samples = words_of<T>(memory);
    with_kernels([&](auto kernels) {
      for (std::size_t at = 0; at < codes.size(); at += geometry.width) {
        kernels.template running_sum<Residuals::plain>(codes.data() + at, static_cast<T*>(nullptr),
                                                       samples.data() + at, geometry.width, T{0});
      }
    });
    return {};
  });
}

Result<> decode_delta_n(std::span<const std::byte> header, std::span<const Input> inputs,
                        Output& out) {
  const Input& input = inputs[0];
  SILLAR_TRY(const Geometry geometry, read_geometry(header, input.count()));
  SILLAR_TRY(const auto memory, out.words(input.count(), input.width));
  return with_word(input.width, [&](auto word) -> Result<> {
    using T = decltype(word);
    const auto codes = words_of<T>(input);
    const auto samples = words_of<T>(memory);
    const std::size_t plane = geometry.plane_size();
    with_kernels([&](auto kernels) {
      for (std::size_t first = 0; first < codes.size(); first += plane) {
        const T* from = codes.data() + first;
        T* to = samples.data() + first;
        if (geometry.width == 1) {
          kernels.template running_sum<Residuals::plain>(from, static_cast<T*>(nullptr), to, plane,
                                                         T{0});
          continue;
        }
        kernels.template copy<Residuals::plain>(from, to, geometry.width);
        for (std::size_t at = geometry.width; at < plane; at += geometry.width) {
          kernels.add(from + at, static_cast<const T*>(to + at - geometry.width), to + at,
                      geometry.width);
        }
      }
    });
    return {};
  });
}

}  // namespace sillar::codec::geozl
