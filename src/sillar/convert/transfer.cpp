// A piece is grown from the target's grain until the source's fits in.
#include <sillar/convert/transfer.hpp>

#include <sillar/base/checked.hpp>
#include <sillar/tensor/tensor.hpp>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace sillar::convert {
namespace {

/// Columns or rows of the least multiple of `target` that covers `source`, cut at `extent`.
[[nodiscard]] std::uint64_t covering(std::uint64_t target, std::uint64_t source,
                                     std::uint64_t extent) {
  return std::min(ceil_div(std::max(source, target), target) * target, extent);
}

[[nodiscard]] std::uint64_t bytes_of(const Region& region, DType dtype) {
  return checked_mul(
             checked_mul(region.times, region.bands, region.rows, region.cols).value_or(UINT64_MAX),
             std::uint64_t{size_of(dtype)})
      .value_or(UINT64_MAX);
}

}  // namespace

Pieces::Pieces(const RasterDescription& raster, Grain source, Grain target,
               std::uint64_t piece_bytes, PieceShape shape)
    : shape_(raster.shape()) {
  extent_.rows = std::min(target.rows, raster.rows);
  extent_.cols = std::min(target.cols, raster.cols);
  if (target.all_planes) {
    extent_.times = raster.times;
    extent_.bands = raster.bands;
  }
  const auto grow = [&](auto&& change) {
    Region wider = extent_;
    change(wider);
    if (bytes_of(wider, raster.dtype) <= piece_bytes) extent_ = wider;
  };
  const auto all_planes = [&](Region& wider) {
    wider.times = raster.times;
    wider.bands = raster.bands;
  };
  // What the source decodes at once comes first; planes that lie together before rows that do.
  if (source.all_planes) grow(all_planes);
  grow([&](Region& wider) { wider.cols = covering(target.cols, source.cols, raster.cols); });
  grow([&](Region& wider) { wider.rows = covering(target.rows, source.rows, raster.rows); });
  if (shape == PieceShape::wide) {
    const std::uint64_t now = std::max<std::uint64_t>(bytes_of(extent_, raster.dtype), 1);
    grow([&](Region& wider) {
      const std::uint64_t times = std::min(piece_bytes / now, ceil_div(raster.cols, extent_.cols));
      wider.cols = std::min(extent_.cols * std::max<std::uint64_t>(times, 1), raster.cols);
    });
  }
  if (extent_.cols == raster.cols) {
    // Thin rows (an array that has no tiles) are moved many at a time.
    constexpr std::uint64_t few_bytes = std::uint64_t{4} << 20;
    const std::uint64_t now = std::max<std::uint64_t>(bytes_of(extent_, raster.dtype), 1);
    if (now < few_bytes) {
      grow([&](Region& wider) {
        wider.rows = covering(target.rows, extent_.rows * (few_bytes / now), raster.rows);
      });
    }
  }
  // All planes of a place, or whole bands, or one plane: frames then come in the order of the file.
  grow([&](Region& wider) { wider.times = raster.times; });
  grow(all_planes);
  down_ = ceil_div(raster.rows, extent_.rows);
  across_ = ceil_div(raster.cols, extent_.cols);
  band_groups_ = ceil_div(raster.bands, extent_.bands);
  plane_groups_ = band_groups_ * ceil_div(raster.times, extent_.times);
}

Region Pieces::at(std::uint64_t index) const {
  Region region = extent_;
  const std::uint64_t group = index % plane_groups_;
  const std::uint64_t place = index / plane_groups_;
  region.time = group / band_groups_ * extent_.times;
  region.band = group % band_groups_ * extent_.bands;
  region.row = place / across_ * extent_.rows;
  region.col = place % across_ * extent_.cols;
  region.times = std::min(extent_.times, shape_[0] - region.time);
  region.bands = std::min(extent_.bands, shape_[1] - region.band);
  region.rows = std::min(extent_.rows, shape_[2] - region.row);
  region.cols = std::min(extent_.cols, shape_[3] - region.col);
  return region;
}

Result<> transfer(RasterSource& source, RasterTarget& target, const TransferOptions& options) {
  const RasterDescription& raster = source.description();
  const Pieces pieces(raster, source.grain(), target.grain(), options.piece_bytes,
                      target.concurrent() ? PieceShape::compact : PieceShape::wide);
  const auto plane_bytes =
      checked_mul(raster.rows, raster.cols, std::uint64_t{size_of(raster.dtype)});
  const std::uint64_t total =
      checked_mul(plane_bytes.value_or(0), raster.times, raster.bands).value_or(UINT64_MAX);

  std::mutex source_mutex;
  std::mutex target_mutex;
  std::mutex progress_mutex;
  std::uint64_t done = 0;
  exec::Pool* const pool = target.concurrent() ? options.pool : nullptr;
  std::vector<Tensor> buffers(pool == nullptr ? 1 : pool->threads());

  return exec::for_each(pool, pieces.count(),
                        [&](std::uint64_t index, std::size_t worker) -> Result<> {
                          SILLAR_TRY(options.control.check());
                          const Region region = pieces.at(index);
                          Tensor& buffer = buffers[worker];
                          if (buffer.shape() != region.shape()) {
                            buffer = Tensor{};  // the old memory goes before the next is asked for
                            SILLAR_TRY(buffer, Tensor::allocate(raster.dtype, region.shape()));
                          }
                          {
                            std::unique_lock lock(source_mutex, std::defer_lock);
                            if (!source.concurrent()) lock.lock();
                            SILLAR_TRY(source.read(region, buffer.view(), options.control.stop));
                          }
                          {
                            std::unique_lock lock(target_mutex, std::defer_lock);
                            if (!target.concurrent()) lock.lock();
                            SILLAR_TRY(target.put(region, buffer.view()));
                          }
                          if (options.progress) {
                            const std::scoped_lock lock(progress_mutex);
                            done += bytes_of(region, raster.dtype);
                            options.progress(done, total);
                          }
                          return {};
                        });
}

}  // namespace sillar::convert
