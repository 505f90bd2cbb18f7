#include <sillar/codec/geozl/predictors.hpp>

#include <sillar/codec/geozl/geometry.hpp>
#include <sillar/codec/geozl/row_sums.hpp>

#include <algorithm>
#include <array>
#include <type_traits>

namespace sillar::codec::geozl {
namespace {

/// The middle of west, north and the plane through all three: the smaller one of west and north
/// above an edge, the larger one below it.
struct Med {
  template <Word T>
  static T predict(T west, T north, T north_west) {
    const T low = std::min(west, north);
    const T high = std::max(west, north);
    // Both ends are taken where north_west leaves the range.
    const T corner = std::max(low, std::min(high, north_west));
    return static_cast<T>(west + north - corner);
  }
};

struct Average {
  template <Word T>
  static T predict(T west, T north, T /*north_west*/) {
    return static_cast<T>((west >> 1) + (north >> 1) + (west & north & 1));
  }
};

/// Rows that are undone together. A sample waits for its left neighbour, but not for the row below
/// it: row k runs k columns behind row 0, so that the waits of different rows overlap.
constexpr std::size_t band = 4;

template <class Predictor, Residuals Form, Word T>
class Rows {
 public:
  Rows(std::size_t width, const T* codes, T* out) : width_(width), codes_(codes), out_(out) {}

  /// Undoes the sample at `column` of `row`. The row has one above it where `HasNorth`.
  template <bool HasNorth>
  void sample(std::size_t row, std::size_t column) {
    const std::size_t at = row * width_ + column;
    const T west = column > 0 ? out_[at - 1] : T{0};
    const T north = HasNorth ? out_[at - width_] : T{0};
    const T corner = HasNorth && column > 0 ? out_[at - width_ - 1] : T{0};
    out_[at] = static_cast<T>(residual<Form>(codes_[at]) + Predictor::predict(west, north, corner));
  }

  template <bool HasNorth>
  void row(std::size_t index) {
    for (std::size_t column = 0; column < width_; ++column) sample<HasNorth>(index, column);
  }

  /// `band` rows from `first` on, all of which have one above. Precondition: width >= band.
  void rows(std::size_t first) {
    for (std::size_t k = 0; k + 1 < band; ++k) {
      for (std::size_t column = 0; column + k + 1 < band; ++column) sample<true>(first + k, column);
    }
    together(first);
    for (std::size_t k = 1; k < band; ++k) {
      for (std::size_t column = width_ - k; column < width_; ++column) {
        sample<true>(first + k, column);
      }
    }
  }

 private:
  /// The part in which every row of the band has a sample to undo.
  void together(std::size_t first) {
    std::array<const T*, band> codes;
    std::array<T*, band> out;
    std::array<T, band> west;
    std::array<T, band> corner;
    for (std::size_t k = 0; k < band; ++k) {
      const std::size_t at = (first + k) * width_ + (band - 1 - k);
      const bool inside = band - 1 - k > 0;
      codes[k] = codes_ + at;
      out[k] = out_ + at;
      west[k] = inside ? out_[at - 1] : T{0};
      corner[k] = inside ? out_[at - width_ - 1] : T{0};
    }
    const T* above = out[0] - width_;
    for (std::size_t i = 0; i < width_ - (band - 1); ++i) {
      // Row k needs what row k - 1 undid one step ago.
      std::array<T, band> north;
      north[0] = above[i];
      for (std::size_t k = 1; k < band; ++k) north[k] = west[k - 1];
      for (std::size_t k = 0; k < band; ++k) {
        const T value = static_cast<T>(residual<Form>(codes[k][i]) +
                                       Predictor::predict(west[k], north[k], corner[k]));
        out[k][i] = value;
        corner[k] = north[k];
        west[k] = value;
      }
    }
  }

  std::size_t width_;
  const T* codes_;
  T* out_;
};

template <class Predictor, Residuals Form, Word T>
void undo_plane(std::size_t width, std::size_t count, const T* codes, T* out) {
  Rows<Predictor, Form, T> plane(width, codes, out);
  if (count == 0) return;
  plane.template row<false>(0);
  std::size_t next = 1;
  if (width >= band) {
    for (; next + band <= count; next += band) plane.rows(next);
  }
  for (; next < count; ++next) plane.template row<true>(next);
}

template <class Predictor, Residuals Form>
Result<> undo(std::span<const std::byte> header, const Input& input, Output& out) {
  SILLAR_TRY(const Geometry geometry, read_geometry(header, input.count()));
  SILLAR_TRY(const auto memory, out.words(input.count(), input.width));
  return with_word(input.width, [&](auto word) -> Result<> {
    using T = decltype(word);
    const T* codes = words_of<T>(input).data();
    T* samples = words_of<T>(memory).data();
    for (std::size_t plane = 0; plane < geometry.planes; ++plane) {
      const std::size_t at = plane * geometry.plane_size();
      undo_plane<Predictor, Form>(geometry.width, geometry.rows, codes + at, samples + at);
    }
    return {};
  });
}

struct Weights {
  unsigned shift = 0;
  std::int16_t north = 0, north_west = 0, north_east = 0, north_2 = 0;
};

/// The weighted sum, modulo the width of `Sum`, for the columns from 1 to width - 2.
///
/// `north_2` is null in the second row.
template <class Sum, Word T>
class WeightedSum {
 public:
  explicit WeightedSum(const Weights& weights)
      : shift_(weights.shift),
        round_(weights.shift > 0 ? Sum{1} << (weights.shift - 1) : Sum{0}),
        north_(extended(weights.north)),
        north_west_(extended(weights.north_west)),
        north_east_(extended(weights.north_east)),
        north_2_(extended(weights.north_2)) {}

