// blocked_transpose_zstd: blocks of byte planes, each block a zstd frame without a magic number.
#pragma once

#include <sillar/codec/geozl/codec.hpp>

namespace sillar::codec::geozl {

[[nodiscard]] Result<> decode_blocked_transpose_zstd(std::span<const std::byte> header,
                                                     std::span<const Input> inputs, Output& out);

}  // namespace sillar::codec::geozl
