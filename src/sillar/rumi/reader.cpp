// Reading: plan, fetch, decode, place.
#include <sillar/rumi/reader.hpp>

#include <sillar/exec/shelf.hpp>
#include <sillar/rumi/frame.hpp>
#include <sillar/rumi/placement.hpp>

#include <algorithm>
#include <mutex>
#include <utility>

namespace sillar::rumi {
namespace {

/// An error inside a frame, told as one of the file.
[[nodiscard]] std::unexpected<Error> in_frame(Error error, const PlannedFrame& frame) {
  error.offset = frame.range.offset + error.offset.value_or(0);
  error.detail = "frame " + std::to_string(frame.index) + ": " + error.detail;
  return std::unexpected(std::move(error));
}

/// Decodes one fetched frame and puts its samples in place.
[[nodiscard]] Result<> decode_and_place(const Plan& plan, const PlannedFrame& frame,
                                        std::span<const std::byte> bytes,
                                        const MutableTensorView& out, FrameDecoder& decoder,
                                        bool verify) {
  const FramePlace place = plan.layout.place(frame.index);
  const auto target = in_place(plan, place, out);
  if (!target.empty()) {
    auto decoded = decoder.decode(bytes, target, plan.dtype(), verify);
    if (!decoded) return in_frame(std::move(decoded).error(), frame);
    return {};
  }
  if (const auto rows = rows_of(plan, place, out)) {
    auto done = decoder.decode_rectangle(bytes, rows->wanted, rows->target, plan.dtype(), verify);
    if (!done) return in_frame(std::move(done).error(), frame);
    if (*done) return {};
  }
  const std::uint64_t size = plan.layout.decoded_bytes(place.height, place.width).value_or(0);
  // The header is judged before memory of the claimed size is touched.
  if (auto stated = check_frame_header(bytes, size); !stated)
    return in_frame(std::move(stated).error(), frame);
  const auto scratch = decoder.scratch(size);
  auto decoded = decoder.decode(bytes, scratch, plan.dtype(), verify);
  if (!decoded) return in_frame(std::move(decoded).error(), frame);
  place_frame(plan, place, scratch, out);
  return {};
}

/// A file that ends inside a frame breaks a rule.
[[nodiscard]] Result<> as_truncated_frames(Result<> result) {
  if (!result && result.error().code == Errc::truncated && result.error().rule == nullptr) {
    result.error().rule = &rules::file_frames_truncated;
  }
  return result;
}

/// How many frames one task of a parallel read takes: enough that handing out costs nothing, few
/// enough that all threads end together.
[[nodiscard]] std::uint64_t frames_per_task(std::uint64_t frames, std::size_t threads) {
  constexpr std::uint64_t most = 16;
  constexpr std::uint64_t tasks_per_thread = 8;
  return std::clamp<std::uint64_t>(frames / (threads * tasks_per_thread), 1, most);
}

}  // namespace

struct File::State {
  std::shared_ptr<const io::ByteSource> source;
  Header header;
  Limits limits;
  io::ReadControl control;
  // So that a stream of small windows does not make new ones.
  mutable exec::Shelf<FrameDecoder> decoders{[] { return std::make_unique<FrameDecoder>(); }};
  mutable std::mutex mutex;  // of what follows
  mutable std::optional<Georeference> georeference;
  mutable std::shared_ptr<const Trailer> trailer;
};

Result<Front> check_front_of(const io::ByteSource& source, const Limits& limits, Report& report,
                             const io::ReadControl& control) {
  SILLAR_TRY(const std::uint64_t file_size, source.size());
  SILLAR_TRY(auto bytes, source.read(0, std::min(file_size, front_guess), control));
  SILLAR_TRY(const std::uint64_t front_size, check_front_size(bytes, file_size, limits, report));
  if (bytes.size() < front_size) {
    SILLAR_TRY(const auto rest, source.read(bytes.size(), front_size - bytes.size(), control));
    bytes.insert(bytes.end(), rest.begin(), rest.end());
  }
  return check_front(std::span(bytes).first(front_size), file_size, report);
}

Result<Trailer> check_trailer_of(const io::ByteSource& source, const Header& header,
                                 const Limits& limits, Report& report,
                                 const io::ReadControl& control) {
  SILLAR_TRY(const std::uint64_t file_size, source.size());
  const std::uint64_t begin = header.frames.end();
  if (begin > file_size) {
    return fail(rules::file_frames_truncated,
                "the file has " + std::to_string(file_size) + " bytes, its frames end at " +
                    std::to_string(begin),
                file_size, Errc::truncated);
  }
  if (file_size - begin > limits.trailer_bytes) {
    return fail(Errc::over_limit,
                "the trailer has " + std::to_string(file_size - begin) + " bytes, the limit is " +
                    std::to_string(limits.trailer_bytes),
                begin);
  }
  SILLAR_TRY(const auto bytes, source.read(begin, file_size - begin, control));
  return check_trailer(bytes, begin, header.layout.bands(), header.layout.times(), limits, report);
}

Result<File> open(const std::string& path, const OpenOptions& options) {
  SILLAR_TRY(auto source, io::open_file(path));
  return open(std::move(source), options);
}

Result<File> open(std::shared_ptr<const io::ByteSource> source, const OpenOptions& options) {
  auto state = std::make_shared<File::State>();
  if (options.header_blob) {
    SILLAR_TRY(state->header, parse_header_blob(*options.header_blob, options.limits));
  } else {
    Report report(Report::Until::first_error);
    SILLAR_TRY(auto front,
               in_source(check_front_of(*source, options.limits, report, options.control),
                         source->name()));
    state->header = std::move(front.header);
    state->georeference = front.georeference;
  }
  state->source = std::move(source);
  state->limits = options.limits;
  state->control = options.control;
  return File(std::move(state));
}

const Layout& File::layout() const { return state_->header.layout; }
const FrameTable& File::frames() const { return state_->header.frames; }
const Header& File::header() const { return state_->header; }
const io::ByteSource& File::source() const { return *state_->source; }

Result<Georeference> File::georeference() const {
  const std::scoped_lock lock(state_->mutex);
  if (!state_->georeference) {
    const std::uint64_t at = frames().base_offset() - georeferencing_size;
    SILLAR_TRY(const auto bytes,
               in_source(source().read(at, georeferencing_size, state_->control), source().name()));
    Report report(Report::Until::first_error);
    state_->georeference =
        check_georeferencing(std::span(bytes).first<georeferencing_size>(), at, report);
    SILLAR_TRY(in_source(report.verdict(), source().name()));
  }
  return *state_->georeference;
}

Result<std::shared_ptr<const Trailer>> File::trailer() const {
  const std::scoped_lock lock(state_->mutex);
  if (state_->trailer == nullptr) {
    Report report(Report::Until::first_error);
    SILLAR_TRY(auto trailer, in_source(check_trailer_of(source(), header(), state_->limits, report,
                                                        state_->control),
                                       source().name()));
    state_->trailer = std::make_shared<const Trailer>(std::move(trailer));
  }
  return state_->trailer;
}

Result<Plan> File::plan(const Selection& selection, const Limits& limits) const {
  SILLAR_TRY(auto resolved, resolve(selection, layout(), [this] { return trailer(); }, limits));
  return make_plan(header(), std::move(resolved), limits);
}

Result<Tensor> File::read(const Selection& selection, const ReadOptions& options) const {
  SILLAR_TRY(const Plan plan, in_source(this->plan(selection, options.limits), source().name()));
  SILLAR_TRY(auto tensor,
             Tensor::allocate(plan.dtype(), plan.selection.shape(), options.limits.output_bytes));
  SILLAR_TRY(read_into(plan, tensor.view(), options));
  return tensor;
}

Result<> File::read_into(const Plan& plan, const MutableTensorView& out,
                         const ReadOptions& options) const {
  if (out.shape() != plan.selection.shape() || out.dtype() != plan.dtype()) {
    return fail(Errc::bad_argument, "the output has another shape or dtype than the plan");
  }
  // Back to (t, b, y, x), whatever the output's order is.
  std::array<std::size_t, 4> canonical{};
  for (std::size_t k = 0; k < canonical.size(); ++k) canonical[plan.selection.axes[k]] = k;
  const MutableTensorView target = out.permuted(canonical);
  fill_outside(plan, target);

  const auto run = [&](std::span<const PlannedFrame> frames, FrameDecoder& decoder) -> Result<> {
    std::vector<io::ByteRange> ranges;
    ranges.reserve(frames.size());
    for (const PlannedFrame& frame : frames) ranges.push_back(frame.range);
    return source().read(
        ranges,
        [&](std::size_t i, std::span<const std::byte> bytes) {
          return decode_and_place(plan, frames[i], bytes, target, decoder, options.verify);
        },
        options.control);
  };
  Result<> done;
  if (options.pool == nullptr || options.pool->threads() == 1 || plan.frames.size() == 1) {
    const auto decoder = state_->decoders.borrow();
    done = run(plan.frames, *decoder);
  } else {
    const std::uint64_t step = frames_per_task(plan.frames.size(), options.pool->threads());
    done = options.pool->for_each(
        ceil_div(plan.frames.size(), step), [&](std::uint64_t task, std::size_t) {
          const auto decoder = state_->decoders.borrow();
          const auto rest = std::span(plan.frames).subspan(task * step);
          return run(rest.first(std::min<std::size_t>(step, rest.size())), *decoder);
        });
  }
  return in_source(as_truncated_frames(std::move(done)), source().name());
}

Result<std::vector<std::byte>> File::read_compressed(std::uint64_t index) const {
  if (index >= frames().frames()) {
    return fail(Errc::bad_argument, "frame " + std::to_string(index) +
                                        " is outside, the file has " +
                                        std::to_string(frames().frames()));
  }
  const auto range = frames().range(index);
  return in_source(source().read(range.offset, range.size), source().name());
}

}  // namespace sillar::rumi
