// The writer: compress, wait for the turn, append; the front last.
#include <sillar/rumi/writer.hpp>

#include <sillar/exec/shelf.hpp>
#include <sillar/rumi/frame.hpp>
#include <sillar/tensor/copy.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace sillar::rumi {
namespace {

/// Compressed frames ahead of their turn that are kept in memory; more of them go to disk.
constexpr std::uint64_t pending_bytes_most = std::uint64_t{8} << 20;

/// Compresses frames; keeps room for samples that must be brought into order first.
class TileEncoder {
 public:
  explicit TileEncoder(Profile profile) : encoder_(profile) {}

  /// `samples` is (t, b, h, w).
  Result<std::span<const std::byte>> encode(const TensorView& samples, const FrameStrides& order,
                                            DType dtype) {
    const auto ordered = in_frame_order(samples, order);
    if (dtype == DType::boolean) {
      if (auto checked = check_booleans(ordered); !checked) {
        checked.error().code = Errc::bad_argument;
        return std::unexpected(std::move(checked).error());
      }
    }
    return encoder_.encode(ordered, dtype);
  }

 private:
  std::span<const std::byte> in_frame_order(const TensorView& samples, const FrameStrides& order) {
    const std::array<std::int64_t, 4> wanted = {order.time, order.band, order.row, order.col};
    bool ordered = reinterpret_cast<std::uintptr_t>(samples.data()) % 8 == 0;
    for (std::size_t axis = 0; axis < wanted.size(); ++axis) {
      ordered = ordered && (samples.extent(axis) == 1 || samples.strides()[axis] == wanted[axis]);
    }
    const auto size = static_cast<std::size_t>(samples.byte_size());
    if (ordered) return {samples.data(), size};
    // Doubles are aligned as OpenZL wants its numbers.
    if (buffer_.size() * sizeof(double) < size) buffer_.resize(size / sizeof(double) + 1);
    auto* bytes = reinterpret_cast<std::byte*>(buffer_.data());
    copy(MutableTensorView(bytes, samples.dtype(), samples.shape(), {wanted.begin(), wanted.end()}),
         samples);
    return {bytes, size};
  }

  FrameEncoder encoder_;
  std::vector<double> buffer_;
};

[[nodiscard]] std::unexpected<Error> refuse(std::string detail) {
  return fail(Errc::bad_argument, std::move(detail));
}

[[nodiscard]] std::string text_of(const Shape& shape) {
  std::string text = "(";
  for (const std::uint64_t extent : shape)
    text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + ")";
}

}  // namespace

Result<Georeference> georeference_of(std::uint32_t code, const geo::CrsRegistry& registry,
                                     const geo::Affine& stored, bool pixel_is_point) {
  auto entry = geo::require_horizontal(registry, code);
  if (!entry) {
    if (entry.error().code == Errc::bad_argument) entry.error().rule = &rules::write_crs;
    return std::unexpected(std::move(entry).error());
  }
  if (code < epsg_least || code > epsg_most) {
    return fail(rules::geo_epsg_range, "EPSG:" + std::to_string(code) + " is outside 1024..32766",
                {}, Errc::bad_argument);
  }
  return Georeference{
      .model = entry->kind == geo::CrsKind::projected ? CrsModel::projected : CrsModel::geographic,
      .epsg = static_cast<std::uint16_t>(code),
      .pixel_is_point = pixel_is_point,
      .transform = stored};
}

Result<Layout> layout_of(const Shape& shape, DType dtype, std::uint64_t tile_length,
                         std::uint64_t tile_width, unsigned frame_unit) {
  if (shape.size() != 4)
    return refuse("the shape " + text_of(shape) + " is not (time, band, y, x)");
  const struct {
    std::string_view name;
    std::uint64_t value, most;
  } fields[] = {{"time axis", shape[0], UINT32_MAX},      {"band axis", shape[1], UINT16_MAX},
                {"y axis", shape[2], UINT32_MAX},         {"x axis", shape[3], UINT32_MAX},
                {"tile height", tile_length, UINT16_MAX}, {"tile width", tile_width, UINT16_MAX}};
  for (const auto& [name, value, most] : fields) {
    if (value == 0 || value > most) {
      return refuse("the " + std::string(name) + " is " + std::to_string(value) +
                    ", it must be 1 to " + std::to_string(most));
    }
  }
  const FrameUnit* unit = find_unit(frame_unit);
  if (unit == nullptr)
    return refuse("frame unit " + std::to_string(frame_unit) + " does not exist, expected 0 to 9");
  if (!is_valid_for(*unit, shape[1], shape[0])) {
    return refuse("frame unit " + std::to_string(frame_unit) + " does not go with " +
                  std::to_string(shape[1]) + " bands and " + std::to_string(shape[0]) + " times");
  }
  return Layout{.image_width = static_cast<std::uint32_t>(shape[3]),
                .image_length = static_cast<std::uint32_t>(shape[2]),
                .time_count = static_cast<std::uint32_t>(shape[0]),
                .samples_per_pixel = static_cast<std::uint16_t>(shape[1]),
                .tile_width = static_cast<std::uint16_t>(tile_width),
                .tile_length = static_cast<std::uint16_t>(tile_length),
                .encoding = &encoding_of(dtype),
                .unit = unit};
}

