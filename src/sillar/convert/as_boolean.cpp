// The bytes stay; only what they are called changes, once they were looked at.
#include <sillar/convert/as_boolean.hpp>

#include <string>
#include <utility>

namespace sillar::convert {
namespace {

class BooleanSource final : public RasterSource {
 public:
  explicit BooleanSource(std::unique_ptr<RasterSource> inner)
      : inner_(std::move(inner)), description_(inner_->description()) {
    description_.dtype = DType::boolean;
  }

  const RasterDescription& description() const override { return description_; }
  Grain grain() const override { return inner_->grain(); }
  bool concurrent() const override { return inner_->concurrent(); }

  Result<> read(const Region& region, const MutableTensorView& out,
                const std::stop_token& stop) override {
    SILLAR_TRY(inner_->read(
        region, MutableTensorView(out.data(), DType::u8, out.shape(), out.strides()), stop));
    const Strides& strides = out.strides();
    for (std::uint64_t time = 0; time < region.times; ++time) {
      for (std::uint64_t band = 0; band < region.bands; ++band) {
        for (std::uint64_t row = 0; row < region.rows; ++row) {
          const std::byte* sample = out.data() + static_cast<std::int64_t>(time) * strides[0] +
                                    static_cast<std::int64_t>(band) * strides[1] +
                                    static_cast<std::int64_t>(row) * strides[2];
          for (std::uint64_t col = 0; col < region.cols; ++col, sample += strides[3]) {
            if (*sample > std::byte{1}) return refuse(region, band, row, col, *sample);
          }
        }
      }
    }
    return {};
  }

 private:
  static std::unexpected<Error> refuse(const Region& region, std::uint64_t band, std::uint64_t row,
                                       std::uint64_t col, std::byte value) {
    return fail(Errc::bad_argument, "the sample in band " + std::to_string(region.band + band) +
                                        ", row " + std::to_string(region.row + row) + ", column " +
                                        std::to_string(region.col + col) + " is " +
                                        std::to_string(std::to_integer<int>(value)) +
                                        ", neither 0 nor 1");
  }

  std::unique_ptr<RasterSource> inner_;
  RasterDescription description_;
};

}  // namespace

Result<std::unique_ptr<RasterSource>> as_boolean(std::unique_ptr<RasterSource> source) {
  const DType dtype = source->description().dtype;
  if (dtype == DType::boolean) return source;
  if (dtype != DType::u8)
    return fail(Errc::bad_argument, "samples of " + std::string(name_of(dtype)) +
                                        " are not bool; samples are never cast");
  return std::make_unique<BooleanSource>(std::move(source));
}

}  // namespace sillar::convert
