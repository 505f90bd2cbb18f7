// Cursors, which remember their first failure.
#include <sillar/wire/cursor.hpp>

#include "golden.hpp"
#include <sillar/wire/utf8.hpp>

#include <gtest/gtest.h>

namespace sillar::wire {
namespace {

using testing::Bytes;
using testing::from_hex;

template <class Wire>
void carry(Wire& wire, std::uint16_t& number, std::string& text) {
  wire.number(number);
  auto size = static_cast<std::uint8_t>(text.size());
  wire.number(size);
  wire.text(text, size);
}

TEST(Cursor, writes_what_the_same_description_reads) {
  Bytes out = from_hex("aa");
  Writer writer(out);
  std::uint16_t number = 0x1234;
  std::string text = "abc";
  carry(writer, number, text);
  EXPECT_EQ(out, from_hex("aa 3412 03 616263"));
  EXPECT_EQ(writer.position(), 7u);

  Reader reader(std::span<const std::byte>(out).subspan(1));
  std::uint16_t read = 0;
  std::string found;
  carry(reader, read, found);
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(read, 0x1234);
  EXPECT_EQ(found, "abc");
  EXPECT_EQ(reader.position(), 6u);
  EXPECT_EQ(reader.remaining(), 0u);
}

TEST(Cursor, yields_nothing_after_its_first_failure) {
  const Bytes bytes = from_hex("01 02 03");
  Reader reader(bytes);
  std::uint32_t wide = 9;
  reader.number(wide);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(wide, 0u);
  std::uint8_t narrow = 9;
  reader.number(narrow);  // it would have fitted
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(narrow, 0u);
  std::string text = "old";
  reader.text(text, 1);
  EXPECT_EQ(text, "");
}

TEST(Cursor, allocates_nothing_for_a_size_that_is_not_there) {
  const Bytes bytes = from_hex("01 02");
  for (const std::uint64_t size : {std::uint64_t{3}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    Reader reader(bytes);
    std::string text;
    reader.text(text, size);
    EXPECT_FALSE(reader.ok());
    EXPECT_TRUE(text.empty());
  }
}

TEST(Cursor, at_every_shorter_length_says_that_it_failed) {
  const Bytes whole = from_hex("3412 03 616263");
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    Reader reader{std::span(whole).first(size)};
    std::uint16_t number = 0;
    std::string text;
    carry(reader, number, text);
    EXPECT_EQ(reader.ok(), size == whole.size()) << size;
  }
}

TEST(Utf8, is_told_by_the_table_of_well_formed_sequences) {
  const char* const good[] = {"",         "41",       "00",        "7f",     "c280",
                              "dfbf",     "e0a080",   "ed9fbf",    "ee8080", "efbfbf",
                              "f0908080", "f48fbfbf", "c3a9e9ab98"};
  for (const char* digits : good) {
    const Bytes bytes = from_hex(digits);
    EXPECT_TRUE(is_utf8({reinterpret_cast<const char*>(bytes.data()), bytes.size()})) << digits;
  }
  const char* const bad[] = {
      "80",              // a continuation alone
      "bf",       "c2",  // and a lead alone
      "c0af",            // overlong '/'
      "c1bf",     "e080af",       "e09fbf", "f08080af", "f08fbfbf",
      "eda080",  // surrogates
      "edbfbf",   "edadbfedbfbf",
      "f4908080",  // past U+10FFFF
      "f5808080", "f888808080",   "fe",     "ff",       "c241",     "e28241",
      "e282",     "f0908041",     "f09080", "41c3",     "c3c3a9",
  };
  for (const char* digits : bad) {
    const Bytes bytes = from_hex(digits);
    EXPECT_FALSE(is_utf8({reinterpret_cast<const char*>(bytes.data()), bytes.size()})) << digits;
  }
}

}  // namespace
}  // namespace sillar::wire
