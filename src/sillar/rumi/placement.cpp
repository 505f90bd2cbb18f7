// Placement: a frame's rectangle against the window, its planes against the picks.
#include <sillar/rumi/placement.hpp>

#include <sillar/tensor/copy.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

namespace sillar::rumi {
namespace {

/// The part of a frame inside the window: where it starts in the frame and in the output, and its
/// extent.
struct Overlap {
  std::int64_t frame_row, frame_col;
  std::int64_t out_row, out_col;
  std::uint64_t height, width;
};

[[nodiscard]] Overlap overlap_of(const Plan& plan, const FramePlace& place) {
  const geo::Window& window = plan.selection.window;
  const geo::Window& inside = plan.selection.inside;
  const auto y = static_cast<std::int64_t>(place.y);
  const auto x = static_cast<std::int64_t>(place.x);
  const std::int64_t top = std::max(y, inside.row);
  const std::int64_t left = std::max(x, inside.col);
  const std::int64_t bottom =
      std::min(y + static_cast<std::int64_t>(place.height), inside.row + inside.height);
  const std::int64_t right =
      std::min(x + static_cast<std::int64_t>(place.width), inside.col + inside.width);
  return {top - y,
          left - x,
          top - window.row,
          left - window.col,
          static_cast<std::uint64_t>(bottom - top),
          static_cast<std::uint64_t>(right - left)};
}

/// Strides in bytes.
[[nodiscard]] std::array<std::int64_t, 4> byte_strides(const MutableTensorView& out) {
  const auto size = static_cast<std::int64_t>(size_of(out.dtype()));
  const Strides& strides = out.strides();
  return {strides[0] * size, strides[1] * size, strides[2] * size, strides[3] * size};
}

/// Copies one run of times and one of bands.
void place_run(const Plan& plan, const Overlap& part, const FrameStrides& frame,
               std::span<const std::byte> decoded, const MutableTensorView& out,
               const AxisRun& times, const AxisRun& bands) {
  const auto size = static_cast<std::int64_t>(size_of(plan.dtype()));
  const auto to = byte_strides(out);
  const std::int64_t from_offset = static_cast<std::int64_t>(times.start) * frame.time +
                                   static_cast<std::int64_t>(bands.start) * frame.band +
                                   part.frame_row * frame.row + part.frame_col * frame.col;
  std::byte* target = out.data() + static_cast<std::int64_t>(times.first) * to[0] +
                      static_cast<std::int64_t>(bands.first) * to[1] + part.out_row * to[2] +
                      part.out_col * to[3];
  const std::array<CopyAxis, 4> axes = {{{times.count, to[0], times.step * frame.time * size},
                                         {bands.count, to[1], bands.step * frame.band * size},
                                         {part.height, to[2], frame.row * size},
                                         {part.width, to[3], frame.col * size}}};
  copy_strided(target, decoded.data() + from_offset * size, size_of(plan.dtype()), axes);
}

/// Calls `use(run)` for every place of the output that takes index `wanted`.
template <class Use>
void for_each_pick(const std::vector<std::uint64_t>& picks, std::uint64_t wanted, const Use& use) {
  for (std::uint64_t i = 0; i < picks.size(); ++i) {
    // The frame has one plane on this axis, so it starts at its index 0.
    if (picks[i] == wanted) use(AxisRun{.first = i, .count = 1, .start = 0, .step = 0});
  }
}

/// The one place of the output that takes index `wanted`; nothing where there are more.
[[nodiscard]] std::optional<std::uint64_t> only_pick(const std::vector<std::uint64_t>& picks,
                                                     std::uint64_t wanted) {
  const auto found = std::ranges::find(picks, wanted);
  if (found == picks.end() || std::find(found + 1, picks.end(), wanted) != picks.end()) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(found - picks.begin());
}

void fill(const MutableTensorView& out, std::span<const std::byte> value) {
  if (out.count() == 0) return;
  // A source with strides of zero repeats its one sample.
  copy(out, TensorView(value.data(), out.dtype(), out.shape(), Strides(out.rank(), 0)));
}

}  // namespace

std::span<std::byte> in_place(const Plan& plan, const FramePlace& place,
                              const MutableTensorView& out) {
  const Layout& layout = plan.layout;
  const ResolvedSelection& selection = plan.selection;
  const Overlap part = overlap_of(plan, place);
  if (part.height != place.height || part.width != place.width) return {};
  std::uint64_t time_at = 0;
  std::uint64_t band_at = 0;
  std::uint64_t times = 1;
  std::uint64_t bands = 1;
  if (layout.frames_are_tiles()) {
    const auto time = only_pick(selection.times, place.time);
    const auto band = only_pick(selection.bands, place.band);
    if (!time || !band) return {};
    time_at = *time;
    band_at = *band;
  } else {
    const auto whole = [](const std::vector<AxisRun>& runs, std::uint64_t count) {
      return runs.size() == 1 && runs[0].start == 0 && runs[0].count == count &&
             (count == 1 || runs[0].step == 1);
    };
    if (!whole(plan.time_runs, layout.times()) || !whole(plan.band_runs, layout.bands())) return {};
    times = layout.times();
    bands = layout.bands();
  }
  const FrameStrides frame = layout.strides(place.height, place.width);
  const Strides& strides = out.strides();
  const auto fits = [](std::uint64_t extent, std::int64_t stride, std::int64_t wanted) {
    return extent == 1 || stride == wanted;
  };
  if (!fits(times, strides[0], frame.time) || !fits(bands, strides[1], frame.band) ||
      !fits(place.height, strides[2], frame.row) || !fits(place.width, strides[3], frame.col)) {
    return {};
  }
  const auto to = byte_strides(out);
  std::byte* start = out.data() + static_cast<std::int64_t>(time_at) * to[0] +
                     static_cast<std::int64_t>(band_at) * to[1] + part.out_row * to[2] +
                     part.out_col * to[3];
  constexpr std::uintptr_t decoder_alignment = 8;
  if (reinterpret_cast<std::uintptr_t>(start) % decoder_alignment != 0) return {};
  return {start, layout.decoded_bytes(place.height, place.width).value_or(0)};
}

std::optional<Rows> rows_of(const Plan& plan, const FramePlace& place,
                            const MutableTensorView& out) {
  const Layout& layout = plan.layout;
  if (!layout.frames_are_tiles() && (layout.times() != 1 || layout.bands() != 1)) return {};
  if (out.strides()[3] != 1 && out.extent(3) != 1) return {};
  const auto time = only_pick(plan.selection.times, place.time);
  const auto band = only_pick(plan.selection.bands, place.band);
  if (!time || !band) return {};
  const Overlap part = overlap_of(plan, place);
  const auto to = byte_strides(out);
  const std::size_t size = size_of(plan.dtype());
  const std::size_t width = std::min<std::size_t>(size, 8);
  const std::size_t words = size / width;
  return Rows{.wanted = {.sample_width = width,
                         .frame_width = place.width * words,
                         .frame_height = place.height,
                         .row = static_cast<std::size_t>(part.frame_row),
                         .rows = part.height,
                         .column = static_cast<std::size_t>(part.frame_col) * words,
                         .columns = part.width * words},
              .target = {.data = out.data() + static_cast<std::int64_t>(*time) * to[0] +
                                 static_cast<std::int64_t>(*band) * to[1] + part.out_row * to[2] +
                                 part.out_col * to[3],
                         .stride = to[2]}};
}

void place_frame(const Plan& plan, const FramePlace& place, std::span<const std::byte> decoded,
                 const MutableTensorView& out) {
  const Overlap part = overlap_of(plan, place);
  const FrameStrides frame = plan.layout.strides(place.height, place.width);
  const auto put = [&](const AxisRun& times, const AxisRun& bands) {
    place_run(plan, part, frame, decoded, out, times, bands);
  };
  if (plan.layout.frames_are_tiles()) {
    for_each_pick(plan.selection.times, place.time, [&](const AxisRun& time) {
      for_each_pick(plan.selection.bands, place.band,
                    [&](const AxisRun& band) { put(time, band); });
    });
    return;
  }
  for (const AxisRun& times : plan.time_runs) {
    for (const AxisRun& bands : plan.band_runs) put(times, bands);
  }
}

void fill_outside(const Plan& plan, const MutableTensorView& out) {
  const ResolvedSelection& selection = plan.selection;
  if (selection.window == selection.inside) return;
  std::vector<std::byte> value = selection.pad_value;
  value.resize(size_of(plan.dtype()));
  const auto top = static_cast<std::uint64_t>(selection.inside.row - selection.window.row);
  const auto left = static_cast<std::uint64_t>(selection.inside.col - selection.window.col);
  const auto rows = static_cast<std::uint64_t>(selection.inside.height);
  const auto cols = static_cast<std::uint64_t>(selection.inside.width);
  fill(out.slice(2, 0, top), value);
  fill(out.slice(2, top + rows, out.extent(2) - top - rows), value);
  const auto middle = out.slice(2, top, rows);
  fill(middle.slice(3, 0, left), value);
  fill(middle.slice(3, left + cols, out.extent(3) - left - cols), value);
}

}  // namespace sillar::rumi
