// GeoTIFF to rumi and back, case by case.
#include "gdal_raster.hpp"

#ifdef SILLAR_TEST_GDAL

#include "memory_raster.hpp"
#include <sillar/convert/convert.hpp>
#include <sillar/rumi/reader.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <scratch_directory.hpp>

namespace sillar::convert {
namespace {

using sillar::testing::ScratchDirectory;
using testing::bytes_of_samples;
using testing::GeotiffRecipe;
using testing::make_geotiff;
using testing::read_by_gdal;

ConvertOptions undated() {
  ConvertOptions options;
  options.assign.undated = true;
  return options;
}

class GeotiffConversion : public ::testing::Test {
 protected:
  /// in.tif -> a.rumi -> out.tif, where the first makes what `recipe` says.
  testing::GdalReading round_trip(const GeotiffRecipe& recipe,
                                  const ConvertOptions& options = undated()) {
    make_geotiff(scratch / "in.tif", recipe);
    const auto in = convert(scratch / "in.tif", scratch / "a.rumi", options);
    EXPECT_TRUE(in.has_value()) << in.error().message();
    const auto out = convert(scratch / "a.rumi", scratch / "out.tif");
    EXPECT_TRUE(out.has_value()) << out.error().message();
    return read_by_gdal(scratch / "out.tif");
  }

  Error refusal(const GeotiffRecipe& recipe, const ConvertOptions& options = undated()) {
    make_geotiff(scratch / "in.tif", recipe);
    const auto in = convert(scratch / "in.tif", scratch / "a.rumi", options);
    EXPECT_FALSE(in.has_value());
    EXPECT_EQ(scratch.names(), std::vector<std::string>{"in.tif"});  // nothing was left
    return in ? Error{} : in.error();
  }

  rumi::Georeference stored() { return *rumi::open(scratch / "a.rumi")->georeference(); }

