// What the verbs do with OPFF files.
#include "cli/opff.hpp"

#include "cli/rumi.hpp"
#include "cli/text.hpp"
#include <sillar/opff/bit_planes.hpp>
#include <sillar/opff/reader.hpp>
#include <sillar/opff/validate.hpp>
#include <sillar/tensor/copy.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

namespace sillar::cli {
namespace {

constexpr std::string_view canonical_axes = "tbyx";

/// "<u2" and the like, as NumPy writes it.
[[nodiscard]] std::string numpy_type(const opff::Depth& depth) {
  const char kind = depth.name.front() == 'f' && depth.name != "fp8" ? 'f' : 'u';
  return fmt::format("{}{}{}", depth.size > 1 ? "<" : "", kind, std::max<unsigned>(1, depth.size));
}

/// An expression that gives the samples of the file as (frame, channel, y, x).
[[nodiscard]] std::string numpy_line(const std::string& path, const opff::Geometry& g) {
  std::string name = text_of(Json(printable(path)), true);
  name.pop_back();  // the end of the line
  const auto mapped = [&](const std::string& shape) {
    return fmt::format("np.memmap({}, \"{}\", \"r\", {}, ({}))", name, numpy_type(*g.depth),
                       opff::header_size, shape);
  };
  if (g.is_bitmap()) {
    return fmt::format("np.unpackbits({}, axis=-1).reshape({}, {}, {}, {})",
                       mapped(fmt::format("{}, {}, {}", g.frames, g.channels, opff::plane_size(g))),
                       g.frames, g.channels, g.height, g.width);
  }
  if (g.layout == opff::Layout::planar)
    return mapped(fmt::format("{}, {}, {}, {}", g.frames, g.channels, g.height, g.width));
  return mapped(fmt::format("{}, {}, {}, {}", g.frames, g.height, g.width, g.channels)) +
         ".transpose(0, 3, 1, 2)";
}

[[nodiscard]] Json outline_json(const std::string& path, const opff::Outline& outline) {
  const opff::Geometry& geometry = outline.geometry;
  Json json;
  json["namespace"] = std::string(1, outline.letter());
  json["depth"] = geometry.depth->code;
  json["dtype"] = geometry.depth->name;
  json["layout"] = name_of(geometry.layout);
  json["channels"] = geometry.channels;
  json["frames"] = geometry.frames;
  json["start_id"] = outline.start_id();
  json["width"] = geometry.width;
  json["height"] = geometry.height;
  json["shape"] = geometry.shape();
  json["frame_bytes"] = number(opff::frame_size(geometry));
  json["payload_bytes"] = number(opff::payload_range(geometry).size);
  json["expected_size"] = number(outline.expected_size);
  json["footer_bytes"] = number(outline.footer_range().size);
  json["numpy"] = numpy_line(path, geometry);
  return json;
}

[[nodiscard]] std::string outline_text(const std::string& path, const opff::Outline& outline) {
  const opff::Geometry& geometry = outline.geometry;
  std::string text =
      line_text("shape", fmt::format("{}, {}, {}, {}", count_text(geometry.frames, "frame"),
                                     count_text(geometry.channels, "channel"),
                                     count_text(geometry.height, "row"),
                                     count_text(geometry.width, "column")));
  text += line_text("samples", fmt::format("{} (depth {:#04x}), {}", geometry.depth->name,
                                           geometry.depth->code, name_of(geometry.layout)));
  text +=
      line_text("frames", fmt::format("ids {} to {}, {} each", outline.start_id(),
                                      outline.end_id() - 1, size_text(opff::frame_size(geometry))));
  text += line_text("payload", size_text(opff::payload_range(geometry).size));
  const io::ByteRange footer = outline.footer_range();
  text += line_text("footer", footer.size == 0 ? "none"
                                               : fmt::format("{} at {:#x}", size_text(footer.size),
                                                             footer.offset));
  text += line_text("namespace", std::string(1, outline.letter()));
  text += line_text("numpy", numpy_line(path, geometry));
  return text;
}

/// A tensor over the memory of an opened file, which was read and is the process's own.
[[nodiscard]] Samples bytes_of(const opff::File& file, std::span<const std::byte> bytes) {
  auto memory = std::const_pointer_cast<void>(file.memory());
  auto* data = const_cast<std::byte*>(bytes.data());
  return {.tensor = Tensor(MutableTensorView(data, DType::u8, Shape{bytes.size()}), memory),
          .axes = "x"};
}

[[nodiscard]] Result<Samples> read_footer(const Input& input, const BeforeDecoding& before) {
  SILLAR_TRY(const auto outline, opff::outline_of(*input.source, Context::control()));
  const io::ByteRange range = outline.footer_range();
  SILLAR_TRY(const Limits limits, Context::limits());
  SILLAR_TRY(Tensor tensor, Tensor::allocate(DType::u8, Shape{range.size}, limits.trailer_bytes));
  SILLAR_TRY(before(DType::u8, tensor.shape()));
  SILLAR_TRY(const auto footer, input.source->read(range.offset, range.size));
  std::ranges::copy(footer, tensor.bytes().begin());
  return Samples{.tensor = std::move(tensor), .axes = "x"};
}

/// The indices that a list of options names, or all.
template <class Ref>
[[nodiscard]] Result<std::vector<std::uint64_t>> indices_of(
    const std::optional<std::vector<Ref>>& wanted, std::uint64_t extent, std::string_view noun) {
  std::vector<std::uint64_t> indices;
  if (!wanted) {
    for (std::uint64_t i = 0; i < extent; ++i) indices.push_back(i);
    return indices;
  }
  for (const Ref& ref : *wanted) {
    const auto* index = std::get_if<std::uint64_t>(&ref);
    if (index == nullptr)
      return fail(Errc::bad_argument, fmt::format("a {} is named by its index alone", noun));
    if (*index >= extent) {
      return fail(Errc::bad_argument,
                  fmt::format("{} {} is outside: there are {}", noun, *index, extent));
    }
    indices.push_back(*index);
  }
  return indices;
}

/// Which planes, and which part of each.
struct Chosen {
  std::vector<std::uint64_t> frames;
  std::vector<std::uint64_t> channels;
  opff::Window window;  ///< all frames and channels

