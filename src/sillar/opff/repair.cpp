// Counting the frames of a recording.
#include <sillar/opff/repair.hpp>

#include <sillar/opff/header.hpp>
#include <sillar/opff/recording_file.hpp>

#include <array>
#include <span>
#include <utility>

namespace sillar::opff {
namespace {

/// The outline of a recording as if it held one frame. Its own rule is broken on purpose, the
/// others are not.
[[nodiscard]] Result<Outline> outline_of_recording(std::span<std::byte> head, std::uint64_t size) {
  if (head.size() == header_size) {
    Header header = wire::load_record<Header>(head);
    const Result<Outline> as_it_is = read_header(head, size);
    if (header.frames != 0) {
      if (!as_it_is) return as_it_is;
      return fail(Errc::bad_argument, "the header counts " + std::to_string(header.frames) +
                                          " frames: there is nothing to repair");
    }
    header.frames = 1;
    const auto bytes = wire::store_record(header);
    return read_header(bytes, {});
  }
  return read_header(head, size);
}

[[nodiscard]] Result<std::uint64_t> frames_of(const Outline& outline, std::uint64_t size,
                                              std::optional<std::uint64_t> wanted) {
  const std::uint64_t whole = (size - header_size) / frame_size(outline.geometry);
  if (whole == 0) return fail(Errc::bad_argument, "the recording holds no whole frame");
  if (!wanted && whole > most_frames) {
    return fail(Errc::bad_argument, "the recording holds " + std::to_string(whole) +
                                        " frames, a file has 255 at most: say how many to keep");
  }
  const std::uint64_t frames = wanted.value_or(whole);
  if (frames == 0 || frames > most_frames || frames > whole) {
    return fail(Errc::bad_argument,
                std::to_string(frames) + " frames wanted, " + std::to_string(whole) + " are whole");
  }
  return frames;
}

[[nodiscard]] Result<Repaired> repair_file(RecordingFile& file, const RepairOptions& options) {
  SILLAR_TRY(const std::uint64_t size, file.size());
  std::array<std::byte, header_size> head{};
  SILLAR_TRY(const std::size_t count, file.read(head, 0));
  SILLAR_TRY(const Outline outline, outline_of_recording(std::span(head).first(count), size));
  SILLAR_TRY(const std::uint64_t frames, frames_of(outline, size, options.frames));
  const std::uint64_t end = header_size + frames * frame_size(outline.geometry);
  if (!options.dry_run) {
    Header header = outline.header;
    header.frames = static_cast<std::uint8_t>(frames);
    SILLAR_TRY(file.publish(header, end));
  }
  return Repaired{.path = file.path(),
                  .start_id = outline.start_id(),
                  .frames = frames,
                  .dropped_bytes = size - end};
}

}  // namespace

Result<Repaired> repair(const std::string& path, const RepairOptions& options) {
  SILLAR_TRY(RecordingFile file,
             RecordingFile::open(path, {.overwrite = options.overwrite, .sync = true}));
  return in_source(repair_file(file, options), path);
}

}  // namespace sillar::opff
