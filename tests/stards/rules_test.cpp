// Every rule has a good file and one that breaks it alone.
#include "made_file.hpp"
#include "opened.hpp"
#include "stards_manifest.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

namespace sillar::stards::testing {
namespace {

/// The metadata block of a base layer with the value 7 (uint8) under key 0.
Bytes small_metadata() {
  return Fields().text("STARMETA").u8(1).name("__base__").u16(1).u16(0).u8(4).u8(0).u8(7).bytes();
}

/// `raw` as one stored deflate block in a gzip wrapper; the checksum is worked out bit by bit.
Bytes gzip_of(const Bytes& raw) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const std::byte byte : raw) {
    crc ^= std::to_integer<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320U : 0U);
  }
  Fields out;
  out.u8(0x1F).u8(0x8B).u8(8).u8(0).u32(0).u8(0).u8(255);
  out.u8(1).u16(raw.size()).u16(~raw.size() & 0xFFFF).raw(raw);
  return out.u32(~crc).u32(raw.size()).bytes();
}

/// The same in a zlib wrapper.
Bytes zlib_of(const Bytes& raw) {
  std::uint32_t low = 1;
  std::uint32_t high = 0;
  for (const std::byte byte : raw) {
    low = (low + std::to_integer<std::uint32_t>(byte)) % 65521;
    high = (high + low) % 65521;
  }
  Fields out;
  out.u8(0x78).u8(0x01).u8(1).u16(raw.size()).u16(~raw.size() & 0xFFFF).raw(raw);
  return out.u8(high >> 8).u8(high).u8(low >> 8).u8(low).bytes();
}

Bytes file_with_metadata(std::uint8_t compression, Bytes stored) {
  return make_file({}, {"k"},
                   {{.layer = "__base__",
                     .keys = {0},
                     .compression = compression,
                     .stored = std::move(stored),
                     .shared = false}});
}

MadeMetadata no_metadata() {
  return {.layer = "__base__", .keys = {}, .compression = 0, .stored = {}, .shared = false};
}

/// An array `k` of 8 bytes in one block, without compression.
MadeArray eight_bytes() { return plain_array("k", 4, {8}, Bytes(8, std::byte{7}), 8); }

/// A layer's block inside the bytes of a value of the base layer.
Bytes block_in_a_value() {
  const Bytes inner =
      Fields().text("STARMETA").u8(1).name("L").u16(1).u16(0).u8(4).u8(0).u8(7).bytes();
  const Bytes outer = Fields()
                          .text("STARMETA")
                          .u8(1)
                          .name("__base__")
                          .u16(1)
                          .u16(0)
                          .u8(4)
                          .u8(1)
                          .u64(inner.size())
                          .raw(inner)
                          .bytes();
  return make_file(
      {}, {"k"},
      {{.layer = "__base__", .keys = {0}, .compression = 0, .stored = outer, .shared = false},
       {.layer = "L", .keys = {0}, .compression = 0, .stored = inner, .shared = true}});
}

