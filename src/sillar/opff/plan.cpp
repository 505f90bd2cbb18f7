// Arithmetic on a geometry. Products are checked where a caller may have invented the factors.
#include <sillar/opff/plan.hpp>

#include <sillar/base/checked.hpp>

#include <array>
#include <cassert>
#include <string>
#include <string_view>
#include <utility>

namespace sillar::opff {
namespace {

constexpr std::uint64_t bits_of_byte = 8;

/// Bytes of one channel of one frame; of a bitmap whose area is no multiple of 8 rounded down, as
/// the specification's formula does.
[[nodiscard]] std::optional<std::uint64_t> checked_plane_size(const Geometry& geometry) {
  const auto area = checked_mul(geometry.width, geometry.height);
  if (!area) return std::nullopt;
  return geometry.is_bitmap() ? *area / bits_of_byte
                              : checked_mul(*area, std::uint64_t{geometry.depth->size});
}

[[nodiscard]] std::unexpected<Error> refuse(const Rule& rule, std::string detail) {
  return fail(rule, std::move(detail), {}, Errc::bad_argument);
}

[[nodiscard]] Result<> check_axis(std::string_view name, std::uint64_t extent, std::uint64_t most,
                                  const Rule& too_small, const Rule& too_large) {
  const auto say = [&] {
    return std::string(name) + " is " + std::to_string(extent) + ", expected 1 to " +
           std::to_string(most);
  };
  if (extent == 0) return refuse(too_small, say());
  if (extent > most) return refuse(too_large, say());
  return {};
}

template <class Byte>
[[nodiscard]] BasicTensorView<Byte> make_view(const Geometry& geometry, Byte* payload) {
  if (geometry.is_bitmap())
    return {payload, DType::u8, Shape{geometry.frames, geometry.channels, plane_size(geometry)}};
  const auto channels = static_cast<std::int64_t>(geometry.channels);
  const auto height = static_cast<std::int64_t>(geometry.height);
  const auto width = static_cast<std::int64_t>(geometry.width);
  const std::int64_t frame = channels * height * width;
  Strides strides = geometry.layout == Layout::planar
                        ? Strides{frame, height * width, width, 1}
                        : Strides{frame, 1, width * channels, channels};
  return {payload, geometry.depth->dtype, geometry.shape(), std::move(strides)};
}

[[nodiscard]] Result<IndexRange> range_of(const std::optional<IndexRange>& wanted,
                                          std::uint64_t extent, std::string_view axis) {
  if (!wanted) return IndexRange{.start = 0, .extent = extent};
  if (wanted->extent == 0) return fail(Errc::bad_argument, "no " + std::string(axis) + " selected");
  if (wanted->start >= extent || wanted->extent > extent - wanted->start) {
    return fail(Errc::bad_argument, std::to_string(wanted->extent) + " " + std::string(axis) +
                                        " from " + std::to_string(wanted->start) +
                                        " on, where there are " + std::to_string(extent));
  }
  return *wanted;
}

}  // namespace

Geometry geometry_of(const Header& header) {
  const Depth* depth = find_depth(header.depth);
  assert(depth != nullptr);
  return {.depth = depth,
          .layout = (header.config & planar_bit) != 0 ? Layout::planar : Layout::interleaved,
          .frames = header.frames,
          .channels = static_cast<std::uint64_t>(header.config & most_channels),
          .height = header.height,
          .width = header.width};
}

Result<> check_geometry(const Geometry& geometry) {
  SILLAR_TRY(check_axis("the number of frames", geometry.frames, most_frames, rules::zero_dimension,
                        rules::write_frames));
  SILLAR_TRY(check_axis("the number of channels", geometry.channels, most_channels, rules::channels,
                        rules::channels));
  SILLAR_TRY(check_axis("the height", geometry.height, most_extent, rules::zero_dimension,
                        rules::write_extent));
  SILLAR_TRY(check_axis("the width", geometry.width, most_extent, rules::zero_dimension,
                        rules::write_extent));
  if (!geometry.is_bitmap()) return {};
  if (geometry.layout != Layout::planar)
    return refuse(rules::interleaved_bitmap, "the layout is interleaved, expected planar");
  if (const std::uint64_t area = geometry.width * geometry.height; area % bits_of_byte != 0) {
    return refuse(rules::bitmap_modulo, "the area is " + std::to_string(geometry.width) + " x " +
                                            std::to_string(geometry.height) + " = " +
                                            std::to_string(area) + " pixels");
  }
  return {};
}

Header header_of(const Geometry& geometry, char letter, std::uint32_t start_id) {
  assert(check_geometry(geometry).has_value() && is_letter(static_cast<std::uint8_t>(letter)));
  Header header;
  header.magic[3] = static_cast<std::uint8_t>(letter);
  header.depth = geometry.depth->code;
  const auto planar = geometry.layout == Layout::planar ? planar_bit : std::uint8_t{0};
  header.config = static_cast<std::uint8_t>(geometry.channels | planar);
  header.frames = static_cast<std::uint8_t>(geometry.frames);
  header.start_id = start_id;
  header.width = static_cast<std::uint16_t>(geometry.width);
  header.height = static_cast<std::uint16_t>(geometry.height);
  return header;
}

std::optional<std::uint64_t> payload_size(const Geometry& geometry) {
  const auto plane = checked_plane_size(geometry);
  return plane ? checked_mul(geometry.frames, geometry.channels, *plane) : std::nullopt;
}

std::optional<std::uint64_t> expected_size(const Geometry& geometry) {
  const auto payload = payload_size(geometry);
  return payload ? checked_add(header_size, *payload) : std::nullopt;
}

std::uint64_t plane_size(const Geometry& geometry) {
  return checked_plane_size(geometry).value_or(0);
}

std::uint64_t frame_size(const Geometry& geometry) {
  return plane_size(geometry) * geometry.channels;
}

io::ByteRange frame_range(const Geometry& geometry, std::uint64_t index) {
  assert(index < geometry.frames);
  const std::uint64_t size = frame_size(geometry);
  return {.offset = header_size + index * size, .size = size};
}

io::ByteRange payload_range(const Geometry& geometry) {
  return {.offset = header_size, .size = frame_size(geometry) * geometry.frames};
}

std::uint64_t sample_offset(const Geometry& geometry, const Position& at) {
  const std::uint64_t frame = header_size + at.frame * frame_size(geometry);
  const std::uint64_t pixel = at.y * geometry.width + at.x;
  if (geometry.is_bitmap()) return frame + at.channel * plane_size(geometry) + pixel / bits_of_byte;
  const std::uint64_t sample = geometry.layout == Layout::planar
                                   ? at.channel * geometry.width * geometry.height + pixel
                                   : pixel * geometry.channels + at.channel;
  return frame + sample * geometry.depth->size;
}

TensorView view_of(const Geometry& geometry, const std::byte* payload) {
  return make_view<const std::byte>(geometry, payload);
}

MutableTensorView view_of(const Geometry& geometry, std::byte* payload) {
  return make_view<std::byte>(geometry, payload);
}

Result<Window> window_of(const Selection& selection, const Geometry& geometry) {
  Window window;
  SILLAR_TRY(window.frames, range_of(selection.frames, geometry.frames, "frames"));
  SILLAR_TRY(window.channels, range_of(selection.channels, geometry.channels, "channels"));
  SILLAR_TRY(window.rows, range_of(selection.rows, geometry.height, "rows"));
  SILLAR_TRY(window.columns, range_of(selection.columns, geometry.width, "columns"));
  return window;
}

TensorView select(const TensorView& view, const Window& window) {
  const std::array ranges = {window.frames, window.channels, window.rows, window.columns};
  assert(view.rank() == ranges.size());
  TensorView part = view;
  for (std::size_t axis = 0; axis < ranges.size(); ++axis)
    part = part.slice(axis, ranges[axis].start, ranges[axis].extent);
  return part;
}

Result<TensorView> reinterpret(const TensorView& view, DType dtype) {
  if (dtype == view.dtype()) return view;
  if (size_of(dtype) != size_of(view.dtype()) || dtype == DType::boolean) {
    return fail(Errc::bad_argument, "samples of " + std::to_string(size_of(view.dtype())) +
                                        " bytes cannot be seen as " + std::string(name_of(dtype)));
  }
  return TensorView(view.data(), dtype, view.shape(), view.strides());
}

}  // namespace sillar::opff
