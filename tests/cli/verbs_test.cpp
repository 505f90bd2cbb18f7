// Every verb by what it answers.
#include "fixture.hpp"

#include <algorithm>
#include <cstring>

namespace sillar::cli::testing {
namespace {

class Info : public CommandTest {};
class Validate : public CommandTest {};
class Read : public CommandTest {
 protected:
  /// The bytes that a read with these options writes.
  [[nodiscard]] std::string read(std::vector<std::string> options) const {
    std::vector<std::string> arguments = {"read", at("a.rumi"), "--to", "raw", "-o", "-"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = run(std::move(arguments));
    return outcome.code == 0 ? outcome.out
                             : "exit " + std::to_string(outcome.code) + ": " + outcome.err;
  }
};
class Plan : public CommandTest {};
class Header : public CommandTest {};

[[nodiscard]] std::string bytes_of(std::initializer_list<char> values) {
  return {values.begin(), values.end()};
}

TEST_F(Info, gives_the_document_of_a_rumi_file) {
  const Json info = answer({"info", "--json", at("a.rumi")});
  EXPECT_EQ(info["schema"], "sillar.info");
  EXPECT_EQ(info["schema_version"], 1);
  EXPECT_EQ(info["file"], at("a.rumi"));
  EXPECT_EQ(info["size"], get("a.rumi").size());
  const Json& rumi = info["rumi"];
  EXPECT_EQ(rumi["shape"], Json({2, 2, 3, 4}));
  EXPECT_EQ(rumi["dtype"], "uint8");
  EXPECT_EQ(rumi["frames"], 16);
  EXPECT_EQ(rumi["crs"], "EPSG:32719");
  EXPECT_EQ(rumi["transform"], Json({10.0, 0.0, 500000.0, 0.0, -10.0, 8000000.0}));
  EXPECT_EQ(rumi["corner_transform"], rumi["transform"]);
  EXPECT_EQ(rumi["bounds"], Json({500000.0, 7999970.0, 500040.0, 8000000.0}));
  EXPECT_EQ(rumi["band_texts"], Json({"red", "near, infrared"}));
  EXPECT_EQ(rumi["times"], Json({"2024-01-01T00:00:00Z", "2024-02-01T00:00:00Z"}));
  EXPECT_TRUE(rumi["header_blob"].get<std::string>().starts_with("4c4f5645"));
}

TEST_F(Info, text_shows_the_same) {
  const Outcome outcome = run({"info", at("a.rumi")});
  for (const char* part : {"2 times, 2 bands, 3 rows, 4 columns", "uint8", "EPSG:32719",
                           "near, infrared", "2024-02-01"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part;
  }
}

TEST_F(Info, several_files_are_one_line_each) {
  const Outcome outcome = run({"info", "--jsonl", at("a.rumi"), at("missing.rumi"), at("a.rumi")});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 2);
  EXPECT_EQ(Json::parse(outcome.out.substr(0, outcome.out.find('\n')))["format"], "rumi");
  EXPECT_EQ(Json::parse(outcome.err)["code"], "not_found");
  EXPECT_EQ(run({"info", "--json", at("a.rumi"), at("a.rumi")}).code, 2);
}

TEST_F(Info, reads_standard_input) {
  const Outcome outcome = run({.arguments = {"info", "--json", "-"}, .input = get("a.rumi")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["rumi"]["frames"], 16);
}

TEST_F(Info, magic_decides_where_the_extension_says_nothing) {
  put("b", get("a.rumi"));
  put("c.rumi", "STARDS and more");
  EXPECT_EQ(answer({"info", "--json", at("b")})["format"], "rumi");
  EXPECT_NE(run({"info", at("c.rumi")}).err.find("rumi.file."), std::string::npos);
}

TEST_F(Validate, answers_zero_and_one) {
  std::string bytes = get("a.rumi");
  bytes[6] = 1;  // reserved
  put("b.rumi", bytes);
  const Json good = answer({"validate", "--json", at("a.rumi")});
  EXPECT_EQ(good["schema"], "sillar.validate");
  EXPECT_EQ(good["files"][0]["valid"], true);
  EXPECT_EQ(good["files"][0]["findings"], Json::array());

  const Outcome bad = run({"validate", "--json", at("a.rumi"), at("b.rumi")});
  EXPECT_EQ(bad.code, 1);
  const Json file = Json::parse(bad.out)["files"][1];
  EXPECT_EQ(file["valid"], false);
  EXPECT_EQ(file["findings"][0]["rule"], "rumi.file.reserved");
  EXPECT_EQ(file["findings"][0]["severity"], "error");
  EXPECT_EQ(file["findings"][0]["offset"], 6);

  const Outcome text = run({"validate", at("a.rumi"), at("b.rumi")});
  EXPECT_EQ(text.code, 1);
  EXPECT_NE(text.out.find("a.rumi: valid\n"), std::string::npos);
  EXPECT_NE(text.out.find("b.rumi: error at 0x6: rumi.file.reserved: "), std::string::npos);
  EXPECT_NE(text.out.find("b.rumi: not valid: 1 error\n"), std::string::npos);
  EXPECT_EQ(run({"validate", "-q", at("a.rumi")}).out, "");
}

TEST_F(Validate, decodes_unless_told_not_to) {
  std::string bytes = get("a.rumi");
  const auto info = answer({"info", "--json", at("a.rumi")})["rumi"];
  bytes[info["base_frame_offset"].get<std::size_t>()] ^= 0x55;
  put("b.rumi", bytes);
  EXPECT_EQ(run({"validate", at("b.rumi")}).code, 1);
  EXPECT_EQ(run({"validate", "--threads=3", at("b.rumi")}).code, 1);
  EXPECT_EQ(run({"validate", "--no-decode", at("b.rumi")}).code, 0);
}

TEST_F(Validate, lists_the_first_findings_of_a_rule_and_counts_the_others) {
  const std::string raster = large_raster({1, 1, 30, 40}, 2);
  put("b.rumi", raster);
  const Json info = answer({"plan", "--json", "--frames", at("b.rumi")});
  ASSERT_EQ(info["frames"], 300);
  std::string bytes = raster;
  for (const Json& frame : info["frame_list"]) bytes[frame["offset"].get<std::size_t>()] ^= 0x55;
  put("b.rumi", bytes);

  const Outcome outcome = run({"validate", "--json", at("b.rumi")});
  EXPECT_EQ(outcome.code, 1);
  const Json file = Json::parse(outcome.out)["files"][0];
  ASSERT_EQ(file["findings"].size(), 100u);
  EXPECT_EQ(file["findings"][99]["offset"], info["frame_list"][99]["offset"]);
  ASSERT_EQ(file["unlisted"].size(), 1u);
  const Json more = {{"rule", file["findings"][0]["rule"]}, {"severity", "error"}, {"count", 200}};
  EXPECT_EQ(file["unlisted"][0], more);
  EXPECT_EQ(answer({"validate", "--json", at("a.rumi")})["files"][0]["unlisted"], Json::array());

  const Outcome text = run({"validate", at("b.rumi")});
  EXPECT_EQ(std::ranges::count(text.out, '\n'), 102);
  EXPECT_NE(text.out.find("b.rumi: error: " + more["rule"].get<std::string>() +
                          ": 200 more, not listed\n"),
            std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("b.rumi: not valid: 300 errors\n"), std::string::npos) << text.out;
}

TEST_F(Validate, compares_a_header_blob) {
  ASSERT_EQ(run({"header", at("a.rumi"), "-o", at("a.blob")}).code, 0);
  EXPECT_EQ(run({"validate", "--header", at("a.blob"), at("a.rumi")}).code, 0);
  std::string blob = get("a.blob");
  blob[6] = 3;  // image_width: as many tiles as before
  put("b.blob", blob);
  const Outcome outcome = run({"validate", "--json", "--header", at("b.blob"), at("a.rumi")});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.out.find("rumi.pair.mismatch"), std::string::npos) << outcome.out;
}

TEST_F(Read, everything_in_c_order) { EXPECT_EQ(read({}), small_samples()); }

TEST_F(Read, a_selection) {
  const auto s = [](unsigned t, unsigned b, unsigned y, unsigned x) {
    return small_sample(t, b, y, x);
  };
  EXPECT_EQ(read({"--bands", "1,0", "--times", "1", "--window", "1,2,1,2"}),
            bytes_of({s(1, 1, 1, 2), s(1, 1, 1, 3), s(1, 0, 1, 2), s(1, 0, 1, 3)}));
  EXPECT_EQ(
      read({"--bands", "name:near, infrared", "--bands", "0", "--times=0", "--window=0,0,1,1"}),
      bytes_of({s(0, 1, 0, 0), s(0, 0, 0, 0)}));
  EXPECT_EQ(read({"--times", "2024-02", "--bands=0", "--window=2,3,1,1"}),
            bytes_of({s(1, 0, 2, 3)}));
  EXPECT_EQ(read({"--times", "2024-01-01/2024-02-01", "--bands=0", "--window=2,3,1,1"}),
            bytes_of({s(0, 0, 2, 3)}));
  EXPECT_EQ(read({"--axes", "yxbt", "--window=0,0,1,1"}),
            bytes_of({s(0, 0, 0, 0), s(1, 0, 0, 0), s(0, 1, 0, 0), s(1, 1, 0, 0)}));
}

TEST_F(Read, by_bounds) {
  const auto wanted = bytes_of({small_sample(0, 0, 1, 1), small_sample(0, 0, 1, 2)});
  const std::vector<std::string> one = {"--bands=0", "--times=0"};
  const auto with = [&](std::vector<std::string> options) {
    options.insert(options.end(), one.begin(), one.end());
    return read(options);
  };
  EXPECT_EQ(with({"--bbox", "500010,7999980,500030,7999990"}), wanted);
  EXPECT_EQ(with({"--bbox", "500010,7999980,500030,7999990", "--bbox-crs", "EPSG:32719"}), wanted);
  EXPECT_TRUE(with({"--bbox", "500010,7999980,500030,7999990", "--bbox-crs", "EPSG:4326"})
                  .starts_with("exit 2"));
  EXPECT_TRUE(with({"--bbox", "500010,7999980,500030"}).starts_with("exit 2"));
  EXPECT_TRUE(
      with({"--bbox", "500010,7999980,500030,7999990", "--window=0,0,1,1"}).starts_with("exit 2"));
}

TEST_F(Read, what_lies_outside_is_refused_clipped_or_filled) {
  const std::vector<std::string> one = {"--bands=0", "--times=0"};
  const auto with = [&](std::vector<std::string> options) {
    options.insert(options.end(), one.begin(), one.end());
    return read(options);
  };
  const char corner = small_sample(0, 0, 0, 0);
  EXPECT_TRUE(with({"--window", "-1,-1,2,2"}).starts_with("exit 2"));
  EXPECT_EQ(with({"--window", "-1,-1,2,2", "--clip"}), bytes_of({corner}));
  EXPECT_EQ(with({"--window", "-1,-1,2,2", "--pad", "255"}),
            bytes_of({'\xFF', '\xFF', '\xFF', corner}));
  EXPECT_TRUE(with({"--window", "-1,-1,2,2", "--pad", "256"}).starts_with("exit 2"));
  EXPECT_TRUE(with({"--window", "-1,-1,2,2", "--pad", "nan"}).starts_with("exit 2"));
  EXPECT_TRUE(with({"--window", "-1,-1,2,2", "--pad", "1", "--clip"}).starts_with("exit 2"));
}

TEST_F(Read, pads_small_floats_by_their_own_codes) {
  put("f.rumi", small_raster(DType::f8_e4m3fn));
  const auto pad = [&](const std::string& value) {
    return run({"read", at("f.rumi"), "--to=raw", "-o", "-", "--bands=0", "--times=0",
                "--window=-1,0,1,1", "--pad", value});
  };
  // The window must touch the raster.
  EXPECT_EQ(pad("1").code, 2);
  const auto corner = [&](const std::string& value) {
    return run({"read", at("f.rumi"), "--to=raw", "-o", "-", "--bands=0", "--times=0",
                "--window=-1,0,2,1", "--pad", value});
  };
  EXPECT_EQ(corner("1").out[0], '\x38');  // exponent 7, the bias
  EXPECT_EQ(corner("-1.5").out[0], '\xBC');
  EXPECT_EQ(corner("448").out[0], '\x7E');          // the largest
  EXPECT_EQ(corner("0.001953125").out[0], '\x01');  // the smallest subnormal, 2^-9
  EXPECT_EQ(corner("nan").out[0] & 0x7F, 0x7F);
  EXPECT_EQ(corner("449").code, 2);
  EXPECT_EQ(corner("inf").code, 2);
}

TEST_F(Read, npy_has_the_front_of_version_one) {
  ASSERT_EQ(run({"read", at("a.rumi"), "-o", at("a.npy")}).code, 0);
  const std::string file = get("a.npy");
  ASSERT_GE(file.size(), 128U);
  EXPECT_EQ(file.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const std::size_t length =
      static_cast<unsigned char>(file[8]) + 256U * static_cast<unsigned char>(file[9]);
  EXPECT_EQ((10 + length) % 64, 0U);
  EXPECT_TRUE(file.substr(10).starts_with(
      "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2, 3, 4), }"));
  EXPECT_EQ(file[10 + length - 1], '\n');
  EXPECT_EQ(file.substr(10 + length), small_samples());
}

TEST_F(Read, a_picture_has_one_time_and_one_band_or_three) {
  ASSERT_EQ(run({"read", at("a.rumi"), "--times", "0", "--bands", "1", "-o", at("a.png")}).code, 0);
  EXPECT_TRUE(get("a.png").starts_with("\x89PNG\r\n\x1a\n"));
  EXPECT_EQ(run({"read", at("a.rumi"), "--bands", "1", "-o", at("b.png")}).code, 2);
  EXPECT_EQ(run({"read", at("a.rumi"), "--times", "0", "-o", at("b.png")}).code, 2);
  EXPECT_FALSE(std::filesystem::exists(at("b.png")));
}

TEST_F(Read, npy_refuses_types_that_numpy_does_not_have) {
  put("f.rumi", small_raster(DType::f8_e5m2));
  const Outcome outcome = run({"read", at("f.rumi"), "-o", at("f.npy")});
  EXPECT_EQ(outcome.code, 5);
  EXPECT_NE(outcome.err.find("float8_e5m2"), std::string::npos);
  EXPECT_EQ(names(), (Names{"a.rumi", "f.rumi"}));
}

TEST_F(Read, an_output_is_replaced_only_on_demand_and_never_the_input) {
  put("out", "old");
  EXPECT_EQ(run({"read", at("a.rumi"), "--to=raw", "-o", at("out")}).code, 8);
  EXPECT_EQ(get("out"), "old");
  EXPECT_EQ(run({"read", at("a.rumi"), "--to=raw", "-o", at("out"), "--overwrite"}).code, 0);
  EXPECT_EQ(get("out"), small_samples());
  const std::string before = get("a.rumi");
  EXPECT_EQ(run({"read", at("a.rumi"), "--to=raw", "-o", at("a.rumi"), "--overwrite"}).code, 2);
  EXPECT_EQ(get("a.rumi"), before);
  EXPECT_EQ(names(), (Names{"a.rumi", "out"}));
}

TEST_F(Read, a_damaged_frame_leaves_nothing) {
  std::string bytes = get("a.rumi");
  bytes[answer({"info", "--json", at("a.rumi")})["rumi"]["base_frame_offset"].get<std::size_t>()] ^=
      0x55;
  put("b.rumi", bytes);
  const Outcome outcome = run({"read", at("b.rumi"), "--to=raw", "-o", at("out")});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_NE(outcome.err.find(": rumi.frame."), std::string::npos) << outcome.err;
  EXPECT_EQ(names(), (Names{"a.rumi", "b.rumi"}));
}

TEST_F(Read, a_header_blob_stands_for_the_front) {
  ASSERT_EQ(run({"header", at("a.rumi"), "-o", at("a.blob")}).code, 0);
  std::string bytes = get("a.rumi");
  std::memset(bytes.data(), 0, 16);
  put("b.bin", bytes);
  EXPECT_EQ(run({"read", at("b.bin"), "--header", at("a.blob"), "--to=raw", "-o", "-"}).out,
            small_samples());
  put("bad.blob", get("a.blob").substr(0, 31));
  const Outcome outcome =
      run({"read", at("b.bin"), "--header", at("bad.blob"), "--to=raw", "-o", "-"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_NE(outcome.err.find("bad.blob: "), std::string::npos) << outcome.err;
}

TEST_F(Read, a_json_summary_is_for_files) {
  const Json summary =
      answer({"read", "--json", at("a.rumi"), "--to=raw", "-o", at("out"), "--bands=0"});
  EXPECT_EQ(summary["schema"], "sillar.read");
  EXPECT_EQ(summary["shape"], Json({2, 1, 3, 4}));
  EXPECT_EQ(summary["bytes"], 24);
  EXPECT_EQ(run({"read", "--json", at("a.rumi"), "--to=raw", "-o", "-"}).code, 2);
}

TEST_F(Plan, counts_frames_ranges_and_bytes) {
  const Json plan =
      answer({"plan", "--json", "--frames", at("a.rumi"), "--window", "0,0,2,2", "--times=0"});
  EXPECT_EQ(plan["schema"], "sillar.plan");
  EXPECT_EQ(plan["frames"], 2);  // one tile location, two bands
  EXPECT_EQ(plan["shape"], Json({1, 2, 2, 2}));
  EXPECT_EQ(plan["output_bytes"], 8);
  EXPECT_EQ(plan["decoded_bytes"], 8);
  EXPECT_EQ(plan["frame_list"][1]["band"], 1);
  EXPECT_EQ(plan["frame_list"][0]["window"], Json({0, 0, 2, 2}));
  EXPECT_EQ(plan["ranges"].size(), 2U);

  const Outcome text = run({"plan", "--explain", at("a.rumi")});
  EXPECT_NE(text.out.find("16 of 16"), std::string::npos) << text.out;
  EXPECT_EQ(run({"read", "--explain", at("a.rumi")}).out, text.out);
}

TEST_F(Header, is_made_checked_and_printed) {
  const std::string blob_hex = answer({"info", "--json", at("a.rumi")})["rumi"]["header_blob"];
  const Json made = answer({"header", "--json", at("a.rumi"), "-o", at("a.blob")});
  EXPECT_EQ(made["frames"], 16);
  EXPECT_EQ(get("a.blob").size() * 2, blob_hex.size());
  const Json checked = answer({"header", "--check", "--json", at("a.blob")});
  EXPECT_EQ(checked["schema"], "sillar.header");
  EXPECT_EQ(checked["frames"], 16);
  EXPECT_EQ(checked["counts_head"].size(), 8U);
  EXPECT_NE(run({"header", "--print", at("a.blob")}).out.find("2 times, 2 bands"),
            std::string::npos);
  EXPECT_NE(run({"header", "--print", at("a.rumi")}).out.find("2 times, 2 bands"),
            std::string::npos);
  EXPECT_EQ(run({"header", at("a.rumi"), "-o", at("a.blob")}).code, 8);

  put("bad.blob", get("a.blob") + "x");
  const Outcome bad = run({"header", "--check", at("bad.blob")});
  EXPECT_EQ(bad.code, 4);
  EXPECT_NE(bad.err.find("bad.blob: "), std::string::npos) << bad.err;
  EXPECT_NE(bad.err.find("rumi.blob.size"), std::string::npos) << bad.err;
}

TEST_F(Header, goes_to_stdout) {
  const Outcome outcome = run({"header", at("a.rumi"), "-o", "-"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(outcome.out.starts_with("LOVE"));
}

TEST_F(Read, decode_frame_gives_the_bytes_of_one_frame) {
  const Json frame = answer({"plan", "--json", "--frames", at("a.rumi")})["frame_list"][0];
  put("f.zl",
      get("a.rumi").substr(frame["offset"].get<std::size_t>(), frame["size"].get<std::size_t>()));
  ASSERT_EQ(run({"decode-frame", at("f.zl"), "-o", at("f.raw")}).code, 0);
  EXPECT_EQ(get("f.raw"), bytes_of({small_sample(0, 0, 0, 0), small_sample(0, 0, 0, 1),
                                    small_sample(0, 0, 1, 0), small_sample(0, 0, 1, 1)}));
  const std::string whole = get("f.zl");
  put("short.zl", whole.substr(0, whole.size() - 1));
  EXPECT_EQ(run({"decode-frame", at("short.zl"), "-o", at("short.raw")}).code, 4);
  EXPECT_FALSE(std::filesystem::exists(at("short.raw")));
  const Outcome limited = run({.arguments = {"decode-frame", at("f.zl"), "-o", at("x")},
                               .environment = {"SILLAR_MAX_FRAME_BYTES=3"}});
  EXPECT_EQ(limited.code, 6) << limited.err;
}

}  // namespace
}  // namespace sillar::cli::testing