  [[nodiscard]] Shape shape() const {
    return {frames.size(), channels.size(), window.rows.extent, window.columns.extent};
  }
};

[[nodiscard]] Result<Chosen> chosen_of(const SelectionOptions& options,
                                       const opff::Geometry& geometry) {
  if (!options.bbox.empty() || !options.pad.empty())
    return fail(Errc::bad_argument, "an OPFF file has no coordinates: no --bbox, and no --pad");
  SILLAR_TRY(const auto selection, pixel_selection_of(options));
  Chosen chosen;
  SILLAR_TRY(chosen.frames, indices_of(selection.times, geometry.frames, "frame"));
  SILLAR_TRY(chosen.channels, indices_of(selection.bands, geometry.channels, "channel"));
  opff::Selection part;
  if (selection.window) {
    geo::Window window = *selection.window;
    if (options.clip) {
      SILLAR_TRY(window, geo::clip(window, geometry.height, geometry.width));
    }
    if (window.row < 0 || window.col < 0 || window.height < 0 || window.width < 0)
      return fail(Errc::bad_argument, "the window begins outside of the array");
    part.rows = {.start = static_cast<std::uint64_t>(window.row),
                 .extent = static_cast<std::uint64_t>(window.height)};
    part.columns = {.start = static_cast<std::uint64_t>(window.col),
                    .extent = static_cast<std::uint64_t>(window.width)};
  }
  SILLAR_TRY(chosen.window, opff::window_of(part, geometry));
  return chosen;
}

/// Axis k of the output is axis `order[k]` of (frame, channel, row, column).
[[nodiscard]] Result<std::array<std::size_t, 4>> order_of(const std::string& axes) {
  std::array<std::size_t, 4> order{};
  if (!std::ranges::is_permutation(axes, canonical_axes))
    return fail(Errc::bad_argument, "--axes is an order of t, b, y and x");
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = canonical_axes.find(axes[i]);
  return order;
}

[[nodiscard]] Result<> copy_planes(const opff::File& file, const Chosen& chosen,
                                   opff::BitOrder bit_order, const MutableTensorView& to) {
  const opff::Geometry& geometry = file.geometry();
  for (std::uint64_t t = 0; t < chosen.frames.size(); ++t) {
    for (std::uint64_t b = 0; b < chosen.channels.size(); ++b) {
      opff::Window one = chosen.window;
      one.frames = {.start = chosen.frames[t], .extent = 1};
      one.channels = {.start = chosen.channels[b], .extent = 1};
      const MutableTensorView place = to.slice(0, t, 1).slice(1, b, 1);
      if (geometry.is_bitmap()) {
        SILLAR_TRY(const Tensor pixels, opff::unpack(file.view(), geometry, one, bit_order));
        copy(place, pixels.view());
      } else {
        copy(place, opff::select(file.view(), one));
      }
    }
  }
  return {};
}

[[nodiscard]] Result<Samples> read_canonical(const opff::File& file, const ReadRequest& request,
                                             const OpffParts& parts, const BeforeDecoding& before,
                                             const Limits& limits) {
  SILLAR_TRY(const Chosen chosen, chosen_of(request.selection, file.geometry()));
  SILLAR_TRY(const auto order, order_of(request.selection.axes));
  const Shape canonical = chosen.shape();
  Shape shape;
  for (const std::size_t axis : order) shape.push_back(canonical[axis]);
  const DType dtype = file.geometry().depth->dtype;
  SILLAR_TRY(before(dtype, shape));
  SILLAR_TRY(Tensor tensor, Tensor::allocate(dtype, shape, limits.output_bytes));
  std::array<std::size_t, 4> back{};
  for (std::size_t i = 0; i < order.size(); ++i) back[order[i]] = i;
  SILLAR_TRY(copy_planes(file, chosen, parts.bit_order, tensor.view().permuted(back)));
  return Samples{.tensor = std::move(tensor), .axes = request.selection.axes};
}

}  // namespace

Result<Description> describe_opff(const Input& input, Context& context) {
  SILLAR_TRY(const auto outline, opff::outline_of(*input.source, Context::control()));
  Description description;
  if (context.json()) {
    description.json = outline_json(input.path, outline);
  } else {
    description.text = outline_text(input.path, outline);
  }
  return description;
}

Result<Report> validate_opff(const Input& input, const ValidateRequest& request,
                             Context& /*context*/) {
  if (request.header_blob)
    return fail(Errc::bad_argument, "an OPFF file has no external header: no --header");
  return opff::validate(*input.source, {.footer = false, .control = Context::control()});
}

Result<Samples> read_opff(const Input& input, const ReadRequest& request,
                          const BeforeDecoding& before, Context& /*context*/) {
  const OpffParts& parts = request.opff;
  if (request.header_blob)
    return fail(Errc::bad_argument, "an OPFF file has no external header: no --header");
  const bool selects = !request.selection.selects_all() || request.selection.axes != canonical_axes;
  if (parts.footer) {
    if (parts.canonical || selects)
      return fail(Errc::bad_argument, "--footer reads the footer alone: nothing is selected");
    return in_source(read_footer(input, before), input.path);
  }
  opff::ReadOptions options;
  options.footer = false;
  options.control = Context::control();
  SILLAR_TRY(options.limits, Context::limits());
  SILLAR_TRY(const opff::File file, opff::read(*input.source, options));
  if (parts.canonical || selects)
    return in_source(read_canonical(file, request, parts, before, options.limits), input.path);
  SILLAR_TRY(before(DType::u8, Shape{file.payload().size()}));
  return bytes_of(file, file.payload());
}

}  // namespace sillar::cli
