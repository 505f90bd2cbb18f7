// Quantizers: samples are those of the formulas, rounded once; headers are judged.
#include "geozl_support.hpp"
#include <sillar/codec/geozl/quantizers.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace sillar::codec::geozl::testing {
namespace {

enum Type : unsigned { u8, u16, u32, u64, i8, i16, i32, i64, f16, f32, f64 };

constexpr unsigned nonnegative = 1;
constexpr unsigned values = 2;
constexpr unsigned binary32 = 4;

Bytes header(unsigned type, unsigned flags, double step) {
  return Header().u8(type).u8(flags).f64(step);
}

Bytes header(unsigned type, unsigned flags, double step, double offset) {
  return Header().u8(type).u8(flags).f64(step).f64(offset);
}

/// The number that a binary16 means.
double from_half(std::uint16_t half) {
  const int exponent = half >> 10 & 31;
  const int mantissa = half & 1023;
  const double size =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return (half & 0x8000) != 0 ? -size : size;
}

TEST(GeozlHalf, rounds_to_the_nearest_and_ties_away_from_zero) {
  constexpr std::uint16_t infinity = 0x7C00;
  for (std::uint16_t half = 0; half < infinity; ++half) {
    const double value = from_half(half);
    ASSERT_EQ(to_half(value), half);
    ASSERT_EQ(to_half(-value), half | 0x8000);
    const auto next = static_cast<std::uint16_t>(half + 1);
    const double middle = next == infinity ? 65520.0 : (value + from_half(next)) / 2;
    ASSERT_EQ(to_half(middle), next);
    ASSERT_EQ(to_half(-middle), next | 0x8000);
    ASSERT_EQ(to_half(std::nextafter(middle, 0.0)), half);
    ASSERT_EQ(to_half(std::nextafter(middle, 1e9)), next);
  }
  EXPECT_EQ(to_half(1e300), infinity);
  EXPECT_EQ(to_half(-std::numeric_limits<double>::infinity()), infinity | 0x8000);
  EXPECT_EQ(to_half(1e-300), 0);
  EXPECT_EQ(to_half(-1e-300), 0x8000);
}

TEST(GeozlExp2, is_a_power_of_two_within_a_few_units_of_the_last_place) {
  Random random(30);
  for (int n = -1022; n < 1024; ++n) EXPECT_EQ(exp2_exactly(n), std::ldexp(1.0, n));
  EXPECT_EQ(exp2_exactly(-1074.0), std::ldexp(1.0, -1074));
  EXPECT_EQ(exp2_exactly(-1200.0), 0.0);
  EXPECT_EQ(exp2_exactly(std::nan("")), 0.0);
  EXPECT_EQ(exp2_exactly(1024.0), std::numeric_limits<double>::infinity());
  for (int i = 0; i < 100000; ++i) {
    const double y = static_cast<double>(random.below(2'000'000'000)) / 1e6 - 1000.0;
    const long double right = std::exp2(static_cast<long double>(y));
    EXPECT_NEAR(static_cast<double>(exp2_exactly(y) / right), 1.0, 1e-15) << y;
  }
}

TEST(GeozlQuantLinear, multiplies_integers_exactly_and_saturates) {
  using U8 = std::vector<std::uint8_t>;
  EXPECT_EQ(decoded<std::uint8_t>("quant_linear", header(u8, 0, 4), {input_of(U8{0, 10, 63, 64})}),
            (U8{0, 40, 252, 255}));
  using I8 = std::vector<std::int8_t>;
  const I8 codes = {0, 5, -5, 42, 43, -42, -43, -128};
  EXPECT_EQ(decoded<std::int8_t>("quant_linear", header(i8, 0, 3), {input_of(codes)}),
            (I8{0, 15, -15, 126, 127, -126, -128, -128}));
  EXPECT_EQ(decoded<std::int8_t>("quant_linear", header(i8, nonnegative, 3), {input_of(codes)}),
            (I8{0, 15, 0, 126, 127, 0, 0, 0}));
  using I64 = std::vector<std::int64_t>;
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  const I64 wide = {0, 1, -1, 1'000'000'007, -3, least, most};
  EXPECT_EQ(decoded<std::int64_t>("quant_linear", header(i64, 0, 1), {input_of(wide)}), wide);
  EXPECT_EQ(decoded<std::int64_t>("quant_linear", header(i64, 0, 9007199254740993.0 * 512),
                                  {input_of(wide)}),
            (I64{0, 9007199254740992 * 512, -9007199254740992 * 512, most, least, least, most}));
  EXPECT_EQ(decoded<std::int64_t>("quant_linear", header(i64, 0, 1e300), {input_of(wide)}),
            (I64{0, most, least, most, least, least, most}));
  using U64 = std::vector<std::uint64_t>;
  constexpr auto top = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(decoded<std::uint64_t>("quant_linear", header(u64, 0, 0x1p32),
                                   {input_of(U64{0, 1, 0xFFFFFFFF, 0x100000000, top})}),
            (U64{0, 0x100000000, 0xFFFFFFFF00000000, top, top}));
}

TEST(GeozlQuantLinear, takes_values_as_they_are) {
  using U16 = std::vector<std::uint16_t>;
  const U16 words = {0, 7, 40000, 65535};
  EXPECT_EQ(decoded<std::uint16_t>("quant_linear", header(u16, values | nonnegative, 6),
                                   {input_of(words)}),
            words);
  using I16 = std::vector<std::int16_t>;
  const I16 numbers = {0, 7, -7, 2047, 2049, 2050, 2051, -32768};
  EXPECT_EQ(decoded<std::int16_t>("quant_linear", header(i16, values, 5), {input_of(numbers)}),
            numbers);
  EXPECT_EQ(decoded<std::int16_t>("quant_linear", header(i16, values | nonnegative, 5),
                                  {input_of(numbers)}),
            (I16{0, 7, 0, 2047, 2049, 2050, 2051, 0}));
  // binary16 has 11 bits: 2049 and 2051 lie in the middle.
  const auto halves =
      decoded<std::uint16_t>("quant_linear", header(f16, values, 1), {input_of(numbers)});
  ASSERT_TRUE(halves.has_value());
  std::vector<double> meant;
  for (const std::uint16_t half : *halves) meant.push_back(from_half(half));
  EXPECT_EQ(meant, (std::vector<double>{0, 7, -7, 2047, 2050, 2050, 2052, -32768}));
  using I32 = std::vector<std::int32_t>;
  EXPECT_EQ(decoded<float>("quant_linear", header(f32, values, 3),
                           {input_of(I32{1, -1, 16777217, 2147483647})}),
            (std::vector<float>{1, -1, 16777216, 2147483648.0F}));
  EXPECT_EQ(
      decoded<float>("quant_linear", header(f32, values | nonnegative, 3), {input_of(I32{1, -1})}),
      (std::vector<float>{1, 0}));
}

/// The distance to the next number away from zero.
long double unit(float value) {
  const float size = std::abs(value);
  return static_cast<long double>(std::nextafter(size, std::numeric_limits<float>::infinity())) -
         size;
}
long double unit(double value) {
  const double size = std::abs(value);
  return static_cast<long double>(std::nextafter(size, std::numeric_limits<double>::infinity())) -
         size;
}

template <class Float, class Code>
void expect_products(Random& random, unsigned type) {
  for (int round = 0; round < 50; ++round) {
    std::vector<Code> codes(200);
    for (Code& code : codes) code = static_cast<Code>(random.next() >> random.below(60));
    const double step = std::ldexp(static_cast<double>(random.next() >> 11),
                                   static_cast<int>(random.below(60)) - 90);
    if (step == 0.0) continue;
    const auto samples = decoded<Float>("quant_linear", header(type, 0, step), {input_of(codes)});
    ASSERT_TRUE(samples.has_value());
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const auto code = static_cast<double>(codes[i]);
      const long double right = static_cast<long double>(code) * step;
      const Float got = (*samples)[i];
      // One rounding, and a trace of the one before it and of this test's own.
      EXPECT_LE(std::abs(right - got), unit(got) * 0.501L) << codes[i] << " * " << step;
    }
  }
}

TEST(GeozlQuantLinear, rounds_products_to_the_nearest) {
  Random random(31);
  SCOPED_TRACE(random.trace());
  expect_products<float, std::int32_t>(random, f32);
  expect_products<double, std::int64_t>(random, f64);
}

TEST(GeozlQuantLinear, keeps_floating_point_samples_in_their_range) {
  using I32 = std::vector<std::int32_t>;
  constexpr float most = std::numeric_limits<float>::max();
  EXPECT_EQ(decoded<float>("quant_linear", header(f32, 0, 1e38), {input_of(I32{3, 4, -4, 0})}),
            (std::vector<float>{3e38F, most, -most, 0}));
  EXPECT_EQ(decoded<float>("quant_linear", header(f32, nonnegative, 0.5), {input_of(I32{3, -4})}),
            (std::vector<float>{1.5F, 0}));
  using I16 = std::vector<std::int16_t>;
  EXPECT_EQ(
      decoded<std::uint16_t>("quant_linear", header(f16, 0, 100), {input_of(I16{1000, -1000, 10})}),
      (std::vector<std::uint16_t>{0x7BFF, 0xFBFF, 0x63D0}));
}

TEST(GeozlQuantLog, has_steps_of_the_logarithm) {
  Random random(32);
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 50; ++round) {
    const double step = static_cast<double>(random.between(1, 1000)) / 4096;
    std::vector<std::int32_t> codes(300);
    const auto most = static_cast<std::uint64_t>(276 / step);
    for (auto& code : codes) {
      code = static_cast<std::int32_t>(random.between(0, most)) * (random.coin() ? 1 : -1);
    }
    const auto samples = decoded<float>("quant_log", header(f32, 0, step), {input_of(codes)});
    ASSERT_TRUE(samples.has_value());
    for (std::size_t i = 0; i < codes.size(); ++i) {
      if (codes[i] == 0) {
        EXPECT_EQ(std::bit_cast<std::uint32_t>((*samples)[i]), 0u);
        continue;
      }
      const long double size =
          std::exp2(-149.0L + static_cast<long double>(std::abs(codes[i]) - 1) * step);
      const long double right = codes[i] < 0 ? -size : size;
      EXPECT_LE(std::abs(right - (*samples)[i]), unit((*samples)[i]) * 0.500001L) << codes[i];
    }
  }
  using I64 = std::vector<std::int64_t>;
  // The least number, and the largest where the scale passes it.
  EXPECT_EQ(
      decoded<double>(
          "quant_log", header(f64, 0, 1.0),
          {input_of(I64{1, -1, 1075, 3000, -3000, std::numeric_limits<std::int64_t>::min()})}),
      (std::vector<double>{0x1p-1074, -0x1p-1074, 1.0, std::numeric_limits<double>::max(),
                           std::numeric_limits<double>::lowest(),
                           std::numeric_limits<double>::lowest()}));
  EXPECT_EQ(decoded<double>("quant_log", header(f64, nonnegative, 1.0), {input_of(I64{-1075, 1})}),
            (std::vector<double>{0.0, 0x1p-1074}));
  using I16 = std::vector<std::int16_t>;
  EXPECT_EQ(
      decoded<std::uint16_t>("quant_log", header(f16, 0, 1.0), {input_of(I16{1, 25, -26, 99})}),
      (std::vector<std::uint16_t>{0x0001, 0x3C00, 0xC000, 0x7BFF}));
}

TEST(GeozlQuantSqrt, squares_indices_in_double_and_in_single_precision) {
  Random random(33);
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 60; ++round) {
    const double step = static_cast<double>(random.between(1, 100000)) / 3000;
    const double offset = static_cast<double>(random.below(100000)) / 7;
    std::vector<std::uint32_t> codes(200);
    for (auto& code : codes) code = static_cast<std::uint32_t>(random.below(1 << 20));
    const auto of = [&](unsigned flags) {
      return decoded<float>("quant_sqrt", header(f32, flags, step, offset), {input_of(codes)});
    };
    const auto exact = of(0);
    const auto single = of(binary32);
    const auto floored = of(nonnegative);
    ASSERT_TRUE(exact && single && floored);
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const long double root = static_cast<long double>(codes[i]) * step;
      const long double right = root * root - offset;
      EXPECT_LE(std::abs(right - (*exact)[i]),
                unit((*exact)[i]) * 0.500001L + root * root * 1e-15L);
      EXPECT_LE(std::abs(right - (*single)[i]), (root * root + offset) * 4e-7L);
      EXPECT_EQ((*floored)[i], std::max((*exact)[i], 0.0F));
    }
  }
}

