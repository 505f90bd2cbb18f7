#include <sillar/codec/geozl/nodata.hpp>

#include <sillar/codec/geozl/words.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace sillar::codec::geozl {
namespace {

using Header = std::span<const std::byte>;

/// First byte of a header of the older form.
enum class State : std::uint8_t { some_missing = 1, none_missing = 2, all_missing = 3 };

bool says(Header header, State state) { return header.front() == static_cast<std::byte>(state); }

/// Every stream has a mask of its size, and there is something in them.
bool are_paired(const Input& values, const Input& mask) {
  return values.count() == mask.count() && values.count() > 0;
}

std::unexpected<Error> unpaired() { return corrupt("samples and a mask of different sizes"); }

/// mask 0: the pattern.
template <Word T>
Result<> restore(Header pattern, const Input& values, const Input& mask, Output& out) {
  if (!are_paired(values, mask)) return unpaired();
  SILLAR_TRY(const auto memory, out.words(values.count(), sizeof(T)));
  const T missing = wire::load<T>(pattern.data());
  const auto from = words_of<T>(values);
  const auto marks = words_of<std::uint8_t>(mask);
  T* samples = words_of<T>(memory).data();
  for (std::size_t i = 0; i < from.size(); ++i) samples[i] = marks[i] == 0 ? missing : from[i];
  return {};
}

/// mask 0: the pattern; 1 to 3: the sample, which must not be the pattern. Where a lossy stage made
/// it so, the header has what to put there.
template <Word T>
Result<> restore_guarded(Header header, const Input& values, const Input& mask, Output& out) {
  if (!are_paired(values, mask)) return unpaired();
  const auto marks = words_of<std::uint8_t>(mask);
  if (std::ranges::max(marks) > 3) return corrupt("an unknown mark in a mask");
  SILLAR_TRY(const auto memory, out.words(values.count(), sizeof(T)));
  // The pattern, one above, one below, another form of the same number.
  std::array<T, 4> words;
  for (std::size_t k = 0; k < words.size(); ++k) {
    words[k] = wire::load<T>(header.data() + k * sizeof(T));
  }
  const T missing = words[0];
  const auto from = words_of<T>(values);
  T* samples = words_of<T>(memory).data();
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::uint8_t mark = marks[i];
    samples[i] = mark == 0 || from[i] == missing ? words[mark] : from[i];
  }
  return {};
}

Result<> copy(const Input& values, const Input& mask, Output& out) {
  if (mask.count() != 0) return unpaired();
  SILLAR_TRY(const auto memory, out.words(values.count(), values.width));
  std::ranges::copy(values.bytes, memory.begin());
  return {};
}

template <Word T>
Result<> repeat(Header header, const Input& values, const Input& mask, Output& out) {
  if (values.count() != 0 || mask.count() != 0) return unpaired();
  const T missing = wire::load<T>(header.data() + 1);
  SILLAR_TRY(const auto memory,
             out.words(wire::load<std::uint64_t>(header.data() + 1 + sizeof(T)), sizeof(T)));
  std::ranges::fill(words_of<T>(memory), missing);
  return {};
}

}  // namespace

Result<> decode_nodata(Header header, std::span<const Input> inputs, Output& out) {
  const Input& values = inputs[0];
  const Input& mask = inputs[1];
  if (mask.width != 1) return corrupt("a mask whose marks are no bytes");
  return with_word(values.width, [&](auto word) -> Result<> {
    using T = decltype(word);
    constexpr std::size_t width = sizeof(T);
    // For one-byte samples "1 byte" is two forms, and the mask tells which.
    if (header.size() == 1 && mask.count() == 0) {
      if (!says(header, State::none_missing)) return corrupt("an unknown header");
      return copy(values, mask, out);
    }
    if (header.size() == width) return restore<T>(header, values, mask, out);
    if (header.size() == 4 * width) return restore_guarded<T>(header, values, mask, out);
    if (header.size() == 1 + width && says(header, State::some_missing)) {
      return restore<T>(header.subspan(1), values, mask, out);
    }
    if (header.size() == 9 + width && says(header, State::all_missing)) {
      return repeat<T>(header, values, mask, out);
    }
    return corrupt("an unknown header");
  });
}

}  // namespace sillar::codec::geozl
