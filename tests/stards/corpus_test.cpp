// Every file of the corpus: opened, listed, read, judged; what is broken is refused by its name and
// costs nothing else.
#include "opened.hpp"
#include "sha256.hpp"
#include "stards_manifest.hpp"
#include <sillar/exec/pool.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace sillar::stards::testing {
namespace {

void expect_value(const Result<Value>& value, const ManifestValue& want) {
  ASSERT_TRUE(value.has_value()) << value.error().message();
  EXPECT_EQ(shape_in(*value), want.shape);
  if (want.strings) {
    ASSERT_TRUE(std::holds_alternative<Strings>(*value));
    EXPECT_EQ(std::get<Strings>(*value).values(), *want.strings);
  } else {
    ASSERT_TRUE(std::holds_alternative<Tensor>(*value));
    EXPECT_EQ(name_of(std::get<Tensor>(*value).dtype()), want.dtype);
    EXPECT_EQ(sillar::testing::sha256(std::get<Tensor>(*value).bytes()), want.sha256);
  }
}

/// `name` begins with the part of a file that it may stand for.
bool belongs_to(const std::string& name, std::string_view part) {
  return name.starts_with("stards." + std::string(part) + ".");
}

void expect_arrays(const File& file, const ManifestCase& want, exec::Pool* pool) {
  std::set<std::pair<std::string, std::string>> listed;
  for (std::size_t i = 0; i < file.array_count(); ++i) {
    const ArrayInfo array = file.array(i);
    listed.emplace(array.layer, array.key);
  }
  std::set<std::pair<std::string, std::string>> wanted;
  for (const auto& [layer, arrays] : want.arrays) {
    for (const auto& [key, value] : arrays) {
      SCOPED_TRACE("array " + layer + "/" + key.substr(0, 40));
      wanted.emplace(layer, key);
      ReadOptions options{.scope = {.layer = layer}};
      options.pool = pool;
      const auto array = file.find(key, options.scope);
      ASSERT_TRUE(array.has_value()) << array.error().message();
      const auto got = file.get(key, options);
      if (!value.error.empty()) {
        ASSERT_FALSE(got.has_value());
        const std::string rule = rule_of(got.error());
        if (value.error.starts_with("U_")) {
          EXPECT_EQ(got.error().code, Errc::unsupported);
          EXPECT_TRUE(belongs_to(rule, "unsupported")) << rule;
        } else {
          EXPECT_TRUE(belongs_to(rule, "array")) << rule;
          EXPECT_EQ(exit_code(got.error().code), 4);
        }
        continue;
      }
      expect_value(got, value);
      EXPECT_EQ(array->type()->name, value.dtype);
      EXPECT_EQ(array->entry->compression, value.compression);
      EXPECT_EQ(array->entry->blocks.size(), value.block_count);
      EXPECT_EQ(array->is_sliceable(), value.sliceable);
    }
  }
  EXPECT_EQ(listed, wanted);
}

void expect_metadata(const File& file, const ManifestCase& want) {
  for (const auto& [layer, values] : want.metadata) {
    for (const auto& [key, value] : values) {
      SCOPED_TRACE("metadata " + layer + "/" + key.substr(0, 40));
      expect_value(file.get_metadata(key, {.layer = layer}), value);
    }
    std::size_t listed = 0;
    for (const LayerEntry& entry : file.header().layers.entries()) {
      if (entry.name == layer) listed = entry.metadata_keys.size();
    }
    EXPECT_EQ(listed, values.size()) << layer;
  }
  for (const auto& [layer, keys] : want.lost_metadata) {
    for (const std::string& key : keys) {
      SCOPED_TRACE("lost metadata " + layer + "/" + key);
      const auto got = file.get_metadata(key, {.layer = layer});
      ASSERT_FALSE(got.has_value());
      const bool unsupported = want.detect == "unsupported";
      EXPECT_EQ(got.error().code == Errc::unsupported, unsupported) << got.error().message();
      EXPECT_EQ(exit_code(got.error().code), unsupported ? 5 : 4);
    }
  }
}

void expect_parts(const File& file, const ManifestCase& want, exec::Pool* pool) {
  std::vector<std::string> layers;
  for (std::size_t i = 1; i < file.layer_count(); ++i) layers.emplace_back(file.layer(i));
  EXPECT_EQ(layers, want.layers);
  expect_arrays(file, want, pool);
  expect_metadata(file, want);
}

void for_each_case(const std::vector<ManifestCase>& cases,
                   const std::function<bool(const ManifestCase&)>& picks,
                   const std::function<void(const ManifestCase&)>& check) {
  std::size_t count = 0;
  for (const ManifestCase& entry : cases) {
    if (!picks(entry)) continue;
    SCOPED_TRACE("rule " + entry.rule + ", case " + entry.name);
    check(entry);
    ++count;
  }
  EXPECT_GT(count, 0u);
}

bool every(const ManifestCase&) { return true; }

TEST(ValidFiles, give_all_that_the_manifest_says) {
  exec::Pool pool(3);
  for_each_case(manifest().valid, every, [&](const ManifestCase& entry) {
    const auto file = open_bytes(entry.bytes());
    ASSERT_TRUE(file.has_value()) << file.error().message();
    expect_parts(*file, entry, nullptr);
    expect_parts(*file, entry, &pool);
  });
}

TEST(ValidFiles, draw_the_warnings_of_the_manifest_and_no_more) {
  for_each_case(manifest().valid, every, [](const ManifestCase& entry) {
    const auto report = validate(*io::memory_source(entry.bytes()));
    ASSERT_TRUE(report.has_value()) << report.error().message();
    EXPECT_EQ(rules_in(*report, Severity::error), std::vector<std::string>{});
    EXPECT_EQ(rules_in(*report, Severity::unsupported), std::vector<std::string>{});
    EXPECT_EQ(rules_in(*report, Severity::warning), entry.warnings);
  });
}

TEST(InvalidFiles, are_refused_as_a_whole_by_the_name_of_their_rule) {
  for_each_case(
      manifest().invalid, [](const ManifestCase& entry) { return entry.detect == "open"; },
      [](const ManifestCase& entry) {
        const Bytes bytes = entry.bytes();
        const auto file = open_bytes(bytes);
        ASSERT_FALSE(file.has_value());
        EXPECT_EQ(rule_of(file.error()), entry.rule) << file.error().message();
        EXPECT_EQ(exit_code(file.error().code), 4);
        EXPECT_LE(file.error().offset.value_or(UINT64_MAX), bytes.size());
        const auto report = validate(*io::memory_source(Bytes(bytes)));
        ASSERT_TRUE(report.has_value()) << report.error().message();
        const auto broken = rules_in(*report, Severity::error);
        EXPECT_TRUE(std::ranges::find(broken, entry.rule) != broken.end())
            << ::testing::PrintToString(broken);
      });
}

TEST(InvalidParts, are_refused_alone_and_named_by_a_judge) {
  for_each_case(
      manifest().invalid, [](const ManifestCase& entry) { return entry.detect != "open"; },
      [](const ManifestCase& entry) {
        const Bytes bytes = entry.bytes();
        const auto file = open_bytes(bytes);
        ASSERT_TRUE(file.has_value()) << file.error().message();
        if (!entry.is_overlap()) expect_parts(*file, entry, nullptr);
        const auto report = validate(*io::memory_source(Bytes(bytes)));
        ASSERT_TRUE(report.has_value()) << report.error().message();
        const bool unsupported = entry.detect == "unsupported";
        const auto broken =
            rules_in(*report, unsupported ? Severity::unsupported : Severity::error);
        EXPECT_TRUE(std::ranges::find(broken, entry.rule) != broken.end())
            << ::testing::PrintToString(broken);
        EXPECT_EQ(rules_in(*report, unsupported ? Severity::error : Severity::unsupported),
                  std::vector<std::string>{});
        for (const Finding& finding : report->findings()) {
          EXPECT_LE(finding.error.offset.value_or(UINT64_MAX), bytes.size());
          EXPECT_FALSE(finding.error.detail.empty());
        }
      });
}

TEST(Files, give_the_same_findings_at_any_number_of_threads) {
  exec::Pool pool(4);
  for (const auto* cases : {&manifest().valid, &manifest().invalid}) {
    for (const ManifestCase& entry : *cases) {
      SCOPED_TRACE(entry.name);
      const auto source = io::memory_source(entry.bytes());
      const auto alone = validate(*source);
      const auto together = validate(*source, {.pool = &pool});
      ASSERT_EQ(alone.has_value(), together.has_value());
      if (!alone) continue;
      ASSERT_EQ(alone->findings().size(), together->findings().size());
      for (std::size_t i = 0; i < alone->findings().size(); ++i)
        EXPECT_EQ(alone->findings()[i].error, together->findings()[i].error);
    }
  }
}

}  // namespace
}  // namespace sillar::stards::testing
