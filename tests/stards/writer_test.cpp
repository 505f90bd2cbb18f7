// Writing: what is put comes back, copies are verbatim, refusals leave nothing behind.
#include <sillar/stards/writer.hpp>

#include "made_file.hpp"
#include "opened.hpp"
#include "random.hpp"
#include "scratch_directory.hpp"
#include "stards_manifest.hpp"
#include <sillar/exec/pool.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

namespace sillar::stards::testing {
namespace {

using sillar::testing::Random;

Bytes written(const Draft& draft, exec::Pool* pool = nullptr) {
  Bytes out;
  const auto done = write(draft, io::memory_sink(out), {.pool = pool});
  EXPECT_TRUE(done.has_value()) << done.error().message();
  return out;
}

TensorView bytes_view(const Bytes& bytes) { return {bytes.data(), DType::u8, Shape{bytes.size()}}; }

std::vector<std::string> errors_of(const Bytes& bytes) {
  const auto report = validate(*io::memory_source(Bytes(bytes)));
  if (!report) return {rule_of(report.error())};
  return rules_in(*report);
}

/// All that two files hold, apart from where it lies.
void expect_same_content(const File& a, const File& b) {
  ASSERT_EQ(a.array_count(), b.array_count());
  ASSERT_EQ(a.layer_count(), b.layer_count());
  for (std::size_t i = 0; i < a.array_count(); ++i) {
    const ArrayInfo left = a.array(i);
    const ArrayInfo right = b.array(i);
    SCOPED_TRACE(std::string(left.key.substr(0, 40)));
    EXPECT_EQ(left.layer, right.layer);
    EXPECT_EQ(left.key, right.key);
    EXPECT_EQ(left.shape(), right.shape());
    EXPECT_EQ(left.entry->blocks, right.entry->blocks);
    EXPECT_EQ(left.entry->compression, right.entry->compression);
    EXPECT_EQ(left.entry->block_size, right.entry->block_size);
    EXPECT_EQ(a.source().read(left.entry->position, left.entry->total_bytes).value(),
              b.source().read(right.entry->position, right.entry->total_bytes).value());
  }
  for (std::size_t i = 0; i < a.layer_count(); ++i) {
    EXPECT_EQ(a.layer(i), b.layer(i));
    for (const MetadataValue& value : a.metadata(i).value()->values) {
      const std::string& key = a.header().keys[value.key].name;
      const auto left = a.get_metadata(key, {.layer = a.layer(i)}).value();
      const auto right = b.get_metadata(key, {.layer = a.layer(i)});
      ASSERT_TRUE(right.has_value()) << right.error().message();
      EXPECT_EQ(shape_in(left), shape_in(*right));
      EXPECT_EQ(bytes_in(left), bytes_in(*right));
    }
  }
}

TEST(Copies, of_every_valid_file_hold_the_same_stored_bytes) {
  for (const ManifestCase& entry : manifest().valid) {
    SCOPED_TRACE(entry.name);
    const File file = open_bytes(entry.bytes()).value();
    const auto draft = Draft::of(file);
    ASSERT_TRUE(draft.has_value()) << draft.error().message();
    EXPECT_FALSE(draft->is_changed());
    const Bytes copy = written(*draft);
    const auto report = validate(*io::memory_source(Bytes(copy)));
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->errors(), 0u);
    const auto again = open_bytes(copy);
    ASSERT_TRUE(again.has_value()) << again.error().message();
    expect_same_content(file, *again);
    // A copy of the copy is the copy.
    EXPECT_EQ(written(Draft::of(*again).value()), copy);
  }
}

TEST(Copies, keep_what_is_unknown_and_refuse_what_is_broken) {
  const auto unknown = open_bytes(manifest().invalid_case("compression_2").bytes()).value();
  const auto copy = open_bytes(written(Draft::of(unknown).value())).value();
  EXPECT_EQ(copy.find("x")->entry->compression, 2);
  const auto broken = open_bytes(manifest().invalid_case("block_raw_sum").bytes()).value();
  EXPECT_EQ(Draft::of(broken).error().rule, &rules::array_raw_sum);
  const auto metadata = open_bytes(manifest().invalid_case("meta_magic").bytes()).value();
  EXPECT_EQ(Draft::of(metadata).error().rule, &rules::metadata_magic);
}

TEST(Arrays, come_back_for_all_codecs_types_and_block_sizes) {
  Random random(7);
  SCOPED_TRACE(random.trace());
  exec::Pool pool(3);
  for (int round = 0; round < 150 && !::testing::Test::HasFailure(); ++round) {
    Draft draft;
    ASSERT_TRUE(draft.add_layer("L"));
    std::vector<Bytes> contents;
    std::vector<Shape> shapes;
    contents.reserve(8);
    for (std::size_t i = 0; i < 8; ++i) {
      const DataType& type = data_types[random.below(10)];
      Shape shape(random.below(4));
      std::uint64_t count = 1;
      for (std::uint64_t& extent : shape) count *= extent = random.below(9);
      Bytes content(count * size_of(*type.dtype));
      for (std::byte& byte : content)
        byte = static_cast<std::byte>(random.below(random.coin() ? 256 : 3));
      contents.push_back(std::move(content));
      constexpr std::uint8_t codes[] = {0, 1, 3, 4, 5};
      const Storage storage{
          .compression = codes[random.below(5)],
          .block_size = random.coin() ? std::optional(random.between(1, 100)) : std::nullopt,
          .level = {}};
      const TensorView view(contents.back().data(), *type.dtype, shape);
      ASSERT_TRUE(draft.put("k" + std::to_string(i), view, storage,
                            {.layer = i % 2 == 0 ? base_layer : std::string_view("L")}));
      shapes.push_back(shape);
    }
    const Bytes bytes = written(draft);
    EXPECT_EQ(written(draft, &pool), bytes);
    EXPECT_EQ(errors_of(bytes), std::vector<std::string>{});
    const auto file = open_bytes(bytes).value();
    for (std::size_t i = 0; i < contents.size(); ++i) {
      const auto got =
          file.get("k" + std::to_string(i),
                   {.scope = {.layer = i % 2 == 0 ? base_layer : std::string_view("L")}});
      ASSERT_TRUE(got.has_value()) << got.error().message();
      EXPECT_EQ(shape_in(*got), shapes[i]);
      EXPECT_EQ(bytes_in(*got), contents[i]);
    }
  }
}

TEST(Arrays, of_any_strides_are_written_in_c_order) {
  const Bytes content = sillar::testing::from_hex("0100 0200 0300 0400 0500 0600");
  const TensorView turned(content.data(), DType::u16, Shape{3, 2}, Strides{1, 3});
  for (const std::uint8_t code : {std::uint8_t{0}, std::uint8_t{5}}) {
    Draft draft;
    ASSERT_TRUE(draft.put("a", turned, {.compression = code, .block_size = {}, .level = {}}));
    const auto file = open_bytes(written(draft)).value();
    EXPECT_EQ(file.get<std::uint16_t>("a")->values, (std::vector<std::uint16_t>{1, 4, 2, 5, 3, 6}));
  }
}

TEST(Strings, come_back_as_arrays_and_as_metadata) {
  const std::vector<std::string> values = {"", "é", std::string("a\0b", 3),
                                           "long enough for a block"};
  Draft draft;
  const auto strings = Strings::of({2, 2}, values).value();
  ASSERT_TRUE(draft.put("s", strings, {.compression = 1, .block_size = 5, .level = {}}));
  ASSERT_TRUE(draft.set_metadata("m", strings));
  ASSERT_TRUE(draft.set_metadata("one", Strings::of({}, std::vector<std::string>{"x"}).value()));
  const Bytes bytes = written(draft);
  EXPECT_EQ(errors_of(bytes), std::vector<std::string>{});
  const auto file = open_bytes(bytes).value();
  EXPECT_EQ(file.get<std::string>("s")->values, values);
  EXPECT_EQ(file.get_metadata<std::string>("m")->values, values);
  EXPECT_EQ(file.get_metadata<std::string>("one")->shape, Shape{});
  EXPECT_FALSE(Strings::of({3}, values).has_value());
  EXPECT_FALSE(Strings::of({1}, std::vector<std::string>{"\xff"}).has_value());
}

TEST(GoldenBytes, of_a_written_file_are_those_worked_by_hand) {
  // One array of two bytes in layer L, whose key exists in the base layer as well.
  const Bytes base = {std::byte{1}};
  const Bytes named = {std::byte{2}, std::byte{3}};
  const Storage none{.compression = 0, .block_size = 1, .level = {}};
  Draft draft;
  ASSERT_TRUE(draft.add_layer("L"));
  ASSERT_TRUE(draft.put("abcdefgh", bytes_view(base), none));
  ASSERT_TRUE(draft.put("abcdefgh", bytes_view(named), none, {.layer = "L"}));
  Fields want;
  const std::uint64_t header = 31 + 18 + 30 + 25 + 18 + 16 + (45 + 8 + 24) + (45 + 8 + 48);
  want.text("STARDS").u8(1).u64(header).u64(2).u32(1).u32(2);
  want.name("abcdefgh").u64(8664279048047335611U);
  want.name("__layer_L__:abcdefgh").u64(hash_of("__layer_L__:abcdefgh"));
  want.name("__base__").u64(0).u32(0).u8(0).u16(0).name("L").u64(0).u32(0).u8(0).u16(0);
  want.u64(1).u64(3);  // in L: its own array, and the base array of the same key
  want.u16(0).u64(header).u64(1).u8(4).u64(1).u64(1).u8(0).u64(1).u64(1).u64(0).u64(1).u64(1).u8(0);
  want.u16(1).u64(header + 1).u64(2).u8(4).u64(1).u64(2).u8(0).u64(1).u64(2);
  want.u64(0).u64(1).u64(1).u64(1).u64(1).u64(1).u8(0);
  EXPECT_EQ(want.size(), header);
  want.u8(1).u8(2).u8(3);
  EXPECT_EQ(written(draft), want.bytes());
}

TEST(Drafts, follow_a_model_through_random_changes) {
  Random random(13);
  SCOPED_TRACE(random.trace());
  for (int round = 0; round < 40; ++round) {
    std::map<std::pair<std::string, std::string>, Bytes> arrays;
    std::map<std::pair<std::string, std::string>, std::uint8_t> metadata;
    std::vector<std::string> layers = {"__base__"};
    Bytes file_bytes = written(Draft());
    for (int step = 0; step < 25; ++step) {
      const File file = open_bytes(file_bytes).value();
      Draft draft = Draft::of(file).value();
      const std::string layer = random.pick(layers);
      const std::string key = "k" + std::to_string(random.below(6));
      const auto id = std::pair(layer, key);
      auto memory = std::make_shared<Bytes>(random.below(50));
      for (std::byte& byte : *memory) byte = static_cast<std::byte>(random.below(3));
      switch (random.below(6)) {
        case 0:
        case 1:
          ASSERT_TRUE(
              draft.put(key, bytes_view(*memory),
                        {.compression = 3, .block_size = random.between(1, 20), .level = {}},
                        {.layer = layer}, memory));
          arrays[id] = *memory;
          break;
        case 2:
          EXPECT_EQ(draft.remove(key, {.layer = layer}).has_value(), arrays.erase(id) == 1);
          break;
        case 3: {
          const std::string other = "k" + std::to_string(random.below(6));
          const bool possible =
              arrays.contains(id) && (other == key || !arrays.contains({layer, other}));
          EXPECT_EQ(draft.rename(key, other, {.layer = layer}).has_value(), possible);
          if (possible && other != key) {
            arrays[{layer, other}] = arrays[id];
            arrays.erase(id);
          }
          break;
        }
        case 4: {
          const Bytes value = {static_cast<std::byte>(step)};
          ASSERT_TRUE(draft.set_metadata(key, TensorView(value.data(), DType::u8, Shape{}),
                                         {.layer = layer}));
          metadata[id] = static_cast<std::uint8_t>(step);
          break;
        }
        default:
          if (layers.size() < 4) {
            layers.push_back("layer " + std::to_string(layers.size()));
            ASSERT_TRUE(draft.add_layer(layers.back()));
          } else {
            EXPECT_EQ(draft.remove_metadata(key, {.layer = layer}).has_value(),
                      metadata.erase(id) == 1);
          }
      }
      file_bytes = written(draft);
      ASSERT_EQ(errors_of(file_bytes), std::vector<std::string>{});
      const File now = open_bytes(file_bytes).value();
      ASSERT_EQ(now.array_count(), arrays.size());
      for (const auto& [where, content] : arrays) {
        const auto got = now.get(where.second, {.scope = {.layer = where.first}});
        ASSERT_TRUE(got.has_value()) << got.error().message();
        EXPECT_EQ(bytes_in(*got), content);
      }
      std::size_t values = 0;
      for (std::size_t i = 0; i < now.layer_count(); ++i)
        values += now.metadata(i).value()->values.size();
      EXPECT_EQ(values, metadata.size());
      for (const auto& [where, value] : metadata) {
        EXPECT_EQ(now.get_metadata<std::uint8_t>(where.second, {.layer = where.first})->values,
                  std::vector<std::uint8_t>{value});
      }
    }
  }
}

TEST(Drafts, refuse_what_the_format_does_not_hold) {
  const Bytes one = {std::byte{1}};
  const auto code_of_put = [&](Draft& draft, std::string_view key, const TensorView& view,
                               const Storage& storage = {}, const Target& target = {}) {
    const auto done = draft.put(key, view, storage, target);
    return done ? std::optional<Errc>() : std::optional(done.error().code);
  };
  Draft draft;
  const TensorView view = bytes_view(one);
  EXPECT_EQ(code_of_put(draft, "a", TensorView(one.data(), DType::boolean, Shape{1})),
            Errc::unsupported);
  EXPECT_EQ(code_of_put(draft, "a", TensorView(one.data(), DType::f16, Shape{0})),
            Errc::unsupported);
  EXPECT_EQ(code_of_put(draft, "\xff", view), Errc::bad_argument);
  EXPECT_EQ(code_of_put(draft, std::string(65536, 'k'), view), Errc::bad_argument);
  EXPECT_EQ(code_of_put(draft, "__layer_x__:k", view), Errc::bad_argument);
  EXPECT_EQ(code_of_put(draft, "a", view, {}, {.layer = "L"}), Errc::bad_argument);
  EXPECT_EQ(code_of_put(draft, "a", view, {.compression = 2, .block_size = {}, .level = {}}),
            Errc::unsupported);
  EXPECT_EQ(code_of_put(draft, "a", view, {.compression = 1, .block_size = 0, .level = {}}),
            Errc::bad_argument);
  EXPECT_EQ(code_of_put(draft, "a", view, {.compression = 1, .block_size = {}, .level = 13}),
            Errc::bad_argument);
  EXPECT_FALSE(draft.add_layer("__base__").has_value());
  EXPECT_FALSE(draft.add_layer("\xff").has_value());
  EXPECT_FALSE(draft.is_changed());
  EXPECT_EQ(code_of_put(draft, std::string(65535, 'k'), view), std::nullopt);
  EXPECT_TRUE(draft.is_changed());
  EXPECT_EQ(errors_of(written(draft)), std::vector<std::string>{});
}

TEST(Drafts, with_more_keys_than_16_bits_count_write_nothing) {
  Draft draft;
  const Bytes one = {std::byte{1}};
  for (int i = 0; i < 65536; ++i)
    ASSERT_TRUE(draft.put("k" + std::to_string(i), bytes_view(one),
                          {.compression = 0, .block_size = {}, .level = {}}));
  EXPECT_EQ(open_bytes(written(draft))->array_count(), 65536u);
  ASSERT_TRUE(draft.set_metadata("one more", bytes_view(one)));
  Bytes out;
  const auto done = write(draft, io::memory_sink(out));
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, Errc::bad_argument);
  EXPECT_TRUE(out.empty());
}

