// Files that continue each other, as one run of frames by their ids.
#pragma once

#include <sillar/base/report.hpp>
#include <sillar/opff/reader.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sillar::opff {

/// A file of a sequence. Its frames have the ids [start_id, start_id + frames).
struct SequencePart {
  std::string path;
  File file;

  [[nodiscard]] std::uint64_t start_id() const { return file.outline().start_id(); }
  [[nodiscard]] std::uint64_t end_id() const { return file.outline().end_id(); }
};

/// Where a frame is.
struct LocatedFrame {
  std::size_t part = 0;     ///< index in `parts()`
  std::uint64_t index = 0;  ///< in its file
};

/// Immutable, usable from many threads.
class Sequence {
 public:
  /// Sorted by start id, then by path.
  [[nodiscard]] const std::vector<SequencePart>& parts() const { return parts_; }

  /// What is strange about the files together: opff.sequence.gap, opff.sequence.overlap,
  /// opff.sequence.geometry, all warnings. The source of each names the file, and the detail the
  /// ids.
  [[nodiscard]] const Report& report() const { return report_; }

  [[nodiscard]] std::uint64_t first_id() const { return parts_.front().start_id(); }
  [[nodiscard]] std::uint64_t end_id() const { return end_id_; }  ///< one past the last

  /// The frame of an id; where files overlap, of the one that begins last at or before it. Fails
  /// with bad_argument where no file holds it.
  [[nodiscard]] Result<LocatedFrame> find(std::uint64_t id) const;

  /// The samples of that frame, as `File::frame` gives them.
  [[nodiscard]] Result<TensorView> frame(std::uint64_t id) const;

 private:
  friend Result<Sequence> open_sequence(std::span<const std::string> paths,
                                        const MapOptions& options);
  explicit Sequence(std::vector<SequencePart> parts);

  std::vector<SequencePart> parts_;
  std::uint64_t end_id_ = 0;
  Report report_{Report::Until::end};
};

/// Maps all files and puts them in order. Fails with bad_argument where there is none, or as `map`
/// does for one of them.
[[nodiscard]] Result<Sequence> open_sequence(std::span<const std::string> paths,
                                             const MapOptions& options = {});

}  // namespace sillar::opff
