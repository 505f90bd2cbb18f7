// The plan carried out on a mapping, a buffer, a source of bytes or a pipe.
#include <sillar/opff/reader.hpp>

#include <sillar/io/descriptor.hpp>
#include <sillar/opff/bit_planes.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace sillar::opff {

struct File::State {
  Outline outline;
  Region region;                      // empty where somebody else owns the bytes
  std::shared_ptr<const void> owner;  // where somebody else does
  std::span<const std::byte> bytes;   // the file
  bool writable = false;
};

namespace {

// A long range is fetched in steps of this size, so that it can be stopped half way.
constexpr std::uint64_t step_size = std::uint64_t{8} << 20;

[[nodiscard]] Result<> check_limit(std::uint64_t size, const Limits& limits) {
  if (size <= limits.output_bytes) return {};
  return fail(Errc::over_limit, "the file has " + std::to_string(size) + " bytes, the limit is " +
                                    std::to_string(limits.output_bytes));
}

/// Copies bytes [offset, offset + size) of `source` to the same place of `out`.
[[nodiscard]] Result<> fill(const io::ByteSource& source, std::span<std::byte> out,
                            std::uint64_t offset, std::uint64_t size,
                            const io::ReadControl& control) {
  std::vector<io::ByteRange> steps;
  for (std::uint64_t done = 0; done < size; done += step_size)
    steps.push_back({.offset = offset + done, .size = std::min(step_size, size - done)});
  const auto place = [&](std::size_t index, std::span<const std::byte> bytes) -> Result<> {
    std::ranges::copy(bytes, out.subspan(static_cast<std::size_t>(steps[index].offset)).begin());
    return {};
  };
  return source.read(steps, place, control);
}

/// Fills `out` from a stream. Returns the bytes that came: fewer where it ends.
[[nodiscard]] Result<std::size_t> pull(int descriptor, std::span<std::byte> out,
                                       const io::ReadControl& control) {
  std::size_t done = 0;
  while (done < out.size()) {
    SILLAR_TRY(control.check());
    const auto wanted = std::min<std::uint64_t>(out.size() - done, step_size);
    const ssize_t count = ::read(descriptor, out.data() + done, static_cast<std::size_t>(wanted));
    if (count == 0) break;
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      return fail_errno(Errc::io, "cannot read", errno);
    }
  }
  return done;
}

}  // namespace

File File::of(Region region, const Outline& outline, std::uint64_t size, bool writable) {
  auto state = std::make_shared<State>();
  state->outline = outline;
  state->region = std::move(region);
  state->bytes = state->region.bytes().first(static_cast<std::size_t>(size));
  state->writable = writable;
  return File(std::move(state));
}

const Outline& File::outline() const { return state_->outline; }

TensorView File::view() const { return view_of(geometry(), payload().data()); }

Result<TensorView> File::view(const Selection& selection) const {
  SILLAR_TRY(const Window window, window_of(selection, geometry()));
  if (!geometry().is_bitmap()) return select(view(), window);
  if (selection.rows || selection.columns)
    return fail(Errc::bad_argument, "rows of a bitmap are no whole bytes: unpack gives a window");
  return view()
      .slice(0, window.frames.start, window.frames.extent)
      .slice(1, window.channels.start, window.channels.extent);
}

Result<TensorView> File::frame(std::uint64_t index) const {
  Selection one;
  one.frames = {.start = index, .extent = 1};
  SILLAR_TRY(const TensorView part, view(one));
  return part.at(0, 0);
}

Result<TensorView> File::channel(std::uint64_t index) const {
  Selection one;
  one.channels = {.start = index, .extent = 1};
  SILLAR_TRY(const TensorView part, view(one));
  return part.at(1, 0);
}

Result<MutableTensorView> File::mutable_view() const {
  if (!state_->writable)
    return fail(Errc::bad_argument, "the samples are read-only: map a private copy, or read them");
  return view_of(geometry(), state_->region.bytes().data() + header_size);
}

Result<Tensor> File::unpack(const Selection& selection, BitOrder order,
                            const Limits& limits) const {
  if (!geometry().is_bitmap())
    return fail(Errc::bad_argument,
                "samples of type " + std::string(geometry().depth->name) + " are not packed");
  SILLAR_TRY(const Window window, window_of(selection, geometry()));
  return opff::unpack(view(), geometry(), window, order, limits.output_bytes);
}