  ScratchDirectory scratch;
};

TEST_F(GeotiffConversion, points_anchor_the_stored_matrix_at_pixel_centres) {
  // Tie point (100, 50), scale 1: GDAL speaks of the corner (99.5, 50.5).
  const auto back =
      round_trip({.transform = {{99.5, 1, 0, 50.5, 0, -1}}, .epsg = 32648, .point = true});
  EXPECT_EQ(stored().transform, (geo::Affine{1, 0, 100, 0, -1, 50}));
  EXPECT_TRUE(stored().pixel_is_point);
  const geo::Bounds bounds = geo::bounds_of(*stored().corner_transform(), {0, 0, 4, 4});
  EXPECT_EQ(bounds, (geo::Bounds{99.5, 46.5, 103.5, 50.5}));
  EXPECT_EQ(back.transform, (std::array<double, 6>{99.5, 1, 0, 50.5, 0, -1}));
  EXPECT_EQ(back.area_or_point, "Point");
}

TEST_F(GeotiffConversion, the_tie_point_of_points_keeps_every_bit) {
  // Adding and taking away half a pixel would round these.
  CPLSetThreadLocalConfigOption("GTIFF_POINT_GEO_IGNORE", "YES");
  make_geotiff(scratch / "in.tif", {.transform = {{-127.999, 0.0020000000000000001, 0,
                                                   63.999999999999993, 0, -0.0010000000000000002}},
                                    .epsg = 4326,
                                    .point = true});
  CPLSetThreadLocalConfigOption("GTIFF_POINT_GEO_IGNORE", nullptr);
  ASSERT_TRUE(convert(scratch / "in.tif", scratch / "a.rumi", undated()).has_value());
  EXPECT_EQ(stored().transform, (geo::Affine{0.0020000000000000001, 0, -127.999, 0,
                                             -0.0010000000000000002, 63.999999999999993}));
  ASSERT_TRUE(convert(scratch / "a.rumi", scratch / "out.tif").has_value());
  ASSERT_TRUE(convert(scratch / "out.tif", scratch / "b.rumi", undated()).has_value());
  EXPECT_EQ(rumi::open(scratch / "b.rumi")->georeference()->transform, stored().transform);
}

TEST_F(GeotiffConversion, south_up_rotated_and_sheared_matrices_are_bit_equal) {
  const std::array<double, 6> cases[] = {
      {0, 1, 0, 0, 0, 2},
      {8, -1, 0, 8, 0, -1},
      {366317.96, -0.346, 0.292, 130406.04, 0.292, 0.346},
      {-72.4, 1.5e-5, 2.5e-6, -14.17, -4e-6, 1.4e-5},
      {100, 17.320508075688775, 4.999999999999999, 200, 9.999999999999998, -8.660254037844387},
  };
  for (const auto& transform : cases) {
    const auto back = round_trip({.transform = transform, .epsg = 32648});
    EXPECT_EQ(back.transform, transform);
    EXPECT_EQ(back.epsg, 32648);
    EXPECT_EQ(stored().transform, (geo::Affine{transform[1], transform[2], transform[0],
                                               transform[4], transform[5], transform[3]}));
    for (const char* name : {"a.rumi", "out.tif"}) std::remove((scratch / name).c_str());
  }
}

TEST_F(GeotiffConversion, a_matrix_that_the_driver_would_drop_in_silence_is_refused) {
  // GDAL takes steps of one pixel from the origin, rows upwards, for no matrix at all.
  std::ofstream(scratch / "raw.npy", std::ios::binary)
      << std::string("\x93NUMPY\1\0\x46\0", 10) +
             "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1), }          \n" + "x";
  ConvertOptions options = undated();
  options.assign.epsg = 32648;
  options.assign.transform = geo::Affine{1, 0, 0, 0, -1, 0};
  ASSERT_TRUE(convert(scratch / "raw.npy", scratch / "a.rumi", options).has_value());
  const auto out = convert(scratch / "a.rumi", scratch / "out.tif");
  if (!out) {
    EXPECT_EQ(out.error().code, Errc::unsupported);
    EXPECT_EQ(scratch.names(), (std::vector<std::string>{"a.rumi", "raw.npy"}));
  } else {
    EXPECT_EQ(read_by_gdal(scratch / "out.tif").transform,
              (std::array<double, 6>{0, 1, 0, 0, 0, -1}));
  }
}

TEST_F(GeotiffConversion, x_is_longitude_whatever_the_authority_says) {
  const auto back = round_trip({.transform = {{10, 0.1, 0, 50, 0, -0.1}}, .epsg = 4326});
  EXPECT_EQ(stored().transform, (geo::Affine{0.1, 0, 10, 0, -0.1, 50}));
  EXPECT_EQ(stored().model, rumi::CrsModel::geographic);
  EXPECT_EQ(back.transform, (std::array<double, 6>{10, 0.1, 0, 50, 0, -0.1}));
}

TEST_F(GeotiffConversion, signed_bytes_are_int8_on_both_sides) {
  const std::vector<std::int8_t> samples = {-128, -1, 0,  1,  127, -5, 5,   -7,
                                            7,    9,  -9, 11, -11, 13, -13, 15};
  const auto back =
      round_trip({.samples = bytes_of_samples(samples), .creation = {"PIXELTYPE=SIGNEDBYTE"}});
  EXPECT_EQ(rumi::open(scratch / "a.rumi")->layout().dtype(), DType::i8);
  EXPECT_EQ(back.samples, bytes_of_samples(samples));
  EXPECT_TRUE(back.pixel_type == "SIGNEDBYTE" || GDALGetDataTypeByName("Int8") != GDT_Unknown);
}

TEST_F(GeotiffConversion, one_bit_samples_are_bool_and_bytes_of_0_and_1_stay_bytes) {
  const std::vector<std::uint8_t> samples = {0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1};
  auto back = round_trip({.samples = bytes_of_samples(samples), .creation = {"NBITS=1"}});
  EXPECT_EQ(rumi::open(scratch / "a.rumi")->layout().dtype(), DType::boolean);
  EXPECT_EQ(back.samples, bytes_of_samples(samples));
  EXPECT_EQ(back.bits, "1");
  for (const char* name : {"a.rumi", "out.tif"}) std::remove((scratch / name).c_str());

  back = round_trip({.samples = bytes_of_samples(samples)});
  EXPECT_EQ(rumi::open(scratch / "a.rumi")->layout().dtype(), DType::u8);
  for (const char* name : {"a.rumi", "out.tif"}) std::remove((scratch / name).c_str());

  ConvertOptions options = undated();
  options.dtype = DType::boolean;
  back = round_trip({.samples = bytes_of_samples(samples)}, options);
  EXPECT_EQ(rumi::open(scratch / "a.rumi")->layout().dtype(), DType::boolean);
  for (const char* name : {"a.rumi", "out.tif"}) std::remove((scratch / name).c_str());

  auto wrong = samples;
  wrong[5] = 2;
  const Error error = refusal({.samples = bytes_of_samples(wrong)}, options);
  EXPECT_EQ(error.code, Errc::bad_argument);
  EXPECT_NE(error.detail.find("row 1, column 1 is 2"), std::string::npos) << error.detail;
}

TEST_F(GeotiffConversion, every_type_of_gdal_comes_back_bit_for_bit) {
  for (const GDALDataType type :
       {GDT_Byte, GDT_UInt16, GDT_Int16, GDT_UInt32, GDT_Int32, GDT_UInt64, GDT_Int64, GDT_Float32,
        GDT_Float64, GDT_CFloat32, GDT_CFloat64}) {
    GeotiffRecipe recipe{.rows = 300, .cols = 270, .bands = 2, .type = type, .samples = {}};
    const std::size_t size =
        2 * 300 * 270 * static_cast<std::size_t>(GDALGetDataTypeSizeBytes(type));
    std::uint64_t state = 1;
    for (std::size_t i = 0; i < size; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      recipe.samples.push_back(
          static_cast<std::byte>(state >> 56));  // NaN payloads of all kinds among them
    }
    EXPECT_EQ(round_trip(recipe).samples, recipe.samples) << GDALGetDataTypeName(type);
    for (const char* name : {"a.rumi", "out.tif"}) std::remove((scratch / name).c_str());
  }
}

TEST_F(GeotiffConversion, nan_payloads_and_sentinels_are_both_kept) {
  const std::vector<std::uint32_t> bits = {
      0x7fc00000, 0x7fc01234, 0xffc00001, 0x7f800001, std::bit_cast<std::uint32_t>(-9999.0F),
      0x80000000, 0x7f800000, 0xff800000};
  EXPECT_EQ(
      round_trip({.rows = 2, .cols = 4, .type = GDT_Float32, .samples = bytes_of_samples(bits)})
          .samples,
      bytes_of_samples(bits));
}

TEST_F(GeotiffConversion, big_endian_files_equal_their_twins) {
  std::vector<float> samples;
  for (int i = 0; i < 400; ++i)
    samples.push_back(i == 7 ? -9999.0F : static_cast<float>(i) * 0.25F);
  for (const char* predictor : {"PREDICTOR=1", "PREDICTOR=2"}) {
    const auto back = round_trip({.rows = 20,
                                  .cols = 20,
                                  .type = GDT_Float32,
                                  .samples = bytes_of_samples(samples),
                                  .creation = {"ENDIANNESS=BIG", "COMPRESS=DEFLATE", predictor}});
    EXPECT_EQ(back.samples, bytes_of_samples(samples)) << predictor;
    for (const char* name : {"a.rumi", "out.tif"}) std::remove((scratch / name).c_str());
  }
}

TEST_F(GeotiffConversion, complex_integers_are_refused_by_name) {
  for (const auto& [type, name] :
       {std::pair{GDT_CInt16, "CInt16"}, std::pair{GDT_CInt32, "CInt32"}}) {
    const Error error = refusal({.type = type});
    EXPECT_EQ(error.code, Errc::unsupported);
    EXPECT_NE(error.detail.find(name), std::string::npos) << error.detail;
  }
}

TEST_F(GeotiffConversion, a_user_defined_crs_is_named_in_the_error) {
  const std::string wkt =
      R"(PROJCS["My own grid",GEOGCS["My sphere",DATUM["Mine",SPHEROID["Ball",6370000,0]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Sinusoidal"],PARAMETER["longitude_of_center",12],PARAMETER["false_easting",0],PARAMETER["false_northing",0],UNIT["metre",1]])";
  const GeotiffRecipe recipe{.transform = {{0, 10, 0, 0, 0, -10}}, .wkt = wkt};
  const Error error = refusal(recipe);
  EXPECT_EQ(error.code, Errc::unsupported);
  EXPECT_NE(error.detail.find("My own grid"), std::string::npos) << error.detail;
  EXPECT_NE(error.detail.find("--set-crs"), std::string::npos) << error.detail;

  ConvertOptions given = undated();
  given.assign.epsg = 32633;
  EXPECT_EQ(round_trip(recipe, given).epsg, 32633);
  for (const char* name : {"a.rumi", "out.tif"}) std::remove((scratch / name).c_str());
  ConvertOptions dropped = undated();
  dropped.drops = *DropList::parse("crs,transform");
  EXPECT_FALSE(round_trip(recipe, dropped).has_crs);
}

