// From a selection of elements to the blocks that hold them.
#include <sillar/stards/plan.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <utility>

namespace sillar::stards {
namespace {

constexpr auto offset_most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

[[nodiscard]] std::unexpected<Error> refuse(std::string detail) {
  return fail(Errc::bad_argument, std::move(detail));
}

[[nodiscard]] std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// A bound between 0 and `extent`, or nothing where it lies outside.
[[nodiscard]] std::optional<std::uint64_t> bound_of(std::int64_t bound, std::uint64_t extent) {
  if (bound >= 0) {
    const auto value = static_cast<std::uint64_t>(bound);
    return value <= extent ? std::optional(value) : std::nullopt;
  }
  const std::uint64_t back = std::uint64_t{0} - static_cast<std::uint64_t>(bound);
  return back <= extent ? std::optional(extent - back) : std::nullopt;
}

[[nodiscard]] std::string text_of(const Slice& slice) {
  std::string text;
  if (slice.start) text += std::to_string(*slice.start);
  if (slice.is_index) return text;
  text += ":";
  if (slice.stop) text += std::to_string(*slice.stop);
  if (slice.step != 1) text += ":" + std::to_string(slice.step);
  return text;
}

[[nodiscard]] Result<AxisRange> resolve_axis(const Slice& slice, std::uint64_t extent,
                                             std::size_t axis) {
  const auto outside = [&] {
    return refuse(text_of(slice) + " lies outside axis " + std::to_string(axis) + ", which has " +
                  std::to_string(extent) + (extent == 1 ? " index" : " indices"));
  };
  const auto empty = [&] {
    return refuse(text_of(slice) + " selects nothing of axis " + std::to_string(axis) +
                  ", which has " + std::to_string(extent) + " indices");
  };
  if (slice.is_index) {
    const auto index = bound_of(slice.start.value_or(0), extent);
    if (!index || *index == extent) return outside();
    return AxisRange{.first = *index, .count = 1, .step = 1, .backwards = false, .kept = false};
  }
  if (slice.step == 0) return refuse("the step of axis " + std::to_string(axis) + " is 0");
  if (slice.step > 0) {
    const auto start = bound_of(slice.start.value_or(0), extent);
    const auto stop = slice.stop ? bound_of(*slice.stop, extent) : std::optional(extent);
    if (!start || !stop) return outside();
    if (*start >= *stop) return empty();
    const auto step = static_cast<std::uint64_t>(slice.step);
    return AxisRange{.first = *start,
                     .count = ceil_div(*stop - *start, step),
                     .step = step,
                     .backwards = false,
                     .kept = true};
  }
  // From `start` down to the index behind `stop`.
  if (extent == 0) return empty();
  const auto start = slice.start ? bound_of(*slice.start, extent) : std::optional(extent - 1);
  const auto stop = slice.stop ? bound_of(*slice.stop, extent) : std::nullopt;
  if (!start || *start == extent || (slice.stop && !stop)) return outside();
  if (stop && *start <= *stop) return empty();
  const std::uint64_t step = std::uint64_t{0} - static_cast<std::uint64_t>(slice.step);
  const std::uint64_t span = stop ? *start - *stop : *start + 1;
  const std::uint64_t count = ceil_div(span, step);
  return AxisRange{.first = *start - (count - 1) * step,
                   .count = count,
                   .step = step,
                   .backwards = true,
                   .kept = true};
}

/// The walk over `ranges` of an array of `shape` with items of `item` bytes, into C order. All
/// sizes fit 63 bits.
[[nodiscard]] Walk walk_over(std::span<const AxisRange> ranges, const Shape& shape,
                             std::uint64_t item) {
  Walk walk{.run = item, .raw_start = 0, .out_start = 0, .axes = {}};
  std::vector<Walk::Axis> inside_out;
  std::uint64_t raw_stride = item;
  auto out_stride = static_cast<std::int64_t>(item);
  for (std::size_t axis = ranges.size(); axis-- > 0;) {
    const AxisRange& range = ranges[axis];
    walk.raw_start += range.first * raw_stride;
    if (range.backwards) walk.out_start += out_stride * static_cast<std::int64_t>(range.count - 1);
    if (range.count != 1) {
      inside_out.push_back({.count = range.count,
                            .raw_step = range.step * raw_stride,
                            .out_step = range.backwards ? -out_stride : out_stride});
    }
    raw_stride *= shape[axis];
    out_stride *= static_cast<std::int64_t>(range.count);
  }
  // Axes whose neighbours touch on both sides are one run.
  std::size_t merged = 0;
  for (; merged < inside_out.size(); ++merged) {
    const Walk::Axis& axis = inside_out[merged];
    if (axis.raw_step != walk.run || axis.out_step != static_cast<std::int64_t>(walk.run)) break;
    walk.run *= axis.count;
  }
  walk.axes.assign(inside_out.rbegin(), inside_out.rend() - static_cast<std::ptrdiff_t>(merged));
  return walk;
}

/// The blocks that hold bytes of the walk, each with the first run in it.
[[nodiscard]] std::vector<PlannedBlock> blocks_of(const IndexEntry& entry, const Walk& walk,
                                                  bool whole) {
  std::vector<PlannedBlock> all;
  all.reserve(entry.blocks.size());
  std::uint64_t raw = 0;
  for (std::size_t i = 0; i < entry.blocks.size(); ++i) {
    const Block& block = entry.blocks[i];
    all.push_back({.index = i,
                   .range = {entry.position + block.offset, block.compressed_size},
                   .raw_start = raw,
                   .raw_size = block.uncompressed_size,
                   .first_run = 0});
    raw += block.uncompressed_size;
  }
  if (whole) return all;
  std::vector<PlannedBlock> touched;
  std::size_t next = 0;   // the first block that is not left behind
  std::size_t taken = 0;  // blocks before this one were looked at
  std::uint64_t run = 0;
  for (WalkCursor cursor(walk, 0); !cursor.done(); cursor.next(), ++run) {
    const std::uint64_t end = cursor.raw() + walk.run;
    while (all[next].raw_start + all[next].raw_size <= cursor.raw()) ++next;
    for (std::size_t i = std::max(next, taken); i < all.size() && all[i].raw_start < end; ++i) {
      taken = i + 1;
      if (all[i].raw_size == 0) continue;
      touched.push_back(all[i]);
      touched.back().first_run = run;
    }
  }
  return touched;
}

}  // namespace

Result<std::vector<Slice>> parse_slices(std::string_view text) {
  std::vector<Slice> slices;
  if (text.empty()) return slices;
  for (const std::string_view part : split(text, ',')) {
    const auto bad = [&] {
      return refuse("\"" + std::string(part) + "\" is no slice; START:STOP:STEP or INDEX is");
    };
    const auto fields = split(part, ':');
    if (fields.size() > 3) return bad();
    Slice slice;
    const auto take = [](std::string_view field, std::optional<std::int64_t>& value) {
      if (field.empty()) return true;
      value = number_of(field);
      return value.has_value();
    };
    if (!take(fields[0], slice.start)) return bad();
    if (fields.size() == 1) {
      if (!slice.start) return bad();
      slice.is_index = true;
    }
    if (fields.size() > 1 && !take(fields[1], slice.stop)) return bad();
    if (fields.size() > 2) {
      std::optional<std::int64_t> step;
      if (!take(fields[2], step)) return bad();
      slice.step = step.value_or(1);
    }
    slices.push_back(slice);
  }
  return slices;
}

Result<std::vector<AxisRange>> resolve(std::span<const Slice> slices, const Shape& shape) {
  if (slices.size() > shape.size()) {
    return refuse(std::to_string(slices.size()) + " slices for an array of rank " +
                  std::to_string(shape.size()));
  }
  std::vector<AxisRange> ranges;
  ranges.reserve(shape.size());
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const Slice slice = axis < slices.size() ? slices[axis] : Slice{};
    SILLAR_TRY(const AxisRange range, resolve_axis(slice, shape[axis], axis));
    ranges.push_back(range);
  }
  return ranges;
}

