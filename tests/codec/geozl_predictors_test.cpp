// Predictors: residuals made from their formulas decode to the samples.
#include "geozl_support.hpp"
#include <sillar/codec/geozl/row_sums.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>

namespace sillar::codec::geozl::testing {
namespace {

/// The neighbours of a sample; zero where there is none.
struct Around {
  std::uint64_t w, n, nw, ne, nn;
};

using Predict = std::function<std::uint64_t(const Around&)>;

std::uint64_t med(const Around& a) {
  if (a.nw >= std::max(a.w, a.n)) return std::min(a.w, a.n);
  if (a.nw <= std::min(a.w, a.n)) return std::max(a.w, a.n);
  return a.w + a.n - a.nw;
}

std::uint64_t average(const Around& a) { return (a.w >> 1) + (a.n >> 1) + (a.w & a.n & 1); }

template <class T>
T zigzag(T value) {
  using Signed = std::make_signed_t<T>;
  const auto sign = static_cast<T>(static_cast<Signed>(value) < 0 ? ~T{0} : T{0});
  return static_cast<T>(static_cast<T>(value << 1) ^ sign);
}

/// residual[i] = x[i] - P, plane by plane.
template <class T>
std::vector<T> residuals(const std::vector<T>& x, std::size_t w, std::size_t planes,
                         const Predict& predict) {
  std::vector<T> out(x.size());
  const std::size_t plane = x.size() / planes;
  for (std::size_t p = 0; p < planes; ++p) {
    const T* in = x.data() + p * plane;
    for (std::size_t i = 0; i < plane; ++i) {
      const std::size_t r = i / w;
      const std::size_t c = i % w;
      const Around around{.w = c > 0 ? in[i - 1] : T{0},
                          .n = r > 0 ? in[i - w] : T{0},
                          .nw = c > 0 && r > 0 ? in[i - w - 1] : T{0},
                          .ne = c + 1 < w && r > 0 ? in[i - w + 1] : T{0},
                          .nn = r > 1 ? in[i - 2 * w] : T{0}};
      out[p * plane + i] = static_cast<T>(in[i] - predict(around));
    }
  }
  return out;
}

struct Method {
  std::string_view name;
  bool zigzag;
  Predict predict;
};

std::vector<Method> methods() {
  const Predict planar = [](const Around& a) { return a.w + a.n - a.nw; };
  return {
      {"delta_w", false, [](const Around& a) { return a.w; }},
      {"delta_n", false, [](const Around& a) { return a.n; }},
      {"planar", false, planar},
      {"planar_zigzag", true, planar},
      {"med", false, med},
      {"med_zigzag", true, med},
      {"average", false, average},
  };
}

struct Extent {
  std::size_t w, rows, planes;
};

/// One row, one column, rows around the size of a vector, planes.
std::vector<Extent> extents(Random& random) {
  std::vector<Extent> list = {{1, 1, 1}, {1, 37, 1}, {300, 1, 1}, {2, 9, 1}, {3, 5, 3},
                              {1, 7, 4}, {64, 9, 2}, {33, 13, 1}, {5, 4, 1}, {4, 21, 2}};
  for (int i = 0; i < 12; ++i) {
    list.push_back({random.between(1, 140), random.between(1, 24), random.between(1, 3)});
  }
  return list;
}

TEST(GeozlPredictors, give_back_what_their_formulas_took) {
  Random random(1);
  SCOPED_TRACE(random.trace());
  for (const Extent& extent : extents(random)) {
    for_each_width([&](auto word) {
      using T = decltype(word);
      const auto x = random_words<T>(random, extent.w * extent.rows * extent.planes);
      for (const Method& method : methods()) {
        SCOPED_TRACE(std::string(method.name) + " " + std::to_string(sizeof(T)) + " " +
                     std::to_string(extent.w) + "x" + std::to_string(extent.rows) + "x" +
                     std::to_string(extent.planes));
        auto codes = residuals(x, extent.w, extent.planes, method.predict);
        if (method.zigzag) std::ranges::transform(codes, codes.begin(), zigzag<T>);
        EXPECT_EQ(decoded<T>(method.name, geometry(extent.w, extent.planes), {input_of(codes)}), x);
      }
    });
  }
}

TEST(GeozlPredictors, weigh_by_any_coefficients_and_shift) {
  Random random(2);
  SCOPED_TRACE(random.trace());
  for (const Extent& extent : extents(random)) {
    for_each_width([&](auto word) {
      using T = decltype(word);
      const auto x = random_words<T>(random, extent.w * extent.rows * extent.planes);
      for (const unsigned shift : {0u, 1u, 8u, 16u, 17u, 31u, 32u, 63u}) {
        std::array<std::int16_t, 4> c;
        for (auto& k : c) {
          k = static_cast<std::int16_t>(random.coin() ? random.next() : random.below(7) - 3);
        }
        const auto term = [](std::int16_t k, std::uint64_t sample) {
          return static_cast<std::uint64_t>(std::int64_t{k}) * sample;
        };
        const Predict predict = [&](const Around& a) {
          const std::uint64_t round = shift > 0 ? std::uint64_t{1} << (shift - 1) : 0;
          const std::uint64_t sum =
              term(c[0], a.n) + term(c[1], a.nw) + term(c[2], a.ne) + term(c[3], a.nn) + round;
          return a.w + static_cast<std::uint64_t>(static_cast<std::int64_t>(sum) >> shift);
        };
        Header header;
        header.u32(extent.w).u8(shift).add(c[0]).add(c[1]).add(c[2]).add(c[3]);
        if (extent.planes > 1) header.u32(extent.planes);
        const auto codes = residuals(x, extent.w, extent.planes, predict);
        EXPECT_EQ(decoded<T>("wp_static", header, {input_of(codes)}), x)
            << sizeof(T) << " shift " << shift;
      }
    });
  }
}

TEST(GeozlPredictors, follow_examples_worked_by_hand) {
  using U8 = std::vector<std::uint8_t>;
  // Rows of 3. Row 0 is 10 12 15; each later row is worked out from the table of predictions.
  EXPECT_EQ(decoded<std::uint8_t>("delta_w", geometry(3), {input_of(U8{10, 2, 3, 11, 255, 0})}),
            (U8{10, 12, 15, 11, 10, 10}));
  EXPECT_EQ(decoded<std::uint8_t>("delta_n", geometry(3), {input_of(U8{10, 12, 15, 1, 254, 0})}),
            (U8{10, 12, 15, 11, 10, 15}));
  EXPECT_EQ(decoded<std::uint8_t>("planar", geometry(3), {input_of(U8{10, 2, 3, 1, 0, 255})}),
            (U8{10, 12, 15, 11, 13, 15}));
  // Codes 0 1 2 3 are 0 -1 1 -2.
  EXPECT_EQ(decoded<std::uint8_t>("planar_zigzag", geometry(3), {input_of(U8{20, 4, 6, 2, 0, 1})}),
            (U8{10, 12, 15, 11, 13, 15}));
  // W 9 and N 12 with NW 10 between them: 11; with NW above both: 9; with NW below both: 12.
  EXPECT_EQ(decoded<std::uint8_t>("med", geometry(2), {input_of(U8{10, 2, 255, 0})}),
            (U8{10, 12, 9, 11}));
  EXPECT_EQ(decoded<std::uint8_t>("med", geometry(2), {input_of(U8{20, 248, 245, 0})}),
            (U8{20, 12, 9, 9}));
  EXPECT_EQ(decoded<std::uint8_t>("med", geometry(2), {input_of(U8{5, 7, 4, 0})}),
            (U8{5, 12, 9, 12}));
  // (3 + 4) / 2 = 3, and (255 + 255) / 2 does not overflow.
  EXPECT_EQ(decoded<std::uint8_t>("average", geometry(2), {input_of(U8{4, 2, 1, 0})}),
            (U8{4, 4, 3, 3}));
  EXPECT_EQ(decoded<std::uint8_t>("average", geometry(2), {input_of(U8{255, 128, 128, 0})}),
            (U8{255, 255, 255, 255}));
}

TEST(GeozlPredictors, refuse_shapes_that_do_not_fit) {
  const std::vector<std::uint16_t> words(12);
  const std::vector<std::string_view> names = {"delta_w", "delta_n",       "planar",    "med",
                                               "average", "planar_zigzag", "med_zigzag"};
  for (const std::string_view name : names) {
    SCOPED_TRACE(name);
    const auto accepts = [&](const Bytes& header, const std::vector<std::uint16_t>& in) {
      return decoded<std::uint16_t>(name, header, {input_of(in)}).has_value();
    };
    EXPECT_TRUE(accepts(geometry(4), words));
    EXPECT_TRUE(accepts(geometry(4, 3), words));
    EXPECT_TRUE(accepts(geometry(7, 5), {}));
    EXPECT_FALSE(accepts(geometry(0), words));
    EXPECT_FALSE(accepts(geometry(4, 0), words));
    EXPECT_FALSE(accepts(geometry(0), {}));
    EXPECT_FALSE(accepts(geometry(5), words));
    EXPECT_FALSE(accepts(geometry(13), words));
    EXPECT_FALSE(accepts(geometry(4, 5), words));
    EXPECT_FALSE(accepts(geometry(12, 2), words));
    EXPECT_FALSE(accepts(geometry(0xFFFFFFFF, 0xFFFFFFFF), words));
    EXPECT_FALSE(accepts({}, words));
    EXPECT_FALSE(accepts(from_hex("040000"), words));
    EXPECT_FALSE(accepts(from_hex("0400000001"), words));
    EXPECT_FALSE(accepts(from_hex("040000000100000000"), words));
  }
  const auto weighted = [&](const Bytes& header) {
    return decoded<std::uint16_t>("wp_static", header, {input_of(words)}).has_value();
  };
  EXPECT_TRUE(weighted(from_hex("04000000 00 0100 ffff 0000 0000")));
  EXPECT_TRUE(weighted(from_hex("04000000 3f 0100 ffff 0000 0000 03000000")));
  EXPECT_FALSE(weighted(from_hex("04000000 40 0100 ffff 0000 0000")));
  EXPECT_FALSE(weighted(from_hex("00000000 00 0100 ffff 0000 0000")));
  EXPECT_FALSE(weighted(from_hex("04000000 00 0100 ffff 0000 0000 00000000")));
  EXPECT_FALSE(weighted(from_hex("04000000 00 0100 ffff 0000")));
  EXPECT_FALSE(weighted(from_hex("04000000 00 0100 ffff 0000 0000 0300")));
}

TEST(GeozlPredictors, ask_for_no_more_than_the_ceiling) {
  const std::vector<std::uint32_t> words(16);
  for (const Method& method : methods()) {
    EXPECT_TRUE(decoded<std::uint32_t>(method.name, geometry(4), {input_of(words)}, 64));
    EXPECT_FALSE(decoded<std::uint32_t>(method.name, geometry(4), {input_of(words)}, 63));
  }
}

/// Every kernel for AVX2 gives what the one for any processor gives, at every size and alignment.
TEST(GeozlRowSums, are_alike_on_every_processor) {
  if (!has_avx2()) GTEST_SKIP() << "no AVX2";
  Random random(3);
  SCOPED_TRACE(random.trace());
  for_each_width([&](auto word) {
    using T = decltype(word);
    for (std::size_t count = 0; count < 100; ++count) {
      const auto codes = random_words<T>(random, count + 3);
      const auto north = random_words<T>(random, count + 3);
      const T carry = static_cast<T>(random.next());
      const std::size_t skip = random.below(3);
      const auto run = [&](auto kernels, int what) {
        std::vector<T> out(count + 3, T{77});
        const T* from = codes.data() + skip;
        const T* above = north.data() + 3 - skip;
        T* to = out.data() + 1;
        constexpr auto plain = Residuals::plain;
        constexpr auto zig = Residuals::zigzag;
        using Kernels = decltype(kernels);
        T last = 0;
        switch (what) {
          case 0:
            last = Kernels::template running_sum<plain>(from, static_cast<const T*>(nullptr), to,
                                                        count, carry);
            break;
          case 1:
            last = Kernels::template running_sum<zig>(from, above, to, count, carry);
            break;
          case 2:
            last = Kernels::template running_sum<plain>(from, above, to, count, carry);
            break;
          case 3:
            Kernels::add(from, above, to, count);
            break;
          default:
            Kernels::template copy<zig>(from, to, count);
        }
        out.push_back(last);
        return out;
      };
      for (int what = 0; what < 5; ++what) {
        EXPECT_EQ(run(Avx2{}, what), run(Portable{}, what)) << what << " " << count;
      }
    }
  });
}

}  // namespace
}  // namespace sillar::codec::geozl::testing
