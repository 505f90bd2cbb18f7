// nodata: missing samples, which a mask marks, get their value back.
#pragma once

#include <sillar/codec/geozl/codec.hpp>

namespace sillar::codec::geozl {

/// Inputs are the samples and a mask of one byte each. The size of the header tells the form.
[[nodiscard]] Result<> decode_nodata(std::span<const std::byte> header,
                                     std::span<const Input> inputs, Output& out);

}  // namespace sillar::codec::geozl
