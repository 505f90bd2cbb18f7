// What a writer refuses: frames of another shape, size or kind, and calls out of turn.
#include "made_file.hpp"
#include <sillar/codec/openzl.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace sillar::rumi {
namespace {

using testing::Bytes;
using testing::Cube;

/// Room for samples, aligned.
struct Samples {
  std::vector<std::uint64_t> memory = std::vector<std::uint64_t>(64);

  [[nodiscard]] TensorView view(DType dtype, const Shape& shape) const {
    return {reinterpret_cast<const std::byte*>(memory.data()), dtype, shape};
  }
};

/// 2 bands of 3 x 5 booleans or numbers in tiles of 2 x 4: 8 frames.
struct Example {
  explicit Example(DType dtype = DType::u8)
      : writer(
            Writer::create(io::memory_sink(out), testing::content_for({1, 2, 3, 5}, dtype, 2, 4, 0))
                .value()) {}

  Bytes out;
  Samples samples;
  Writer writer;
};

/// An OpenZL frame of so many ones.
Bytes frame_of(std::size_t size) {
  std::vector<std::uint64_t> memory(size / 8 + 1, 0x0101010101010101);
  Bytes frame;
  EXPECT_TRUE(codec::openzl::make_encoder()->encode(
      {.steps = {}, .step_count = 0, .sink = codec::openzl::Sink::store, .zstd = {.level = 0}},
      std::as_bytes(std::span(memory)).first(size), 1, frame));
  return frame;
}

TEST(PutSamples, takes_exactly_the_shape_and_dtype_of_the_frame) {
  Example example;
  EXPECT_EQ(example.writer.frame_count(), 8u);
  const auto put = [&](std::uint64_t index, DType dtype, const Shape& shape) {
    const auto result = example.writer.put_samples(index, example.samples.view(dtype, shape));
    if (result) return std::string("taken");
    EXPECT_EQ(result.error().code, Errc::bad_argument);
    return result.error().detail;
  };
  EXPECT_EQ(put(8, DType::u8, {1, 1, 2, 4}), "frame 8 is outside, the file has 8");
  EXPECT_EQ(put(0, DType::i8, {1, 1, 2, 4}),
            "frame 0 takes uint8 (1, 1, 2, 4), got int8 (1, 1, 2, 4)");
  EXPECT_NE(put(0, DType::u8, {1, 1, 2, 3}), "taken");
  EXPECT_NE(put(0, DType::u8, {2, 4}), "taken");
  EXPECT_NE(put(7, DType::u8, {1, 1, 2, 4}), "taken");  // an edge tile is clipped, not padded
  EXPECT_EQ(put(7, DType::u8, {1, 1, 1, 1}), "taken");
  EXPECT_EQ(put(0, DType::u8, {1, 1, 2, 4}), "taken");
  EXPECT_EQ(put(7, DType::u8, {1, 1, 1, 1}), "frame 7 was given before");
}

TEST(PutSamples, refuses_booleans_that_are_neither_0_nor_1) {
  Example example(DType::boolean);
  for (const std::uint8_t value : std::to_array<std::uint8_t>({2, 128, 255})) {
    std::memset(example.samples.memory.data(), 0, 8);
    std::memcpy(reinterpret_cast<std::byte*>(example.samples.memory.data()) + 5, &value, 1);
    const auto put =
        example.writer.put_samples(0, example.samples.view(DType::boolean, {1, 1, 2, 4}));
    ASSERT_FALSE(put.has_value());
    EXPECT_EQ(put.error().code, Errc::bad_argument);
    EXPECT_EQ(put.error().rule, &rules::frame_boolean);
    EXPECT_NE(put.error().detail.find("sample 5"), std::string::npos) << put.error().detail;
  }
  // The frame can still be given.
  std::memset(example.samples.memory.data(), 1, 8);
  EXPECT_TRUE(example.writer.put_samples(0, example.samples.view(DType::boolean, {1, 1, 2, 4})));
}

TEST(PutCompressed, takes_whole_frames_of_the_right_size_alone) {
  Example example;
  const Bytes good = frame_of(8);
  const auto rule_with = [&](const Bytes& frame) {
    const auto put = example.writer.put_compressed(0, frame);
    return put ? std::string("taken") : testing::rule_of(put.error());
  };
  EXPECT_EQ(rule_with(frame_of(7)), "rumi.frame.size");
  EXPECT_EQ(rule_with(frame_of(9)), "rumi.frame.size");
  EXPECT_EQ(rule_with(frame_of(16)), "rumi.frame.size");
  EXPECT_EQ(rule_with({}), "rumi.frame.decode");
  EXPECT_EQ(rule_with(sillar::testing::bytes_of("any bytes at all")), "rumi.frame.decode");
  for (std::size_t size = 1; size < good.size(); ++size) {
    const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(rule_with(cut), "rumi.frame.decode") << size;
  }
  Bytes longer = good;
  longer.push_back(std::byte{0});
  EXPECT_EQ(rule_with(longer), "rumi.frame.decode");
  for (std::size_t at = 0; at < good.size(); ++at) {  // the checksums see every flip
    Bytes flipped = good;
    flipped[at] ^= std::byte{0x10};
    EXPECT_NE(rule_with(flipped), "taken") << at;
  }
  EXPECT_EQ(rule_with(good), "taken");
  EXPECT_EQ(rule_with(good), "rumi.write.frame_count");
  EXPECT_EQ(example.writer.put_compressed(8, good).error().code, Errc::bad_argument);
}

TEST(PutCompressed, checks_booleans_inside_the_frame) {
  Example example(DType::boolean);
  EXPECT_TRUE(example.writer.put_compressed(0, frame_of(8)).has_value());  // ones
  std::vector<std::uint64_t> twos(1, 0x0202020202020202);
  Bytes frame;
  ASSERT_TRUE(codec::openzl::make_encoder()->encode(
      {.steps = {}, .step_count = 0, .sink = codec::openzl::Sink::store, .zstd = {.level = 0}},
      std::as_bytes(std::span(twos)), 1, frame));
  const auto put = example.writer.put_compressed(2, frame);
  ASSERT_FALSE(put.has_value());
  EXPECT_EQ(put.error().rule, &rules::frame_size);  // frame 2 is 2 x 1
  EXPECT_EQ(example.writer.put_compressed(1, frame).error().rule, &rules::frame_boolean);
}

TEST(Finish, comes_once_and_last) {
  const Cube cube{.dtype = DType::u8, .shape = {1, 1, 1, 2}, .bytes = Bytes(2)};
  Bytes out;
  auto writer =
      Writer::create(io::memory_sink(out), testing::content_for(cube.shape, cube.dtype, 1, 1, 0))
          .value();
  const auto missing = writer.finish();
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().detail, "frame 0 was never given");
  const auto sample = cube.view().slice(3, 0, 1);
  ASSERT_TRUE(writer.put_samples(1, sample).has_value());
  ASSERT_TRUE(writer.put_samples(0, sample).has_value());
  ASSERT_TRUE(writer.finish().has_value());
  EXPECT_EQ(writer.frame_count(), 2u);
  EXPECT_EQ(writer.finish().error().detail, "the file was finished before");
  EXPECT_EQ(writer.put_samples(0, sample).error().detail, "the file was finished before");
  EXPECT_TRUE(testing::open_bytes(out).has_value());
}

