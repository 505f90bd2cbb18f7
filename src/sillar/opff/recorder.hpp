// Recording: frames one after the other, for as long as it takes, into as many files as it takes.
//
// A recording is written to `PATH.recording`, with 0 frames in its header, which every reader
// refuses. When a file is full, or the recording ends, the header is written and the file is put
// under its own name. A recording whose process died keeps its frames: `repair` counts them.
#pragma once

#include <sillar/base/error.hpp>
#include <sillar/opff/writer.hpp>
#include <sillar/tensor/view.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sillar::opff {

/// What follows the name of a file while it is recorded.
inline constexpr std::string_view recording_suffix = ".recording";

struct RecordOptions {
  SampleOptions samples;
  char letter = core_letter;
  std::uint32_t start_id = 0;
  std::uint64_t frames_per_file = most_frames;

  /// Ask the file system for the space of a whole file at once; the size still grows with the
  /// frames, so that a file whose recorder died can be counted.
  bool preallocate = false;

  /// Wait until each finished file is on the disk.
  bool sync = true;

  bool overwrite = false;

  /// How much memory frames may take that wait for an earlier one.
  std::uint64_t waiting_bytes = std::uint64_t{256} << 20;
};

/// A finished file of a recording.
struct RecordedFile {
  std::string path;
  std::uint32_t start_id = 0;
  std::uint64_t frames = 0;

  friend bool operator==(const RecordedFile&, const RecordedFile&) = default;
};

/// The name of the file that begins with `start_id`: `path` itself for the first of a recording;
/// for others the id, of ten digits, before the extension: "clip.opff", "clip.0000000255.opff".
[[nodiscard]] std::string recorded_path(const std::string& path, std::uint32_t first_start_id,
                                        std::uint32_t start_id);

/// A recording. Every call may come from several threads at once. Destroyed without `finish()` it
/// leaves what it has as `PATH.recording`, or nothing where no frame was written.
class Recorder {
 public:
  /// Begins a recording of frames of this dtype and shape, (channel, y, x) or (y, x). Fails with
  /// bad_argument as `geometry_for` does, exists (the file, or a recording of it that died, and no
  /// `overwrite`), not_found (no such directory) or io.
  [[nodiscard]] static Result<Recorder> create(const std::string& path, DType dtype,
                                               const Shape& frame_shape,
                                               const RecordOptions& options = {});

  Recorder(Recorder&&) noexcept;
  Recorder& operator=(Recorder&&) noexcept;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder();

  /// Adds a frame behind all others, and returns its index in the recording. Any strides. Fails
  /// with bad_argument (shape, dtype, a start id that leaves 32 bits), or io; after io nothing more
  /// can be recorded.
  [[nodiscard]] Result<std::uint64_t> append(const TensorView& frame);

  /// Gives frame `index` of the recording, counted over all files from 0 on. Frames ahead of their
  /// turn wait in memory. Fails as `append` does, with opff.write.frame_order where the frame was
  /// given before, or over_limit where too many wait.
  [[nodiscard]] Result<> place(std::uint64_t index, const TensorView& frame);

  /// Frames that are in a file by now.
  [[nodiscard]] std::uint64_t written() const;

  /// Ends the recording and returns its files. Fails with bad_argument where there is no frame or
  /// one is missing (it may still be placed), exists, or io.
  [[nodiscard]] Result<std::vector<RecordedFile>> finish();

 private:
  struct State;
  explicit Recorder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sillar::opff
