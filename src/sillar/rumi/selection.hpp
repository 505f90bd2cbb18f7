// What a caller wants of a raster: bands, times, a window, an order of axes.
#pragma once

#include <sillar/base/limits.hpp>
#include <sillar/geo/affine.hpp>
#include <sillar/rumi/layout.hpp>
#include <sillar/rumi/trailer.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sillar::rumi {

/// What happens where a window reaches outside the raster.
enum class Outside {
  error,  ///< bad_argument
  clip,   ///< the part inside is read; the shape shrinks
  pad,    ///< the part outside is filled with `Selection::pad_value`
};

/// A band by its index, or by its text.
using BandRef = std::variant<std::uint64_t, std::string>;

/// A time step by its index, or steps by an ISO 8601 text (`parse_period`): instants inside the
/// period, intervals that overlap it, in file order.
using TimeRef = std::variant<std::uint64_t, std::string>;

/// Lists may repeat and reorder; an absent one means everything. An empty list, or a period without
/// steps, is an error.
struct Selection {
  std::optional<std::vector<BandRef>> bands;
  std::optional<std::vector<TimeRef>> times;
  std::optional<geo::Window> window;
  std::string axes = "tbyx";  ///< the order of the output's axes: a permutation of these letters
  Outside outside = Outside::error;
  std::vector<std::byte> pad_value;  ///< one sample; empty means zero bytes
};

/// A selection in numbers: every index is inside the raster.
struct ResolvedSelection {
  std::vector<std::uint64_t> bands;
  std::vector<std::uint64_t> times;
  geo::Window window;  ///< the output's rows and columns; reaches outside only with `pad`
  geo::Window inside;  ///< the part of `window` inside the raster; never empty
  std::array<std::size_t, 4> axes{0, 1, 2, 3};  ///< output axis k is axis axes[k] of (t, b, y, x)
  std::vector<std::byte> pad_value;

  /// The output's shape in (t, b, y, x).
  [[nodiscard]] Shape canonical_shape() const;

  /// The output's shape, in its own order of axes.
  [[nodiscard]] Shape shape() const;
};

/// Where texts are looked up; asked only when a selection holds one.
using TrailerLookup = std::function<Result<std::shared_ptr<const Trailer>>()>;

/// Turns a selection into numbers. Fails with bad_argument (outside, unknown text, empty, axes that
/// are no permutation), over_limit (more time steps than `limits.coordinates`, listed for want of a
/// choice), or as `trailer` does.
[[nodiscard]] Result<ResolvedSelection> resolve(const Selection& selection, const Layout& layout,
                                                const TrailerLookup& trailer,
                                                const Limits& limits = {});

/// The steps of `axis` that the text selects, by `parse_period`. Fails with bad_argument where
/// there are none.
[[nodiscard]] Result<std::vector<std::uint64_t>> find_times(const TimeAxis& axis,
                                                            const std::string& text);

}  // namespace sillar::rumi