Result<> check_content(const Content& content) {
  const Layout& layout = content.layout;
  SILLAR_TRY(check_for_writing(content.georeference, content.affine));
  SILLAR_TRY(check_band_texts(content.trailer.band_texts, layout.bands()));
  if (content.trailer.times.steps() != layout.times()) {
    return refuse("got " + std::to_string(content.trailer.times.steps()) + " times for " +
                  std::to_string(layout.times()) + " time steps");
  }
  return {};
}

struct Writer::State {
  State(Content content_in, const WriteOptions& options_in, std::unique_ptr<io::Sink> sink_in,
        std::uint64_t frames_in)
      : content(std::move(content_in)),
        options(options_in),
        frames(frames_in),
        sink(std::move(sink_in)),
        byte_counts(frames_in) {}

  /// Takes a finished frame. Thread-safe.
  Result<> take(std::uint64_t index, std::span<const std::byte> frame) {
    if (frame.size() > UINT32_MAX) {
      return fail(rules::write_byte_count,
                  "frame " + std::to_string(index) + " has " + std::to_string(frame.size()) +
                      " compressed bytes",
                  {}, Errc::bad_argument);
    }
    const std::scoped_lock lock(mutex);
    if (broken) return std::unexpected(*broken);
    if (finished) return refuse("the file was finished before");
    if (byte_counts[index] != 0) {
      return fail(rules::write_frame_count, "frame " + std::to_string(index) + " was given before",
                  {}, Errc::bad_argument);
    }
    byte_counts[index] = static_cast<std::uint32_t>(frame.size());
    auto stored = index == next ? append(frame) : keep(index, frame);
    if (!stored) broken = stored.error();
    return stored;
  }

  /// Appends the frame whose turn it is, and those that waited for it.
  Result<> append(std::span<const std::byte> frame) {
    SILLAR_TRY(sink->append(frame));
    ++next;
    return append_waiting();
  }

  /// Puts a frame aside until its turn.
  Result<> keep(std::uint64_t index, std::span<const std::byte> frame) {
    if (pending_bytes + frame.size() <= pending_bytes_most) {
      pending.emplace(index, std::vector<std::byte>(frame.begin(), frame.end()));
      pending_bytes += frame.size();
      return {};
    }
    if (spool == nullptr) {
      SILLAR_TRY(spool, sink->spool());
    }
    SILLAR_TRY(const std::uint64_t at, spool->put(frame));
    spooled.emplace(index, at);
    return {};
  }

  /// Appends the frames whose turn has come.
  Result<> append_waiting() {
    while (true) {
      if (const auto found = pending.find(next); found != pending.end()) {
        SILLAR_TRY(sink->append(found->second));
        pending_bytes -= found->second.size();
        pending.erase(found);
      } else if (const auto on_disk = spooled.find(next); on_disk != spooled.end()) {
        std::vector<std::byte> frame(byte_counts[next]);
        SILLAR_TRY(spool->get(on_disk->second, frame));
        SILLAR_TRY(sink->append(frame));
        spooled.erase(on_disk);
      } else {
        return {};
      }
      ++next;
    }
  }

  Content content;
  WriteOptions options;
  const std::uint64_t frames;
  std::unique_ptr<io::Sink> sink;
  exec::Shelf<TileEncoder> encoders{
      [this] { return std::make_unique<TileEncoder>(options.profile); }};
  exec::Shelf<FrameDecoder> decoders{[] { return std::make_unique<FrameDecoder>(); }};

  std::mutex mutex;                        // of what follows, and of the sink
  std::vector<std::uint32_t> byte_counts;  // 0: not given yet
  std::uint64_t next = 0;                  // the frame whose turn it is
  std::map<std::uint64_t, std::vector<std::byte>> pending;
  std::uint64_t pending_bytes = 0;
  std::unique_ptr<io::Spool> spool;
  std::map<std::uint64_t, std::uint64_t> spooled;  // frame to offset in the spool
  bool finished = false;
  std::optional<Error> broken;  // a frame that could not be stored: the file can never be finished
};

Writer::Writer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;
Writer::~Writer() = default;

const Layout& Writer::layout() const { return state_->content.layout; }
std::uint64_t Writer::frame_count() const { return state_->frames; }

