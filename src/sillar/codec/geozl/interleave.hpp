// deinterleave: two streams woven back into one, such as the parts of complex numbers.
#pragma once

#include <sillar/codec/geozl/codec.hpp>

namespace sillar::codec::geozl {

/// Takes samples in turn from both inputs, the first one first.
[[nodiscard]] Result<> decode_deinterleave(std::span<const std::byte> header,
                                           std::span<const Input> inputs, Output& out);

}  // namespace sillar::codec::geozl
