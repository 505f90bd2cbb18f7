// Hashes of keys, and which layer an array belongs to.
#include "made_file.hpp"
#include "opened.hpp"
#include <sillar/stards/key_registry.hpp>

#include <gtest/gtest.h>

namespace sillar::stards::testing {
namespace {

MadeMetadata layer_of(std::string name) {
  return {.layer = std::move(name), .keys = {}, .compression = 0, .stored = {}, .shared = false};
}

TEST(KeyHashes, are_those_of_the_known_vectors) {
  EXPECT_EQ(hash_of(""), 6142509188972423790U);
  EXPECT_EQ(hash_of("a"), 4993892634952068459U);
  EXPECT_EQ(hash_of("abcdefgh"), 8664279048047335611U);
  EXPECT_EQ(hash_of("wavelengths"), 787385932233450284U);
  EXPECT_EQ(fnv1a_of(""), 0xCBF29CE484222325U);
  EXPECT_EQ(fnv1a_of("a"), 0xAF63DC4C8601EC8CU);
}

/// An array of one byte under every storage key.
File file_with(const std::vector<std::string>& storage_keys,
               const std::vector<std::string>& layers) {
  std::vector<MadeArray> arrays;
  for (std::size_t i = 0; i < storage_keys.size(); ++i)
    arrays.push_back(plain_array(storage_keys[i], 4, {}, Bytes(1, static_cast<std::byte>(i)), 1));
  std::vector<MadeMetadata> all = {layer_of("__base__")};
  for (const std::string& layer : layers) all.push_back(layer_of(layer));
  return open_bytes(make_file(arrays, {}, all)).value();
}

TEST(Layers, claim_an_array_by_the_longest_name_that_is_there) {
  const File file =
      file_with({"__layer_a__:k", "__layer_a__:b__:k", "__layer_a__:b", "__layer_c__:k", "__layer_",
                 "k", "__layer___:k", "__layer_aa__:k", "__layer_a__:"},
                {"a", "a__:b", "", "a__:bb", "a__:b__:b"});
  const std::vector<std::pair<std::string, std::string>> want = {{"a", "k"},
                                                                 {"a__:b", "k"},
                                                                 {"a", "b"},
                                                                 {"__base__", "__layer_c__:k"},
                                                                 {"__base__", "__layer_"},
                                                                 {"__base__", "k"},
                                                                 {"", "k"},
                                                                 {"__base__", "__layer_aa__:k"},
                                                                 {"a", ""}};
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(file.array(i).layer, want[i].first) << i;
    EXPECT_EQ(file.array(i).key, want[i].second) << i;
    const auto found = file.find(want[i].second, {.layer = want[i].first});
    ASSERT_TRUE(found.has_value()) << i;
    EXPECT_EQ(found->index, i);
  }
  // The key that layer a would have to share with layer a__:b.
  EXPECT_FALSE(file.find("b__:k", {.layer = "a"}).has_value());
  EXPECT_FALSE(file.find("__layer_a__:k").has_value());
}

TEST(Layers, owners_are_those_of_a_plain_search) {
  const std::vector<std::string> names = {"",         "a", "a__:", "a__:a",
                                          "a__:a__:", "b", "ab",   "a__:b__:c"};
  const File file = file_with({}, names);
  std::vector<std::string> keys = {""};
  for (int length = 0; length < 5; ++length) {
    std::vector<std::string> longer;
    for (const std::string& key : keys) {
      for (const char* piece : {"a", "b", "c", "__:"}) longer.push_back(key + piece);
    }
    keys.insert(keys.end(), longer.begin(), longer.end());
    if (keys.size() > 4000) break;
  }
  for (const std::string& key : keys) {
    std::size_t best = 0;
    bool found = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!key.starts_with(names[i] + "__:")) continue;
      if (!found || names[i].size() > names[best].size()) best = i;
      found = true;
    }
    const std::string stored = "__layer_" + key;
    const Membership owner = file.header().layers.owner_of(stored);
    ASSERT_EQ(owner.layer, found ? best + 1 : 0) << key;
    ASSERT_EQ(owner.key, found ? key.substr(names[best].size() + 3) : "__layer_" + key) << key;
  }
}

TEST(Layers, inherit_from_the_base_layer_only_when_asked) {
  const File file = file_with({"k", "l", "__layer_a__:k"}, {"a"});
  EXPECT_EQ(file.find("k", {.layer = "a", .inherit = true})->index, 2u);
  EXPECT_EQ(file.find("l", {.layer = "a", .inherit = true})->index, 1u);
  EXPECT_FALSE(file.find("l", {.layer = "a"}).has_value());
  EXPECT_FALSE(file.find("m", {.layer = "a", .inherit = true}).has_value());
  EXPECT_FALSE(file.find("k", {.layer = "b", .inherit = true}).has_value());
}

TEST(Metadata, is_found_by_layer_and_inherited_when_asked) {
  const auto block = [](const std::string& layer, std::uint16_t key, std::uint8_t value) {
    return Fields()
        .text("STARMETA")
        .u8(1)
        .name(layer)
        .u16(1)
        .u16(key)
        .u8(4)
        .u8(0)
        .u8(value)
        .bytes();
  };
  MadeMetadata base{.layer = "__base__",
                    .keys = {0},
                    .compression = 0,
                    .stored = block("__base__", 0, 7),
                    .shared = false};
  MadeMetadata named{
      .layer = "L", .keys = {1}, .compression = 0, .stored = block("L", 1, 9), .shared = false};
  const auto file = open_bytes(make_file({}, {"k", "l"}, {base, named})).value();
  EXPECT_EQ(file.get_metadata<std::uint8_t>("k")->values, std::vector<std::uint8_t>{7});
  EXPECT_EQ(file.get_metadata<std::uint8_t>("l", {.layer = "L"})->values,
            std::vector<std::uint8_t>{9});
  EXPECT_EQ(file.get_metadata<std::uint8_t>("k", {.layer = "L", .inherit = true})->values,
            std::vector<std::uint8_t>{7});
  EXPECT_EQ(file.get_metadata("k", {.layer = "L"}).error().code, Errc::bad_argument);
  EXPECT_EQ(file.get_metadata<std::int8_t>("k").error().code, Errc::bad_argument);
}

}  // namespace
}  // namespace sillar::stards::testing