/// Fails at its third append.
class FullSink final : public io::Sink {
 public:
  Result<> reserve(std::uint64_t) override { return {}; }
  Result<> append(std::span<const std::byte>) override {
    if (++appends_ == 3) return fail_errno(Errc::io, "write", ENOSPC);
    return {};
  }
  Result<> put_front(std::span<const std::byte>) override { return {}; }
  Result<> finish() override {
    ADD_FAILURE() << "a file without all of its frames is finished";
    return {};
  }
  Result<std::unique_ptr<io::Spool>> spool() override {
    return fail_errno(Errc::io, "spool", ENOSPC);
  }

 private:
  int appends_ = 0;
};

TEST(Writer, that_met_a_full_disk_says_so_ever_after) {
  const Cube cube{.dtype = DType::u8, .shape = {1, 1, 1, 9}, .bytes = Bytes(9)};
  const auto content = testing::content_for(cube.shape, cube.dtype, 1, 1, 0);
  auto writer = Writer::create(std::make_unique<FullSink>(), content).value();
  const auto sample = cube.view().slice(3, 0, 1);
  ASSERT_TRUE(writer.put_samples(0, sample) && writer.put_samples(1, sample));
  EXPECT_EQ(writer.put_samples(2, sample).error().system_errno, ENOSPC);
  EXPECT_EQ(writer.put_samples(3, sample).error().system_errno, ENOSPC);
  EXPECT_EQ(writer.finish().error().system_errno, ENOSPC);
  for (const std::size_t threads : {1U, 4U}) {
    exec::Pool pool(threads);
    const auto written = write(std::make_unique<FullSink>(), content, cube.view(),
                               {.write = {}, .pool = &pool, .control = {}});
    ASSERT_FALSE(written.has_value());
    EXPECT_EQ(written.error().code, Errc::io);
    EXPECT_EQ(written.error().system_errno, ENOSPC);
  }
}

TEST(Writer, refuses_samples_of_another_shape_than_its_layout) {
  const Cube cube{.dtype = DType::u8, .shape = {1, 1, 1, 9}, .bytes = Bytes(9)};
  Bytes out;
  const auto content = testing::content_for({1, 1, 9, 1}, cube.dtype, 1, 1, 0);
  const auto written = write(io::memory_sink(out), content, cube.view());
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, Errc::bad_argument);
  EXPECT_TRUE(out.empty());
}

}  // namespace
}  // namespace sillar::rumi
