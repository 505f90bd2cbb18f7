#include <sillar/codec/geozl/quantizers.hpp>

#include <sillar/codec/geozl/words.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>

namespace sillar::codec::geozl {

std::uint16_t to_half(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 48 & 0x8000);
  const double size = std::abs(value);
  const auto signed_bits = [sign](std::uint64_t half) {
    return static_cast<std::uint16_t>(sign | half);
  };
  if (std::isnan(value)) return signed_bits(0x7E00);
  if (size < 0x1p-14) {
    // Multiples of 2^-24, of which the 1024th is the least normal number.
    return signed_bits(static_cast<std::uint64_t>(std::round(size * 0x1p24)));
  }
  if (size >= 65520.0) return signed_bits(0x7C00);
  // Half of the last bit that stays is added to what goes; a carry ends in the exponent.
  const std::uint64_t mantissa_and_exponent =
      (bits & ~(std::uint64_t{1} << 63)) + (std::uint64_t{1} << 41);
  return signed_bits((mantissa_and_exponent >> 42) - (std::uint64_t{1023 - 15} << 10));
}

double exp2_exactly(double y) {
  // 1/13! down to 1/0!.
  constexpr std::array coefficients = {1.6059043836821614599e-10,
                                       2.0876756987868098979e-9,
                                       2.5052108385441718775e-8,
                                       2.7557319223985890653e-7,
                                       2.7557319223985890653e-6,
                                       2.4801587301587301587e-5,
                                       1.9841269841269841270e-4,
                                       1.3888888888888888889e-3,
                                       8.3333333333333333333e-3,
                                       4.1666666666666666667e-2,
                                       1.6666666666666666667e-1,
                                       0.5,
                                       1.0,
                                       1.0};
  if (std::isnan(y) || y <= -1200.0) return 0.0;
  if (y >= 1024.0) return std::numeric_limits<double>::infinity();
  const double whole = std::round(y);
  const double g = (y - whole) * 0.69314718055994530942;
  double power = coefficients[0];
  for (std::size_t i = 1; i < coefficients.size(); ++i) power = power * g + coefficients[i];
  int n = static_cast<int>(whole);
  for (; n > 1023; n -= 1023) power *= 8.98846567431158e307;
  for (; n < -1022; n += 1022) power *= 2.2250738585072014e-308;
  return power * std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52);
}

namespace {

/// binary16, which the language does not have here.
struct Half {
  std::uint16_t bits;
};

template <class Sample>
constexpr bool is_float =
    std::same_as<Sample, Half> || std::same_as<Sample, float> || std::same_as<Sample, double>;

/// The least and the largest finite number of a type, as a double.
struct Range {
  double low, high;
};

template <class Sample>
constexpr Range range_of() {
  if constexpr (std::same_as<Sample, Half>) {
    return {-65504.0, 65504.0};
  } else if constexpr (is_float<Sample>) {
    return {std::numeric_limits<Sample>::lowest(), std::numeric_limits<Sample>::max()};
  } else if constexpr (std::same_as<Sample, std::uint64_t>) {
    return {0.0, 18446744073709549568.0};
  } else if constexpr (std::same_as<Sample, std::int64_t>) {
    return {-9223372036854775808.0, 9223372036854774784.0};
  } else {
    return {static_cast<double>(std::numeric_limits<Sample>::min()),
            static_cast<double>(std::numeric_limits<Sample>::max())};
  }
}

/// `value` in the floating-point type of the samples, as a raw word.
template <class Sample>
wire::Bits<sizeof(Sample)> rounded(double value) {
  if constexpr (std::same_as<Sample, Half>) {
    return to_half(value);
  } else {
    return std::bit_cast<wire::Bits<sizeof(Sample)>>(static_cast<Sample>(value));
  }
}

/// A whole number in that type, rounded once.
template <class Sample>
wire::Bits<sizeof(Sample)> converted(std::int64_t number) {
  if constexpr (std::same_as<Sample, float>) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(number));
  } else {
    return rounded<Sample>(static_cast<double>(number));
  }
}

template <class Float>
Float clamped(Float value, Float low, Float high) {
  if (value < low) return low;
  return value > high ? high : value;
}