TEST(GeozlQuantSqrt, stops_indices_at_the_top) {
  // sqrt(255 + 1) / 1 = 16, so the top is 17.
  using U8 = std::vector<std::uint8_t>;
  EXPECT_EQ(decoded<std::uint8_t>("quant_sqrt", header(u8, nonnegative, 1, 1),
                                  {input_of(U8{0, 1, 5, 16, 17, 255})}),
            (U8{0, 0, 24, 255, 255, 255}));
  // sqrt(127 + 100) / 0.5 lies between 30 and 31; -1 is an index of 255.
  using I8 = std::vector<std::int8_t>;
  EXPECT_EQ(decoded<std::int8_t>("quant_sqrt", header(i8, 0, 0.5, 100),
                                 {input_of(I8{0, 20, 23, 31, 127, -1})}),
            (I8{-100, 0, 32, 127, 127, 127}));
  // Half a unit rounds away from zero: 5^2 * 0.25 - 0.75 = 5.5 and 1 * 0.25 - 0.75 = -0.5.
  EXPECT_EQ(decoded<std::int8_t>("quant_sqrt", header(i8, 0, 0.5, 0.75), {input_of(I8{5, 1, 0})}),
            (I8{6, -1, -1}));
  using I16 = std::vector<std::int16_t>;
  EXPECT_EQ(decoded<std::uint16_t>("quant_sqrt", header(f16, 0, 1, 0), {input_of(I16{3, -1})}),
            (std::vector<std::uint16_t>{0x4880, 0x7BFF}));
  using U64 = std::vector<std::uint64_t>;
  EXPECT_EQ(decoded<std::uint64_t>("quant_sqrt", header(u64, nonnegative, 1, 0),
                                   {input_of(U64{3, ~std::uint64_t{0}})}),
            (U64{9, 18446744073709549568U}));
  using I64 = std::vector<std::int64_t>;
  EXPECT_EQ(decoded<std::int64_t>("quant_sqrt", header(i64, 0, 1, 0), {input_of(I64{3, -1})}),
            (I64{9, 9223372036854774784}));
}

