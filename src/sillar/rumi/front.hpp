// The front of a file: header, IFD and external values, all that stands before the frames.
#pragma once

#include <sillar/base/limits.hpp>
#include <sillar/base/report.hpp>
#include <sillar/rumi/georeferencing.hpp>
#include <sillar/rumi/header_blob.hpp>
#include <sillar/rumi/layout.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sillar::rumi {

struct Front {
  Header header;
  Georeference georeference;
};

/// How much of a file a reader fetches at first: enough for the whole front of ordinary files.
inline constexpr std::uint64_t front_guess = std::uint64_t{64} << 10;

/// Judges the file header and the fixed part of the IFD, and returns the size of the front. `bytes`
/// is the first min(file_size, 292) bytes at least. Fails with malformed, truncated, or over_limit.
[[nodiscard]] Result<std::uint64_t> check_front_size(std::span<const std::byte> bytes,
                                                     std::uint64_t file_size, const Limits& limits,
                                                     Report& report);

/// Judges the values of a front whose size `check_front_size` gave; `bytes` is all of it. Fails
/// with malformed or truncated.
[[nodiscard]] Result<Front> check_front(std::span<const std::byte> bytes, std::uint64_t file_size,
                                        Report& report);

/// The bytes of a front ("Placement"): as many as `base_frame_offset`.
[[nodiscard]] std::vector<std::byte> make_front(const Front& front);

}  // namespace sillar::rumi
