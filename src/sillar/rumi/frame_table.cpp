// Prefix sums of frame byte counts, with a mark at every 64th frame.
#include <sillar/rumi/frame_table.hpp>

#include <sillar/base/checked.hpp>

#include <algorithm>
#include <utility>

namespace sillar::rumi {
namespace {

constexpr std::uint64_t stride = 64;  // a sum of this many counts is a few vector additions

}  // namespace

std::optional<FrameTable> FrameTable::uniform(std::uint64_t base_offset, std::uint64_t frames,
                                              std::uint32_t byte_count) {
  const auto size = checked_mul(frames, std::uint64_t{byte_count});
  const auto end = size ? checked_add(base_offset, *size) : std::nullopt;
  if (!end) return std::nullopt;
  FrameTable table;
  table.base_offset_ = base_offset;
  table.frames_ = frames;
  table.end_ = *end;
  table.count_min_ = byte_count;
  table.count_max_ = byte_count;
  return table;
}

std::optional<FrameTable> FrameTable::of(std::uint64_t base_offset,
                                         std::vector<std::uint32_t> byte_counts) {
  if (byte_counts.empty()) return uniform(base_offset, 0, 0);
  const auto [least, most] = std::minmax_element(byte_counts.begin(), byte_counts.end());
  if (*least == *most) return uniform(base_offset, byte_counts.size(), *least);
  FrameTable table;
  table.base_offset_ = base_offset;
  table.frames_ = byte_counts.size();
  table.count_min_ = *least;
  table.count_max_ = *most;
  table.marks_.reserve(ceil_div(byte_counts.size(), stride));
  std::uint64_t offset = base_offset;
  for (std::uint64_t i = 0; i < byte_counts.size(); ++i) {
    if (i % stride == 0) table.marks_.push_back(offset);
    if (__builtin_add_overflow(offset, byte_counts[i], &offset)) return std::nullopt;
  }
  table.end_ = offset;
  table.byte_counts_ = std::move(byte_counts);
  return table;
}

std::uint64_t FrameTable::offset(std::uint64_t index) const {
  if (byte_counts_.empty()) return base_offset_ + index * count_min_;
  std::uint64_t offset = marks_[index / stride];
  for (std::uint64_t i = index / stride * stride; i < index; ++i) offset += byte_counts_[i];
  return offset;
}

bool operator==(const FrameTable& a, const FrameTable& b) {
  return a.base_offset_ == b.base_offset_ && a.frames_ == b.frames_ &&
         a.count_min_ == b.count_min_ && a.count_max_ == b.count_max_ &&
         a.byte_counts_ == b.byte_counts_;
}

}  // namespace sillar::rumi