TEST(GeozlQuantSqrt, takes_values_as_they_are) {
  using I16 = std::vector<std::int16_t>;
  const I16 numbers = {0, 7, -7};
  // Integers are not floored.
  EXPECT_EQ(decoded<std::int16_t>("quant_sqrt", header(i16, values | nonnegative, 1, 0),
                                  {input_of(numbers)}),
            numbers);
  EXPECT_EQ(decoded<std::uint16_t>("quant_sqrt", header(f16, values | nonnegative, 1, 0),
                                   {input_of(numbers)}),
            (std::vector<std::uint16_t>{0, 0x4700, 0}));
}

TEST(GeozlQuantizers, refuse_headers_that_no_encoder_makes) {
  const std::vector<std::uint32_t> words = {1, 2};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::nan("");
  const auto accepts = [&](std::string_view name, const Bytes& bytes) {
    return decoded<std::uint32_t>(name, bytes, {input_of(words)}).has_value();
  };
  EXPECT_TRUE(accepts("quant_linear", header(f32, 0, 0.5)));
  EXPECT_TRUE(accepts("quant_linear", header(u32, values, 0.5)));
  EXPECT_FALSE(accepts("quant_linear", header(f32, values, 0.5)));
  EXPECT_FALSE(accepts("quant_linear", header(u32, 0, 0.5)));
  EXPECT_TRUE(accepts("quant_log", header(f32, 0, 0.5)));
  EXPECT_TRUE(accepts("quant_log", header(i32, values, 0.5)));
  EXPECT_FALSE(accepts("quant_log", header(i32, 0, 0.5)));
  for (const std::string_view name : {"quant_linear", "quant_log"}) {
    SCOPED_TRACE(name);
    EXPECT_FALSE(accepts(name, header(f32, 4, 1)));
    EXPECT_FALSE(accepts(name, header(f32, 128, 1)));
    EXPECT_FALSE(accepts(name, header(11, values, 1)));
    EXPECT_FALSE(accepts(name, header(f16, 0, 1)));
    EXPECT_FALSE(accepts(name, header(u64, values, 1)));
    for (const double step : {0.0, -1.0, infinity, nan}) {
      EXPECT_FALSE(accepts(name, header(f32, 0, step)));
    }
    EXPECT_FALSE(accepts(name, Header().u8(f32).u8(0).u32(0)));
    EXPECT_FALSE(accepts(name, header(f32, 0, 1, 0)));
    EXPECT_FALSE(accepts(name, {}));
  }
  EXPECT_FALSE(accepts("quant_linear", header(f32, 0, 0x1p-1023)));
  EXPECT_TRUE(accepts("quant_log", header(f32, 0, 0x1p-1023)));

  EXPECT_TRUE(accepts("quant_sqrt", header(f32, binary32, 0.5, 0)));
  EXPECT_FALSE(accepts("quant_sqrt", header(i32, binary32, 0.5, 0)));
  EXPECT_FALSE(accepts("quant_sqrt", header(f32, 8, 0.5, 0)));
  EXPECT_FALSE(accepts("quant_sqrt", header(f32, 0, 0.5)));
  for (const double step : {0.0, -1.0, 1e-160, infinity, nan}) {
    EXPECT_FALSE(accepts("quant_sqrt", header(f32, 0, step, 0)));
  }
  for (const double offset : {-1.0, infinity, nan}) {
    EXPECT_FALSE(accepts("quant_sqrt", header(f32, 0, 1, offset)));
  }
}

}  // namespace
}  // namespace sillar::codec::geozl::testing