/// What no file of the corpus shows alone.
const std::map<std::string, std::function<Bytes()>>& made() {
  static const std::map<std::string, std::function<Bytes()>> table = {
      {"stards.array.overlap",
       [] {
         MadeArray second = eight_bytes();
         second.storage_key = "l";
         second.shared = 4;
         return make_file({eight_bytes(), second}, {}, {no_metadata()});
       }},
      {"stards.array.stored_sum",
       [] {
         MadeArray array = eight_bytes();
         array.stored.push_back(std::byte{0});
         return make_file({array}, {}, {no_metadata()});
       }},
      {"stards.array.none_size",
       [] {
         MadeArray array = eight_bytes();
         array.block_size = 5;
         array.blocks = {{0, 3, 5}, {3, 5, 3}};
         return make_file({array}, {}, {no_metadata()});
       }},
      {"stards.array.bomb",
       [] {
         MadeArray array = eight_bytes();
         array.compression = 1;
         array.shape = {8 * 1032 + 1};
         array.block_size = 65536;
         array.blocks = {{0, 8, 8 * 1032 + 1}};
         return make_file({array}, {}, {no_metadata()});
       }},
      {"stards.metadata.overlap", block_in_a_value},
      {"stards.metadata.missing", [] { return file_with_metadata(0, {}); }},
      {"stards.metadata.key_index",
       [] {
         Bytes block = small_metadata();
         block[block.size() - 5] = std::byte{9};
         return file_with_metadata(0, block);
       }},
      {"stards.metadata.keys",
       [] {
         // The block has key 0, the registry lists key 1; the array has key 0 too.
         return make_file({eight_bytes()}, {"l"},
                          {{.layer = "__base__",
                            .keys = {1},
                            .compression = 0,
                            .stored = small_metadata(),
                            .shared = false}});
       }},
      {"stards.metadata.gzip_wrapper",
       [] { return file_with_metadata(1, gzip_of(small_metadata())); }},
      {"stards.metadata.trailing_input",
       [] {
         Bytes stored = zlib_of(small_metadata());
         stored.push_back(std::byte{0});
         return file_with_metadata(1, stored);
       }},
  };
  return table;
}

bool corpus_breaks_alone(const std::string& id) {
  for (const auto* cases : {&manifest().invalid, &manifest().valid}) {
    for (const ManifestCase& entry : *cases) {
      const bool named =
          entry.rule == id || std::ranges::find(entry.warnings, id) != entry.warnings.end();
      if (named && broken_by(entry.bytes()) == std::vector<std::string>{id}) return true;
    }
  }
  return false;
}

TEST(Rules, have_unique_ids_titles_and_demands) {
  std::set<std::string_view> ids;
  for (const Rule* rule : rules::all) {
    EXPECT_TRUE(ids.insert(rule->id).second) << rule->id;
    const bool known_part =
        rule->id.starts_with("stards.file.") || rule->id.starts_with("stards.array.") ||
        rule->id.starts_with("stards.metadata.") || rule->id.starts_with("stards.unsupported.");
    EXPECT_TRUE(known_part) << rule->id;
    EXPECT_EQ(rule->id.starts_with("stards.unsupported."), rule->severity == Severity::unsupported)
        << rule->id;
    EXPECT_FALSE(rule->section.empty()) << rule->id;
    EXPECT_FALSE(rule->demand.empty()) << rule->id;
  }
}

TEST(Rules, accept_a_good_file_each_and_without_a_finding) {
  // One file is good by every rule at once: arrays of all codecs, layers, metadata.
  EXPECT_EQ(broken_by(manifest().valid_case("layers_meta_c3").bytes()), std::vector<std::string>{});
  EXPECT_EQ(broken_by(manifest().valid_case("strings_c1").bytes()), std::vector<std::string>{});
  EXPECT_EQ(broken_by(manifest().valid_case("random_c5").bytes()), std::vector<std::string>{});
  EXPECT_EQ(broken_by(file_with_metadata(0, small_metadata())), std::vector<std::string>{});
  EXPECT_EQ(broken_by(file_with_metadata(1, zlib_of(small_metadata()))),
            std::vector<std::string>{});
}

TEST(Rules, have_a_file_that_breaks_them_alone) {
  for (const Rule* rule : rules::all) {
    const std::string id(rule->id);
    SCOPED_TRACE(id);
    if (const auto found = made().find(id); found != made().end()) {
      EXPECT_EQ(broken_by(found->second()), std::vector<std::string>{id});
    } else {
      EXPECT_TRUE(corpus_breaks_alone(id));
    }
  }
}

TEST(Rules, of_structure_are_judged_without_decoding) {
  const Bytes damaged = manifest().invalid_case("gzip_flip_payload").bytes();
  EXPECT_EQ(broken_by(damaged), std::vector<std::string>{"stards.array.gzip"});
  EXPECT_EQ(broken_by(damaged, {.decode = false}), std::vector<std::string>{});
}

}  // namespace
}  // namespace sillar::stards::testing