TEST(Drafts, whose_layers_would_claim_arrays_of_others_are_refused) {
  const Bytes one = {std::byte{1}};
  Draft draft;
  ASSERT_TRUE(draft.add_layer("a"));
  ASSERT_TRUE(draft.put("b__:k", bytes_view(one), {}, {.layer = "a"}));
  written(draft);
  ASSERT_TRUE(draft.add_layer("a__:b"));
  EXPECT_FALSE(draft.put("k", bytes_view(one), {}, {.layer = "a__:b"}).has_value());
  Bytes out;
  EXPECT_EQ(write(draft, io::memory_sink(out)).error().code, Errc::bad_argument);
}

TEST(Updates, replace_the_file_whole_and_only_where_something_changed) {
  const sillar::testing::ScratchDirectory scratch;
  const std::string path = scratch.path() + "/a.stards";
  const Bytes one = {std::byte{1}};
  Draft first;
  ASSERT_TRUE(first.put("a", bytes_view(one)));
  ASSERT_TRUE(update(first, path));
  const auto written_at = std::filesystem::last_write_time(path);
  {
    const File file = open(path).value();
    ASSERT_TRUE(update(Draft::of(file).value(), path));
    EXPECT_EQ(std::filesystem::last_write_time(path), written_at);
    Draft draft = Draft::of(file).value();
    ASSERT_TRUE(draft.put("b", bytes_view(one)));
    ASSERT_TRUE(update(draft, path));
    EXPECT_EQ(file.get<std::uint8_t>("a")->values, std::vector<std::uint8_t>{1});  // the old file
  }
  EXPECT_EQ(open(path)->array_count(), 2u);
  EXPECT_EQ(
      std::distance(std::filesystem::directory_iterator(std::filesystem::path(path).parent_path()),
                    std::filesystem::directory_iterator()),
      1);
}

}  // namespace
}  // namespace sillar::stards::testing
