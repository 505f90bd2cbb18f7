// From what people write to indices.
#include <sillar/rumi/selection.hpp>

#include <sillar/rumi/iso8601.hpp>

#include <algorithm>
#include <numeric>
#include <string_view>

namespace sillar::rumi {
namespace {

constexpr std::string_view canonical_axes = "tbyx";

[[nodiscard]] Result<std::array<std::size_t, 4>> parse_axes(const std::string& text) {
  std::array<std::size_t, 4> order{};
  if (text.size() != order.size() ||
      !std::is_permutation(text.begin(), text.end(), canonical_axes.begin())) {
    return fail(Errc::bad_argument,
                "axes are \"" + text + "\", expected the letters t, b, y and x in some order");
  }
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = canonical_axes.find(text[i]);
  return order;
}

[[nodiscard]] std::vector<std::uint64_t> everything(std::uint64_t count) {
  std::vector<std::uint64_t> indices(count);
  std::iota(indices.begin(), indices.end(), std::uint64_t{0});
  return indices;
}

[[nodiscard]] Result<> check_index(std::string_view what, std::uint64_t index,
                                   std::uint64_t count) {
  if (index < count) return {};
  return fail(Errc::bad_argument, std::string(what) + " " + std::to_string(index) +
                                      " is outside, valid are 0 to " + std::to_string(count - 1));
}

[[nodiscard]] Result<std::uint64_t> find_band(const Trailer& trailer, const std::string& text) {
  const auto found = std::ranges::find(trailer.band_texts, text);
  if (found == trailer.band_texts.end()) {
    return fail(Errc::bad_argument, "no band has the text \"" + text + "\"");
  }
  return static_cast<std::uint64_t>(found - trailer.band_texts.begin());
}

[[nodiscard]] Result<std::vector<std::uint64_t>> resolve_bands(
    const std::optional<std::vector<BandRef>>& wanted, std::uint64_t count,
    const TrailerLookup& trailer) {
  if (!wanted) return everything(count);
  if (wanted->empty()) return fail(Errc::bad_argument, "the list of bands is empty");
  std::vector<std::uint64_t> bands;
  bands.reserve(wanted->size());
  for (const BandRef& ref : *wanted) {
    if (const auto* index = std::get_if<std::uint64_t>(&ref)) {
      SILLAR_TRY(check_index("band", *index, count));
      bands.push_back(*index);
    } else {
      SILLAR_TRY(const auto texts, trailer());
      SILLAR_TRY(const std::uint64_t found, find_band(*texts, std::get<std::string>(ref)));
      bands.push_back(found);
    }
  }
  return bands;
}

[[nodiscard]] Result<std::vector<std::uint64_t>> resolve_times(
    const std::optional<std::vector<TimeRef>>& wanted, std::uint64_t count,
    const TrailerLookup& trailer, const Limits& limits) {
  if (!wanted && count > limits.coordinates) {
    return fail(Errc::over_limit, "the selection lists " + std::to_string(count) +
                                      " time steps, the limit is " +
                                      std::to_string(limits.coordinates));
  }
  if (!wanted) return everything(count);
  if (wanted->empty()) return fail(Errc::bad_argument, "the list of times is empty");
  std::vector<std::uint64_t> times;
  for (const TimeRef& ref : *wanted) {
    if (const auto* index = std::get_if<std::uint64_t>(&ref)) {
      SILLAR_TRY(check_index("time", *index, count));
      times.push_back(*index);
    } else {
      SILLAR_TRY(const auto described, trailer());
      SILLAR_TRY(const auto found, find_times(described->times, std::get<std::string>(ref)));
      times.insert(times.end(), found.begin(), found.end());
    }
  }
  return times;
}

[[nodiscard]] std::string text_of(const geo::Window& window) {
  return "(row " + std::to_string(window.row) + ", col " + std::to_string(window.col) +
         ", height " + std::to_string(window.height) + ", width " + std::to_string(window.width) +
         ")";
}

}  // namespace

Shape ResolvedSelection::canonical_shape() const {
  return {times.size(), bands.size(), static_cast<std::uint64_t>(window.height),
          static_cast<std::uint64_t>(window.width)};
}

Shape ResolvedSelection::shape() const {
  const Shape canonical = canonical_shape();
  Shape turned;
  for (const std::size_t axis : axes) turned.push_back(canonical[axis]);
  return turned;
}

Result<std::vector<std::uint64_t>> find_times(const TimeAxis& axis, const std::string& text) {
  SILLAR_TRY(const Period wanted, parse_period(text));
  std::vector<std::uint64_t> steps;
  for (std::uint64_t step = 0; step < axis.steps(); ++step) {
    const Seconds begin = axis.start(step);
    const Seconds end = axis.end(step);
    bool inside = false;
    if (axis.type() == TimeType::instant) {
      inside =
          wanted.instant() ? begin == wanted.begin : begin >= wanted.begin && begin < wanted.end;
    } else {
      inside = wanted.instant() ? begin <= wanted.begin && wanted.begin < end
                                : begin < wanted.end && wanted.begin < end;
    }
    if (inside) steps.push_back(step);
  }
  if (steps.empty()) return fail(Errc::bad_argument, "no time step lies in \"" + text + "\"");
  return steps;
}

Result<ResolvedSelection> resolve(const Selection& selection, const Layout& layout,
                                  const TrailerLookup& trailer, const Limits& limits) {
  ResolvedSelection resolved;
  SILLAR_TRY(resolved.axes, parse_axes(selection.axes));
  SILLAR_TRY(resolved.bands, resolve_bands(selection.bands, layout.bands(), trailer));
  SILLAR_TRY(resolved.times, resolve_times(selection.times, layout.times(), trailer, limits));
  const geo::Window whole{0, 0, layout.image_length, layout.image_width};
  resolved.window = selection.window.value_or(whole);
  const geo::Window& window = resolved.window;
  if (window.height <= 0 || window.width <= 0) {
    return fail(Errc::bad_argument, "the window " + text_of(window) + " is empty");
  }
  SILLAR_TRY(resolved.inside, geo::clip(window, layout.image_length, layout.image_width));
  if (selection.outside == Outside::clip) resolved.window = resolved.inside;
  if (selection.outside == Outside::error && resolved.inside != resolved.window) {
    return fail(Errc::bad_argument, "the window " + text_of(window) +
                                        " reaches outside the raster of " +
                                        std::to_string(layout.image_length) + " rows and " +
                                        std::to_string(layout.image_width) + " columns");
  }
  if (!selection.pad_value.empty() && selection.pad_value.size() != size_of(layout.dtype())) {
    return fail(Errc::bad_argument,
                "the pad value has " + std::to_string(selection.pad_value.size()) +
                    " bytes, a sample has " + std::to_string(size_of(layout.dtype())));
  }
  resolved.pad_value = selection.pad_value;
  return resolved;
}

}  // namespace sillar::rumi
