// OpenZL frames with flipped bits and impossible claims: errors, never a crash, never much memory.
#include "golden.hpp"
#include "random.hpp"
#include <sillar/codec/openzl.hpp>
#include <sillar/codec/openzl_budget.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <set>

extern "C" {
void* sillar_zl_malloc(std::size_t size);
void* sillar_zl_calloc(std::size_t count, std::size_t size);
void* sillar_zl_realloc(void* memory, std::size_t size);
void sillar_zl_free(void* memory);
}

namespace sillar::codec::openzl {
namespace {

using testing::Bytes;
using testing::Random;

struct Victim {
  Bytes frame;
  std::size_t size;
};

/// Frames of every kind of codec, of smooth words of each width.
std::vector<Victim> victims(Random& random, bool checksums) {
  std::vector<Victim> list;
  const auto encoder = make_encoder({.format_version = 24, .checksums = checksums});
  constexpr std::size_t words = 1500;
  for (const std::size_t width : {1U, 2U, 4U, 8U}) {
    std::vector<std::uint64_t> memory(words * width / 8 + 1);
    std::uint64_t value = random.next();
    for (std::size_t i = 0; i < words; ++i) {
      value += random.below(7) - 3;
      std::memcpy(reinterpret_cast<std::byte*>(memory.data()) + i * width, &value, width);
    }
    const auto samples = std::as_bytes(std::span(memory)).first(words * width);
    for (const Sink sink : {Sink::store, Sink::zstd, Sink::entropy, Sink::transpose_zstd,
                            Sink::transpose_entropy, Sink::field_lz}) {
      const bool narrow = width <= 2;
      if ((sink == Sink::entropy && !narrow) ||
          (width == 1 && (sink == Sink::transpose_zstd || sink == Sink::transpose_entropy)))
        continue;
      Graph graph{.steps = {Step::delta, Step::zigzag},
                  .step_count = static_cast<std::uint8_t>(random.below(3)),
                  .sink = sink,
                  .zstd = {.level = 3}};
      Bytes frame;
      EXPECT_TRUE(encoder->encode(graph, samples, width, frame)) << graph.name();
      list.push_back({std::move(frame), samples.size()});
    }
  }
  return list;
}

/// Decodes damaged frames and returns the codes of the failures.
std::set<Errc> decode_damaged(Random& random, const std::vector<Victim>& list, bool verify,
                              int rounds, std::size_t& accepted) {
  std::set<Errc> codes;
  const auto decoder = make_decoder();
  std::vector<std::uint64_t> memory(4096);
  for (int round = 0; round < rounds; ++round) {
    const Victim& victim = list[static_cast<std::size_t>(round) % list.size()];
    Bytes frame = victim.frame;
    for (std::uint64_t flips = random.coin() ? 1 : random.between(1, 5); flips > 0; --flips) {
      const std::uint64_t at = random.coin()
                                   ? random.below(frame.size())
                                   : random.below(std::min<std::uint64_t>(frame.size(), 64));
      frame[at] ^= std::byte{1} << random.below(8);
    }
    if (random.below(20) == 0) frame.resize(random.below(frame.size()));
    (void)inspect(frame);
    const auto out = std::as_writable_bytes(std::span(memory)).first(victim.size);
    const auto result = decoder->decode(frame, out, {.verify = verify});
    if (result) {
      ++accepted;
    } else {
      codes.insert(result.error().code);
      EXPECT_FALSE(result.error().detail.empty());
    }
  }
  // The decoder is as good as before.
  for (const Victim& victim : list) {
    EXPECT_TRUE(
        decoder
            ->decode(victim.frame, std::as_writable_bytes(std::span(memory)).first(victim.size), {})
            .has_value());
  }
  return codes;
}

TEST(FlippedBits, of_frames_with_checksums_are_always_noticed) {
  Random random(80);
  SCOPED_TRACE(random.trace());
  const auto list = victims(random, true);
  std::size_t accepted = 0;
  const auto codes = decode_damaged(random, list, true, 10000, accepted);
  EXPECT_TRUE(codes.contains(Errc::checksum));
  // Two flips may undo each other; the flags that ask for checksums are bits as well.
  EXPECT_LT(accepted, 100u);
  for (const Errc code : codes)
    EXPECT_TRUE(code == Errc::checksum || code == Errc::codec || code == Errc::unsupported)
        << name_of(code);
}

TEST(FlippedBits, of_frames_without_checksums_never_crash) {
  Random random(81);
  SCOPED_TRACE(random.trace());
  std::size_t accepted = 0;
  for (const bool written : {false, true}) {
    const auto codes = decode_damaged(random, victims(random, written), false, 10000, accepted);
    for (const Errc code : codes)
      EXPECT_TRUE(code == Errc::codec || code == Errc::unsupported) << name_of(code);
  }
  EXPECT_GT(accepted, 0u);  // most bits are samples
}

TEST(Claims, of_huge_inner_streams_stop_at_the_budget) {
  // zstd's own header inside the frame states a size; each byte near the front is tried with every
  // value.
  std::vector<std::uint64_t> memory(40'000);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = i / 7;
  const auto samples = std::as_bytes(std::span(memory));
  Bytes frame;
  ASSERT_TRUE(make_encoder({.format_version = 24, .checksums = false})
                  ->encode({.steps = {}, .step_count = 0, .sink = Sink::zstd, .zstd = {.level = 3}},
                           samples, 8, frame));
  const auto decoder = make_decoder();
  std::vector<std::uint64_t> out(memory.size());
  std::size_t stopped = 0;
  for (std::size_t at = 0; at < std::min<std::size_t>(frame.size(), 48); ++at) {
    for (const unsigned value : {0x00U, 0x01U, 0x7FU, 0x80U, 0xE0U, 0xFFU}) {
      Bytes damaged = frame;
      damaged[at] = static_cast<std::byte>(value);
      const auto result =
          decoder->decode(damaged, std::as_writable_bytes(std::span(out)), {.verify = false});
      if (!result && result.error().detail.find("more memory") != std::string::npos) ++stopped;
    }
  }
  EXPECT_GT(stopped, 0u);
}

TEST(Budget, counts_what_is_allocated_and_given_back) {
  constexpr std::size_t kilo = 1024;
  {
    const MemoryBudget budget(10 * kilo);
    EXPECT_EQ(sillar_zl_malloc(11 * kilo), nullptr);
    EXPECT_EQ(sillar_zl_malloc(~std::size_t{0}), nullptr);
    EXPECT_EQ(sillar_zl_calloc(11, kilo), nullptr);
    EXPECT_EQ(sillar_zl_calloc(~std::size_t{0}, 2), nullptr);
    void* const first = sillar_zl_malloc(6 * kilo);
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(sillar_zl_malloc(5 * kilo), nullptr);           // in sum too much
    EXPECT_EQ(sillar_zl_realloc(first, 20 * kilo), nullptr);  // the old block stays
    std::memset(first, 7, 6 * kilo);
    sillar_zl_free(first);
    void* second = sillar_zl_calloc(3, kilo);
    ASSERT_NE(second, nullptr);
    EXPECT_EQ(static_cast<unsigned char*>(second)[3 * kilo - 1], 0);
    static_cast<unsigned char*>(second)[0] = 9;
    second = sillar_zl_realloc(second, 5 * kilo);
    ASSERT_NE(second, nullptr);
    EXPECT_EQ(static_cast<unsigned char*>(second)[0], 9);
    sillar_zl_free(second);
    sillar_zl_free(nullptr);
  }
  void* const free_again = sillar_zl_malloc(100 * kilo);
  EXPECT_NE(free_again, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(free_again) % alignof(std::max_align_t), 0u);
  sillar_zl_free(free_again);
}

}  // namespace
}  // namespace sillar::codec::openzl
