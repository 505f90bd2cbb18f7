// The external header blob: the layout and byte counts of a file, in a record beside it.
#pragma once

#include <sillar/base/limits.hpp>
#include <sillar/base/report.hpp>
#include <sillar/rumi/frame_table.hpp>
#include <sillar/rumi/layout.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace sillar::rumi {

/// What a blob tells: all that is needed to find and decode a frame.
struct Header {
  Layout layout;
  FrameTable frames;

  friend bool operator==(const Header&, const Header&) = default;
};

/// The number of bits that hold `value`: 0 for 0 ("Encoding").
[[nodiscard]] unsigned bit_length(std::uint64_t value);

/// Parses a blob and judges all of it ("Header blob"). Fails with malformed, truncated, or
/// over_limit where there are more unequal counts than `limits.frames`.
[[nodiscard]] Result<Header> parse_header_blob(std::span<const std::byte> blob,
                                               const Limits& limits);

/// The same checks, all findings kept. The header where none is an error.
[[nodiscard]] Result<Header> check_header_blob(std::span<const std::byte> blob,
                                               const Limits& limits, Report& report);

/// The blob of a header: the one canonical form.
[[nodiscard]] std::vector<std::byte> make_header_blob(const Header& header);

/// Reports every value of `blob` that is not that of `file` ("Creating the header blob").
void compare_headers(const Header& file, const Header& blob, Report& report);

}  // namespace sillar::rumi
