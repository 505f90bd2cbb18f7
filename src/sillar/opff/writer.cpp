// Samples to bytes, piece by piece.
#include <sillar/opff/writer.hpp>

#include <sillar/opff/bit_planes.hpp>
#include <sillar/tensor/copy.hpp>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace sillar::opff {
namespace {

// Samples that have to be moved are gathered into pieces of about this size.
constexpr std::uint64_t piece_size = std::uint64_t{1} << 20;

[[nodiscard]] std::unexpected<Error> refuse(const Rule& rule, std::string detail) {
  return fail(rule, std::move(detail), {}, Errc::bad_argument);
}

/// The depth that samples of `dtype` are stored with.
[[nodiscard]] Result<const Depth*> depth_for(DType dtype, std::optional<std::uint8_t> wanted) {
  const std::string name(name_of(dtype));
  if (!wanted) {
    if (const Depth* depth = natural_depth(dtype)) return depth;
    return refuse(rules::write_dtype, name + " has no depth code of its own");
  }
  const Depth* depth = find_depth(*wanted);
  if (depth == nullptr)
    return refuse(rules::write_dtype, std::to_string(*wanted) + " is not a depth code");
  const bool is_complex = info(dtype).component_size != size_of(dtype);
  const bool fits =
      depth->size == 0 ? dtype == DType::boolean : depth->size == size_of(dtype) && !is_complex;
  if (fits) return depth;
  return refuse(rules::write_dtype, name + " cannot be stored as " + std::string(depth->name));
}

template <class Number>
void swap_each(std::span<std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Number)) {
    Number number = 0;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    number = std::byteswap(number);
    std::memcpy(bytes.data() + at, &number, sizeof number);
  }
}

/// Turns every element around; `element_size` is 2, 4 or 8.
void swap_bytes(std::span<std::byte> bytes, std::size_t element_size) {
  switch (element_size) {
    case 2:
      return swap_each<std::uint16_t>(bytes);
    case 4:
      return swap_each<std::uint32_t>(bytes);
    default:
      return swap_each<std::uint64_t>(bytes);
  }
}

/// Sends the elements of a view on, in C order. Views that are contiguous go as they are.
class Gatherer {
 public:
  Gatherer(bool swaps, const TakeBytes& take) : swaps_(swaps), take_(take) {}

  [[nodiscard]] Result<> send(const TensorView& view) {
    if (!swaps_ && view.contiguous()) return take_(view.bytes());
    const std::uint64_t size = view.byte_size();
    if (size <= piece_size) return gather(view);
    std::size_t axis = 0;
    while (view.extent(axis) == 1) ++axis;
    const std::uint64_t step = std::max<std::uint64_t>(1, piece_size / (size / view.extent(axis)));
    for (std::uint64_t start = 0; start < view.extent(axis); start += step) {
      const std::uint64_t extent = std::min(step, view.extent(axis) - start);
      SILLAR_TRY(send(view.slice(axis, start, extent)));
    }
    return {};
  }

 private:
  [[nodiscard]] Result<> gather(const TensorView& view) {
    if (!buffer_) buffer_ = std::make_unique_for_overwrite<std::byte[]>(piece_size);
    const MutableTensorView piece(buffer_.get(), view.dtype(), view.shape());
    copy(piece, view);
    if (swaps_) swap_bytes(piece.bytes(), size_of(view.dtype()));
    return take_(piece.bytes());
  }

  bool swaps_;
  const TakeBytes& take_;
  std::unique_ptr<std::byte[]> buffer_;
};

/// Booleans to packed planes. Pixels come in pieces of any size; bytes go as they are full.
class Packer {
 public:
  Packer(BitOrder order, const TakeBytes& take) : order_(order), take_(take) {}

  [[nodiscard]] Result<> take(std::span<const std::byte> pixels) {
    const auto stranger =
        std::ranges::find_if(pixels, [](auto pixel) { return pixel > std::byte{1}; });
    if (stranger != pixels.end()) {
      return refuse(rules::write_dtype,
                    "a boolean is " + std::to_string(std::to_integer<int>(*stranger)));
    }
    waiting_.insert(waiting_.end(), pixels.begin(), pixels.end());
    const std::size_t whole = waiting_.size() / 8;
    packed_.resize(whole);
    pack_bits(std::span(waiting_).first(whole * 8), order_, packed_);
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(whole * 8));
    return take_(packed_);
  }

 private:
  BitOrder order_;
  const TakeBytes& take_;
  std::vector<std::byte> waiting_;
  std::vector<std::byte> packed_;
};

[[nodiscard]] TensorView with_four_axes(TensorView view) {
  while (view.rank() < 4) view = view.with_axis(0);
  return view;
}

/// The axes in the order in which they are stored.
[[nodiscard]] TensorView in_stored_order(const TensorView& samples, Layout layout) {
  constexpr std::array<std::size_t, 4> planar = {0, 1, 2, 3};
  constexpr std::array<std::size_t, 4> interleaved = {0, 2, 3, 1};
  return samples.permuted(layout == Layout::planar ? planar : interleaved);
}

