// Every rule has a good file and one that breaks it alone.
#include "made_file.hpp"
#include "rumi_manifest.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <sys/mman.h>

namespace sillar::rumi {
namespace {

using sillar::testing::rumi_manifest;
using sillar::testing::RumiInvalid;
using sillar::testing::RumiValid;
using testing::Bytes;
using testing::Cube;
using testing::rule_of;

/// Breaking needs more than 2^32 frames of 2^32 bytes, so no file can show it.
const std::set<std::string> cannot_be_broken_by_a_file = {"rumi.ifd.offset_overflow"};

const Cube& cube() {
  static const Cube samples{.dtype = DType::u8, .shape = {1, 1, 2, 2}, .bytes = Bytes(4)};
  return samples;
}

Content good_content() { return testing::content_for(cube().shape, cube().dtype, 2, 2, 0); }

/// The rule that an attempt to write `content` breaks, or "" where none is.
std::string write_breaks(const Content& content) {
  Bytes out;
  const auto written = write(io::memory_sink(out), content, cube().view());
  return written ? "" : rule_of(written.error());
}

std::string breaks_time_axis() {
  const std::vector<Seconds> seconds = {INT64_MIN, INT64_MAX};
  return rule_of(TimeAxis::make(TimeType::instant, seconds).error());
}

std::string breaks_frame_count() {
  Bytes out;
  auto writer = Writer::create(io::memory_sink(out), good_content()).value();
  const auto early = writer.finish();  // a frame is missing
  EXPECT_EQ(rule_of(early.error()), "rumi.write.frame_count");
  EXPECT_TRUE(writer.put_samples(0, cube().view()));
  return rule_of(writer.put_samples(0, cube().view()).error());  // and one is given twice
}

std::string breaks_byte_count() {
  // 4 GiB of zeros that are trusted to be a frame: only the pages that are touched take memory.
  constexpr std::size_t size = (std::size_t{1} << 32) + 64;
  void* const pages = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return "no address space";
  const std::span<std::byte> bytes(static_cast<std::byte*>(pages), size);
  const auto frame = testing::open_bytes(testing::make_file(cube(), 2, 2, 0).bytes)
                         .value()
                         .read_compressed(0)
                         .value();
  std::ranges::copy(frame, bytes.begin());
  Bytes out;
  auto writer = Writer::create(io::memory_sink(out), good_content(),
                               {.profile = Profile::portable, .trust_frames = true, .limits = {}})
                    .value();
  const auto put = writer.put_compressed(0, bytes);
  ::munmap(pages, size);
  return rule_of(put.error());
}

/// A file of GeoZL's whose first frame names a codec that nobody has: 0x72D77F.
std::string breaks_frame_codec() {
  const auto number = std::to_array<std::uint8_t>({0xAE, 0xCB, 0x03});  // behind the lowest 7 bits
  for (const RumiValid& entry : rumi_manifest().valid) {
    if (!entry.geozl) continue;
    Bytes bytes = entry.bytes();
    const auto found = std::ranges::search(bytes, number, [](std::byte byte, std::uint8_t wanted) {
                         return std::to_integer<std::uint8_t>(byte) == wanted;
                       }).begin();
    if (found == bytes.end()) continue;
    *(found - 1) = std::byte{0xFF};
    const auto samples = testing::open_bytes(bytes).value().read();
    EXPECT_NE(samples.error().detail.find("0x72d77f"), std::string::npos) << samples.error().detail;
    return rule_of(samples.error());
  }
  return {};
}

/// What no file of the corpus shows: rules of writers, and warnings. Each gives the rule that it
/// broke.
const std::map<std::string, std::function<std::string()>>& provoked() {
  static const std::map<std::string, std::function<std::string()>> table = {
      {"rumi.frame.codec", breaks_frame_codec},
      {"rumi.write.crs",
       [] { return rule_of(georeference_of(7415, geo::builtin_registry(), {}, false).error()); }},
      {"rumi.write.affine",
       [] {
         Content content = good_content();
         content.georeference = {.model = CrsModel::projected,
                                 .epsg = 32719,
                                 .pixel_is_point = false,
                                 .transform = {0, 0, 0, 0, 0, 0}};
         return write_breaks(content);
       }},
      {"rumi.write.transform_without_crs",
       [] {
         Content content = good_content();
         content.georeference.transform.x_res = 2;
         return write_breaks(content);
       }},
      {"rumi.write.time_axis", breaks_time_axis},
      {"rumi.write.frame_count", breaks_frame_count},
      {"rumi.write.byte_count", breaks_byte_count},
  };
  return table;
}

/// A file of the test's own that draws a warning, and nothing else.
const std::map<std::string, std::function<Bytes()>>& warned() {
  const auto projected = [] {
    Content content = good_content();
    content.georeference = {.model = CrsModel::projected,
                            .epsg = 32719,
                            .pixel_is_point = false,
                            .transform = {10, 0, 0, 0, -10, 0}};
    return testing::write_all(content, cube().view()).bytes;  // both tags at 292
  };
  static const std::map<std::string, std::function<Bytes()>> table = {
      {"rumi.geo.epsg_registry",
       [projected] {
         Bytes bytes = projected();
         bytes[292 + 128 + 30] = std::byte{0xE6};  // 4326, which is geographic
         bytes[292 + 128 + 31] = std::byte{0x10};
         return bytes;
       }},
      {"rumi.geo.affine_singular",
       [projected] {
         Bytes bytes = projected();
         std::fill_n(bytes.begin() + 292, 8, std::byte{0});  // x_res
         return bytes;
       }},
  };
  return table;
}

/// All rules that a validator finds broken in a case of the corpus, of any severity.
std::vector<std::string> found_in(const RumiInvalid& entry) {
  if (entry.kind == "blob") {
    Report report(Report::Until::end);
    (void)check_header_blob(entry.blob, {}, report);
    return testing::broken_rules(report);
  }
  ValidateOptions options;
  if (entry.kind == "pair") options.header_blob = entry.header_blob;
  const auto report = validate(*io::memory_source(entry.bytes()), options);
  if (!report) return {rule_of(report.error())};
  auto found = testing::broken_rules(*report);
  for (const Severity severity : {Severity::warning, Severity::unsupported}) {
    const auto more = testing::broken_rules(*report, severity);
    found.insert(found.end(), more.begin(), more.end());
  }
  return found;
}

bool corpus_breaks_alone(const std::string& id) {
  return std::ranges::any_of(rumi_manifest().invalid, [&](const RumiInvalid& entry) {
    return "rumi." + entry.rule == id && found_in(entry) == std::vector<std::string>{id};
  });
}

TEST(Rules, have_unique_ids_titles_and_demands) {
  std::set<std::string_view> ids;
  for (const Rule* rule : rules::all) {
    EXPECT_TRUE(ids.insert(rule->id).second) << rule->id;
    EXPECT_TRUE(rule->id.starts_with("rumi."));
    EXPECT_EQ(std::ranges::count(rule->id, '.'), 2) << rule->id;
    EXPECT_FALSE(rule->section.empty()) << rule->id;
    EXPECT_FALSE(rule->demand.empty()) << rule->id;
  }
}

TEST(Rules, of_the_corpus_all_exist) {
  std::set<std::string> ids;
  for (const Rule* rule : rules::all) ids.emplace(rule->id);
  for (const RumiInvalid& entry : rumi_manifest().invalid) {
    EXPECT_TRUE(entry.rule == "limit" || ids.contains("rumi." + entry.rule)) << entry.rule;
  }
}

TEST(Rules, accept_a_good_file_each_and_without_a_finding) {
  // One file is good by every rule at once.
  const auto made = testing::write_all(good_content(), cube().view());
  const auto report = validate(*io::memory_source(made.bytes), {.header_blob = made.blob,
                                                                .decode = true,
                                                                .pool = nullptr,
                                                                .registry = nullptr,
                                                                .limits = {},
                                                                .control = {}});
  ASSERT_TRUE(report.has_value());
  EXPECT_TRUE(report->findings().empty());
  EXPECT_EQ(write_breaks(good_content()), "");
}

TEST(Rules, but_rumi_ifd_offset_overflow_that_no_file_can_break_have_one_that_breaks_them_alone) {
  for (const Rule* rule : rules::all) {
    const std::string id(rule->id);
    SCOPED_TRACE(id);
    if (cannot_be_broken_by_a_file.contains(id)) continue;
    if (const auto found = provoked().find(id); found != provoked().end()) {
      EXPECT_EQ(found->second(), id);
    } else if (const auto file = warned().find(id); file != warned().end()) {
      const auto report = validate(*io::memory_source(file->second()));
      ASSERT_TRUE(report.has_value());
      EXPECT_EQ(testing::broken_rules(*report, Severity::warning), std::vector<std::string>{id});
      EXPECT_EQ(report->errors(), 0u);
    } else {
      EXPECT_TRUE(corpus_breaks_alone(id));
    }
  }
}

TEST(Rules, of_the_frame_table_tell_an_offset_that_leaves_64_bits) {
  const std::uint64_t most = ~std::uint64_t{0};
  EXPECT_EQ(FrameTable::uniform(most - 9, 2, 5), std::nullopt);
  EXPECT_EQ(FrameTable::uniform(most - 9, 3, 3)->end(), most);
  EXPECT_EQ(FrameTable::uniform(0, std::uint64_t{1} << 33, 0x80000000), std::nullopt);
  EXPECT_EQ(FrameTable::of(most - 9, {4, 6}), std::nullopt);
  EXPECT_EQ(FrameTable::of(most - 9, {4, 5})->end(), most);
}

}  // namespace
}  // namespace sillar::rumi
