// The predictors that choose or weigh neighbours: med, average and wp_static.
#pragma once

#include <sillar/codec/geozl/codec.hpp>

namespace sillar::codec::geozl {

[[nodiscard]] Result<> decode_med(std::span<const std::byte> header, std::span<const Input> inputs,
                                  Output& out);
[[nodiscard]] Result<> decode_med_zigzag(std::span<const std::byte> header,
                                         std::span<const Input> inputs, Output& out);
[[nodiscard]] Result<> decode_average(std::span<const std::byte> header,
                                      std::span<const Input> inputs, Output& out);

/// West plus a weighted sum of four samples of the rows above, with the weights in the header.
[[nodiscard]] Result<> decode_wp_static(std::span<const std::byte> header,
                                        std::span<const Input> inputs, Output& out);

}  // namespace sillar::codec::geozl
