// What a conversion loses, row by row of the table.
#include <sillar/convert/losses.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace sillar::convert {
namespace {

constexpr Holds rumi_holds{};

RasterDescription placed(std::optional<std::uint32_t> epsg) {
  RasterDescription raster;
  raster.crs = Crs{.epsg = epsg, .name = "somewhere"};
  raster.transform = geo::Affine{10, 0, 500000, 0, -10, 4000000};
  return raster;
}

std::vector<std::string> words(const std::vector<Extra>& extras) {
  std::vector<std::string> names;
  for (const Extra& extra : extras) names.emplace_back(name_of(extra.kind));
  return names;
}

using Words = std::vector<std::string>;

TEST(Losses, each_kind_stops_a_conversion_or_warns_as_the_table_says) {
  const struct {
    ExtraKind kind;
    std::string_view word;
    bool stops;
  } rows[] = {
      {ExtraKind::nodata, "nodata", true},
      {ExtraKind::gcps, "gcps", true},
      {ExtraKind::rpcs, "rpcs", true},
      {ExtraKind::mask, "mask", true},
      {ExtraKind::scale, "scale", true},
      {ExtraKind::overviews, "overviews", false},
      {ExtraKind::statistics, "statistics", false},
      {ExtraKind::colour_table, "colour-table", false},
      {ExtraKind::categories, "categories", false},
      {ExtraKind::metadata, "metadata", false},
  };
  for (const auto& [kind, word, stops] : rows) {
    RasterDescription raster = placed(32719);
    raster.extras = {{kind, "detail"}};
    const Losses losses = judge_losses(raster, rumi_holds, {});
    EXPECT_EQ(words(losses.errors), stops ? Words{std::string(word)} : Words{}) << word;
    EXPECT_EQ(words(losses.warnings), stops ? Words{} : Words{std::string(word)}) << word;
    EXPECT_EQ(losses.verdict().has_value(), !stops) << word;

    const Losses dropped = judge_losses(raster, rumi_holds, *DropList::parse(word));
    EXPECT_EQ(words(dropped.dropped), Words{std::string(word)}) << word;
    EXPECT_TRUE(dropped.verdict().has_value()) << word;
  }
}

TEST(Losses, a_crs_with_an_epsg_code_and_its_transform_are_kept) {
  const Losses losses = judge_losses(placed(32719), rumi_holds, {});
  EXPECT_TRUE(losses.errors.empty() && losses.warnings.empty() && losses.dropped.empty());
  const RasterDescription kept = without_losses(placed(32719), rumi_holds);
  EXPECT_EQ(kept, placed(32719));
}

TEST(Losses, dropping_crs_keeps_a_crs_that_can_be_held) {
  const Losses losses = judge_losses(placed(32719), rumi_holds, *DropList::parse("crs"));
  EXPECT_TRUE(losses.dropped.empty());
}

TEST(Losses, a_crs_without_a_code_is_named_together_with_the_transform_that_goes_with_it) {
  const auto verdict = judge_losses(placed({}), rumi_holds, {}).verdict();
  ASSERT_FALSE(verdict.has_value());
  EXPECT_EQ(verdict.error().code, Errc::unsupported);
  EXPECT_NE(verdict.error().detail.find("somewhere"), std::string::npos);
  EXPECT_NE(verdict.error().detail.find("--drop crs,transform"), std::string::npos);
  EXPECT_NE(verdict.error().detail.find("--set-crs"), std::string::npos);

  // The transform has no CRS once that is dropped, and is no part of it.
  EXPECT_EQ(words(judge_losses(placed({}), rumi_holds, *DropList::parse("crs")).errors),
            Words{"transform"});
  EXPECT_TRUE(judge_losses(placed({}), rumi_holds, *DropList::parse("crs,transform"))
                  .verdict()
                  .has_value());
}

TEST(Losses, a_transform_without_a_crs_stops_unless_it_is_the_identity) {
  RasterDescription raster;
  raster.transform = geo::Affine{1, 0, -0.5, 0, -1, 1.5};
  EXPECT_EQ(words(judge_losses(raster, rumi_holds, {}).errors), Words{"transform"});
  raster.transform = geo::Affine{};
  EXPECT_TRUE(judge_losses(raster, rumi_holds, {}).errors.empty());
  // The same place, said of centres.
  raster.transform = geo::Affine{1, 0, 0.5, 0, 1, 0.5};
  raster.pixel_is_point = true;
  EXPECT_TRUE(judge_losses(raster, rumi_holds, {}).errors.empty());
}

TEST(Losses, a_target_without_georeference_loses_even_a_crs_with_a_code) {
  const Losses losses = judge_losses(placed(32719), {.crs = false, .lone_transform = false}, {});
  EXPECT_EQ(words(losses.errors), (Words{"crs", "transform"}));
}

TEST(Losses, unknown_words_are_refused_with_the_known_ones) {
  const auto drops = DropList::parse("nodata,nodatum");
  ASSERT_FALSE(drops.has_value());
  EXPECT_EQ(drops.error().code, Errc::bad_argument);
  EXPECT_NE(drops.error().detail.find("nodatum"), std::string::npos);
  EXPECT_NE(drops.error().detail.find("colour-table"), std::string::npos);
  EXPECT_TRUE(DropList::parse("all")->contains(ExtraKind::mask));
}

}  // namespace
}  // namespace sillar::convert
