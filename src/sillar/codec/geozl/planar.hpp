// The predictors that are sums: delta_w (left), delta_n (up), and planar (the plane through three).
#pragma once

#include <sillar/codec/geozl/codec.hpp>

namespace sillar::codec::geozl {

[[nodiscard]] Result<> decode_delta_w(std::span<const std::byte> header,
                                      std::span<const Input> inputs, Output& out);
[[nodiscard]] Result<> decode_delta_n(std::span<const std::byte> header,
                                      std::span<const Input> inputs, Output& out);
[[nodiscard]] Result<> decode_planar(std::span<const std::byte> header,
                                     std::span<const Input> inputs, Output& out);
[[nodiscard]] Result<> decode_planar_zigzag(std::span<const std::byte> header,
                                            std::span<const Input> inputs, Output& out);

}  // namespace sillar::codec::geozl
