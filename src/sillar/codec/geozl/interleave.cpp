#include <sillar/codec/geozl/interleave.hpp>

#include <sillar/codec/geozl/words.hpp>

namespace sillar::codec::geozl {

Result<> decode_deinterleave(std::span<const std::byte> header, std::span<const Input> inputs,
                             Output& out) {
  if (!header.empty()) return corrupt("a header of another size");
  const Input& first = inputs[0];
  const Input& second = inputs[1];
  if (first.width != second.width) return corrupt("halves of different widths");
  if (first.count() < second.count() || first.count() - second.count() > 1) {
    return corrupt("halves of different sizes");
  }
  SILLAR_TRY(const auto memory, out.words(first.count() + second.count(), first.width));
  return with_word(first.width, [&](auto word) -> Result<> {
    using T = decltype(word);
    const auto even = words_of<T>(first);
    const auto odd = words_of<T>(second);
    T* samples = words_of<T>(memory).data();
    for (std::size_t i = 0; i < odd.size(); ++i) {
      samples[2 * i] = even[i];
      samples[2 * i + 1] = odd[i];
    }
    if (even.size() > odd.size()) samples[2 * odd.size()] = even.back();
    return {};
  });
}

}  // namespace sillar::codec::geozl
