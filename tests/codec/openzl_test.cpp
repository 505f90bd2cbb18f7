// OpenZL: graphs decode back, frames have the promised form, damage is an error.
#include <sillar/codec/openzl.hpp>

#include "golden.hpp"
#include "random.hpp"
#include "rumi_manifest.hpp"
#include <sillar/codec/openzl/engine.hpp>
#include <sillar/rumi/reader.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace sillar::codec::openzl {
namespace {

using testing::Bytes;
using testing::Random;

/// Every graph that the encoder can build, and the widths of samples that it takes.
struct Case {
  Graph graph;
  std::vector<std::size_t> widths;
};

std::vector<Case> graphs() {
  const std::vector<std::size_t> all = {1, 2, 4, 8};
  std::vector<Case> list;
  const auto with_steps = [&list](const std::vector<Step>& steps, Sink sink, Zstd zstd,
                                  std::vector<std::size_t> widths) {
    Graph graph{.steps = {},
                .step_count = static_cast<std::uint8_t>(steps.size()),
                .sink = sink,
                .zstd = zstd};
    std::ranges::copy(steps, graph.steps.begin());
    list.push_back({graph, std::move(widths)});
  };
  for (const auto& steps :
       {std::vector<Step>{}, {Step::delta}, {Step::zigzag}, {Step::delta, Step::zigzag}}) {
    with_steps(steps, Sink::store, {}, all);
    with_steps(steps, Sink::zstd, {.level = 1}, all);
    with_steps(steps, Sink::zstd, {.level = 9}, all);
    with_steps(steps, Sink::entropy, {}, {1, 2});
    with_steps(steps, Sink::transpose_zstd, {.level = 3}, {2, 4, 8});
    with_steps(steps, Sink::zstd, zstd_for_differences, all);
    with_steps(steps, Sink::transpose_zstd, zstd_for_differences, {2, 4, 8});
    with_steps(steps, Sink::transpose_entropy, {}, {2, 4, 8});
    with_steps(steps, Sink::field_lz, {}, all);
  }
  return list;
}

/// Words whose neighbours are close; aligned as the encoder wants them.
std::vector<std::uint64_t> smooth(Random& random, std::size_t words, std::size_t width) {
  std::vector<std::uint64_t> memory(words * width / 8 + 1);
  auto* bytes = reinterpret_cast<std::byte*>(memory.data());
  std::uint64_t value = random.next();
  for (std::size_t i = 0; i < words; ++i) {
    value += random.below(5) - 2;
    std::memcpy(bytes + i * width, &value, width);
  }
  return memory;
}

std::span<const std::byte> samples_of(const std::vector<std::uint64_t>& memory, std::size_t words,
                                      std::size_t width) {
  return std::as_bytes(std::span(memory)).first(words * width);
}

Bytes decoded(Decoder& decoder, std::span<const std::byte> frame, std::size_t size) {
  std::vector<std::uint64_t> memory(size / 8 + 1);
  const auto out = std::as_writable_bytes(std::span(memory)).first(size);
  const auto result = decoder.decode(frame, out, {});
  EXPECT_TRUE(result.has_value()) << result.error().message();
  return {out.begin(), out.end()};
}

TEST(Graphs, decode_back_to_the_samples_at_every_width_and_size) {
  Random random(70);
  SCOPED_TRACE(random.trace());
  const auto encoder = make_encoder();
  const auto decoder = make_decoder();
  Bytes frame;
  for (const auto& [graph, widths] : graphs()) {
    for (const std::size_t width : widths) {
      for (const std::size_t words : {1U, 2U, 3U, 17U, 1000U, 5000U}) {
        SCOPED_TRACE(graph.name() + ", width " + std::to_string(width) + ", " +
                     std::to_string(words) + " words");
        const auto memory = smooth(random, words, width);
        const auto samples = samples_of(memory, words, width);
        const auto encoded = encoder->encode(graph, samples, width, frame);
        ASSERT_TRUE(encoded.has_value()) << encoded.error().message();
        const Bytes back = decoded(*decoder, frame, samples.size());
        ASSERT_TRUE(std::ranges::equal(back, samples));
      }
    }
  }
}

TEST(Frames, have_one_numeric_output_in_format_version_24) {
  Random random(71);
  const auto encoder = make_encoder();
  Bytes frame;
  for (const auto& [graph, widths] : graphs()) {
    for (const std::size_t width : widths) {
      const auto memory = smooth(random, 500, width);
      ASSERT_TRUE(encoder->encode(graph, samples_of(memory, 500, width), width, frame));
      EXPECT_EQ(testing::to_hex(std::span(frame).first(4)), "d8a5b1d7");
      const auto info = inspect(frame);
      ASSERT_TRUE(info.has_value());
      EXPECT_EQ(*info, (FrameInfo{.format_version = 24,
                                  .outputs = 1,
                                  .type = OutputType::numeric,
                                  .decoded_size = 500 * width}));
    }
  }
}

TEST(Frames, of_the_same_samples_are_the_same_bytes_whatever_came_before) {
  Random random(72);
  const auto memory = smooth(random, 4000, 2);
  const auto samples = samples_of(memory, 4000, 2);
  const auto used = make_encoder();
  Bytes first;
  Bytes again;
  for (const auto& [graph, widths] : graphs()) {
    if (std::ranges::find(widths, 2u) == widths.end()) continue;
    ASSERT_TRUE(make_encoder()->encode(graph, samples, 2, first));
    ASSERT_TRUE(used->encode(graph, samples, 2, again));
    EXPECT_EQ(first, again) << graph.name();
  }
}

TEST(Frames, of_noise_are_stored_and_grow_by_a_header_alone) {
  Random random(73);
  std::vector<std::uint64_t> memory(8192);
  random.fill(std::as_writable_bytes(std::span(memory)));
  const auto encoder = make_encoder();
  const auto decoder = make_decoder();
  Bytes frame;
  for (const auto& [graph, widths] : graphs()) {
    for (const std::size_t width : widths) {
      const auto samples = std::as_bytes(std::span(memory));
      ASSERT_TRUE(encoder->encode(graph, samples, width, frame));
      EXPECT_LT(frame.size(), samples.size() + 64) << graph.name() << " " << width;
      EXPECT_TRUE(std::ranges::equal(decoded(*decoder, frame, samples.size()), samples));
    }
  }
}

TEST(Constant, frames_hold_one_value_and_refuse_others) {
  const auto encoder = make_encoder();
  const auto decoder = make_decoder();
  const Graph constant{.steps = {}, .step_count = 0, .sink = Sink::constant, .zstd = {.level = 0}};
  Bytes frame;
  for (const std::size_t width : {1U, 2U, 4U, 8U}) {
    std::vector<std::uint64_t> memory(4096, 0x0707070707070707);
    const auto samples = std::as_bytes(std::span(memory));
    ASSERT_TRUE(encoder->encode(constant, samples, width, frame));
    EXPECT_LT(frame.size(), 64u);
    EXPECT_TRUE(std::ranges::equal(decoded(*decoder, frame, samples.size()), samples));
    memory[100] = 8;
    const auto refused = encoder->encode(constant, samples, width, frame);
    ASSERT_FALSE(refused.has_value());
    EXPECT_TRUE(refused.error().code == Errc::bad_argument || refused.error().code == Errc::codec);
    // The encoder works on.
    memory[100] = memory[0];
    ASSERT_TRUE(encoder->encode(constant, samples, width, frame));
  }
}

TEST(Graphs, have_names_for_people) {
  EXPECT_EQ((Graph{.steps = {Step::delta, Step::zigzag},
                   .step_count = 2,
                   .sink = Sink::transpose_zstd,
                   .zstd = {.level = 1}}
                 .name()),
            "delta>zigzag>transpose>zstd-1");
  EXPECT_EQ((Graph{.steps = {}, .step_count = 0, .sink = Sink::zstd, .zstd = zstd_for_differences}
                 .name()),
            "zstd-1:7:4");
  EXPECT_EQ((Graph{.steps = {}, .step_count = 0, .sink = Sink::store, .zstd = {.level = 0}}.name()),
            "store");
  EXPECT_EQ(
      (Graph{.steps = {Step::delta}, .step_count = 1, .sink = Sink::entropy, .zstd = {.level = 0}}
           .name()),
      "delta>entropy");
}

TEST(Engines, of_every_instruction_set_decode_the_corpus_alike) {
  const Engine& plain = baseline::engine();
  const Engine& best = best_engine();
  if (plain.name == best.name) GTEST_SKIP() << "one build of OpenZL runs here";
  EXPECT_EQ(plain.version, best.version);
  const auto first = plain.make_decoder();
  const auto second = best.make_decoder();
  std::size_t frames = 0;
  for (const auto& entry : testing::rumi_manifest().valid) {
    const auto file = rumi::open(io::memory_source(entry.bytes())).value();
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(file.frames().frames(), 4); ++i) {
      const Bytes frame = file.read_compressed(i).value();
      ASSERT_EQ(plain.inspect(frame), best.inspect(frame));
      const std::size_t size = plain.inspect(frame)->decoded_size;
      ASSERT_EQ(decoded(*first, frame, size), decoded(*second, frame, size)) << entry.name;
      ++frames;
    }
  }
  EXPECT_GT(frames, 300u);
}

