// Plain OpenZL frames without OpenZL: the same samples, the same verdict, nothing else touched.
#include <sillar/codec/openzl_native.hpp>

#include "golden.hpp"
#include "random.hpp"
#include "rumi_manifest.hpp"
#include <sillar/codec/openzl_frame.hpp>
#include <sillar/rumi/reader.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace sillar::codec::openzl {
namespace {

using testing::Bytes;
using testing::Random;

constexpr std::byte untouched{0xA5};

/// Sinks that plain frames end in, and two that are none.
constexpr std::array sinks = {Sink::store,    Sink::zstd,    Sink::transpose_zstd,
                              Sink::constant, Sink::entropy, Sink::transpose_entropy,
                              Sink::field_lz};

[[nodiscard]] bool is_plain(Sink sink) {
  return sink == Sink::store || sink == Sink::zstd || sink == Sink::transpose_zstd ||
         sink == Sink::constant;
}

[[nodiscard]] bool takes(Sink sink, std::size_t width) {
  if (sink == Sink::entropy) return width <= 2;
  return (sink != Sink::transpose_zstd && sink != Sink::transpose_entropy) || width > 1;
}

struct Sample {
  Graph graph;
  std::size_t width = 1;
  std::vector<std::uint64_t> memory;  // aligned, as the encoder wants it
  std::size_t size = 0;
  Bytes frame;

