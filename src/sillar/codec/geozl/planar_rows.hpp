// Undoing the planar predictor over parts of a stream that need not end where rows end.
#pragma once

#include <sillar/codec/geozl/geometry.hpp>
#include <sillar/codec/geozl/row_sums.hpp>

#include <algorithm>
#include <cstddef>
#include <span>

namespace sillar::codec::geozl {

/// Takes the residuals of a stream in order, in parts of any size, and writes each sample once.
/// The difference to the row above is a running sum of residuals, so that is all there is to keep
/// between two parts.
template <class Kernels, Residuals Form, Word T>
class PlanarRows {
 public:
  /// `out` holds all samples of the stream.
  PlanarRows(const Geometry& geometry, std::span<T> out)
      : width_(geometry.width == 1 ? geometry.rows : geometry.width),
        plane_(geometry.plane_size()),
        out_(out) {}

  /// Precondition: no more residuals than samples are left.
  void take(std::span<const T> codes) {
    while (!codes.empty()) {
      const std::size_t count = std::min(codes.size(), width_ - column_);
      T* to = out_.data() + done_;
      const T* north = in_plane_ >= width_ ? to - width_ : nullptr;
      carry_ = Kernels::template running_sum<Form>(codes.data(), north, to, count, carry_);
      codes = codes.subspan(count);
      done_ += count;
      column_ += count;
      in_plane_ += count;
      if (column_ == width_) {
        column_ = 0;
        carry_ = 0;
        if (in_plane_ == plane_) in_plane_ = 0;
      }
    }
  }

 private:
  std::size_t width_;  // of a row; a plane of one column is one row, as up and left are then alike
  std::size_t plane_;
  std::span<T> out_;
  std::size_t done_ = 0;
  std::size_t in_plane_ = 0;
  std::size_t column_ = 0;
  T carry_ = 0;
};

}  // namespace sillar::codec::geozl
