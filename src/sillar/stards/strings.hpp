// Arrays of strings: `u32 total`, then for each element `u32 length` and its bytes.
#pragma once

#include <sillar/base/report.hpp>
#include <sillar/tensor/view.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sillar::stards {

/// An array of UTF-8 strings in C order, kept as it is stored. Copies and moves.
class Strings {
 public:
  /// One empty string, of rank 0.
  Strings() : Strings(Shape{}, std::vector<std::byte>(8), {4}) {}

  /// `values` are as many as `shape` asks for. Fails with bad_argument (another number, invalid
  /// UTF-8, more than 32 bits can count).
  [[nodiscard]] static Result<Strings> of(Shape shape, std::span<const std::string> values);

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] std::size_t size() const { return starts_.size(); }

  /// The string at that place in C order; lives as long as this.
  [[nodiscard]] std::string_view operator[](std::size_t index) const;

  [[nodiscard]] std::vector<std::string> values() const;

  /// The bytes as a file stores them.
  [[nodiscard]] std::span<const std::byte> payload() const { return payload_; }

  /// The elements at `places`, in that order, as an array of `shape`. Fails with bad_argument where
  /// they have more bytes than 32 bits can count, which repeated places may.
  [[nodiscard]] Result<Strings> picked(Shape shape, std::span<const std::uint64_t> places) const;

 private:
  Strings(Shape shape, std::vector<std::byte> payload, std::vector<std::uint64_t> starts)
      : shape_(std::move(shape)), payload_(std::move(payload)), starts_(std::move(starts)) {}
  friend std::optional<Strings> check_strings(std::span<const std::byte>, const Shape&,
                                              std::uint64_t, std::uint64_t,
                                              const struct StringRules&, Report&);

  Shape shape_;
  std::vector<std::byte> payload_;
  std::vector<std::uint64_t> starts_;  // where the length of each element stands
};

/// The rules of the part of the file that holds the strings.
struct StringRules {
  const Rule& lengths;
  const Rule& utf8;
};

/// Judges the strings at the start of `bytes`, `count` of them for `shape`. What is found is
/// reported at the byte `at` of the file. Nothing where the lengths are wrong.
[[nodiscard]] std::optional<Strings> check_strings(std::span<const std::byte> bytes,
                                                   const Shape& shape, std::uint64_t count,
                                                   std::uint64_t at, const StringRules& rules,
                                                   Report& report);

/// Judges the payload of a string array, all of it. Nothing where a rule of arrays is broken.
[[nodiscard]] std::optional<Strings> check_string_array(std::span<const std::byte> payload,
                                                        const Shape& shape, std::uint64_t at,
                                                        Report& report);

}  // namespace sillar::stards
