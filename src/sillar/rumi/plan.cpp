// Planning: which frames a selection touches ("Selective read model").
#include <sillar/rumi/plan.hpp>

#include <algorithm>
#include <string>

namespace sillar::rumi {
namespace {

/// Picks as runs of equal steps, so that a frame with many of them is placed in few copies.
[[nodiscard]] std::vector<AxisRun> runs_of(const std::vector<std::uint64_t>& picks) {
  std::vector<AxisRun> runs;
  for (std::uint64_t i = 0; i < picks.size(); ++i) {
    if (!runs.empty()) {
      AxisRun& run = runs.back();
      const auto step = static_cast<std::int64_t>(picks[i] - picks[i - 1]);
      if (run.count == 1) run.step = step;
      if (run.step == step) {
        ++run.count;
        continue;
      }
    }
    runs.push_back({.first = i, .count = 1, .start = picks[i], .step = 1});
  }
  return runs;
}

[[nodiscard]] std::vector<std::uint64_t> distinct(std::vector<std::uint64_t> picks) {
  std::ranges::sort(picks);
  picks.erase(std::ranges::unique(picks).begin(), picks.end());
  return picks;
}

[[nodiscard]] std::unexpected<Error> too_large(std::string_view what, std::uint64_t limit) {
  return fail(Errc::over_limit, std::string(what) + ", the limit is " + std::to_string(limit));
}

[[nodiscard]] Result<> check_sizes(const Layout& layout, const ResolvedSelection& selection,
                                   const Limits& limits) {
  const auto frame =
      layout.decoded_bytes(std::min<std::uint64_t>(layout.tile_length, layout.image_length),
                           std::min<std::uint64_t>(layout.tile_width, layout.image_width));
  if (!frame || *frame > limits.frame_bytes) {
    return too_large("a frame decodes to " + (frame ? std::to_string(*frame) + " bytes"
                                                    : "more bytes than 64 bits can count"),
                     limits.frame_bytes);
  }
  const auto count = count_of(selection.canonical_shape());
  const auto output =
      count ? checked_mul(*count, std::uint64_t{layout.encoding->decoded_bytes}) : std::nullopt;
  if (!output || *output > limits.output_bytes) {
    return too_large("the output has " + (output ? std::to_string(*output) + " bytes"
                                                 : "more bytes than 64 bits can count"),
                     limits.output_bytes);
  }
  return {};
}

}  // namespace

std::uint64_t Plan::fetched_bytes() const {
  std::uint64_t bytes = 0;
  for (const PlannedFrame& frame : frames) bytes += frame.range.size;
  return bytes;
}

std::uint64_t Plan::decoded_bytes() const {
  std::uint64_t bytes = 0;
  for (const PlannedFrame& frame : frames) {
    const FramePlace place = layout.place(frame.index);
    bytes += layout.decoded_bytes(place.height, place.width).value_or(0);
  }
  return bytes;
}

std::uint64_t Plan::output_bytes() const {
  return count_of(selection.canonical_shape()).value_or(0) * layout.encoding->decoded_bytes;
}

Result<Plan> make_plan(const Header& header, ResolvedSelection selection, const Limits& limits) {
  const Layout& layout = header.layout;
  SILLAR_TRY(check_sizes(layout, selection, limits));
  const geo::Window& inside = selection.inside;
  const auto tile = [](std::int64_t pixel, std::uint64_t size) {
    return static_cast<std::uint64_t>(pixel) / size;
  };
  const std::uint64_t first_row = tile(inside.row, layout.tile_length);
  const std::uint64_t last_row = tile(inside.row + inside.height - 1, layout.tile_length);
  const std::uint64_t first_col = tile(inside.col, layout.tile_width);
  const std::uint64_t last_col = tile(inside.col + inside.width - 1, layout.tile_width);

  const std::vector<std::uint64_t> only = {0};
  const bool tiles = layout.frames_are_tiles();
  const auto bands = tiles ? distinct(selection.bands) : only;
  const auto times = tiles ? distinct(selection.times) : only;
  const auto cells = checked_mul(last_row - first_row + 1, last_col - first_col + 1);
  const auto count =
      cells ? checked_mul(*cells, std::uint64_t{bands.size()}, std::uint64_t{times.size()})
            : std::nullopt;
  if (!count || *count > limits.frames) {
    return too_large(
        "the selection touches " + (count ? std::to_string(*count) : "too many") + " frames",
        limits.frames);
  }

  Plan plan{.layout = layout,
            .selection = {},
            .frames = {},
            .band_runs = runs_of(selection.bands),
            .time_runs = runs_of(selection.times)};
  plan.frames.reserve(*count);
  const bool time_outside = layout.unit->time_outside;
  const auto& outer = time_outside ? times : bands;
  const auto& inner = time_outside ? bands : times;
  for (std::uint64_t row = first_row; row <= last_row; ++row) {
    for (std::uint64_t col = first_col; col <= last_col; ++col) {
      for (const std::uint64_t o : outer) {
        for (const std::uint64_t i : inner) {
          const std::uint64_t index =
              layout.frame_index(row, col, time_outside ? i : o, time_outside ? o : i);
          plan.frames.push_back({index, header.frames.range(index)});
        }
      }
    }
  }
  plan.selection = std::move(selection);
  return plan;
}

}  // namespace sillar::rumi
