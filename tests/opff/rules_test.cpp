// Every rule has a good file and one that breaks it alone.
#include "made_file.hpp"
#include "opff_manifest.hpp"
#include <sillar/opff/footer.hpp>
#include <sillar/opff/recorder.hpp>
#include <sillar/opff/sequence.hpp>
#include <sillar/opff/validate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace sillar::opff {
namespace {

using testing::Bytes;
using testing::Json;
using testing::rule_of;

/// The rule that an attempt to write samples of this kind breaks, or "success".
std::string write_breaks(DType dtype, Shape shape) {
  const Bytes samples(1 << 17);
  return rule_of(testing::written(TensorView(samples.data(), dtype, std::move(shape))));
}

/// A file of 2 x 2 bytes with this footer, judged with it.
std::string footer_breaks(std::string_view digits) {
  const Bytes samples(4);
  const Bytes footer = testing::from_hex(digits);
  WriteOptions options;
  options.footer = footer;
  const auto file =
      testing::written(TensorView(samples.data(), DType::u8, Shape{2, 2}), options).value();
  const auto report = validate(*io::memory_source(file), {.footer = true, .control = {}}).value();
  const auto found = testing::rules_in(report);
  return found.empty() ? "success" : found.size() == 1 ? found.front() : "several";
}

/// Two files of four frames; what is strange about them together.
std::string sequence_breaks(std::uint32_t second_start_id, std::uint64_t second_width) {
  const testing::ScratchDirectory scratch;
  const Bytes samples(64);
  const std::vector<std::string> paths = {scratch / "a.opff", scratch / "b.opff"};
  WriteOptions options;
  EXPECT_TRUE(write(paths[0], TensorView(samples.data(), DType::u8, Shape{4, 1, 1, 2}), options));
  options.start_id = second_start_id;
  EXPECT_TRUE(write(paths[1], TensorView(samples.data(), DType::u8, Shape{4, 1, 1, second_width}),
                    options));
  const auto found = testing::rules_in(open_sequence(paths)->report());
  return found.empty() ? "success" : found.size() == 1 ? found.front() : "several";
}

/// What recording these frames in this order breaks.
std::string recording_breaks(std::uint32_t start_id, const std::vector<std::uint64_t>& indices) {
  const testing::ScratchDirectory scratch;
  RecordOptions options;
  options.start_id = start_id;
  options.frames_per_file = 1;
  const Bytes samples(4);
  auto recorder = Recorder::create(scratch / "a.opff", DType::u8, {2, 2}, options).value();
  for (const std::uint64_t index : indices) {
    const auto placed = recorder.place(index, TensorView(samples.data(), DType::u8, Shape{2, 2}));
    if (!placed) return rule_of(placed);
  }
  return rule_of(recorder.finish());
}

std::string payload_breaks(std::size_t size) {
  Bytes out;
  const auto sink = io::memory_sink(out);
  return rule_of(
      write_payload(*sink, {find_depth("u16"), Layout::planar, 1, 1, 2, 2}, Bytes(size)));
}

struct Provoked {
  std::function<std::string()> good;
  std::function<std::string()> bad;
};

/// What no file of the corpus shows: rules of writers, footers and sequences.
const std::map<std::string, Provoked>& provoked() {
  const std::string footer = "73696c6c61720d0a 01000000 02000000 7b7d";
  static const std::map<std::string, Provoked> table = {
      {"opff.write.dtype",
       {[] { return write_breaks(DType::u16, {2, 2}); },
        [] { return write_breaks(DType::i16, {2, 2}); }}},
      {"opff.write.frames",
       {[] { return write_breaks(DType::u8, {255, 1, 1, 1}); },
        [] { return write_breaks(DType::u8, {256, 1, 1, 1}); }}},
      {"opff.write.extent",
       {[] { return write_breaks(DType::u8, {1, 65535}); },
        [] { return write_breaks(DType::u8, {1, 65536}); }}},
      {"opff.write.size", {[] { return payload_breaks(8); }, [] { return payload_breaks(9); }}},
      {"opff.write.start_id",
       {[] { return recording_breaks(UINT32_MAX, {0}); },
        [] { return recording_breaks(UINT32_MAX, {0, 1}); }}},
      {"opff.write.frame_order",
       {[] { return recording_breaks(0, {1, 0}); }, [] { return recording_breaks(0, {0, 2}); }}},
      {"opff.footer.short",
       {[footer] { return footer_breaks(footer); },
        [] { return footer_breaks("73696c6c61720d0a"); }}},
      {"opff.footer.magic",
       {[footer] { return footer_breaks(footer); },
        [] { return footer_breaks("00696c6c61720d0a 01000000 02000000 7b7d"); }}},
      {"opff.footer.version",
       {[footer] { return footer_breaks(footer); },
        [] { return footer_breaks("73696c6c61720d0a 00000000 02000000 7b7d"); }}},
      {"opff.footer.length",
       {[footer] { return footer_breaks(footer); },
        [] { return footer_breaks("73696c6c61720d0a 01000000 03000000 7b7d"); }}},
      {"opff.footer.text",
       {[footer] { return footer_breaks(footer); },
        [] { return footer_breaks("73696c6c61720d0a 01000000 02000000 7d7b"); }}},
      {"opff.sequence.gap",
       {[] { return sequence_breaks(4, 2); }, [] { return sequence_breaks(5, 2); }}},
      {"opff.sequence.overlap",
       {[] { return sequence_breaks(4, 2); }, [] { return sequence_breaks(3, 2); }}},
      {"opff.sequence.geometry",
       {[] { return sequence_breaks(4, 2); }, [] { return sequence_breaks(4, 3); }}},
  };
  return table;
}

std::vector<std::string> found_in(const Json& entry) {
  return testing::rules_in(validate(*io::memory_source(testing::bytes_of(entry))).value());
}

TEST(Rules, have_unique_ids_titles_and_demands) {
  std::set<std::string_view> ids;
  for (const Rule* rule : rules::all) {
    EXPECT_TRUE(ids.insert(rule->id).second) << rule->id;
    EXPECT_TRUE(rule->id.starts_with("opff.")) << rule->id;
    EXPECT_FALSE(rule->section.empty()) << rule->id;
    EXPECT_FALSE(rule->demand.empty()) << rule->id;
  }
}

TEST(Rules, of_the_corpus_all_exist) {
  std::set<std::string> ids;
  for (const Rule* rule : rules::all) ids.emplace(rule->id);
  for (const Json& entry : testing::manifest("reject")) {
    for (const std::string& rule : testing::rules_of(entry))
      EXPECT_TRUE(ids.contains(rule)) << rule;
  }
}

TEST(Rules, have_a_good_file_and_one_that_breaks_them_alone) {
  // A valid file is good by every rule of files at once.
  EXPECT_EQ(found_in(testing::manifest("accept").front()), std::vector<std::string>{});
  for (const Rule* rule : rules::all) {
    const std::string id(rule->id);
    SCOPED_TRACE(id);
    if (const auto found = provoked().find(id); found != provoked().end()) {
      EXPECT_EQ(found->second.good(), "success");
      EXPECT_EQ(found->second.bad(), id);
      continue;
    }
    EXPECT_TRUE(std::ranges::any_of(testing::manifest("reject"), [&](const Json& entry) {
      return testing::rules_of(entry) == std::vector<std::string>{id} &&
             found_in(entry) == std::vector<std::string>{id};
    }));
  }
}

}  // namespace
}  // namespace sillar::opff
