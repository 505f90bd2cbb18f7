// Kernels: every kind of words comes back, with every set of instructions.
#include <sillar/codec/restore.hpp>

#include "random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace sillar::codec {
namespace {

using testing::Random;

/// Samples as they would be stored, by the definitions alone: differences, zigzag, planes.
std::vector<std::byte> stored(const std::vector<std::uint64_t>& samples, std::uint64_t before,
                              const Words& words) {
  const unsigned bits = 8U * words.width;
  const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  std::vector<std::byte> bytes(samples.size() * words.width);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::uint64_t word = samples[i] & mask;
    if (words.delta) word = (samples[i] - (i == 0 ? before : samples[i - 1])) & mask;
    if (words.zigzag) {
      const bool negative = (word >> (bits - 1)) != 0;
      word = negative ? ((~word & mask) * 2 + 1) & mask : (word * 2) & mask;
    }
    for (std::size_t k = 0; k < words.width; ++k) {
      bytes[words.planar ? k * samples.size() + i : i * words.width + k] =
          static_cast<std::byte>(word >> (8 * k));
    }
  }
  return bytes;
}

TEST(RestoreKernel, gives_the_samples_of_every_kind_of_words_and_no_byte_more) {
  Random random(90);
  SCOPED_TRACE(random.trace());
  std::vector<Instructions> sets = {Instructions::baseline};
  if (best_instructions() != Instructions::baseline) sets.push_back(best_instructions());
  for (const std::size_t width : {1U, 2U, 4U, 8U}) {
    for (unsigned kind = 0; kind < 8; ++kind) {
      const Words words{.width = static_cast<std::uint8_t>(width),
                        .planar = (kind & 1U) != 0 && width > 1,
                        .zigzag = (kind & 2U) != 0,
                        .delta = (kind & 4U) != 0};
      for (const std::size_t count : {0U, 1U, 2U, 3U, 31U, 32U, 33U, 63U, 64U, 65U, 96U, 1000U}) {
        std::vector<std::uint64_t> samples(count);
        for (auto& sample : samples) sample = random.next();
        const std::uint64_t before = random.next();
        const auto bytes = stored(samples, before, words);
        std::array<const std::byte*, 8> planes{};
        for (std::size_t k = 0; k < (words.planar ? width : 1); ++k)
          planes[k] = bytes.data() + k * count;
        for (const Instructions instructions : sets) {
          SCOPED_TRACE("width " + std::to_string(width) + ", kind " + std::to_string(kind) + ", " +
                       std::to_string(count) + " samples, instructions " +
                       std::to_string(static_cast<int>(instructions)));
          constexpr std::size_t margin = 40;
          std::vector<std::byte> out(count * width + 2 * margin, std::byte{0xA5});
          std::uint64_t last = before;
          restore_kernel(words, instructions)(planes.data(), out.data() + margin, count, last);
          for (std::size_t i = 0; i < count; ++i)
            ASSERT_EQ(std::memcmp(out.data() + margin + i * width, &samples[i], width), 0) << i;
          for (std::size_t i = 0; i < margin; ++i) {
            ASSERT_EQ(out[i], std::byte{0xA5});
            ASSERT_EQ(out[out.size() - 1 - i], std::byte{0xA5});
          }
          if (words.delta && count != 0) {
            EXPECT_EQ(std::memcmp(&last, &samples.back(), width), 0);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace sillar::codec