TEST_F(GeotiffConversion, compound_and_vertical_crs_are_not_taken_by_their_horizontal_part) {
  const Error error = refusal({.transform = {{0, 10, 0, 0, 0, -10}}, .epsg = 7415});
  EXPECT_EQ(error.code, Errc::unsupported);
  EXPECT_NE(error.detail.find("NAP height"), std::string::npos) << error.detail;
}

TEST_F(GeotiffConversion, what_cannot_be_held_stops_it_and_leaves_nothing) {
  const struct {
    const char* word;
    std::function<void(GDALDatasetH)> make;
  } cases[] = {
      {"nodata",
       [](GDALDatasetH dataset) { GDALSetRasterNoDataValue(GDALGetRasterBand(dataset, 1), 0); }},
      {"scale",
       [](GDALDatasetH dataset) { GDALSetRasterScale(GDALGetRasterBand(dataset, 1), 0.01); }},
      {"rpcs",
       [](GDALDatasetH dataset) {
         CPLStringList rpc;
         for (const char* key :
              {"LINE_OFF", "SAMP_OFF", "LAT_OFF", "LONG_OFF", "HEIGHT_OFF", "LINE_SCALE",
               "SAMP_SCALE", "LAT_SCALE", "LONG_SCALE", "HEIGHT_SCALE"})
           rpc.SetNameValue(key, "1");
         for (const char* key :
              {"LINE_NUM_COEFF", "LINE_DEN_COEFF", "SAMP_NUM_COEFF", "SAMP_DEN_COEFF"})
           rpc.SetNameValue(key, "1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0");
         GDALSetMetadata(dataset, rpc.List(), "RPC");
       }},
      {"gcps",
       [](GDALDatasetH dataset) {
         std::array<GDAL_GCP, 3> points{};
         GDALInitGCPs(3, points.data());
         for (int i = 0; i < 3; ++i)
           points[static_cast<std::size_t>(i)].dfGCPPixel =
               points[static_cast<std::size_t>(i)].dfGCPX = i * i;
         GDALSetGCPs(dataset, 3, points.data(), "");
       }},
      {"mask",
       [](GDALDatasetH dataset) {
         CPLSetThreadLocalConfigOption("GDAL_TIFF_INTERNAL_MASK", "YES");
         GDALCreateDatasetMaskBand(dataset, GMF_PER_DATASET);
         CPLSetThreadLocalConfigOption("GDAL_TIFF_INTERNAL_MASK", nullptr);
       }},
  };
  for (const auto& [word, make] : cases) {
    GeotiffRecipe recipe;
    recipe.more = make;
    const Error error = refusal(recipe);
    EXPECT_EQ(error.code, Errc::unsupported) << word;
    EXPECT_NE(error.detail.find(std::string("--drop ") + word + " loses"), std::string::npos)
        << error.detail;
    ConvertOptions dropping = undated();
    dropping.drops = *DropList::parse(word);
    const auto dropped = convert(scratch / "in.tif", scratch / "a.rumi", dropping);
    ASSERT_TRUE(dropped.has_value()) << word;
    EXPECT_EQ(dropped->dropped.size(), 1U);
    std::remove((scratch / "a.rumi").c_str());
  }
}

