// Runs one GeoZL decoder on vectors.
#pragma once

#include "golden.hpp"
#include "random.hpp"
#include <sillar/codec/geozl/registry.hpp>
#include <sillar/wire/endian.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sillar::codec::geozl::testing {

using sillar::testing::Bytes;
using sillar::testing::from_hex;
using sillar::testing::Random;

/// Output in memory of its own, which begins as 0xA5.
class MemoryOutput final : public Output {
 public:
  explicit MemoryOutput(std::uint64_t ceiling) : Output(ceiling) {}

  [[nodiscard]] std::span<const std::byte> bytes() const {
    return std::as_bytes(std::span(words_)).first(size_);
  }
  [[nodiscard]] bool was_asked() const { return asked_; }
  [[nodiscard]] std::size_t width() const { return width_; }

 private:
  Result<std::span<std::byte>> make_words(std::size_t count, std::size_t width) override {
    EXPECT_FALSE(asked_) << "asked twice";
    asked_ = true;
    size_ = count * width;
    width_ = width;
    words_.assign(size_ / 8 + 1, 0xA5A5A5A5A5A5A5A5);
    return std::as_writable_bytes(std::span(words_)).first(size_);
  }

  Result<std::span<std::byte>> make_scratch(std::size_t size) override {
    scratch_.emplace_back(std::make_unique<std::uint64_t[]>(size / 8 + 1));
    return std::as_writable_bytes(std::span(scratch_.back().get(), size / 8 + 1)).first(size);
  }

  std::vector<std::uint64_t> words_;
  std::vector<std::unique_ptr<std::uint64_t[]>> scratch_;
  std::size_t size_ = 0;
  std::size_t width_ = 0;
  bool asked_ = false;
};

inline const Codec& codec_named(std::string_view name) {
  for (const Codec& codec : codecs()) {
    if (codec.name == "geozl." + std::string(name)) return codec;
  }
  ADD_FAILURE() << "no codec " << name;
  return codecs().front();
}

template <class T>
Input input_of(const std::vector<T>& words) {
  return {.bytes = std::as_bytes(std::span(words)), .width = sizeof(T)};
}

inline Input serial(const Bytes& bytes) { return {.bytes = bytes, .width = 1}; }

/// The samples, or nothing where the decoder refuses; any refusal but codec fails the test.
template <class T>
std::optional<std::vector<T>> decoded(std::string_view name, const Bytes& header,
                                      std::vector<Input> inputs,
                                      std::uint64_t ceiling = std::uint64_t{1} << 24) {
  MemoryOutput out(ceiling);
  const auto result = decode(codec_named(name), header, inputs, out);
  if (!result) {
    EXPECT_EQ(result.error().code, Errc::codec) << result.error().message();
    return std::nullopt;
  }
  EXPECT_TRUE(out.was_asked());
  EXPECT_EQ(out.width(), sizeof(T));
  std::vector<T> samples(out.bytes().size() / sizeof(T));
  if (!samples.empty()) std::memcpy(samples.data(), out.bytes().data(), out.bytes().size());
  return samples;
}

/// A header of fields.
class Header {
 public:
  template <class T>
  Header& add(T value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    wire::store(bytes_.data() + at, value);
    return *this;
  }
  Header& u8(unsigned value) { return add(static_cast<std::uint8_t>(value)); }
  Header& u16(unsigned value) { return add(static_cast<std::uint16_t>(value)); }
  Header& u32(std::uint64_t value) { return add(static_cast<std::uint32_t>(value)); }
  Header& u64(std::uint64_t value) { return add(value); }
  Header& f64(double value) { return add(value); }
  operator const Bytes&() const { return bytes_; }

 private:
  Bytes bytes_;
};

inline Bytes geometry(std::uint64_t width, std::uint64_t planes = 1) {
  Header header;
  header.u32(width);
  if (planes != 1) header.u32(planes);
  return header;
}

/// Calls `use` with a word of every width.
template <class Use>
void for_each_width(const Use& use) {
  use(std::uint8_t{});
  use(std::uint16_t{});
  use(std::uint32_t{});
  use(std::uint64_t{});
}

/// Words of all sizes: some tiny, some anything.
template <class T>
std::vector<T> random_words(Random& random, std::size_t count) {
  std::vector<T> words(count);
  const std::uint64_t kind = random.below(4);
  std::uint64_t walk = random.next();
  for (T& word : words) {
    walk += random.below(9) - 4;
    word = static_cast<T>(kind == 0   ? random.next()
                          : kind == 1 ? random.below(4)
                          : kind == 2 ? walk
                                      : random.next() >> random.below(64));
  }
  return words;
}

}  // namespace sillar::codec::geozl::testing
