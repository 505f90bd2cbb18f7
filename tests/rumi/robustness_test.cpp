// Damaged files: refused by a rule or a limit, never a crash, never much memory.
#include "made_file.hpp"
#include "rumi_manifest.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>

namespace sillar::rumi {
namespace {

using sillar::testing::Random;
using sillar::testing::rumi_manifest;
using testing::Bytes;

Limits small_limits() {
  return {.frame_bytes = 1 << 20,
          .output_bytes = 4 << 20,
          .frames = 1 << 16,
          .trailer_bytes = 1 << 20,
          .coordinates = 1 << 16};
}

// A sanitizer's own memory would be counted as well.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// The most memory that this process ever had, in KiB.
long peak_kilobytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/// A refusal has a rule, or is one of a limit or of the caller.
template <class T>
::testing::AssertionResult is_fair(const Result<T>& result) {
  if (result || result.error().rule != nullptr || result.error().code == Errc::over_limit)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << name_of(result.error().code) << ": " << result.error().message();
}

/// Everything that can be asked of a file. What is accepted must be canonical: written again it is
/// the same.
void ask_everything(const Bytes& bytes) {
  const auto file = testing::open_bytes(bytes, small_limits());
  ASSERT_TRUE(is_fair(file));
  const auto report = validate(*io::memory_source(bytes), {.header_blob = {},
                                                           .decode = true,
                                                           .pool = nullptr,
                                                           .registry = nullptr,
                                                           .limits = small_limits(),
                                                           .control = {}});
  ASSERT_TRUE(is_fair(report));
  if (!file) {
    ASSERT_TRUE(!report || report->errors() > 0);
    return;
  }
  const auto georeference = file->georeference();
  const auto trailer = file->trailer();
  const auto samples =
      file->read({}, {.pool = nullptr, .verify = true, .limits = small_limits(), .control = {}});
  ASSERT_TRUE(is_fair(georeference));
  ASSERT_TRUE(is_fair(trailer));
  ASSERT_TRUE(is_fair(samples));
  ASSERT_TRUE(is_fair(
      file->read({}, {.pool = nullptr, .verify = false, .limits = small_limits(), .control = {}})));
  if (report) {
    const bool accepted = georeference && trailer && samples;
    const bool judged_good =
        report->errors() == 0 && testing::broken_rules(*report, Severity::unsupported).empty();
    ASSERT_EQ(accepted, judged_good);
  }
  // The blob that was made of it is parsed back to it.
  const auto header = parse_header_blob(file->header_blob(), small_limits());
  ASSERT_TRUE(header.has_value());
  ASSERT_EQ(*header, file->header());
}

std::vector<Bytes> victims() {
  std::vector<Bytes> files;
  for (const char* name :
       {"enc-bool-std", "enc-bfloat16-std", "unit3-edge", "time-interval-gaps"}) {
    for (const auto& entry : rumi_manifest().valid) {
      if (entry.name == name) files.push_back(entry.bytes());
    }
  }
  // And the smallest few of the rest, of different kinds.
  for (const auto& entry : rumi_manifest().valid) {
    if (!entry.geozl && entry.size < 2000 && files.size() < 12 && entry.metadata.frames < 40)
      files.push_back(entry.bytes());
  }
  return files;
}

TEST(Mutations, of_valid_files_are_accepted_or_refused_with_a_reason) {
  Random random(60);
  SCOPED_TRACE(random.trace());
  const auto files = victims();
  ASSERT_GT(files.size(), 4u);
  for (int round = 0; round < 3000; ++round) {
    Bytes bytes = files[static_cast<std::size_t>(round) % files.size()];
    const std::uint64_t changes = random.coin() ? 1 : random.between(2, 8);
    for (std::uint64_t change = 0; change < changes; ++change) {
      // The front decides most, so it is hit more often than its size asks for.
      const std::uint64_t at = random.coin()
                                   ? random.below(std::min<std::uint64_t>(bytes.size(), 500))
                                   : random.below(bytes.size());
      switch (random.below(4)) {
        case 0:
          bytes[at] = static_cast<std::byte>(random.below(256));
          break;
        case 1:
          bytes[at] ^= std::byte{1} << random.below(8);
          break;
        case 2:
          bytes[at] = random.coin() ? std::byte{0} : std::byte{0xFF};
          break;
        default: {
          const std::uint64_t run =
              std::min<std::uint64_t>(random.between(1, 8), bytes.size() - at);
          random.fill(std::span(bytes).subspan(at, run));
        }
      }
    }
    if (random.below(8) == 0) bytes.resize(random.below(bytes.size() + 1));
    if (random.below(16) == 0) bytes.resize(bytes.size() + random.below(20));
    ask_everything(bytes);
    ASSERT_FALSE(HasFatalFailure()) << "round " << round;
  }
  EXPECT_TRUE(sanitized || peak_kilobytes() < 512 * 1024) << peak_kilobytes();
}

TEST(Truncations, at_every_byte_are_refused) {
  for (const char* name : {"enc-bool-std", "enc-bfloat16-std"}) {
    const Bytes whole = rumi_manifest().valid_case(name).bytes();
    const auto frames_end = testing::open_bytes(whole).value().frames().end();
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      const auto file = testing::open_bytes(cut);
      ASSERT_EQ(file.has_value(), size >= frames_end) << size;
      const Error error = file ? file->trailer().error() : file.error();
      ASSERT_EQ(error.code, Errc::truncated) << error.message();
      ASSERT_NE(error.rule, nullptr);
      ASSERT_EQ(error.offset, size);
      const auto report = validate(*io::memory_source(cut));
      ASSERT_TRUE(report.has_value());
      ASSERT_GT(report->errors(), 0u);
    }
  }
}

TEST(Blobs, that_are_random_or_mutated_are_canonical_or_refused) {
  Random random(61);
  SCOPED_TRACE(random.trace());
  std::size_t accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    const auto& entry = random.pick(rumi_manifest().valid_blobs);
    if (entry.blob.size() > 2000) continue;
    Bytes blob = entry.blob;
    for (std::uint64_t change = random.between(0, 3); change > 0; --change)
      blob[random.below(blob.size())] = static_cast<std::byte>(random.below(256));
    if (random.below(10) == 0) blob.resize(random.below(blob.size() + 4));
    const auto header = parse_header_blob(blob, small_limits());
    ASSERT_TRUE(is_fair(header));
    if (!header) continue;
    ++accepted;
    ASSERT_EQ(make_header_blob(*header), blob);  // one canonical form
  }
  EXPECT_GT(accepted, 1000u);
}