  [[nodiscard]] std::span<const std::byte> samples() const {
    return std::as_bytes(std::span(memory)).first(size);
  }
  [[nodiscard]] std::string name() const {
    return graph.name() + ", width " + std::to_string(width) + ", " + std::to_string(size / width) +
           " samples";
  }
};

enum class Content { smooth, noise, constant, steps };

/// `count` samples encoded by a graph.
Sample encoded(Random& random, Encoder& encoder, const Graph& graph, std::size_t width,
               std::size_t count, Content content) {
  Sample made{.graph = graph, .width = width, .memory = {}, .size = count * width, .frame = {}};
  made.memory.resize(made.size / 8 + 1);
  auto* bytes = reinterpret_cast<std::byte*>(made.memory.data());
  std::uint64_t value = random.next();
  for (std::size_t i = 0; i < count; ++i) {
    if (content == Content::smooth) value += random.below(5) - 2;
    if (content == Content::noise) value = random.next();
    if (content == Content::steps && random.below(50) == 0) value ^= 0xFF;
    std::memcpy(bytes + i * width, &value, width);
  }
  const auto result = encoder.encode(graph, made.samples(), width, made.frame);
  EXPECT_TRUE(result.has_value()) << made.name();
  return made;
}

template <class Visit>
void for_each_graph(Visit visit) {
  for (const Sink sink : sinks) {
    for (const auto& steps :
         {std::vector<Step>{}, {Step::delta}, {Step::zigzag}, {Step::delta, Step::zigzag}}) {
      if (sink == Sink::constant && !steps.empty()) continue;
      Graph graph{.steps = {},
                  .step_count = static_cast<std::uint8_t>(steps.size()),
                  .sink = sink,
                  .zstd = {.level = 1}};
      std::ranges::copy(steps, graph.steps.begin());
      for (const std::size_t width : {1U, 2U, 4U, 8U}) {
        if (takes(sink, width)) visit(graph, width);
      }
    }
  }
}

/// What a decode gave: bytes, or the error.
struct Verdict {
  Bytes bytes;
  std::string error;
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

constexpr std::size_t margin = 64;

/// Decodes whole; notes bytes outside that were touched.
Verdict judged(Decoder& decoder, std::span<const std::byte> frame, std::size_t size,
               const DecodeOptions& options) {
  std::vector<std::uint64_t> memory((size + 2 * margin) / 8 + 1);
  const auto room = std::as_writable_bytes(std::span(memory));
  std::ranges::fill(room, untouched);
  const auto out = room.subspan(margin, size);
  const auto result = decoder.decode(frame, out, options);
  const auto is_untouched = [](std::byte byte) { return byte == untouched; };
  EXPECT_TRUE(std::ranges::all_of(room.first(margin), is_untouched));
  EXPECT_TRUE(std::ranges::all_of(room.subspan(margin + size), is_untouched));
  if (!result) return {.bytes = {}, .error = result.error().message()};
  return {.bytes = {out.begin(), out.end()}, .error = {}};
}

/// A random rectangle of a frame of `count` samples, often whole rows or all of it.
Rectangle some_rectangle(Random& random, std::size_t count, std::size_t width) {
  std::vector<std::size_t> divisors;
  for (std::size_t d = 1; d * d <= count; ++d) {
    if (count % d != 0) continue;
    divisors.push_back(d);
    divisors.push_back(count / d);
  }
  Rectangle r{.sample_width = width, .frame_width = random.pick(divisors)};
  r.frame_height = count / r.frame_width;
  const auto part = [&random](std::size_t whole, std::size_t& first, std::size_t& some) {
    first = random.below(3) == 0 ? random.below(whole) : 0;
    some = random.coin() ? whole - first : random.between(0, whole - first);
  };
  part(r.frame_height, r.row, r.rows);
  part(r.frame_width, r.column, r.columns);
  return r;
}

/// Decodes a rectangle into rows with gaps, and holds it against `whole`. Returns whether it was
/// decoded.
bool check_rectangle(Random& random, Decoder& decoder, std::span<const std::byte> frame,
                     std::span<const std::byte> whole, const Rectangle& r,
                     const DecodeOptions& options) {
  const std::size_t row = r.columns * r.sample_width;
  const std::size_t gap = random.coin() ? 0 : random.between(1, 70);
  const std::size_t stride = row + gap;
  const std::size_t odd = random.below(9);
  std::vector<std::byte> room(2 * margin + odd + r.rows * stride, untouched);
  const bool upwards = r.rows > 0 && random.below(4) == 0;
  std::byte* const first = room.data() + margin + odd;
  const RowTarget target{.data = upwards ? first + (r.rows - 1) * stride : first,
                         .stride = upwards ? -static_cast<std::ptrdiff_t>(stride)
                                           : static_cast<std::ptrdiff_t>(stride)};
  const auto result = decoder.decode_rectangle(frame, r, target, options);
  EXPECT_TRUE(result.has_value());
  if (!result) return false;
  std::vector<std::byte> expected(room.size(), untouched);
  for (std::size_t y = 0; y < r.rows; ++y) {
    const std::size_t at = margin + odd + (upwards ? r.rows - 1 - y : y) * stride;
    const std::size_t from = ((r.row + y) * r.frame_width + r.column) * r.sample_width;
    if (*result) {
      if (row != 0) std::memcpy(expected.data() + at, whole.data() + from, row);
    } else if (row != 0) {
      std::memcpy(expected.data() + at, room.data() + at, row);  // whatever is there
    }
  }
  EXPECT_EQ(room, expected) << r.frame_width << " x " << r.frame_height << ": rows " << r.row
                            << " + " << r.rows << ", columns " << r.column << " + " << r.columns
                            << ", stride " << target.stride;
  return *result;
}

TEST(NativeDecoder, gives_what_openzl_gives_for_every_graph_width_and_size) {
  Random random(91);
  SCOPED_TRACE(random.trace());
  const auto encoder = make_encoder();
  const auto decoder = make_decoder();
  std::size_t native = 0;
  for_each_graph([&](const Graph& graph, std::size_t width) {
    std::vector<std::size_t> counts = {1, 2, 3, 4, 31, 32, 33, 63, 64, 65, 100, 1000};
    for (int i = 0; i < 4; ++i) counts.push_back(random.between(1, 700));
    counts.push_back(random.between(17'000, 24'000));
    for (const std::size_t count : counts) {
      for (const Content content :
           {Content::smooth, Content::noise, Content::constant, Content::steps}) {
        if (graph.sink == Sink::constant && content != Content::constant) continue;
        const Sample sample = encoded(random, *encoder, graph, width, count, content);
        SCOPED_TRACE(sample.name() + ", content " + std::to_string(static_cast<int>(content)));
        for (const bool verify : {true, false}) {
          const Verdict own = judged(*decoder, sample.frame, sample.size, {.verify = verify});
          ASSERT_EQ(own, judged(*decoder, sample.frame, sample.size,
                                {.verify = verify, .native = false}));
          ASSERT_TRUE(std::ranges::equal(own.bytes, sample.samples()));
          for (int k = 0; k < 3; ++k) {
            const Rectangle r = some_rectangle(random, count, width);
            const bool done = check_rectangle(random, *decoder, sample.frame, sample.samples(), r,
                                              {.verify = verify});
            native += done ? 1 : 0;
            ASSERT_TRUE(done || !is_plain(graph.sink));
          }
          if (::testing::Test::HasFailure()) return;
        }
      }
    }
  });
  EXPECT_GT(native, 5000u);
}

TEST(NativeDecoder, takes_rows_that_cut_through_the_words_of_the_codec) {
  Random random(92);
  SCOPED_TRACE(random.trace());
  const auto encoder = make_encoder();
  const auto decoder = make_decoder();
  for_each_graph([&](const Graph& graph, std::size_t width) {
    if (!is_plain(graph.sink)) return;
    const Sample sample =
        encoded(random, *encoder, graph, width, 3 * 5 * 7 * 16 * 11,
                graph.sink == Sink::constant ? Content::constant : Content::smooth);
    SCOPED_TRACE(sample.name());
    for (const std::size_t other : {1U, 2U, 3U, 4U, 5U, 8U, 16U, 24U}) {
      if (sample.size % other != 0) continue;
      for (int k = 0; k < 12; ++k) {
        const Rectangle r = some_rectangle(random, sample.size / other, other);
        ASSERT_TRUE(check_rectangle(random, *decoder, sample.frame, sample.samples(), r,
                                    {.verify = k % 2 == 0}));
      }
    }
  });
}

TEST(NativeDecoder, knows_the_frames_of_every_version_with_chunks) {
  Random random(93);
  SCOPED_TRACE(random.trace());
  const auto decoder = make_decoder();
  for (const bool checksums : {true, false}) {
    for (unsigned version = 21; version <= 27; ++version) {
      const auto encoder = make_encoder({.format_version = version, .checksums = checksums});
      for_each_graph([&](const Graph& graph, std::size_t width) {
        if (!is_plain(graph.sink)) return;
        const Sample sample =
            encoded(random, *encoder, graph, width, 700,
                    graph.sink == Sink::constant ? Content::constant : Content::smooth);
        SCOPED_TRACE(sample.name() + ", version " + std::to_string(version));
        const Rectangle r = some_rectangle(random, 700, width);
        ASSERT_TRUE(check_rectangle(random, *decoder, sample.frame, sample.samples(), r, {}));
        const auto graph_of_frame = parse_frame(sample.frame);
        ASSERT_TRUE(graph_of_frame.has_value());
        EXPECT_EQ(graph_of_frame->format_version, version);
        EXPECT_EQ(graph_of_frame->decoded_size, sample.size);
        EXPECT_EQ(graph_of_frame->content_hash.has_value(), checksums);
        EXPECT_EQ(graph_of_frame->chunk_seal.has_value(), checksums);
      });
    }
  }
}

TEST(NativeDecoder, judges_damaged_frames_as_openzl_does) {
  Random random(94);
  SCOPED_TRACE(random.trace());
  const auto decoder = make_decoder();
  std::size_t accepted = 0;
  for (const bool checksums : {false, true}) {
    const auto encoder = make_encoder({.format_version = 24, .checksums = checksums});
    for_each_graph([&](const Graph& graph, std::size_t width) {
      if (!is_plain(graph.sink)) return;
      const Sample sample =
          encoded(random, *encoder, graph, width, random.between(60, 150),
                  graph.sink == Sink::constant ? Content::constant : Content::smooth);
      SCOPED_TRACE(sample.name());
      for (std::size_t at = 0; at < sample.frame.size(); ++at) {
        // The front has the structure: there all bits are flipped.
        for (unsigned bit = 0; bit < 8; ++bit) {
          if (at > 60 && random.below(16) != 0) continue;
          Bytes damaged = sample.frame;
          damaged[at] ^= std::byte{1} << bit;
          if (random.below(4) == 0) damaged[random.below(damaged.size())] ^= std::byte{0x10};
          const bool verify = random.coin();
          const Verdict own = judged(*decoder, damaged, sample.size, {.verify = verify});
          const Verdict theirs =
              judged(*decoder, damaged, sample.size, {.verify = verify, .native = false});
          ASSERT_EQ(own, theirs) << "byte " << at << ", bit " << bit;
          const Rectangle r = some_rectangle(random, sample.size / width, width);
          if (check_rectangle(random, *decoder, damaged,
                              theirs.bytes.empty() ? sample.samples() : theirs.bytes, r,
                              {.verify = verify})) {
            ASSERT_TRUE(theirs.error.empty()) << theirs.error;
            ++accepted;
          }
        }
      }
      for (std::size_t size = 0; size < sample.frame.size(); ++size) {
        const auto cut = std::span(sample.frame).first(size);
        ASSERT_EQ(judged(*decoder, cut, sample.size, {}),
                  judged(*decoder, cut, sample.size, {.native = false}));
        ASSERT_FALSE(parse_frame(cut).has_value());
      }
      Bytes longer = sample.frame;
      longer.push_back(std::byte{0});
      EXPECT_FALSE(parse_frame(longer).has_value());
    });
  }
  EXPECT_GT(accepted, 1000u);
}

TEST(NativeDecoder, notices_content_that_is_not_what_was_hashed) {
  Random random(95);
  const auto encoder = make_encoder();
  const auto decoder = make_decoder();
  for_each_graph([&](const Graph& graph, std::size_t width) {
    if (!is_plain(graph.sink)) return;
    Sample sample = encoded(random, *encoder, graph, width, 5000,
                            graph.sink == Sink::constant ? Content::constant : Content::smooth);
    SCOPED_TRACE(sample.name());
    // Without the seals of the compressed bytes: the byte behind the header, the word at the end.
    const auto parsed = parse_frame(sample.frame);
    ASSERT_TRUE(parsed && parsed->header_seal && parsed->chunk_seal && parsed->content_hash);
    Bytes& frame = sample.frame;
    frame.erase(frame.end() - 5, frame.end() - 1);
    frame.erase(frame.begin() + static_cast<std::ptrdiff_t>(parsed->header_seal->covered.size()));
    frame[4] = std::byte{1};
    const Rectangle r{.sample_width = width,
                      .frame_width = 50,
                      .frame_height = 100,
                      .row = 20,
                      .rows = 30,
                      .column = 10,
                      .columns = 33};
    ASSERT_TRUE(check_rectangle(random, *decoder, frame, sample.samples(), r, {}));
    frame[frame.size() - 2] ^= std::byte{0x80};  // of the content's hash
    EXPECT_FALSE(check_rectangle(random, *decoder, frame, sample.samples(), r, {}));
    EXPECT_TRUE(check_rectangle(random, *decoder, frame, sample.samples(), r, {.verify = false}));
    const Verdict own = judged(*decoder, frame, sample.size, {});
    EXPECT_EQ(own, judged(*decoder, frame, sample.size, {.native = false}));
    EXPECT_NE(own.error.find("checksum of the decoded bytes"), std::string::npos) << own.error;
  });
}

TEST(NativeDecoder, leaves_frames_of_another_size_and_impossible_rectangles) {
  Random random(96);
  const Graph graph{.steps = {}, .step_count = 0, .sink = Sink::zstd, .zstd = {.level = 1}};
  const auto encoder = make_encoder();
  const Sample sample = encoded(random, *encoder, graph, 2, 600, Content::smooth);
  const auto decoder = make_decoder();
  std::vector<std::byte> out(4000);
  const RowTarget target{.data = out.data(), .stride = 40};
  const auto decode = [&](const Rectangle& r) {
    return decoder->decode_rectangle(sample.frame, r, target, {});
  };
  Rectangle r{.sample_width = 2,
              .frame_width = 20,
              .frame_height = 30,
              .row = 0,
              .rows = 30,
              .column = 0,
              .columns = 20};
  EXPECT_TRUE(decode(r).value());
  r.frame_height = 31;
  EXPECT_FALSE(decode(r).value());
  r.frame_height = SIZE_MAX;
  EXPECT_FALSE(decode(r).value());
  r.frame_height = 30;
  r.row = 1;
  EXPECT_EQ(decode(r).error().code, Errc::bad_argument);
  r.row = SIZE_MAX;
  EXPECT_EQ(decode(r).error().code, Errc::bad_argument);
  r.row = 0;
  r.columns = 21;
  EXPECT_EQ(decode(r).error().code, Errc::bad_argument);
  r.columns = 0;
  EXPECT_TRUE(decode(r).value());
  EXPECT_FALSE(decoder->decode_rectangle(sample.frame, r, target, {.native = false}).value());
}

TEST(NativeDecoder, gives_what_openzl_gives_for_the_frames_of_the_corpus) {
  Random random(97);
  const auto decoder = make_decoder();
  std::size_t native = 0;
  std::size_t frames = 0;
  for (const auto& entry : testing::rumi_manifest().valid) {
    if (entry.geozl) continue;
    const auto file = rumi::open(io::memory_source(entry.bytes())).value();
    for (std::uint64_t i = 0; i < file.frames().frames(); ++i) {
      const Bytes frame = file.read_compressed(i).value();
      const std::size_t size = inspect(frame)->decoded_size;
      const Verdict own = judged(*decoder, frame, size, {});
      ASSERT_EQ(own, judged(*decoder, frame, size, {.native = false})) << entry.name;
      if (check_rectangle(random, *decoder, frame, own.bytes, some_rectangle(random, size, 1), {}))
        ++native;
      ++frames;
    }
  }
  EXPECT_GT(frames, 300u);
  RecordProperty("native_frames", static_cast<int>(native));
  RecordProperty("frames", static_cast<int>(frames));
  std::printf("%zu of %zu frames are plain\n", native, frames);
}

}  // namespace
}  // namespace sillar::codec::openzl