TEST_F(GeotiffConversion, times_come_from_the_date_tag_and_go_back_into_it) {
  const auto back = round_trip({.time = "2020:05:18 13:44:01"}, {});
  EXPECT_EQ(back.time, "2020:05:18 13:44:01");
  EXPECT_EQ(text_of(periods_of((*rumi::open(scratch / "a.rumi")->trailer())->times).front()),
            "2020-05-18T13:44:01Z");
}

TEST_F(GeotiffConversion, a_source_without_a_date_is_refused_with_the_option) {
  const Error error = refusal({}, {});
  EXPECT_EQ(error.code, Errc::bad_argument);
  EXPECT_NE(error.detail.find("--set-time"), std::string::npos);
}

TEST_F(GeotiffConversion, a_cube_folds_unfolds_and_folds_again_by_its_descriptions) {
  std::vector<std::uint16_t> samples = testing::numbered({1, 6, 3, 4});
  make_geotiff(
      scratch / "in.tif",
      {.rows = 3, .cols = 4, .bands = 6, .type = GDT_UInt16, .samples = bytes_of_samples(samples)});
  for (const FoldOrder order : {FoldOrder::time_major, FoldOrder::band_major}) {
    ConvertOptions options;
    options.overwrite = true;
    options.assign.fold = order;
    options.assign.periods = {{0, 0}, {86400, 86400}};
    options.assign.band_texts = {"red", "green, 560 nm", "nir"};
    ASSERT_TRUE(convert(scratch / "in.tif", scratch / "a.rumi", options).has_value());
    const auto file = rumi::open(scratch / "a.rumi");
    EXPECT_EQ(file->layout().shape(), (Shape{2, 3, 3, 4}));
    std::uint16_t second = 0;
    rumi::Selection plane;
    plane.bands = {{std::uint64_t{0}}};
    plane.times = {{std::uint64_t{1}}};
    const auto part = file->read(plane);
    std::memcpy(&second, part->bytes().data(), 2);
    EXPECT_EQ(second / 1000, order == FoldOrder::time_major ? 3 : 1);

    ConvertOptions unfold;
    unfold.overwrite = true;
    unfold.assign.fold = order;
    ASSERT_TRUE(convert(scratch / "a.rumi", scratch / "out.tif", unfold).has_value());
    const auto out = read_by_gdal(scratch / "out.tif");
    EXPECT_EQ(out.samples, bytes_of_samples(samples));
    EXPECT_EQ(out.descriptions[1], order == FoldOrder::time_major
                                       ? "green, 560 nm, 1970-01-01T00:00:00Z"
                                       : "red, 1970-01-02T00:00:00Z");

    // Texts and times need not be told again.
    const auto again = convert(scratch / "out.tif", scratch / "b.rumi", unfold);
    ASSERT_TRUE(again.has_value()) << again.error().message();
    EXPECT_EQ(again->raster.band_texts, options.assign.band_texts);
    EXPECT_EQ(again->raster.periods, options.assign.periods);
    EXPECT_EQ(sillar::io::testing::get(scratch / "a.rumi"),
              sillar::io::testing::get(scratch / "b.rumi"));
  }
}

