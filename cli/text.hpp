// Numbers and foreign text as people read them.
#pragma once

#include <sillar/base/error.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sillar::cli {

/// `bytes` as well-formed UTF-8 that moves no cursor: what is no UTF-8 becomes U+FFFD, control
/// characters become \xNN. Paths, band texts and messages pass through here on their way to a
/// terminal.
[[nodiscard]] std::string printable(std::string_view bytes);

/// "542 bytes", "12.3 MB (12345678 bytes)".
[[nodiscard]] std::string size_text(std::uint64_t bytes);

/// "12345678" where it is small enough to read, "12.3 MB" otherwise.
[[nodiscard]] std::string short_size(std::uint64_t bytes);

/// "1 frame", "3 frames".
[[nodiscard]] std::string count_text(std::uint64_t count, std::string_view noun);

/// A size as people write it: "4096", "64K", "2G", "1.5" not; K, M, G and T count by 1000, Ki, Mi,
/// Gi and Ti by 1024, each with or without a B behind. Fails with bad_argument.
[[nodiscard]] Result<std::uint64_t> parse_size(std::string_view text);

/// A whole decimal number, all of `text`.
[[nodiscard]] std::optional<std::uint64_t> parse_unsigned(std::string_view text);
[[nodiscard]] std::optional<std::int64_t> parse_signed(std::string_view text);

/// A floating-point number, all of `text`; "nan", "inf" and "-inf" are numbers.
[[nodiscard]] std::optional<double> parse_double(std::string_view text);

/// The pieces between commas; one empty piece for an empty text.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator = ',');

/// The candidate most like `word`, or "" where none is near: for "did you mean".
[[nodiscard]] std::string_view nearest(std::string_view word,
                                       std::span<const std::string> candidates);

}  // namespace sillar::cli