/// Byte 1 of a header.
struct Flags {
  static constexpr unsigned nonnegative_bit = 1, values_bit = 2, binary32_bit = 4;

  bool nonnegative = false;  ///< results are not below zero
  bool values = false;       ///< the stream holds results, not steps
  bool binary32 = false;     ///< rebuilt in single precision
};

Flags flags_of(unsigned bits) {
  return {.nonnegative = (bits & Flags::nonnegative_bit) != 0,
          .values = (bits & Flags::values_bit) != 0,
          .binary32 = (bits & Flags::binary32_bit) != 0};
}

/// Element types by their code, in order.
template <class Use>
Result<> with_type(unsigned code, const Use& use) {
  switch (code) {
    case 0:
      return use(std::uint8_t{});
    case 1:
      return use(std::uint16_t{});
    case 2:
      return use(std::uint32_t{});
    case 3:
      return use(std::uint64_t{});
    case 4:
      return use(std::int8_t{});
    case 5:
      return use(std::int16_t{});
    case 6:
      return use(std::int32_t{});
    case 7:
      return use(std::int64_t{});
    case 8:
      return use(Half{});
    case 9:
      return use(float{});
    case 10:
      return use(double{});
    default:
      return corrupt("samples of an unknown type");
  }
}

/// The streams of samples of type `Sample`.
template <class Sample>
struct Streams {
  using Raw = wire::Bits<sizeof(Sample)>;
  using Signed = std::make_signed_t<Raw>;

  std::span<const Raw> codes;
  std::span<Raw> samples;
};

template <class Sample>
Result<Streams<Sample>> make_streams(const Input& input, Output& out) {
  if (input.width != sizeof(Sample)) return corrupt("samples of another width than their type");
  SILLAR_TRY(const auto memory, out.words(input.count(), input.width));
  using Raw = typename Streams<Sample>::Raw;
  return Streams<Sample>{.codes = words_of<Raw>(input), .samples = words_of<Raw>(memory)};
}

template <class Sample, class Rebuild>
void for_each(const Streams<Sample>& streams, const Rebuild& rebuild) {
  for (std::size_t i = 0; i < streams.codes.size(); ++i) {
    streams.samples[i] = rebuild(streams.codes[i]);
  }
}

/// The stream holds results: of integers as they are, of floating-point types as whole numbers.
template <class Sample>
void take_values(const Streams<Sample>& streams, bool nonnegative) {
  using Raw = typename Streams<Sample>::Raw;
  using Signed = typename Streams<Sample>::Signed;
  for_each(streams, [&](Raw code) {
    if constexpr (std::unsigned_integral<Sample>) {
      return code;
    } else {
      auto number = static_cast<Signed>(code);
      if (nonnegative && number < 0) number = 0;
      if constexpr (is_float<Sample>) {
        return converted<Sample>(number);
      } else {
        return static_cast<Raw>(number);
      }
    }
  });
}

/// The whole number `code * step` of an integer type, saturated.
template <std::integral Sample>
class Multiples {
 public:
  using Raw = std::make_unsigned_t<Sample>;

  Multiples(double step, bool nonnegative)
      // Past 64 bits every multiple but 0 saturates.
      : step_(step < 0x1p64 ? static_cast<std::uint64_t>(step) : ~std::uint64_t{0}),
        highest_(static_cast<std::uint64_t>(std::numeric_limits<Sample>::max())),
        lowest_(std::unsigned_integral<Sample> || nonnegative ? 0 : highest_ + 1) {}

  Raw operator()(Raw code) const {
    const bool negative = std::signed_integral<Sample> && static_cast<Sample>(code) < 0;
    const std::uint64_t size =
        negative ? std::uint64_t{0} - static_cast<std::uint64_t>(static_cast<Sample>(code))
                 : std::uint64_t{code};
    const std::uint64_t most = negative ? lowest_ : highest_;
    std::uint64_t product = 0;
    if (__builtin_mul_overflow(size, step_, &product) || product > most) product = most;
    return static_cast<Raw>(negative ? 0 - product : product);
  }

 private:
  std::uint64_t step_, highest_, lowest_;  // lowest_ without its sign
};