std::vector<AxisRange> all_of(const Shape& shape) {
  std::vector<AxisRange> ranges;
  ranges.reserve(shape.size());
  for (const std::uint64_t extent : shape)
    ranges.push_back({.first = 0, .count = extent, .step = 1, .backwards = false, .kept = true});
  return ranges;
}

bool has_strides(const Shape& shape) {
  std::optional<std::uint64_t> stride = 8;  // the largest element
  for (const std::uint64_t extent : shape) {
    if (stride) stride = checked_mul(*stride, std::max<std::uint64_t>(extent, 1));
  }
  return stride && *stride <= offset_most;
}

Shape shape_of(std::span<const AxisRange> ranges) {
  Shape shape;
  for (const AxisRange& range : ranges) {
    if (range.kept) shape.push_back(range.count);
  }
  return shape;
}

std::vector<std::uint64_t> places_of(std::span<const AxisRange> ranges, const Shape& shape) {
  const Walk walk = walk_over(ranges, shape, 1);
  std::uint64_t count = 1;
  for (const AxisRange& range : ranges) count *= range.count;
  std::vector<std::uint64_t> places(static_cast<std::size_t>(count));
  if (count == 0) return places;
  for (WalkCursor cursor(walk, 0); !cursor.done(); cursor.next()) {
    for (std::uint64_t i = 0; i < walk.run; ++i)
      places[static_cast<std::size_t>(cursor.out()) + i] = cursor.raw() + i;
  }
  return places;
}

