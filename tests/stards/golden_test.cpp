// Bytes worked by hand from the tables of the format, field by field.
#include "made_file.hpp"
#include "opened.hpp"

#include <gtest/gtest.h>

namespace sillar::stards::testing {
namespace {

/// Two arrays, one in layer L, and metadata of L.
Bytes whole_file() {
  Fields data;
  data.u16(0x0201).u16(0xFFFE);                                                // "a": 513 and -2
  data.u32(6).u32(2).text("hi");                                               // "b"
  data.text("STARMETA").u8(1).name("L").u16(1);                                // the metadata of L
  data.u16(2).u8(9).u8(0).raw(sillar::testing::from_hex("000000000000f83f"));  // "m": 1.5

  Fields file;
  file.text("STARDS").u8(1).u64(315).u64(2).u32(1).u32(3);
  file.name("a").u64(4993892634952068459U).name("__layer_L__:b").u64(0).name("m").u64(0);
  file.name("__base__").u64(0).u32(0).u8(0).u16(0);
  file.name("L").u64(315 + 14).u32(26).u8(0).u16(1).u16(2);
  file.u64(3).u64(2);
  file.u16(0).u64(315).u64(4).u8(1).u64(2).u64(2).u64(1).u8(0).u64(3).u64(2);
  file.u64(0).u64(3).u64(3).u64(3).u64(1).u64(1).u8(0);
  file.u16(1).u64(319).u64(10).u8(10).u64(0).u8(0).u64(1048576).u64(1);
  file.u64(0).u64(10).u64(10).u8(0);
  EXPECT_EQ(file.size(), 315u);
  return file.raw(data.bytes()).bytes();
}

TEST(GoldenBytes, of_a_whole_file_are_read_as_they_were_worked_out) {
  const auto opened = open_bytes(whole_file());
  ASSERT_TRUE(opened.has_value()) << opened.error().message();
  const File& file = *opened;
  EXPECT_EQ(file.header().fixed.header_size, 315u);
  EXPECT_EQ(file.header().keys.size(), 3u);
  EXPECT_EQ(file.header().presence, (std::vector<std::uint64_t>{3, 2}));
  ASSERT_EQ(file.array_count(), 2u);
  EXPECT_EQ(file.array(0).entry->position, 315u);
  EXPECT_EQ(file.array(0).entry->blocks, (std::vector<Block>{{0, 3, 3}, {3, 1, 1}}));
  EXPECT_EQ(file.array(1).layer, "L");
  EXPECT_EQ(file.array(1).key, "b");
  const auto a = file.get<std::int16_t>("a");
  ASSERT_TRUE(a.has_value()) << a.error().message();
  EXPECT_EQ(a->shape, (Shape{2, 1}));
  EXPECT_EQ(a->values, (std::vector<std::int16_t>{513, -2}));
  const auto b = file.get<std::string>("b", {.scope = {.layer = "L"}});
  ASSERT_TRUE(b.has_value()) << b.error().message();
  EXPECT_EQ(b->values, std::vector<std::string>{"hi"});
  EXPECT_TRUE(b->shape.empty());
  EXPECT_EQ(file.get_metadata<double>("m", {.layer = "L"})->values, std::vector<double>{1.5});
  EXPECT_EQ(broken_by(whole_file()), std::vector<std::string>{"stards.file.hash"});
}

TEST(GoldenBytes, of_an_empty_dataset_are_56) {
  const Bytes empty = sillar::testing::from_hex(
      "535441524453 01 3800000000000000 0000000000000000 00000000 00000000"
      "0800 5f5f626173655f5f 0000000000000000 00000000 00 0000");
  ASSERT_EQ(empty.size(), 56u);
  const auto file = open_bytes(empty);
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->array_count(), 0u);
  EXPECT_EQ(file->layer_count(), 1u);
  EXPECT_EQ(broken_by(empty), std::vector<std::string>{});
  EXPECT_EQ(make_header_section({}, {LayerEntry{std::string(base_layer), 0, 0, 0, {}}}, {}, {}),
            empty);
}

TEST(GoldenBytes, of_a_header_section_are_written_as_they_are_read) {
  const Bytes bytes = whole_file();
  const auto file = open_bytes(bytes).value();
  const HeaderSection& header = file.header();
  const auto made = make_header_section(header.keys.entries(), header.layers.entries(),
                                        header.presence, header.index.entries);
  EXPECT_EQ(made, Bytes(bytes.begin(), bytes.begin() + 315));
}

}  // namespace
}  // namespace sillar::stards::testing