TEST_F(GeotiffConversion, the_file_is_the_same_at_any_number_of_threads_and_each_time) {
  GeotiffRecipe recipe{.rows = 700, .cols = 900, .bands = 3, .type = GDT_UInt16, .samples = {}};
  for (std::size_t i = 0; i < 700U * 900 * 3 * 2; ++i)
    recipe.samples.push_back(static_cast<std::byte>(i * i >> 7));
  make_geotiff(scratch / "in.tif", recipe);
  exec::Pool pool(4);
  ConvertOptions many = undated();
  many.pool = &pool;
  ASSERT_TRUE(convert(scratch / "in.tif", scratch / "1.rumi", undated()).has_value());
  ASSERT_TRUE(convert(scratch / "in.tif", scratch / "4.rumi", many).has_value());
  EXPECT_EQ(sillar::io::testing::get(scratch / "1.rumi"),
            sillar::io::testing::get(scratch / "4.rumi"));
  many.assign.undated = false;
  ASSERT_TRUE(convert(scratch / "1.rumi", scratch / "1.tif").has_value());
  ASSERT_TRUE(convert(scratch / "1.rumi", scratch / "4.tif", many).has_value());
  EXPECT_EQ(sillar::io::testing::get(scratch / "1.tif"),
            sillar::io::testing::get(scratch / "4.tif"));
}

