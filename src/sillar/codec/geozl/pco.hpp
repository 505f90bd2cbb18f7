// binoffset, intmult and floatquant: numbers as a coarse part and a fine one, as pco does it.
#pragma once

#include <sillar/codec/geozl/codec.hpp>

namespace sillar::codec::geozl {

/// Bins by index, and offsets into them.
[[nodiscard]] Result<> decode_binoffset(std::span<const std::byte> header,
                                        std::span<const Input> inputs, Output& out);

/// Multiples of a base, and remainders.
[[nodiscard]] Result<> decode_intmult(std::span<const std::byte> header,
                                      std::span<const Input> inputs, Output& out);

/// Floating-point numbers with few bits, and the bits that they lack.
[[nodiscard]] Result<> decode_floatquant(std::span<const std::byte> header,
                                         std::span<const Input> inputs, Output& out);

}  // namespace sillar::codec::geozl
