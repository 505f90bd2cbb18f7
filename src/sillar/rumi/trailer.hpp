// The trailer: a text for every band and a coordinate for every time step.
#pragma once

#include <sillar/base/limits.hpp>
#include <sillar/base/report.hpp>
#include <sillar/rumi/time_axis.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sillar::rumi {

struct Trailer {
  std::vector<std::string> band_texts;
  TimeAxis times;

  friend bool operator==(const Trailer&, const Trailer&) = default;
};

/// Judges a whole trailer: everything behind the last frame of a file of `bands` bands and `times`
/// times. `base` is its offset in the file. The trailer where no rule is broken; fails with
/// malformed, truncated, or over_limit.
[[nodiscard]] Result<Trailer> check_trailer(std::span<const std::byte> bytes, std::uint64_t base,
                                            std::uint64_t bands, std::uint64_t times,
                                            const Limits& limits, Report& report);

/// The bytes of a trailer: the one canonical form.
[[nodiscard]] std::vector<std::byte> make_trailer(const Trailer& trailer);

/// What a band text breaks by itself, if anything: empty, UTF-8, or a zero byte.
[[nodiscard]] const Rule* broken_text_rule(std::string_view text);

/// Judges the texts of a file to be written, naming the band. Fails with bad_argument.
[[nodiscard]] Result<> check_band_texts(std::span<const std::string> texts, std::uint64_t bands);

}  // namespace sillar::rumi