TEST(Trailers, that_are_random_or_mutated_are_canonical_or_refused) {
  Random random(62);
  SCOPED_TRACE(random.trace());
  std::vector<std::pair<Bytes, sillar::testing::RumiMetadata>> trailers;
  for (const auto& entry : rumi_manifest().valid) {
    const Bytes bytes = entry.bytes();
    trailers.emplace_back(
        Bytes(bytes.begin() + static_cast<std::ptrdiff_t>(entry.metadata.trailer_offset),
              bytes.end()),
        entry.metadata);
  }
  std::size_t accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    auto [bytes, metadata] = random.pick(trailers);
    for (std::uint64_t change = random.between(0, 2); change > 0; --change)
      bytes[random.below(bytes.size())] ^= std::byte{1} << random.below(8);
    if (random.below(10) == 0) bytes.resize(random.below(bytes.size() + 4));
    Report report(Report::Until::first_error);
    const auto trailer = check_trailer(bytes, 0, metadata.samples_per_pixel, metadata.time_count,
                                       small_limits(), report);
    ASSERT_TRUE(is_fair(trailer));
    if (!trailer) continue;
    ++accepted;
    ASSERT_EQ(make_trailer(*trailer), bytes);
  }
  EXPECT_GT(accepted, 1000u);
}

TEST(EmptyFile, and_empty_frames_are_refused_with_offset_and_reason) {
  const auto file = testing::open_bytes({});
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().rule, &rules::file_truncated_header);
  EXPECT_EQ(file.error().offset, 0u);
  Bytes out;
  auto writer =
      Writer::create(io::memory_sink(out), testing::content_for({1, 1, 1, 1}, DType::u8, 1, 1, 0))
          .value();
  EXPECT_EQ(writer.put_compressed(0, {}).error().rule, &rules::frame_decode);
}

TEST(Bombs, that_state_a_tile_of_65535_squared_are_refused_before_memory_is_taken) {
  // 65535 x 65535 doubles x 100 bands in one cell.
  const auto layout = layout_of({1, 100, 65535, 65535}, DType::f64, 65535, 65535, 1).value();
  const auto blob = make_header_blob(
      {layout, FrameTable::uniform(layout.base_frame_offset(1).value(), 1, 100).value()});
  const auto file =
      open(io::memory_source(Bytes(4096)), {.header_blob = blob, .limits = {}, .control = {}});
  ASSERT_TRUE(file.has_value());
  Selection one;
  one.window = geo::Window{0, 0, 1, 1};
  for (const auto& selection : {Selection{}, one})
    EXPECT_EQ(file->read(selection).error().code, Errc::over_limit);
  Content content = testing::content_for({1, 100, 65535, 65535}, DType::f64, 65535, 65535, 1);
  Bytes out;
  EXPECT_EQ(Writer::create(io::memory_sink(out), content).error().code, Errc::over_limit);
}

}  // namespace
}  // namespace sillar::rumi