TEST_F(GeotiffConversion, types_that_geotiff_lacks_are_refused_with_another_way) {
  std::ofstream(scratch / "raw.npy", std::ios::binary)
      << std::string("\x93NUMPY\1\0\x46\0", 10) +
             "{'descr': '<f2', 'fortran_order': False, 'shape': (1, 1), }          \n" + "xy";
  const auto out = convert(scratch / "raw.npy", scratch / "out.tif", undated());
  ASSERT_FALSE(out.has_value());
  EXPECT_EQ(out.error().code, Errc::unsupported);
  EXPECT_NE(out.error().detail.find("float16"), std::string::npos);
  EXPECT_NE(out.error().detail.find(".npy"), std::string::npos);
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"raw.npy"});
}

TEST_F(GeotiffConversion, a_cut_file_is_an_error_in_gdals_words_and_leaves_nothing) {
  GeotiffRecipe recipe{.rows = 300, .cols = 300, .type = GDT_UInt16, .samples = {}};
  make_geotiff(scratch / "whole.tif", recipe);
  const std::string whole = sillar::io::testing::get(scratch / "whole.tif");
  sillar::io::testing::put(scratch / "cut.tif", whole.substr(0, whole.size() / 2));
  const auto cut = convert(scratch / "cut.tif", scratch / "a.rumi", undated());
  ASSERT_FALSE(cut.has_value());
  EXPECT_NE(cut.error().detail.find("GDAL: "), std::string::npos);
  EXPECT_EQ(scratch.names(), (std::vector<std::string>{"cut.tif", "whole.tif"}));
  EXPECT_EQ(convert(scratch / "missing.tif", scratch / "a.rumi", undated()).error().code,
            Errc::not_found);
}

TEST_F(GeotiffConversion, an_output_that_is_there_is_kept_without_overwrite) {
  make_geotiff(scratch / "in.tif", {});
  sillar::io::testing::put(scratch / "a.rumi", "old");
  EXPECT_EQ(convert(scratch / "in.tif", scratch / "a.rumi", undated()).error().code, Errc::exists);
  EXPECT_EQ(sillar::io::testing::get(scratch / "a.rumi"), "old");
  EXPECT_EQ(convert(scratch / "in.tif", scratch / "in.tif", undated()).error().code,
            Errc::bad_argument);
}

TEST_F(GeotiffConversion, paths_may_hold_any_characters) {
  make_geotiff(scratch / "in.tif", {});
  for (const char* name : {"čučoriedky Höhe 高さ.rumi", "-dash.rumi", "bad\xff utf8.rumi"}) {
    ASSERT_TRUE(convert(scratch / "in.tif", scratch / name, undated()).has_value()) << name;
    const std::string tif = std::string(name) + ".tif";
    const auto out = convert(scratch / name, scratch / tif);
    EXPECT_TRUE(out.has_value()) << out.error().message();
  }
}

TEST_F(GeotiffConversion, a_dry_run_judges_and_writes_nothing) {
  make_geotiff(scratch / "in.tif", {.transform = {{0, 10, 0, 0, 0, -10}}, .epsg = 32719});
  ConvertOptions options = undated();
  options.dry_run = true;
  const auto report = convert(scratch / "in.tif", scratch / "a.rumi", options);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->layout->tile_width, 256);
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"in.tif"});
}

}  // namespace
}  // namespace sillar::convert

#endif