[[nodiscard]] Result<> check_letter(char letter) {
  if (is_letter(static_cast<std::uint8_t>(letter))) return {};
  return refuse(rules::magic, "the letter is byte " +
                                  std::to_string(static_cast<unsigned char>(letter)) +
                                  ", expected A to Z");
}

/// Header, what `put_payload` adds, footer.
template <class PutPayload>
[[nodiscard]] Result<> put_file(io::Sink& sink, const Geometry& geometry,
                                const WriteOptions& options, const PutPayload& put_payload) {
  const auto header = wire::store_record(header_of(geometry, options.letter, options.start_id));
  SILLAR_TRY(sink.append(header));
  SILLAR_TRY(put_payload([&](std::span<const std::byte> bytes) -> Result<> {
    SILLAR_TRY(options.control.check());
    return sink.append(bytes);
  }));
  if (!options.footer.empty()) SILLAR_TRY(sink.append(options.footer));
  return sink.finish();
}

/// `check` judges before the target is touched, then `put` fills a sink for it.
template <class Check, class Put>
[[nodiscard]] Result<> put_path(const std::string& path, io::FileSinkOptions options,
                                const Check& check, const Put& put) {
  SILLAR_TRY(check());
  SILLAR_TRY(const auto sink, io::create_file(path, options));
  return put(*sink);
}

[[nodiscard]] Result<> check_payload(const Geometry& geometry, std::span<const std::byte> payload,
                                     const WriteOptions& options) {
  SILLAR_TRY(check_letter(options.letter));
  SILLAR_TRY(check_geometry(geometry));
  if (const auto size = payload_size(geometry); payload.size() != size) {
    return refuse(rules::write_size, "there are " + std::to_string(payload.size()) +
                                         " bytes, expected " + std::to_string(size.value_or(0)));
  }
  return {};
}

[[nodiscard]] Result<> check_samples(const TensorView& samples, const WriteOptions& options) {
  SILLAR_TRY(check_letter(options.letter));
  SILLAR_TRY(geometry_for(samples.dtype(), samples.shape(), options.samples));
  return {};
}

}  // namespace

Result<Geometry> geometry_for(DType dtype, const Shape& shape, const SampleOptions& options) {
  if (shape.size() < 2 || shape.size() > 4) {
    return fail(Errc::bad_argument, "an array has 2 to 4 axes, (frame, channel, y, x); this has " +
                                        std::to_string(shape.size()));
  }
  Geometry geometry;
  SILLAR_TRY(geometry.depth, depth_for(dtype, options.depth));
  geometry.layout = options.layout;
  geometry.frames = shape.size() == 4 ? shape[0] : 1;
  geometry.channels = shape.size() >= 3 ? shape[shape.size() - 3] : 1;
  geometry.height = shape[shape.size() - 2];
  geometry.width = shape[shape.size() - 1];
  SILLAR_TRY(check_geometry(geometry));
  return geometry;
}

Result<> for_each_piece(const Geometry& geometry, const TensorView& samples,
                        const SampleOptions& options, const TakeBytes& take) {
  assert(samples.shape() == geometry.shape());
  const TensorView stored = in_stored_order(samples, geometry.layout);
  if (!geometry.is_bitmap()) {
    const bool swaps = options.byte_order != std::endian::little && size_of(samples.dtype()) > 1;
    return Gatherer(swaps, take).send(stored);
  }
  Packer packer(options.bit_order, take);
  const TakeBytes pack = [&](std::span<const std::byte> pixels) -> Result<> {
    while (!pixels.empty()) {
      const auto piece = pixels.first(std::min<std::size_t>(pixels.size(), piece_size));
      SILLAR_TRY(packer.take(piece));
      pixels = pixels.subspan(piece.size());
    }
    return {};
  };
  return Gatherer(false, pack).send(stored);
}

Result<> write(io::Sink& sink, const TensorView& samples, const WriteOptions& options) {
  SILLAR_TRY(check_letter(options.letter));
  SILLAR_TRY(const Geometry geometry,
             geometry_for(samples.dtype(), samples.shape(), options.samples));
  const TensorView whole = with_four_axes(samples);
  return put_file(sink, geometry, options, [&](const TakeBytes& take) {
    return for_each_piece(geometry, whole, options.samples, take);
  });
}

Result<> write(const std::string& path, const TensorView& samples, const WriteOptions& options,
               io::FileSinkOptions file) {
  return put_path(
      path, file, [&] { return check_samples(samples, options); },
      [&](io::Sink& sink) { return write(sink, samples, options); });
}

Result<> write_payload(io::Sink& sink, const Geometry& geometry, std::span<const std::byte> payload,
                       const WriteOptions& options) {
  SILLAR_TRY(check_payload(geometry, payload, options));
  return put_file(sink, geometry, options, [&](const TakeBytes& take) { return take(payload); });
}

Result<> write_payload(const std::string& path, const Geometry& geometry,
                       std::span<const std::byte> payload, const WriteOptions& options,
                       io::FileSinkOptions file) {
  return put_path(
      path, file, [&] { return check_payload(geometry, payload, options); },
      [&](io::Sink& sink) { return write_payload(sink, geometry, payload, options); });
}

}  // namespace sillar::opff
