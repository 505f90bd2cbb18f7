// Pictures of eight bits a channel, and their PNG form.
#pragma once

#include <sillar/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sillar::look {

/// Rows from top to bottom, pixels from left to right, channels interleaved.
struct Picture {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t channels = 1;  ///< 1 grey, 3 red green blue
  std::vector<std::uint8_t> samples;

  friend bool operator==(const Picture&, const Picture&) = default;
};

/// The picture as a PNG file. The same picture gives the same bytes. Fails with bad_argument where
/// `samples` does not fit the size, or no PNG holds it.
[[nodiscard]] Result<std::vector<std::byte>> encode_png(const Picture& picture);

}  // namespace sillar::look
