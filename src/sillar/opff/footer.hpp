// The footer that this library may write: what the header cannot say of an array, as JSON.
//
//     0         8         12       16
//     +---------+---------+--------+----------------+
//     | magic   | version | length | JSON, UTF-8    |  then the end of the file
//     +---------+---------+--------+----------------+
#pragma once

#include <sillar/base/report.hpp>
#include <sillar/opff/format.hpp>
#include <sillar/tensor/view.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sillar::opff {

/// The keys that this library knows. All may be missing; a footer may hold others.
struct FooterKeys {
  std::optional<DType> dtype;  ///< what the samples mean, of the footprint that the depth gives
  std::optional<Shape> shape;  ///< of the array before it was folded into the header's axes
  std::optional<std::vector<std::string>> axes;  ///< the names of its axes
  std::optional<std::uint64_t> valid_bits;       ///< of each sample, from the least significant on

  friend bool operator==(const FooterKeys&, const FooterKeys&) = default;
};

/// "i16", "bf16", "f8_e4m3fn", ...: the name of a dtype in a footer.
[[nodiscard]] std::string_view footer_name_of(DType dtype);

/// A footer of `text`, which is one JSON object. Fails with bad_argument (opff.footer.text) or
/// over_limit.
[[nodiscard]] Result<std::vector<std::byte>> make_footer(const std::string& text);

/// A footer of the keys that are there.
[[nodiscard]] Result<std::vector<std::byte>> make_footer(const FooterKeys& keys);

/// The text of a footer. Fails with malformed or truncated; offsets count from the footer's start.
[[nodiscard]] Result<std::string> footer_text(std::span<const std::byte> footer);

/// The text of a footer that is nothing but a JSON object, which has no magic: it is only taken for
/// one because the caller says so. Fails with malformed (opff.footer.text).
[[nodiscard]] Result<std::string> bare_footer_text(std::span<const std::byte> footer);

/// The known keys of a footer's text. Fails with malformed (opff.footer.text) where the text is not
/// one JSON object, or where one of them has a value of another kind.
[[nodiscard]] Result<FooterKeys> footer_keys(const std::string& text);

/// Reports what is wrong with a footer that claims to be this library's; `base` is its offset in
/// the file.
void judge_footer(std::span<const std::byte> footer, std::uint64_t base, Report& report);

}  // namespace sillar::opff
