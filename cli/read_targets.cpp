// What `read` can write: one row and one writer a target.
#include "cli/read_targets.hpp"

#include <sillar/look/quicklook.hpp>

#include <fmt/format.h>

#include <array>
#include <bit>
#include <string>

namespace sillar::cli {
namespace {

static_assert(std::endian::native == std::endian::little,
              "raw and npy are written from memory as it is");

[[nodiscard]] Result<> takes_all(DType, const Shape&) { return {}; }

[[nodiscard]] Result<> write_raw(const Samples& samples, Output& output) {
  return output.append(samples.tensor.bytes());
}

/// The type as NumPy's own files spell it; empty for types that NumPy does not have.
[[nodiscard]] std::string npy_descr(DType dtype) {
  const DTypeInfo& entry = info(dtype);
  switch (dtype) {
    case DType::boolean:
      return "|b1";
    case DType::u8:
    case DType::i8:
      return dtype == DType::u8 ? "|u1" : "|i1";
    case DType::u16:
    case DType::u32:
    case DType::u64:
      return fmt::format("<u{}", entry.size);
    case DType::i16:
    case DType::i32:
    case DType::i64:
      return fmt::format("<i{}", entry.size);
    case DType::f16:
    case DType::f32:
    case DType::f64:
      return fmt::format("<f{}", entry.size);
    case DType::c64:
    case DType::c128:
      return fmt::format("<c{}", entry.size);
    default:
      return {};
  }
}

[[nodiscard]] Result<> takes_npy(DType dtype, const Shape&) {
  if (!npy_descr(dtype).empty()) return {};
  return fail(Errc::unsupported,
              fmt::format("an npy file cannot hold {}; --to raw writes its bytes", name_of(dtype)));
}

/// The front of an npy file, version 1.0: magic, length, and a dictionary padded to 64 bytes.
[[nodiscard]] std::string npy_front(DType dtype, const Shape& shape) {
  constexpr std::string_view magic("\x93NUMPY\x01\x00", 8);
  constexpr std::size_t unit = 64;
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}",
                                 npy_descr(dtype), fmt::join(shape, ", "));
  const std::size_t used = magic.size() + 2 + text.size() + 1;
  text.append((unit - used % unit) % unit, ' ');
  text += '\n';
  std::string front(magic);
  front += static_cast<char>(text.size() & 0xFF);
  front += static_cast<char>(text.size() >> 8);
  return front + text;
}

[[nodiscard]] Result<> write_npy(const Samples& samples, Output& output) {
  const std::string front = npy_front(samples.tensor.dtype(), samples.tensor.shape());
  SILLAR_TRY(output.append(std::as_bytes(std::span(front))));
  return output.append(samples.tensor.bytes());
}

/// A picture of one time, and of one band or three (red, green, blue).
[[nodiscard]] Result<> write_png(const Samples& samples, Output& output) {
  std::array<std::size_t, 4> order{};
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = samples.axes.find("tbyx"[i]);
  const TensorView canonical = samples.tensor.view().permuted(order);
  if (canonical.extent(0) != 1) {
    return fail(Errc::bad_argument, "a picture has one time; choose it with --times");
  }
  SILLAR_TRY(const look::Picture picture, look::quicklook(canonical.at(0, 0)));
  SILLAR_TRY(const auto png, look::encode_png(picture));
  return output.append(png);
}

/// GeoTIFFs keep more than samples, so that `read` hands them on to `convert`.
[[nodiscard]] Result<> handed_on(const Samples&, Output&) {
  return fail(Errc::unsupported, "a GeoTIFF is written by convert");
}

constexpr std::array table = {
    ReadTarget{"raw", takes_all, write_raw},
    ReadTarget{"npy", takes_npy, write_npy},
    ReadTarget{"tif", takes_all, handed_on},
    ReadTarget{"png", takes_all, write_png},
};

}  // namespace

std::span<const ReadTarget> read_targets() { return table; }

}  // namespace sillar::cli
