// Judging the first 64 bytes: every rule of the header and the size, once each.
#pragma once

#include <sillar/base/report.hpp>
#include <sillar/opff/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace sillar::opff {

/// What a file is, as its header and its size say.
struct Outline {
  Header header;
  Geometry geometry;
  std::uint64_t expected_size = 0;         ///< header and samples
  std::optional<std::uint64_t> file_size;  ///< unknown for a pipe

  [[nodiscard]] char letter() const { return header.letter(); }
  [[nodiscard]] std::uint32_t start_id() const { return header.start_id; }

  /// One past the id of the last frame; does not wrap.
  [[nodiscard]] std::uint64_t end_id() const {
    return std::uint64_t{header.start_id} + geometry.frames;
  }

  /// The bytes behind the samples; empty where there are none or the size is unknown.
  [[nodiscard]] io::ByteRange footer_range() const {
    return {.offset = expected_size, .size = file_size ? *file_size - expected_size : 0};
  }
};

/// Reports every rule that the header `head` (the first 64 bytes, or all of a shorter file) or
/// `file_size` breaks. Fewer than 64 bytes, a foreign magic and a foreign version end the
/// judgement. Where the size is not known (a pipe), it is not judged. Returns the outline where
/// nothing was reported.
[[nodiscard]] std::optional<Outline> judge_header(std::span<const std::byte> head,
                                                  std::optional<std::uint64_t> file_size,
                                                  Report& report);

/// The same for a reader: the first finding is the error.
[[nodiscard]] Result<Outline> read_header(std::span<const std::byte> head,
                                          std::optional<std::uint64_t> file_size);

/// Success where `letters` is empty or holds the letter of the outline; else unsupported.
[[nodiscard]] Result<> check_letter(const Outline& outline, std::string_view letters);

}  // namespace sillar::opff