std::uint64_t Walk::count() const {
  std::uint64_t runs = 1;
  for (const Axis& axis : axes) runs *= axis.count;
  return runs;
}

WalkCursor::WalkCursor(const Walk& walk, std::uint64_t index)
    : walk_(walk),
      index_(walk.axes.size()),
      left_(walk.count() - index),
      raw_(walk.raw_start),
      out_(walk.out_start) {
  for (std::size_t axis = walk.axes.size(); axis-- > 0;) {
    const Walk::Axis& step = walk.axes[axis];
    index_[axis] = index % step.count;
    index /= step.count;
    raw_ += index_[axis] * step.raw_step;
    out_ += static_cast<std::int64_t>(index_[axis]) * step.out_step;
  }
}

void WalkCursor::next() {
  --left_;
  for (std::size_t axis = index_.size(); axis-- > 0;) {
    const Walk::Axis& step = walk_.axes[axis];
    raw_ += step.raw_step;
    out_ += step.out_step;
    if (++index_[axis] < step.count) return;
    index_[axis] = 0;
    raw_ -= step.count * step.raw_step;
    out_ -= static_cast<std::int64_t>(step.count) * step.out_step;
  }
}

std::uint64_t Plan::fetched_bytes() const {
  std::uint64_t sum = 0;
  for (const PlannedBlock& block : blocks) sum += block.range.size;
  return sum;
}

std::uint64_t Plan::decoded_bytes() const {
  std::uint64_t sum = 0;
  for (const PlannedBlock& block : blocks) sum += block.raw_size;
  return sum;
}

Result<Plan> make_plan(const IndexEntry& entry, std::vector<AxisRange> ranges,
                       const Limits& limits) {
  Plan plan;
  plan.type = find_data_type(entry.data_type);
  plan.codec = *find_compression(entry.compression)->codec;
  plan.array_shape = entry.shape;
  plan.shape = shape_of(ranges);
  std::uint64_t raw = 0;
  std::uint64_t largest = 0;
  for (const Block& block : entry.blocks) {
    raw += block.uncompressed_size;
    largest = std::max(largest, block.uncompressed_size);
  }
  if (raw > offset_most || !has_strides(entry.shape)) {
    return fail(Errc::over_limit, "the array is larger than the address space", entry.position);
  }
  if (plan.codec != BlockCodec::none && largest > limits.frame_bytes) {
    return fail(Errc::over_limit,
                "a block decodes to " + std::to_string(largest) + " bytes, the limit is " +
                    std::to_string(limits.frame_bytes),
                entry.position);
  }

  if (!plan.type->dtype) {
    plan.bytes = raw;
    plan.walk = {.run = raw, .raw_start = 0, .out_start = 0, .axes = {}};
  } else {
    const std::uint64_t element = size_of(*plan.type->dtype);
    plan.bytes = element;
    for (const AxisRange& range : ranges) plan.bytes *= range.count;
    if (find_compression(entry.compression)->shuffle && element > 1) {
      // The array is stored as one of bytes, with the byte of the element as its outermost axis.
      plan.planes = element;
      Shape stored{element};
      stored.insert(stored.end(), entry.shape.begin(), entry.shape.end());
      std::vector<AxisRange> selected = all_of({element});
      selected.insert(selected.end(), ranges.begin(), ranges.end());
      if (plan.bytes != 0) plan.walk = walk_over(selected, stored, 1);
    } else if (plan.bytes != 0) {
      plan.walk = walk_over(ranges, entry.shape, element);
    }
  }
  if (plan.bytes > limits.output_bytes) {
    return fail(Errc::over_limit,
                "the result has " + std::to_string(plan.bytes) + " bytes, the limit is " +
                    std::to_string(limits.output_bytes),
                entry.position);
  }
  const bool whole = plan.walk.axes.empty() && plan.walk.run == raw;
  plan.blocks = blocks_of(entry, plan.walk, whole);
  plan.ranges = std::move(ranges);
  return plan;
}

}  // namespace sillar::stards
