// The lossy codecs: samples rebuilt from steps on a linear, logarithmic or square-root scale.
#pragma once

#include <sillar/codec/geozl/codec.hpp>

namespace sillar::codec::geozl {

// The results are those of IEEE arithmetic in the order written, the same on every machine: the
// file is compiled without contraction to fused operations.

[[nodiscard]] Result<> decode_quant_linear(std::span<const std::byte> header,
                                           std::span<const Input> inputs, Output& out);
[[nodiscard]] Result<> decode_quant_log(std::span<const std::byte> header,
                                        std::span<const Input> inputs, Output& out);
[[nodiscard]] Result<> decode_quant_sqrt(std::span<const std::byte> header,
                                         std::span<const Input> inputs, Output& out);

/// The bits of `value` as a binary16, ties away from zero; past the largest one infinity.
[[nodiscard]] std::uint16_t to_half(double value);

/// 2 to the power of `y`, by the sequence of operations that encoders use too.
[[nodiscard]] double exp2_exactly(double y);

}  // namespace sillar::codec::geozl