TEST(Engines, of_every_instruction_set_encode_alike) {
  Random random(74);
  const auto first = baseline::engine().make_encoder({});
  const auto second = best_engine().make_encoder({});
  Bytes a;
  Bytes b;
  for (const auto& [graph, widths] : graphs()) {
    for (const std::size_t width : widths) {
      const auto memory = smooth(random, 3000, width);
      const auto samples = samples_of(memory, 3000, width);
      ASSERT_TRUE(first->encode(graph, samples, width, a));
      ASSERT_TRUE(second->encode(graph, samples, width, b));
      EXPECT_EQ(a, b) << graph.name() << " " << width;
    }
  }
}

TEST(Decoder, refuses_a_frame_of_another_size_than_asked) {
  Random random(75);
  const auto memory = smooth(random, 100, 2);
  Bytes frame;
  ASSERT_TRUE(make_encoder()->encode(
      {.steps = {}, .step_count = 0, .sink = Sink::zstd, .zstd = {.level = 1}},
      samples_of(memory, 100, 2), 2, frame));
  const auto decoder = make_decoder();
  for (const std::size_t size : {0U, 2U, 198U, 202U, 4000U}) {
    std::vector<std::uint64_t> out(1000);
    const auto result =
        decoder->decode(frame, std::as_writable_bytes(std::span(out)).first(size), {});
    ASSERT_FALSE(result.has_value()) << size;
    EXPECT_EQ(result.error().code, Errc::codec);
  }
}

TEST(Inspect, refuses_what_is_no_frame) {
  for (const char* digits :
       {"", "d8", "d8a5b1", "d8a5b1d7", "00000000", "28b52ffd2000", "ffffffffffffffff"}) {
    EXPECT_FALSE(inspect(testing::from_hex(digits)).has_value()) << digits;
  }
}

TEST(CustomCodecs, are_known_by_name) {
  EXPECT_EQ(custom_codec_name(0x72D703), "geozl.planar");
  EXPECT_EQ(custom_codec_name(0x72D783), "geozl.quant_sqrt");
  EXPECT_EQ(custom_codec_name(0), "");
}

}  // namespace
}  // namespace sillar::codec::openzl
