// Streams of numbers as arrays of unsigned words, whatever their width.
#pragma once

#include <sillar/base/error.hpp>
#include <sillar/codec/geozl/codec.hpp>
#include <sillar/wire/endian.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sillar::codec::geozl {

/// A raw sample. All arithmetic on one wraps.
template <class T>
concept Word = std::same_as<T, std::uint8_t> || std::same_as<T, std::uint16_t> ||
               std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t>;

/// What a stream of residuals holds.
enum class Residuals { plain, zigzag };

template <Word T>
[[nodiscard]] constexpr T wrapped(std::uint64_t value) {
  return static_cast<T>(value);
}

/// The residual behind its zigzag form: 0, -1, 1, -2, ...
template <Word T>
[[nodiscard]] constexpr T unzigzag(T code) {
  return wrapped<T>((std::uint64_t{code} >> 1) ^ (0 - (std::uint64_t{code} & 1)));
}

template <Residuals Form, Word T>
[[nodiscard]] constexpr T residual(T code) {
  return Form == Residuals::zigzag ? unzigzag(code) : code;
}

/// A header or a stream that no encoder makes.
[[nodiscard]] inline std::unexpected<Error> corrupt(std::string_view what) {
  return fail(Errc::codec, "geozl: " + std::string(what));
}

/// The words of an input whose width is that of `T`. Precondition: they are aligned.
template <Word T>
[[nodiscard]] std::span<const T> words_of(const Input& input) {
  return {reinterpret_cast<const T*>(input.bytes.data()), input.bytes.size() / sizeof(T)};
}

template <Word T>
[[nodiscard]] std::span<T> words_of(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

/// Calls `use` with a word of `width` bytes, whose type is what counts. Fails with codec for other
/// widths than 1, 2, 4 and 8.
template <class Use>
[[nodiscard]] Result<> with_word(std::uint64_t width, const Use& use) {
  switch (width) {
    case 1:
      return use(std::uint8_t{});
    case 2:
      return use(std::uint16_t{});
    case 4:
      return use(std::uint32_t{});
    case 8:
      return use(std::uint64_t{});
    default:
      return corrupt("words of an unknown width");
  }
}

/// Takes fields off the front of a header.
class HeaderReader {
 public:
  explicit HeaderReader(std::span<const std::byte> header) : rest_(header) {}

  /// The next field, or zero behind the end, which `whole()` remembers.
  template <wire::Number T>
  [[nodiscard]] T take() {
    if (rest_.size() < sizeof(T)) {
      cut_ = true;
      rest_ = {};
      return T{};
    }
    const T value = wire::load<T>(rest_.data());
    rest_ = rest_.subspan(sizeof(T));
    return value;
  }

  /// All fields were there, and nothing is left.
  [[nodiscard]] bool whole() const { return !cut_ && rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
  bool cut_ = false;
};

}  // namespace sillar::codec::geozl
