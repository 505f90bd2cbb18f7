// Small rumi files made in a test, and the checks that many tests share.
#pragma once

#include "cube.hpp"
#include "golden.hpp"
#include <sillar/exec/pool.hpp>
#include <sillar/rumi/reader.hpp>
#include <sillar/rumi/validate.hpp>
#include <sillar/rumi/writer.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sillar::rumi::testing {

using sillar::testing::Bytes;
using sillar::testing::Cube;

inline const std::array<DType, 21> all_dtypes = {
    DType::boolean,    DType::u8,        DType::u16,     DType::u32,        DType::u64,
    DType::i8,         DType::i16,       DType::i32,     DType::i64,        DType::f16,
    DType::f32,        DType::f64,       DType::c32,     DType::c64,        DType::c128,
    DType::bf16,       DType::f8_e4m3fn, DType::f8_e5m2, DType::f8_e8m0fnu, DType::f8_e4m3fnuz,
    DType::f8_e5m2fnuz};

/// The units that go with so many bands and times, from the table of "frame_unit".
inline std::vector<unsigned> valid_units(std::uint64_t bands, std::uint64_t times) {
  if (bands > 1 && times > 1) return {0, 3, 4, 5, 6, 7, 8, 9};
  if (bands > 1 || times > 1) return {0, 1, 2};
  return {0};
}

/// `count` instants, one a day from 1970-01-01 on.
inline TimeAxis daily(std::uint64_t count) {
  std::vector<Seconds> seconds;
  for (std::uint64_t i = 0; i < count; ++i) seconds.push_back(static_cast<Seconds>(i) * 86400);
  return TimeAxis::make(TimeType::instant, seconds).value();
}

/// Bands "band 1", "band 2", ..., a time a day, no georeference.
inline Content content_for(const std::array<std::uint64_t, 4>& shape, DType dtype,
                           std::uint64_t tile_length, std::uint64_t tile_width, unsigned unit) {
  Content content{
      .layout = layout_of(Shape(shape.begin(), shape.end()), dtype, tile_length, tile_width, unit)
                    .value(),
      .georeference = {},
      .trailer = {}};
  for (std::uint64_t band = 1; band <= shape[1]; ++band)
    content.trailer.band_texts.push_back("band " + std::to_string(band));
  content.trailer.times = daily(shape[0]);
  return content;
}

struct MadeFile {
  Bytes bytes;
  Bytes blob;
};

inline MadeFile write_all(const Content& content, const TensorView& samples,
                          exec::Pool* pool = nullptr) {
  MadeFile file;
  auto blob = write(io::memory_sink(file.bytes), content, samples,
                    {.write = {}, .pool = pool, .control = {}});
  EXPECT_TRUE(blob.has_value()) << blob.error().message();
  if (blob) file.blob = *std::move(blob);
  return file;
}

inline MadeFile make_file(const Cube& cube, std::uint64_t tile_length, std::uint64_t tile_width,
                          unsigned unit) {
  return write_all(content_for(cube.shape, cube.dtype, tile_length, tile_width, unit), cube.view());
}

inline Result<File> open_bytes(Bytes bytes, const Limits& limits = {}) {
  return open(io::memory_source(std::move(bytes)),
              {.header_blob = {}, .limits = limits, .control = {}});
}

/// Everything of `file` again: its frames as they are stored, its trailer and georeference.
inline Result<MadeFile> rewrite(const File& file) {
  SILLAR_TRY(const auto trailer, file.trailer());
  SILLAR_TRY(const auto georeference, file.georeference());
  MadeFile copy;
  SILLAR_TRY(auto writer,
             Writer::create(io::memory_sink(copy.bytes),
                            {file.layout(), georeference, *trailer, AffineDemand::none}));
  for (std::uint64_t i = 0; i < file.frames().frames(); ++i) {
    SILLAR_TRY(const auto frame, file.read_compressed(i));
    SILLAR_TRY(writer.put_compressed(i, frame));
  }
  SILLAR_TRY(copy.blob, writer.finish());
  return copy;
}

/// The ids of the rules that a validator finds broken as errors, in its order, each once.
inline std::vector<std::string> broken_rules(const Report& report,
                                             Severity severity = Severity::error) {
  std::vector<std::string> ids;
  for (const Finding& finding : report.findings()) {
    if (finding.severity != severity) continue;
    const std::string id(finding.error.rule != nullptr ? finding.error.rule->id
                                                       : std::string_view("no rule"));
    if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
  }
  return ids;
}

/// The id of the rule that an error names, or its text.
inline std::string rule_of(const Error& error) {
  return error.rule != nullptr ? std::string(error.rule->id) : "no rule: " + error.message();
}

}  // namespace sillar::rumi::testing
