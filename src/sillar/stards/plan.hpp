// From a selection of elements to the blocks that hold them: pure arithmetic.
#pragma once

#include <sillar/base/limits.hpp>
#include <sillar/io/byte_source.hpp>
#include <sillar/stards/format.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sillar::stards {

/// Part of one axis: `start` until `stop`, without it, every `step`-th index. Negative indices
/// count from the end; a negative `step` runs backwards, from the last index where `start` is not
/// given. An index alone (`at`) takes the axis away.
struct Slice {
  std::optional<std::int64_t> start = {};
  std::optional<std::int64_t> stop = {};
  std::int64_t step = 1;
  bool is_index = false;

  [[nodiscard]] static constexpr Slice at(std::int64_t index) {
    return {.start = index, .stop = {}, .step = 1, .is_index = true};
  }
  friend bool operator==(const Slice&, const Slice&) = default;
};

/// "0:10:2,-3,:" as slices; "" selects all. Fails with bad_argument.
[[nodiscard]] Result<std::vector<Slice>> parse_slices(std::string_view text);

/// Indices `first`, `first + step`, ..., `count` of them; the result has them in this order, or in
/// the opposite one where `backwards`.
struct AxisRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::uint64_t step = 1;
  bool backwards = false;
  bool kept = true;  ///< the axis is one of the result's
};

/// What slices mean for an array; missing trailing ones select all of their axis. Fails with
/// bad_argument: too many, step 0, an index outside, nothing selected.
[[nodiscard]] Result<std::vector<AxisRange>> resolve(std::span<const Slice> slices,
                                                     const Shape& shape);

/// All of an array, an empty one too.
[[nodiscard]] std::vector<AxisRange> all_of(const Shape& shape);

/// The strides of an array of that shape are numbers, also where it has no elements.
[[nodiscard]] bool has_strides(const Shape& shape);

/// The extents of what ranges select.
[[nodiscard]] Shape shape_of(std::span<const AxisRange> ranges);

/// The places in C order of what ranges select from an array of `shape`, in the result's order.
[[nodiscard]] std::vector<std::uint64_t> places_of(std::span<const AxisRange> ranges,
                                                   const Shape& shape);

/// The selected bytes as runs of `run` bytes, at rising offsets of the decoded array. Run `i` is
/// the i-th index of `axes` in C order.
struct Walk {
  struct Axis {
    std::uint64_t count;
    std::uint64_t raw_step;  ///< bytes of the decoded array
    std::int64_t out_step;   ///< bytes of the output
  };
  std::uint64_t run = 0;
  std::uint64_t raw_start = 0;
  std::int64_t out_start = 0;
  std::vector<Axis> axes;

  /// The number of runs.
  [[nodiscard]] std::uint64_t count() const;
};

/// One run after the other.
class WalkCursor {
 public:
  /// Stands at run `index`. The walk must outlive it.
  WalkCursor(const Walk& walk, std::uint64_t index);

  [[nodiscard]] bool done() const { return left_ == 0; }
  [[nodiscard]] std::uint64_t raw() const { return raw_; }
  [[nodiscard]] std::int64_t out() const { return out_; }
  void next();

 private:
  const Walk& walk_;
  std::vector<std::uint64_t> index_;
  std::uint64_t left_ = 0;
  std::uint64_t raw_ = 0;
  std::int64_t out_ = 0;
};

/// A block that must be fetched and decoded.
struct PlannedBlock {
  std::uint64_t index = 0;      ///< in the block list
  io::ByteRange range;          ///< in the file
  std::uint64_t raw_start = 0;  ///< in the decoded array
  std::uint64_t raw_size = 0;
  std::uint64_t first_run = 0;  ///< of the walk: the first that has bytes in the block
};

/// What a read does: which blocks, and where their bytes go.
struct Plan {
  const DataType* type = nullptr;
  BlockCodec codec = BlockCodec::none;
  Shape array_shape;
  std::vector<AxisRange> ranges;  ///< one an axis of the array
  Shape shape;                    ///< of the result

  /// Bytes of the array that are brought together: those of the selected elements, or, for
  /// strings, all. With `planes` > 1 they come as byte planes, which are unshuffled afterwards.
  std::uint64_t bytes = 0;
  std::uint64_t planes = 1;
  Walk walk;
  std::vector<PlannedBlock> blocks;

  [[nodiscard]] std::uint64_t fetched_bytes() const;
  [[nodiscard]] std::uint64_t decoded_bytes() const;
};

/// The plan for `ranges` of the array `entry`, which `check_array` found sound. Fails with
/// over_limit: output_bytes for the result, frame_bytes for one compressed block.
[[nodiscard]] Result<Plan> make_plan(const IndexEntry& entry, std::vector<AxisRange> ranges,
                                     const Limits& limits);

}  // namespace sillar::stards
