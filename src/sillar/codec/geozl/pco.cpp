#include <sillar/codec/geozl/pco.hpp>

#include <sillar/codec/geozl/words.hpp>

#include <algorithm>
#include <array>

namespace sillar::codec::geozl {
namespace {

/// Both inputs have a word for each sample, of the same width.
Result<> check_pair(std::span<const Input> inputs) {
  if (inputs[0].width != inputs[1].width) return corrupt("parts of different widths");
  if (inputs[0].count() != inputs[1].count()) return corrupt("parts of different sizes");
  return {};
}

}  // namespace

Result<> decode_binoffset(std::span<const std::byte> header, std::span<const Input> inputs,
                          Output& out) {
  const Input& bins = inputs[0];
  const Input& offsets = inputs[1];
  if (bins.width != 1) return corrupt("bins whose numbers are no bytes");
  if (bins.count() != offsets.count()) return corrupt("parts of different sizes");
  return with_word(offsets.width, [&](auto word) -> Result<> {
    using T = decltype(word);
    HeaderReader fields(header);
    const std::size_t count = fields.take<std::uint8_t>();
    if (count == 0) return corrupt("no bins");
    std::array<T, 255> lower;
    std::array<T, 255> most;
    for (std::size_t k = 0; k < count; ++k) {
      lower[k] = fields.take<T>();
      const unsigned bits = fields.take<std::uint8_t>();
      if (bits > 8 * sizeof(T)) return corrupt("a bin of more bits than a word");
      most[k] = bits == 0 ? T{0} : wrapped<T>(~std::uint64_t{0} >> (64 - bits));
    }
    if (!fields.whole()) return corrupt("a header of another size");
    SILLAR_TRY(const auto memory, out.words(offsets.count(), sizeof(T)));
    const auto bin = words_of<std::uint8_t>(bins);
    const auto offset = words_of<T>(offsets);
    T* samples = words_of<T>(memory).data();
    for (std::size_t i = 0; i < bin.size(); ++i) {
      if (bin[i] >= count) return corrupt("a bin that is not there");
      if (offset[i] > most[bin[i]]) return corrupt("an offset beyond its bin");
      samples[i] = static_cast<T>(lower[bin[i]] + offset[i]);
    }
    return {};
  });
}

Result<> decode_intmult(std::span<const std::byte> header, std::span<const Input> inputs,
                        Output& out) {
  SILLAR_TRY(check_pair(inputs));
  return with_word(inputs[0].width, [&](auto word) -> Result<> {
    using T = decltype(word);
    HeaderReader fields(header);
    const T base = fields.take<T>();
    if (!fields.whole()) return corrupt("a header of another size");
    if (base < 2) return corrupt("a base below 2");
    SILLAR_TRY(const auto memory, out.words(inputs[0].count(), sizeof(T)));
    const auto multiples = words_of<T>(inputs[0]);
    const auto rests = words_of<T>(inputs[1]);
    T* samples = words_of<T>(memory).data();
    for (std::size_t i = 0; i < multiples.size(); ++i) {
      if (rests[i] >= base) return corrupt("a remainder that is not below the base");
      samples[i] = wrapped<T>(std::uint64_t{multiples[i]} * base + rests[i]);
    }
    return {};
  });
}

Result<> decode_floatquant(std::span<const std::byte> header, std::span<const Input> inputs,
                           Output& out) {
  SILLAR_TRY(check_pair(inputs));
  const auto decode = [&](auto word, unsigned mantissa) -> Result<> {
    using T = decltype(word);
    HeaderReader fields(header);
    const unsigned bits = fields.take<std::uint8_t>();
    if (!fields.whole()) return corrupt("a header of another size");
    if (bits == 0 || bits > mantissa) return corrupt("more bits than a mantissa has");
    SILLAR_TRY(const auto memory, out.words(inputs[0].count(), sizeof(T)));
    constexpr T sign = T{1} << (8 * sizeof(T) - 1);
    const T most = static_cast<T>((T{1} << bits) - 1);
    const auto coarse = words_of<T>(inputs[0]);
    const auto fine = words_of<T>(inputs[1]);
    T* samples = words_of<T>(memory).data();
    for (std::size_t i = 0; i < coarse.size(); ++i) {
      if (fine[i] > most) return corrupt("fine bits beyond their number");
      const bool positive = coarse[i] >= sign >> bits;
      const T low = positive ? fine[i] : static_cast<T>(most - fine[i]);
      const T key = static_cast<T>((coarse[i] << bits) + low);
      samples[i] = (key & sign) != 0 ? static_cast<T>(key ^ sign) : static_cast<T>(~key);
    }
    return {};
  };
  switch (inputs[0].width) {
    case 4:
      return decode(std::uint32_t{}, 23);
    case 8:
      return decode(std::uint64_t{}, 52);
    default:
      return corrupt("floating-point numbers of an unknown width");
  }
}

}  // namespace sillar::codec::geozl
