// The byte shuffle: byte 0 of all elements, then byte 1 of all, and so on.
#pragma once

#include <cstddef>
#include <span>

namespace sillar::codec {

/// Brings elements of `element_size` bytes into planes. Both spans have the same size, a multiple
/// of `element_size`, and do not overlap.
void shuffle(std::span<const std::byte> elements, std::span<std::byte> planes,
             std::size_t element_size);

/// The way back.
void unshuffle(std::span<const std::byte> planes, std::span<std::byte> elements,
               std::size_t element_size);

}  // namespace sillar::codec
