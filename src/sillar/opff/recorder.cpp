// Frames in order into files, whoever brings them.
//
// A file that is written to by several threads at once is written to by one after the other: the
// kernel holds a lock for it. So frames are gathered in the threads that bring them, and written in
// order. The size of the file then tells how many frames are whole, at every moment.
#include <sillar/opff/recorder.hpp>

#include <sillar/base/checked.hpp>
#include <sillar/opff/recording_file.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

namespace sillar::opff {
namespace {

using Bytes = std::vector<std::byte>;

[[nodiscard]] std::unexpected<Error> twice(std::uint64_t index) {
  return fail(rules::write_frame_order, "frame " + std::to_string(index) + " was given before", {},
              Errc::bad_argument);
}

}  // namespace

std::string recorded_path(const std::string& path, std::uint32_t first_start_id,
                          std::uint32_t start_id) {
  if (start_id == first_start_id) return path;
  constexpr std::size_t digit_count = 10;
  std::string digits = std::to_string(start_id);
  digits.insert(0, digit_count - digits.size(), '0');
  const std::size_t slash = path.rfind('/');
  const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
  std::size_t dot = path.rfind('.');
  if (dot == std::string::npos || dot <= name) dot = path.size();
  return path.substr(0, dot) + "." + digits + path.substr(dot);
}

struct Recorder::State {
  std::string path;
  Geometry geometry;  // of one frame
  DType dtype = DType::u8;
  RecordOptions options;

  mutable std::mutex mutex;
  std::optional<RecordingFile> file;  // the one that frames go to
  std::uint64_t in_file = 0;          // frames of it
  std::uint64_t next = 0;             // the frame whose turn it is
  std::uint64_t behind = 0;           // one past the last frame that was given
  std::map<std::uint64_t, Bytes> waiting;
  std::set<std::uint64_t> claimed;  // given, but not gathered or written yet
  std::uint64_t waiting_size = 0;
  std::vector<RecordedFile> finished;
  std::optional<Error> broken;

  /// The id of the first frame of the file that `file` is, or will be.
  [[nodiscard]] std::uint64_t start_id() const {
    return std::uint64_t{options.start_id} + next - in_file;
  }

  [[nodiscard]] Header header(std::uint64_t frames) const {
    Geometry whole = geometry;
    whole.frames = std::max<std::uint64_t>(frames, 1);
    return header_of(whole, options.letter, static_cast<std::uint32_t>(start_id()));
  }

  [[nodiscard]] Result<> begin_file() {
    const auto id = narrow<std::uint32_t>(start_id());
    if (!id) {
      return fail(rules::write_start_id, "the next start id is " + std::to_string(start_id()), {},
                  Errc::bad_argument);
    }
    const std::uint64_t payload = frame_size(geometry) * options.frames_per_file;
    SILLAR_TRY(file, RecordingFile::create(
                         recorded_path(path, options.start_id, *id), header(0),
                         {.overwrite = options.overwrite,
                          .sync = options.sync,
                          .preallocate = options.preallocate ? header_size + payload : 0}));
    return {};
  }

  [[nodiscard]] Result<> end_file() {
    const std::uint64_t size = header_size + in_file * frame_size(geometry);
    SILLAR_TRY(file->publish(header(in_file), size));
    finished.push_back({.path = file->path(),
                        .start_id = static_cast<std::uint32_t>(start_id()),
                        .frames = in_file});
    file.reset();
    in_file = 0;
    return {};
  }

  /// Writes the frame whose turn it is.
  [[nodiscard]] Result<> put(std::span<const std::byte> bytes) {
    if (!file) SILLAR_TRY(begin_file());
    SILLAR_TRY(file->append(bytes));
    ++in_file;
    ++next;
    if (in_file == options.frames_per_file) SILLAR_TRY(end_file());
    return {};
  }

  /// Writes the frame whose turn it is, and those that waited for it.
  [[nodiscard]] Result<> put_and_follow(std::span<const std::byte> bytes) {
    SILLAR_TRY(put(bytes));
    for (auto first = waiting.begin(); first != waiting.end() && first->first == next;
         first = waiting.begin()) {
      SILLAR_TRY(put(first->second));
      waiting_size -= first->second.size();
      waiting.erase(first);
    }
    return {};
  }

  [[nodiscard]] Result<> check(const TensorView& frame) const {
    Shape shape = frame.shape();
    if (shape.size() == 2) shape.insert(shape.begin(), 1);
    const Shape wanted = {geometry.channels, geometry.height, geometry.width};
    if (shape != wanted || frame.dtype() != dtype)
      return fail(Errc::bad_argument, "a frame of another dtype or shape than the recording");
    return {};
  }

