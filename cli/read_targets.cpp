// What `read` can write: one row and one writer a target.
#include "cli/read_targets.hpp"

#include <sillar/convert/npy.hpp>
#include <sillar/look/quicklook.hpp>

#include <fmt/format.h>

#include <algorithm>
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

/// An npy file can hold the bytes of these types, but not say what they are.
[[nodiscard]] Result<> takes_npy(DType dtype, const Shape&) {
  constexpr std::array unknown_to_numpy = {DType::c32,        DType::bf16,       DType::f8_e4m3fn,
                                           DType::f8_e5m2,    DType::f8_e8m0fnu, DType::f8_e4m3fnuz,
                                           DType::f8_e5m2fnuz};
  if (std::ranges::find(unknown_to_numpy, dtype) == unknown_to_numpy.end()) return {};
  return fail(Errc::unsupported,
              fmt::format("an npy file cannot hold {}; --to raw writes its bytes", name_of(dtype)));
}

[[nodiscard]] Result<> write_npy(const Samples& samples, Output& output) {
  SILLAR_TRY(
      output.append(convert::make_npy_header(samples.tensor.dtype(), samples.tensor.shape())));
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
