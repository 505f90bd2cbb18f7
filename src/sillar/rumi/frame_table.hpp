// Where every frame of a file lies, from the byte counts alone.
#pragma once

#include <sillar/io/byte_source.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace sillar::rumi {

/// The byte counts of N frames that lie one behind the other ("Offset reconstruction"). Equal
/// counts take no memory, others four bytes a frame and a little. Lookups are O(1).
class FrameTable {
 public:
  FrameTable() = default;

  /// `frames` frames of `byte_count` bytes. Nothing where an offset leaves 64 bits.
  [[nodiscard]] static std::optional<FrameTable> uniform(std::uint64_t base_offset,
                                                         std::uint64_t frames,
                                                         std::uint32_t byte_count);

  /// Frames of these sizes. Nothing where an offset leaves 64 bits.
  [[nodiscard]] static std::optional<FrameTable> of(std::uint64_t base_offset,
                                                    std::vector<std::uint32_t> byte_counts);

  [[nodiscard]] std::uint64_t frames() const { return frames_; }
  [[nodiscard]] std::uint64_t base_offset() const { return base_offset_; }

  /// The byte behind the last frame, where the trailer begins.
  [[nodiscard]] std::uint64_t end() const { return end_; }

  /// Frame `index` < frames().
  [[nodiscard]] std::uint32_t byte_count(std::uint64_t index) const {
    return byte_counts_.empty() ? count_min_ : byte_counts_[index];
  }
  [[nodiscard]] std::uint64_t offset(std::uint64_t index) const;
  [[nodiscard]] io::ByteRange range(std::uint64_t index) const {
    return {offset(index), byte_count(index)};
  }

  [[nodiscard]] std::uint32_t count_min() const { return count_min_; }
  [[nodiscard]] std::uint32_t count_max() const { return count_max_; }

  /// Same frames at the same places.
  friend bool operator==(const FrameTable& a, const FrameTable& b);

 private:
  std::uint64_t base_offset_ = 0;
  std::uint64_t frames_ = 0;
  std::uint64_t end_ = 0;
  std::uint32_t count_min_ = 0;
  std::uint32_t count_max_ = 0;
  std::vector<std::uint32_t> byte_counts_;  ///< empty where all are equal
  std::vector<std::uint64_t> marks_;        ///< the offset of every 64th frame
};

}  // namespace sillar::rumi