std::span<const std::byte> File::payload() const {
  const auto end = static_cast<std::size_t>(outline().expected_size);
  return state_->bytes.first(end).subspan(header_size);
}

std::span<const std::byte> File::footer() const {
  return state_->bytes.subspan(static_cast<std::size_t>(outline().expected_size));
}

Result<File> map(const std::string& path, const MapOptions& options) {
  SILLAR_TRY(Region region, Region::map(path, options.access));
  const auto bytes = region.bytes();
  const auto head = bytes.first(std::min<std::size_t>(bytes.size(), header_size));
  SILLAR_TRY(const Outline outline, in_source(read_header(head, bytes.size()), path));
  SILLAR_TRY(in_source(check_letter(outline, options.letters), path));
  return File::of(std::move(region), outline, bytes.size(), options.access == Access::private_copy);
}

Result<File> read(const std::string& path, const ReadOptions& options) {
  SILLAR_TRY(const auto source, io::open_file(path));
  return read(*source, options);
}

Result<File> read(const io::ByteSource& source, const ReadOptions& options) {
  const auto read_source = [&]() -> Result<File> {
    SILLAR_TRY(const Outline outline, outline_of(source, options.control));
    SILLAR_TRY(check_letter(outline, options.letters));
    const std::uint64_t size =
        outline.expected_size + (options.footer ? outline.footer_range().size : 0);
    SILLAR_TRY(check_limit(size, options.limits));
    SILLAR_TRY(Region region, Region::reserve(size));
    std::ranges::copy(wire::store_record(outline.header), region.bytes().begin());
    SILLAR_TRY(fill(source, region.bytes(), header_size, size - header_size, options.control));
    return File::of(std::move(region), outline, size, true);
  };
  return in_source(read_source(), source.name());
}

Result<File> read_stream(int descriptor, const ReadOptions& options) {
  std::array<std::byte, header_size> head{};
  SILLAR_TRY(const std::size_t head_size, pull(descriptor, head, options.control));
  SILLAR_TRY(const Outline outline, read_header(std::span(head).first(head_size), {}));
  SILLAR_TRY(check_letter(outline, options.letters));
  SILLAR_TRY(check_limit(outline.expected_size, options.limits));
  SILLAR_TRY(Region region, Region::reserve(outline.expected_size));
  std::ranges::copy(head, region.bytes().begin());
  SILLAR_TRY(const std::size_t count,
             pull(descriptor, region.bytes().subspan(header_size), options.control));
  if (const std::uint64_t size = header_size + count; size < outline.expected_size) {
    return fail(rules::size,
                "the stream ended after " + std::to_string(size) + " bytes, expected " +
                    std::to_string(outline.expected_size),
                size, Errc::truncated);
  }
  return File::of(std::move(region), outline, outline.expected_size, true);
}

Result<File> of_memory(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                       const std::string& letters) {
  const auto head = bytes.first(std::min<std::size_t>(bytes.size(), header_size));
  SILLAR_TRY(const Outline outline, read_header(head, bytes.size()));
  SILLAR_TRY(check_letter(outline, letters));
  auto state = std::make_shared<File::State>();
  state->outline = outline;
  state->owner = std::move(owner);
  state->bytes = bytes;
  return File(std::move(state));
}

Result<Outline> outline_of(const io::ByteSource& source, const io::ReadControl& control) {
  Report report(Report::Until::first_error);
  SILLAR_TRY(auto outline, check_outline_of(source, report, control));
  SILLAR_TRY(in_source(report.verdict(), source.name()));
  return *std::move(outline);
}

Result<std::optional<Outline>> check_outline_of(const io::ByteSource& source, Report& report,
                                                const io::ReadControl& control) {
  SILLAR_TRY(const std::uint64_t size, source.size());
  std::vector<std::byte> head(static_cast<std::size_t>(std::min(size, header_size)));
  SILLAR_TRY(fill(source, head, 0, head.size(), control));
  return judge_header(head, size, report);
}

}  // namespace sillar::opff