  /// The stored bytes of a frame: `own` where they had to be gathered.
  [[nodiscard]] Result<std::span<const std::byte>> gather(TensorView frame, Bytes& own) const {
    while (frame.rank() < 4) frame = frame.with_axis(0);
    std::span<const std::byte> whole;
    const std::uint64_t size = frame_size(geometry);
    SILLAR_TRY(for_each_piece(geometry, frame, options.samples,
                              [&](std::span<const std::byte> piece) -> Result<> {
                                if (piece.size() == size) {
                                  whole = piece;
                                  if (frame.data() == piece.data()) return {};
                                }
                                if (own.empty()) own.reserve(static_cast<std::size_t>(size));
                                own.insert(own.end(), piece.begin(), piece.end());
                                return {};
                              }));
    return own.empty() ? whole : std::span<const std::byte>(own);
  }

  /// Takes `index`, so that nobody else gives it. Under the lock.
  [[nodiscard]] Result<> claim(std::uint64_t index) {
    if (broken) return std::unexpected(*broken);
    if (index < next || waiting.contains(index) || !claimed.insert(index).second)
      return twice(index);
    behind = std::max(behind, index + 1);
    return {};
  }

  /// Gives a claimed frame. The caller holds no lock.
  [[nodiscard]] Result<> give(std::uint64_t index, const TensorView& frame) {
    Bytes own;
    const auto bytes = gather(frame, own);
    const std::scoped_lock lock(mutex);
    claimed.erase(index);
    if (!bytes) return std::unexpected(bytes.error());
    if (broken) return std::unexpected(*broken);
    if (index != next) {
      if (bytes->size() > options.waiting_bytes - std::min(options.waiting_bytes, waiting_size)) {
        return fail(Errc::over_limit, "frame " + std::to_string(index) + " and others wait for " +
                                          std::to_string(next) + ", more than " +
                                          std::to_string(options.waiting_bytes) + " bytes");
      }
      waiting_size += bytes->size();
      waiting.emplace(index, own.empty() ? Bytes(bytes->begin(), bytes->end()) : std::move(own));
      return {};
    }
    auto put = put_and_follow(*bytes);
    if (!put) broken = put.error();
    return put;
  }
};

Recorder::Recorder(std::unique_ptr<State> state) : state_(std::move(state)) {}
Recorder::Recorder(Recorder&&) noexcept = default;
Recorder& Recorder::operator=(Recorder&&) noexcept = default;

Recorder::~Recorder() {
  if (state_ && state_->file && state_->in_file == 0) state_->file->discard();
}

Result<Recorder> Recorder::create(const std::string& path, DType dtype, const Shape& frame_shape,
                                  const RecordOptions& options) {
  if (frame_shape.size() != 2 && frame_shape.size() != 3)
    return fail(Errc::bad_argument, "a frame is (channel, y, x) or (y, x)");
  if (!is_letter(static_cast<std::uint8_t>(options.letter)))
    return fail(rules::magic, "the letter is not A to Z", {}, Errc::bad_argument);
  if (options.frames_per_file == 0 || options.frames_per_file > most_frames) {
    return fail(rules::write_frames,
                "the frames of a file are " + std::to_string(options.frames_per_file) +
                    ", expected 1 to 255",
                {}, Errc::bad_argument);
  }
  SILLAR_TRY(const Geometry geometry, geometry_for(dtype, frame_shape, options.samples));
  auto state = std::make_unique<State>();
  state->path = path;
  state->geometry = geometry;
  state->dtype = dtype;
  state->options = options;
  SILLAR_TRY(state->begin_file());
  return Recorder(std::move(state));
}

Result<std::uint64_t> Recorder::append(const TensorView& frame) {
  SILLAR_TRY(state_->check(frame));
  std::uint64_t index = 0;
  {
    const std::scoped_lock lock(state_->mutex);
    index = state_->behind;
    SILLAR_TRY(state_->claim(index));
  }
  if (auto given = state_->give(index, frame); !given) {
    const std::scoped_lock lock(state_->mutex);
    if (state_->behind == index + 1) --state_->behind;  // the index is free again
    return std::unexpected(std::move(given).error());
  }
  return index;
}

Result<> Recorder::place(std::uint64_t index, const TensorView& frame) {
  SILLAR_TRY(state_->check(frame));
  {
    const std::scoped_lock lock(state_->mutex);
    SILLAR_TRY(state_->claim(index));
  }
  return state_->give(index, frame);
}

std::uint64_t Recorder::written() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->next;
}

Result<std::vector<RecordedFile>> Recorder::finish() {
  const std::scoped_lock lock(state_->mutex);
  State& state = *state_;
  if (state.broken) return std::unexpected(*state.broken);
  if (state.next == 0 && state.waiting.empty())
    return fail(rules::zero_dimension, "no frame was recorded", {}, Errc::bad_argument);
  if (!state.waiting.empty() || !state.claimed.empty()) {
    return fail(rules::write_frame_order, "frame " + std::to_string(state.next) + " is missing", {},
                Errc::bad_argument);
  }
  if (state.file) {
    if (state.in_file == 0) {
      state.file->discard();
      state.file.reset();
    } else {
      SILLAR_TRY(state.end_file());
    }
  }
  state.broken = fail(Errc::bad_argument, "nothing may follow finish").error();
  return std::move(state.finished);
}

}  // namespace sillar::opff
