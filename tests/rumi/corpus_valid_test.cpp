// Every valid file and blob of the corpus: opened, described, decoded, judged, written again.
#include "made_file.hpp"
#include "rumi_manifest.hpp"
#include "sha256.hpp"

#include <gtest/gtest.h>

namespace sillar::rumi {
namespace {

using sillar::testing::rumi_manifest;
using sillar::testing::RumiMetadata;
using sillar::testing::RumiValid;
using sillar::testing::sha256;
using testing::Bytes;

/// Calls `check(case, bytes)` for every valid file; a failure names the case.
template <class Check>
void for_each_case(const Check& check) {
  for (const RumiValid& entry : rumi_manifest().valid) {
    SCOPED_TRACE("case " + entry.name);
    check(entry, entry.bytes());
  }
}

void expect_layout(const File& file, const RumiMetadata& want) {
  const Layout& layout = file.layout();
  EXPECT_EQ(layout.image_width, want.image_width);
  EXPECT_EQ(layout.image_length, want.image_length);
  EXPECT_EQ(layout.time_count, want.time_count);
  EXPECT_EQ(layout.samples_per_pixel, want.samples_per_pixel);
  EXPECT_EQ(layout.tile_width, want.tile_width);
  EXPECT_EQ(layout.tile_length, want.tile_length);
  EXPECT_EQ(layout.encoding->sample_format, want.sample_format);
  EXPECT_EQ(layout.encoding->bits_per_sample, want.bits_per_sample);
  EXPECT_EQ(layout.encoding->name, want.encoding);
  EXPECT_EQ(layout.unit->number, want.frame_unit);
  EXPECT_EQ(layout.frame_axes(), want.frame_axes);
  EXPECT_EQ(layout.tiles_across(), want.tiles_across);
  EXPECT_EQ(layout.tiles_down(), want.tiles_down);
  EXPECT_EQ(layout.frame_count(), want.frames);
  EXPECT_EQ(file.frames().frames(), want.frames);
  EXPECT_EQ(file.frames().base_offset(), want.base_frame_offset);
  EXPECT_EQ(file.frames().end(), want.trailer_offset);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < want.frames; ++i) sum += file.frames().byte_count(i);
  EXPECT_EQ(sum, want.frame_byte_counts_sum);
}

void expect_descriptions(const File& file, const RumiMetadata& want) {
  const auto georeference = file.georeference();
  ASSERT_TRUE(georeference.has_value()) << georeference.error().message();
  EXPECT_EQ(static_cast<std::uint64_t>(georeference->model), want.crs_model);
  EXPECT_EQ(georeference->epsg, want.epsg.value_or(0));
  EXPECT_EQ(georeference->pixel_is_point, want.pixel_is_point);
  EXPECT_EQ(georeference->defined(), want.transform.has_value());
  // Without a CRS the manifest has none, and the library the identity.
  EXPECT_EQ(georeference->transform.values(),
            want.transform.value_or(std::array<double, 6>{1, 0, 0, 0, 1, 0}));

  const auto trailer = file.trailer();
  ASSERT_TRUE(trailer.has_value()) << trailer.error().message();
  EXPECT_EQ((*trailer)->band_texts, want.band_texts);
  const TimeFields& fields = (*trailer)->times.fields();
  EXPECT_EQ(fields.time_type, want.time_type);
  EXPECT_EQ(fields.time_bits, want.time_bits);
  EXPECT_EQ(fields.time_epoch, want.time_epoch);
  EXPECT_EQ(fields.time_step, want.time_step);
  EXPECT_EQ(fields.time_scale, want.time_scale);
  EXPECT_EQ((*trailer)->times.coordinates(), want.time_coords);
}

TEST(ValidFiles, open_with_the_metadata_and_blob_of_the_manifest) {
  for_each_case([](const RumiValid& entry, const Bytes& bytes) {
    EXPECT_EQ(bytes.size(), entry.size);
    const auto file = testing::open_bytes(bytes);
    ASSERT_TRUE(file.has_value()) << file.error().message();
    expect_layout(*file, entry.metadata);
    expect_descriptions(*file, entry.metadata);
    EXPECT_EQ(file->header_blob(), entry.header_blob);
  });
}

TEST(ValidFiles, open_by_their_blob_alone_to_the_same_header) {
  for_each_case([](const RumiValid& entry, const Bytes& bytes) {
    const auto file = testing::open_bytes(bytes);
    const auto by_blob = open(io::memory_source(bytes),
                              {.header_blob = entry.header_blob, .limits = {}, .control = {}});
    ASSERT_TRUE(file && by_blob);
    EXPECT_EQ(by_blob->header(), file->header());
    expect_layout(*by_blob, entry.metadata);
    expect_descriptions(*by_blob, entry.metadata);
  });
}

TEST(ValidFiles, decode_to_the_samples_of_the_manifest_with_and_without_the_blob) {
  for_each_case([](const RumiValid& entry, const Bytes& bytes) {
    for (const bool with_blob : {false, true}) {
      SCOPED_TRACE(with_blob ? "with blob" : "without blob");
      OpenOptions options;
      if (with_blob) options.header_blob = entry.header_blob;
      const auto file = open(io::memory_source(bytes), options);
      ASSERT_TRUE(file.has_value()) << file.error().message();
      const auto samples = file->read();
      ASSERT_TRUE(samples.has_value()) << samples.error().message();
      EXPECT_EQ(sha256(samples->bytes()), entry.sha256);
    }
  });
}

TEST(ValidFiles, break_no_rule) {
  for_each_case([](const RumiValid& entry, const Bytes& bytes) {
    const auto report = validate(*io::memory_source(bytes), {.header_blob = entry.header_blob,
                                                             .decode = true,
                                                             .pool = nullptr,
                                                             .registry = nullptr,
                                                             .limits = {},
                                                             .control = {}});
    ASSERT_TRUE(report.has_value()) << report.error().message();
    EXPECT_EQ(testing::broken_rules(*report), std::vector<std::string>{});
    EXPECT_EQ(testing::broken_rules(*report, Severity::unsupported), std::vector<std::string>{});
  });
}

TEST(ValidFiles, written_again_from_their_frames_are_the_same_byte_for_byte) {
  for_each_case([](const RumiValid& entry, const Bytes& bytes) {
    const auto file = testing::open_bytes(bytes);
    ASSERT_TRUE(file.has_value());
    const auto trailer = file->trailer();
    const auto georeference = file->georeference();
    ASSERT_TRUE(trailer && georeference);
    Bytes written;
    auto writer = Writer::create(
        io::memory_sink(written), {file->layout(), *georeference, **trailer, AffineDemand::none},
        {.profile = Profile::portable, .trust_frames = false, .limits = {}});
    ASSERT_TRUE(writer.has_value()) << writer.error().message();
    for (std::uint64_t i = 0; i < file->frames().frames(); ++i) {
      const auto frame = file->read_compressed(i);
      ASSERT_TRUE(frame.has_value());
      const auto put = writer->put_compressed(i, *frame);
      ASSERT_TRUE(put.has_value()) << put.error().message();
    }
    const auto blob = writer->finish();
    ASSERT_TRUE(blob.has_value()) << blob.error().message();
    EXPECT_EQ(written, bytes);
    EXPECT_EQ(*blob, entry.header_blob);
  });
}

TEST(ValidBlobs, are_parsed_and_made_again) {
  for (const auto& want : rumi_manifest().valid_blobs) {
    SCOPED_TRACE(want.name);
    const auto header = parse_header_blob(want.blob, {});
    ASSERT_TRUE(header.has_value()) << header.error().message();
    const FrameTable& frames = header->frames;
    EXPECT_EQ(frames.frames(), want.frames);
    EXPECT_EQ(frames.base_offset(), want.base_frame_offset);
    EXPECT_EQ(frames.offset(want.frames - 1), want.last_offset);
    EXPECT_EQ(frames.end(), want.trailer_offset);
    EXPECT_EQ(frames.count_min(), want.count_min);
    for (std::size_t i = 0; i < want.counts_head.size(); ++i)
      EXPECT_EQ(frames.byte_count(i), want.counts_head[i]) << i;
    // Every offset by a plain sum.
    std::uint64_t offset = want.base_frame_offset;
    for (std::uint64_t i = 0; i < want.frames; ++i) {
      ASSERT_EQ(frames.offset(i), offset) << i;
      offset += frames.byte_count(i);
    }
    EXPECT_EQ(make_header_blob(*header), want.blob);
    Report report(Report::Until::end);
    EXPECT_TRUE(check_header_blob(want.blob, {}, report).has_value());
    EXPECT_TRUE(report.findings().empty());
  }
}

}  // namespace
}  // namespace sillar::rumi
