// CRS codes as people write them, and which of them can be written to a file.
#include <sillar/geo/crs.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace sillar::geo {
namespace {

TEST(EpsgText, is_read_in_its_three_forms) {
  EXPECT_EQ(parse_epsg("EPSG:32719"), 32719U);
  EXPECT_EQ(parse_epsg("epsg:4326"), 4326U);
  EXPECT_EQ(parse_epsg("32719"), 32719U);
  EXPECT_EQ(parse_epsg("urn:ogc:def:crs:EPSG::32719"), 32719U);
  EXPECT_EQ(parse_epsg("URN:OGC:DEF:CRS:epsg::4979"), 4979U);
  EXPECT_EQ(parse_epsg("EPSG:4294967295"), 4294967295U);
}

TEST(EpsgText, of_another_authority_is_refused_with_the_authority_named) {
  const struct {
    std::string_view text;
    std::string_view authority;
  } cases[] = {
      {"ESRI:102008", "authority ESRI;"},
      {"IAU_2015:30100", "authority IAU_2015;"},
      {"OGC:CRS84", "authority OGC;"},
      {"urn:ogc:def:crs:OGC:1.3:CRS84", "authority OGC;"},
  };
  for (const auto& [text, authority] : cases) {
    const auto code = parse_epsg(text);
    ASSERT_FALSE(code.has_value()) << text;
    EXPECT_EQ(code.error().code, Errc::bad_argument);
    EXPECT_NE(code.error().detail.find(authority), std::string::npos) << code.error().detail;
  }
}

TEST(EpsgText, that_is_no_code_is_refused) {
  for (const std::string_view text : {
           "",
           " ",
           ":",
           "::",
           "EPSG",
           "EPSG:",
           "EPSG::4326",
           "EPSG: 4326",
           " EPSG:4326",
           "4326 ",
           "EPSG:-4326",
           "-1",
           "+4326",
           "0",
           "EPSG:0",
           "04326",
           "EPSG:04326",
           "4326.0",
           "0x10E6",
           "EPSG:4326+5773",
           "EPSG:4294967296",
           "99999999999999999999",
           "EPSG:4326:1",
           ":4326",
           "urn:ogc:def:crs:EPSG",
           "urn:ogc:def:crs:EPSG:4326",
           "urn:ogc:def:crs:EPSG:9.9:4326",
           "urn:ogc:def:crs:4326",
           "urn:x:y",
           "WGS 84",
           "+proj=longlat",
           "WGS84",
           "http://www.opengis.net/def/crs/EPSG/0/4326",
           "EPSG:\xE4",
           "\xFF\xFE",
       }) {
    const auto code = parse_epsg(text);
    ASSERT_FALSE(code.has_value()) << text;
    EXPECT_EQ(code.error().code, Errc::bad_argument);
  }
  EXPECT_FALSE(parse_epsg(std::string_view("4326\0", 5)).has_value());
}

TEST(EpsgText, that_is_long_or_binary_gives_a_short_printable_message) {
  const auto code = parse_epsg(std::string(100000, '\n'));
  ASSERT_FALSE(code.has_value());
  EXPECT_LT(code.error().detail.size(), 300U);
  EXPECT_EQ(code.error().detail.find('\n'), std::string::npos);
}

TEST(CrsKinds, have_the_names_of_the_registry) {
  EXPECT_EQ(name_of(CrsKind::geographic_2d), "geographic 2D");
  EXPECT_EQ(name_of(CrsKind::geographic_3d), "geographic 3D");
  EXPECT_EQ(name_of(CrsKind::projected), "projected");
  EXPECT_EQ(name_of(CrsKind::geocentric), "geocentric");
  EXPECT_EQ(name_of(CrsKind::vertical), "vertical");
  EXPECT_EQ(name_of(CrsKind::compound), "compound");
  EXPECT_EQ(name_of(CrsKind::engineering), "engineering");
  EXPECT_EQ(name_of(CrsKind::other), "other");
}

TEST(CrsKinds, that_are_horizontal_are_projected_and_geographic) {
  EXPECT_TRUE(is_horizontal(CrsKind::projected));
  EXPECT_TRUE(is_horizontal(CrsKind::geographic_2d));
  EXPECT_TRUE(is_horizontal(CrsKind::geographic_3d));
  for (const CrsKind kind : {CrsKind::geocentric, CrsKind::vertical, CrsKind::compound,
                             CrsKind::engineering, CrsKind::other}) {
    EXPECT_FALSE(is_horizontal(kind)) << name_of(kind);
  }
}

TEST(WritingACrs, accepts_projected_and_geographic_codes) {
  for (const std::uint32_t code : {32633U, 32719U, 4326U, 4979U, 3857U}) {
    const auto entry = require_horizontal(builtin_registry(), code);
    ASSERT_TRUE(entry.has_value()) << code;
    EXPECT_EQ(entry->code, code);
    EXPECT_FALSE(entry->deprecated);
  }
}

TEST(WritingACrs, accepts_a_deprecated_code_and_says_that_it_is_one) {
  const auto entry = require_horizontal(builtin_registry(), 2400);
  ASSERT_TRUE(entry.has_value());
  EXPECT_TRUE(entry->deprecated);
}

TEST(WritingACrs, refuses_codes_of_other_kinds_and_names_the_kind) {
  const struct {
    std::uint32_t code;
    std::string_view message;
  } cases[] = {
      {7415, "EPSG:7415 is a compound CRS"},      {6349, "EPSG:6349 is a compound CRS"},
      {5498, "EPSG:5498 is a compound CRS"},      {5773, "EPSG:5773 is a vertical CRS"},
      {3855, "EPSG:3855 is a vertical CRS"},      {4978, "EPSG:4978 is a geocentric CRS"},
      {32767, "EPSG does not define EPSG:32767"}, {99999, "EPSG does not define EPSG:99999"},
  };
  for (const auto& [code, message] : cases) {
    const auto entry = require_horizontal(builtin_registry(), code);
    ASSERT_FALSE(entry.has_value()) << code;
    EXPECT_EQ(entry.error().code, Errc::bad_argument);
    EXPECT_TRUE(entry.error().detail.starts_with(message)) << entry.error().detail;
  }
}

/// A registry that has one engineering CRS, or cannot be asked.
class OneCrs final : public CrsRegistry {
 public:
  [[nodiscard]] Result<std::optional<CrsEntry>> find(std::uint32_t code) const override {
    if (code != 5800) return fail(Errc::io, "no database");
    return CrsEntry{
        .code = 5800, .kind = CrsKind::engineering, .deprecated = false, .name = "Astra"};
  }
  [[nodiscard]] std::string description() const override { return "one"; }
};

TEST(WritingACrs, refuses_an_engineering_crs) {
  const auto entry = require_horizontal(OneCrs(), 5800);
  ASSERT_FALSE(entry.has_value());
  EXPECT_EQ(entry.error().code, Errc::bad_argument);
  EXPECT_TRUE(entry.error().detail.starts_with("EPSG:5800 is an engineering CRS"));
}

TEST(WritingACrs, reports_a_registry_that_cannot_be_asked_as_it_is) {
  const auto entry = require_horizontal(OneCrs(), 4326);
  ASSERT_FALSE(entry.has_value());
  EXPECT_EQ(entry.error().code, Errc::io);
}

}  // namespace
}  // namespace sillar::geo