/// The samples of a logarithmic scale: steps from the least number of the type on.
template <class Sample>
class Exponentials {
 public:
  using Raw = typename Streams<Sample>::Raw;
  using Signed = typename Streams<Sample>::Signed;

  Exponentials(double step, bool nonnegative) : step_(step), range_(range_of<Sample>()) {
    if (nonnegative) range_.low = 0.0;
  }

  Raw operator()(Raw code) const {
    const auto number = static_cast<Signed>(code);
    if (number == 0) return 0;
    const auto steps = number < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(number)
                                  : static_cast<std::uint64_t>(number);
    const double size = exp2_exactly(lowest() + static_cast<double>(steps - 1) * step_);
    return rounded<Sample>(clamped(number < 0 ? -size : size, range_.low, range_.high));
  }

 private:
  static constexpr double lowest() {
    if (std::same_as<Sample, Half>) return -24.0;
    return std::same_as<Sample, float> ? -149.0 : -1074.0;
  }

  double step_;
  Range range_;
};

/// Rebuilds samples by `rebuild`, remembering some of them: most streams have few different codes.
template <class Sample, class Rebuild>
void for_each_remembered(const Streams<Sample>& streams, const Rebuild& rebuild) {
  using Raw = typename Streams<Sample>::Raw;
  struct Known {
    Raw code, sample;
  };
  constexpr std::size_t places = 1024;
  std::array<Known, places> known;
  // Codes that belong to other places are never found.
  for (std::size_t i = 0; i < places; ++i) known[i].code = static_cast<Raw>(i + 1);
  for_each(streams, [&](Raw code) {
    Known& place = known[code % places];
    if (place.code != code) place = {code, rebuild(code)};
    return place.sample;
  });
}

/// The largest index of a square-root scale that can mean a sample.
template <class Sample>
std::uint64_t highest_index(double step, double offset) {
  std::uint64_t most = 0;
  if constexpr (std::same_as<Sample, Half>) {
    most = 32767;
  } else if constexpr (std::same_as<Sample, float>) {
    most = 2147483647;
  } else if constexpr (sizeof(Sample) == 8) {
    most = std::uint64_t{1} << 53;
  } else {
    most = static_cast<std::uint64_t>(std::numeric_limits<Sample>::max());
  }
  const double needed = std::sqrt(range_of<Sample>().high + offset) / step;
  if (!(needed < static_cast<double>(most))) return most;
  return std::min(most, 1 + static_cast<std::uint64_t>(std::ceil(needed)));
}

/// (index * step)^2 - offset in the precision of `Float`.
template <class Float>
struct Squares {
  Float step, offset, low, high;

  Squares(double step_, double offset_, Range range)
      : step(static_cast<Float>(step_)),
        offset(static_cast<Float>(offset_)),
        low(static_cast<Float>(range.low)),
        high(static_cast<Float>(range.high)) {}

  Float operator()(std::uint64_t index) const {
    const Float root = static_cast<Float>(index) * step;
    const Float square = root * root;
    return clamped(square - offset, low, high);
  }
};

template <class Sample>
void rebuild_squares(const Streams<Sample>& streams, double step, double offset, Flags flags) {
  using Raw = typename Streams<Sample>::Raw;
  const std::uint64_t top = highest_index<Sample>(step, offset);
  Range range = range_of<Sample>();
  if (flags.nonnegative) range.low = 0.0;
  const auto rebuild = [&](const auto& square) {
    for_each(streams, [&](Raw code) -> Raw {
      const auto value = square(std::min<std::uint64_t>(code, top));
      if constexpr (is_float<Sample>) {
        return rounded<Sample>(value);
      } else {
        return static_cast<Raw>(static_cast<Sample>(std::round(value)));
      }
    });
  };
  if (std::same_as<Sample, Half> || flags.binary32) {
    rebuild(Squares<float>(step, offset, range));
  } else {
    rebuild(Squares<double>(step, offset, range));
  }
}

constexpr double least_normal = std::numeric_limits<double>::min();

}  // namespace