Result<Writer> Writer::create(std::unique_ptr<io::Sink> sink, Content content,
                              const WriteOptions& options) {
  SILLAR_TRY(check_content(content));
  const auto frames = content.layout.frame_count();
  if (!frames || *frames > options.limits.frames) {
    return fail(Errc::over_limit,
                "the raster has " + (frames ? std::to_string(*frames) : "too many") +
                    " frames, the limit is " + std::to_string(options.limits.frames));
  }
  const FramePlace first = content.layout.place(0);
  const auto frame_bytes = content.layout.decoded_bytes(first.height, first.width);
  if (!frame_bytes || *frame_bytes > options.limits.frame_bytes) {
    return fail(Errc::over_limit,
                "a frame has " + (frame_bytes ? std::to_string(*frame_bytes) : "too many") +
                    " bytes, the limit is " + std::to_string(options.limits.frame_bytes));
  }
  const auto base_offset = content.layout.base_frame_offset(*frames);
  SILLAR_TRY(sink->reserve(base_offset.value_or(0)));
  return Writer(std::make_unique<State>(std::move(content), options, std::move(sink), *frames));
}

Result<> Writer::put_samples(std::uint64_t index, const TensorView& samples) {
  if (index >= frame_count())
    return refuse("frame " + std::to_string(index) + " is outside, the file has " +
                  std::to_string(frame_count()));
  const Layout& layout = state_->content.layout;
  const FramePlace place = layout.place(index);
  const bool tiles = layout.frames_are_tiles();
  const Shape expected = {tiles ? 1 : layout.times(), tiles ? 1 : layout.bands(), place.height,
                          place.width};
  if (samples.shape() != expected || samples.dtype() != layout.dtype()) {
    return refuse("frame " + std::to_string(index) + " takes " +
                  std::string(name_of(layout.dtype())) + " " + text_of(expected) + ", got " +
                  std::string(name_of(samples.dtype())) + " " + text_of(samples.shape()));
  }
  const auto encoder = state_->encoders.borrow();
  SILLAR_TRY(const auto frame,
             encoder->encode(samples, layout.strides(place.height, place.width), layout.dtype()));
  return state_->take(index, frame);
}

Result<> Writer::put_compressed(std::uint64_t index, std::span<const std::byte> frame) {
  if (index >= frame_count())
    return refuse("frame " + std::to_string(index) + " is outside, the file has " +
                  std::to_string(frame_count()));
  const Layout& layout = state_->content.layout;
  const FramePlace place = layout.place(index);
  const std::uint64_t size = layout.decoded_bytes(place.height, place.width).value_or(0);
  const auto judge = [&]() -> Result<> {
    SILLAR_TRY(check_frame_header(frame, size));
    if (state_->options.trust_frames) return {};
    const auto decoder = state_->decoders.borrow();
    return decoder->decode(frame, decoder->scratch(size), layout.dtype(), true);
  };
  if (auto judged = judge(); !judged) {
    judged.error().detail = "frame " + std::to_string(index) + ": " + judged.error().detail;
    return judged;
  }
  return state_->take(index, frame);
}

Result<std::vector<std::byte>> Writer::finish() {
  State& state = *state_;
  const std::scoped_lock lock(state.mutex);
  if (state.broken) return std::unexpected(*state.broken);
  if (state.finished) return refuse("the file was finished before");
  if (const auto missing = std::ranges::find(state.byte_counts, 0U);
      missing != state.byte_counts.end()) {
    return fail(rules::write_frame_count,
                "frame " + std::to_string(missing - state.byte_counts.begin()) + " was never given",
                {}, Errc::bad_argument);
  }
  const Layout& layout = state.content.layout;
  const std::uint64_t base_offset = layout.base_frame_offset(state.frames).value_or(0);
  state.finished = true;  // the byte counts go into the table
  auto table = FrameTable::of(base_offset, std::move(state.byte_counts));
  if (!table) {
    return fail(rules::ifd_offset_overflow, "the frames end past what 64 bits can count", {},
                Errc::bad_argument);
  }
  const Front front{{layout, *std::move(table)}, state.content.georeference};
  SILLAR_TRY(state.sink->append(make_trailer(state.content.trailer)));
  SILLAR_TRY(state.sink->put_front(make_front(front)));
  SILLAR_TRY(state.sink->finish());
  return make_header_blob(front.header);
}

Result<std::vector<std::byte>> write(std::unique_ptr<io::Sink> sink, Content content,
                                     const TensorView& samples, const WriteTensorOptions& options) {
  if (samples.shape() != content.layout.shape()) {
    return refuse("the samples have shape " + text_of(samples.shape()) + ", the layout " +
                  text_of(content.layout.shape()));
  }
  SILLAR_TRY(auto writer, Writer::create(std::move(sink), std::move(content), options.write));
  const Layout& layout = writer.layout();
  SILLAR_TRY(exec::for_each(
      options.pool, writer.frame_count(), [&](std::uint64_t index, std::size_t) -> Result<> {
        SILLAR_TRY(options.control.check());
        const FramePlace place = layout.place(index);
        TensorView part = samples.slice(2, place.y, place.height).slice(3, place.x, place.width);
        if (layout.frames_are_tiles()) part = part.slice(0, place.time, 1).slice(1, place.band, 1);
        return writer.put_samples(index, part);
      }));
  return writer.finish();
}

}  // namespace sillar::rumi