  [[nodiscard]] T operator()(T north, T north_west, T north_east, T north_2) const {
    const Sum sum =
        static_cast<Sum>(north_ * Sum{north} + north_west_ * Sum{north_west} +
                         north_east_ * Sum{north_east} + north_2_ * Sum{north_2} + round_);
    return static_cast<T>(static_cast<std::make_signed_t<Sum>>(sum) >> shift_);
  }

 private:
  static Sum extended(std::int16_t weight) {
    return static_cast<Sum>(static_cast<std::make_signed_t<Sum>>(weight));
  }

  unsigned shift_;
  Sum round_, north_, north_west_, north_east_, north_2_;
};

/// out[i] = codes[i] + the weighted sum at column i of a row with one above it. `north` is that
/// row, `north_2` the one above that or null.
template <class Sum, Word T>
void add_weighted(const WeightedSum<Sum, T>& weigh, const T* codes, const T* north,
                  const T* north_2, T* out, std::size_t width) {
  const auto at = [&](std::size_t i) {
    const T west = i > 0 ? north[i - 1] : T{0};
    const T east = i + 1 < width ? north[i + 1] : T{0};
    return weigh(north[i], west, east, north_2 != nullptr ? north_2[i] : T{0});
  };
  out[0] = static_cast<T>(codes[0] + at(0));
  const std::size_t last = width - 1;
  if (north_2 != nullptr) {
    for (std::size_t i = 1; i < last; ++i) {
      out[i] = static_cast<T>(codes[i] + weigh(north[i], north[i - 1], north[i + 1], north_2[i]));
    }
  } else {
    for (std::size_t i = 1; i < last; ++i) {
      out[i] = static_cast<T>(codes[i] + weigh(north[i], north[i - 1], north[i + 1], T{0}));
    }
  }
  if (last > 0) out[last] = static_cast<T>(codes[last] + at(last));
}

template <class Sum, Word T>
void undo_weighted(const Geometry& geometry, const Weights& weights, const T* codes, T* out) {
  const WeightedSum<Sum, T> weigh(weights);
  const std::size_t width = geometry.width;
  with_kernels([&](auto kernels) {
    for (std::size_t plane = 0; plane < geometry.planes; ++plane) {
      for (std::size_t row = 0; row < geometry.rows; ++row, codes += width, out += width) {
        const T* from = codes;
        if (row > 0) {
          const T* north_2 = row > 1 ? out - 2 * width : nullptr;
          add_weighted<Sum, T>(weigh, codes, out - width, north_2, out, width);
          from = out;
        }
        kernels.template running_sum<Residuals::plain>(from, static_cast<const T*>(nullptr), out,
                                                       width, T{0});
      }
    }
  });
}

}  // namespace

Result<> decode_med(std::span<const std::byte> header, std::span<const Input> inputs, Output& out) {
  return undo<Med, Residuals::plain>(header, inputs[0], out);
}

Result<> decode_med_zigzag(std::span<const std::byte> header, std::span<const Input> inputs,
                           Output& out) {
  return undo<Med, Residuals::zigzag>(header, inputs[0], out);
}

Result<> decode_average(std::span<const std::byte> header, std::span<const Input> inputs,
                        Output& out) {
  return undo<Average, Residuals::plain>(header, inputs[0], out);
}

Result<> decode_wp_static(std::span<const std::byte> header, std::span<const Input> inputs,
                          Output& out) {
  constexpr std::size_t size = 13;
  if (header.size() != size && header.size() != size + 4) {
    return corrupt("a header of another size");
  }
  const Input& input = inputs[0];
  HeaderReader fields(header);
  const auto width = fields.take<std::uint32_t>();
  Weights weights;
  weights.shift = fields.take<std::uint8_t>();
  weights.north = fields.take<std::int16_t>();
  weights.north_west = fields.take<std::int16_t>();
  weights.north_east = fields.take<std::int16_t>();
  weights.north_2 = fields.take<std::int16_t>();
  const auto planes = header.size() > size ? fields.take<std::uint32_t>() : 1;
  if (weights.shift >= 64) return corrupt("a weighted sum shifted by 64 bits or more");
  SILLAR_TRY(const Geometry geometry, make_geometry(width, planes, input.count()));
  SILLAR_TRY(const auto memory, out.words(input.count(), input.width));
  return with_word(input.width, [&](auto word) -> Result<> {
    using T = decltype(word);
    const T* codes = words_of<T>(input).data();
    T* samples = words_of<T>(memory).data();
    if constexpr (sizeof(T) <= 2) {
      // Bits below 32 decide narrow samples.
      if (weights.shift <= 16) {
        undo_weighted<std::uint32_t>(geometry, weights, codes, samples);
        return {};
      }
    }
    undo_weighted<std::uint64_t>(geometry, weights, codes, samples);
    return {};
  });
}

}  // namespace sillar::codec::geozl