Result<> decode_quant_linear(std::span<const std::byte> header, std::span<const Input> inputs,
                             Output& out) {
  HeaderReader fields(header);
  const unsigned type = fields.take<std::uint8_t>();
  const unsigned bits = fields.take<std::uint8_t>();
  const auto step = fields.take<double>();
  if (!fields.whole()) return corrupt("a header of another size");
  if ((bits & ~(Flags::nonnegative_bit | Flags::values_bit)) != 0) return corrupt("unknown flags");
  if (!std::isfinite(step) || step < least_normal) return corrupt("a step that is no step");
  const Flags flags = flags_of(bits);
  return with_type(type, [&](auto sample) -> Result<> {
    using Sample = decltype(sample);
    const bool needs_whole_step = is_float<Sample> == flags.values;
    if (needs_whole_step && std::trunc(step) != step) return corrupt("a step between two numbers");
    SILLAR_TRY(const auto streams, make_streams<Sample>(inputs[0], out));
    if (flags.values) {
      take_values(streams, flags.nonnegative);
    } else if constexpr (is_float<Sample>) {
      using Raw = typename Streams<Sample>::Raw;
      using Signed = typename Streams<Sample>::Signed;
      Range range = range_of<Sample>();
      if (flags.nonnegative) range.low = 0.0;
      for_each(streams, [&](Raw code) {
        const double value = static_cast<double>(static_cast<Signed>(code)) * step;
        return rounded<Sample>(clamped(value, range.low, range.high));
      });
    } else {
      for_each(streams, Multiples<Sample>(step, flags.nonnegative));
    }
    return {};
  });
}

Result<> decode_quant_log(std::span<const std::byte> header, std::span<const Input> inputs,
                          Output& out) {
  HeaderReader fields(header);
  const unsigned type = fields.take<std::uint8_t>();
  const unsigned bits = fields.take<std::uint8_t>();
  const auto step = fields.take<double>();
  if (!fields.whole()) return corrupt("a header of another size");
  if ((bits & ~(Flags::nonnegative_bit | Flags::values_bit)) != 0) return corrupt("unknown flags");
  if (!std::isfinite(step) || step <= 0.0) return corrupt("a step that is no step");
  const Flags flags = flags_of(bits);
  return with_type(type, [&](auto sample) -> Result<> {
    using Sample = decltype(sample);
    if (!is_float<Sample> && !flags.values) return corrupt("a logarithmic scale of integers");
    SILLAR_TRY(const auto streams, make_streams<Sample>(inputs[0], out));
    if constexpr (is_float<Sample>) {
      if (!flags.values) {
        for_each_remembered(streams, Exponentials<Sample>(step, flags.nonnegative));
        return {};
      }
    }
    take_values(streams, flags.nonnegative);
    return {};
  });
}

Result<> decode_quant_sqrt(std::span<const std::byte> header, std::span<const Input> inputs,
                           Output& out) {
  HeaderReader fields(header);
  const unsigned type = fields.take<std::uint8_t>();
  const unsigned bits = fields.take<std::uint8_t>();
  const auto step = fields.take<double>();
  const auto offset = fields.take<double>();
  if (!fields.whole()) return corrupt("a header of another size");
  if ((bits & ~(Flags::nonnegative_bit | Flags::values_bit | Flags::binary32_bit)) != 0) {
    return corrupt("unknown flags");
  }
  if (!std::isfinite(step) || step <= 0.0 || step * step < least_normal) {
    return corrupt("a step that is no step");
  }
  if (!std::isfinite(offset) || offset < 0.0) return corrupt("an offset that is no offset");
  const Flags flags = flags_of(bits);
  return with_type(type, [&](auto sample) -> Result<> {
    using Sample = decltype(sample);
    if (flags.binary32 && !std::same_as<Sample, float>) return corrupt("unknown flags");
    SILLAR_TRY(const auto streams, make_streams<Sample>(inputs[0], out));
    if (!flags.values) {
      rebuild_squares(streams, step, offset, flags);
    } else if constexpr (is_float<Sample>) {
      take_values(streams, flags.nonnegative);
    } else {
      std::ranges::copy(streams.codes, streams.samples.begin());
    }
    return {};
  });
}

}  // namespace sillar::codec::geozl
