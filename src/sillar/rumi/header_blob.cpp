// Parsing, judging and making header blobs.
#include <sillar/rumi/header_blob.hpp>

#include <sillar/wire/bits.hpp>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace sillar::rumi {
namespace {

constexpr std::uint64_t fixed_size = wire::size<HeaderBlobFields>();
constexpr std::uint64_t count_min_offset = 27;
constexpr std::uint64_t count_bits_offset = 31;

StoredAxes stored_axes(const HeaderBlobFields& fields) {
  return {.image_width = {fields.image_width, 6},
          .image_length = {fields.image_length, 10},
          .time_count = {fields.time_count, 14},
          .samples_per_pixel = {fields.samples_per_pixel, 22},
          .tile_width = {fields.tile_width, 18},
          .tile_length = {fields.tile_length, 20},
          .frame_unit = {fields.frame_unit, 26}};
}

/// The byte counts of a blob whose size fits; reports what breaks a rule.
std::optional<std::vector<std::uint32_t>> unpack_counts(std::span<const std::byte> packed,
                                                        const HeaderBlobFields& fields,
                                                        std::uint64_t frames, Report& report) {
  std::vector<std::uint32_t> counts(frames);
  std::uint64_t least = UINT64_MAX;
  std::uint64_t most = 0;
  for (std::uint64_t i = 0; i < frames; ++i) {
    const std::uint64_t residual = wire::unpack_at(packed, fields.count_bits, i);
    const std::uint64_t count = fields.count_min + residual;
    if (count > UINT32_MAX) {
      report.add(rules::blob_count_range, fixed_size + i * fields.count_bits / 8,
                 "frame " + std::to_string(i) + " has " + std::to_string(count) +
                     " bytes, expected at most 4294967295");
      return std::nullopt;
    }
    least = std::min(least, residual);
    most = std::max(most, residual);
    counts[i] = static_cast<std::uint32_t>(count);
  }
  if (least != 0) {
    report.add(rules::blob_count_min, count_min_offset,
               "count_min is " + std::to_string(fields.count_min) + ", the least count is " +
                   std::to_string(fields.count_min + least));
    return std::nullopt;
  }
  if (bit_length(most) != fields.count_bits) {
    report.add(rules::blob_count_bits_minimal, count_bits_offset,
               "count_bits is " + std::to_string(fields.count_bits) + ", expected " +
                   std::to_string(bit_length(most)));
    return std::nullopt;
  }
  return counts;
}

}  // namespace

unsigned bit_length(std::uint64_t value) { return static_cast<unsigned>(std::bit_width(value)); }

Result<Header> check_header_blob(std::span<const std::byte> blob, const Limits& limits,
                                 Report& report) {
  const auto failed = [&report]() -> Result<Header> {
    return std::unexpected(report.verdict().error());
  };
  if (blob.size() < fixed_size) {
    report.add(rules::blob_truncated, blob.size(),
               "got " + std::to_string(blob.size()) + " bytes, expected at least 32",
               Errc::truncated);
    return failed();
  }
  const auto fields = wire::load_record<HeaderBlobFields>(blob);
  // Dimensions are judged with the layout, whose rules both places share.
  if (fields.magic != HeaderBlobFields{}.magic || fields.version != HeaderBlobFields{}.version) {
    wire::check_record(fields, 0, report);
    return failed();
  }
  const std::uint64_t errors = report.errors();
  auto layout = check_axes(stored_axes(fields), blob_layout_rules, report);
  const SampleEncoding* encoding = check_encoding(
      {fields.sample_format, 25}, {fields.bits_per_sample, 24}, blob_layout_rules, report);
  if (fields.count_bits > 32 && !report.done()) {
    report.add(rules::blob_count_bits, count_bits_offset,
               "count_bits is " + std::to_string(fields.count_bits) + ", expected at most 32");
  }
  if (fields.count_min == 0 && !report.done()) {
    report.add(rules::blob_zero_count, count_min_offset, "count_min is 0, expected more than 0");
  }
  if (!layout || report.errors() != errors) return failed();
  layout->encoding = encoding;

  const auto frames = layout->frame_count();
  if (!frames) {
    report.add(rules::blob_offset_overflow, std::nullopt, "the number of frames leaves 64 bits");
    return failed();
  }
  const auto packed_size = wire::packed_size(*frames, fields.count_bits);
  const auto expected = packed_size ? checked_add(fixed_size, *packed_size) : std::nullopt;
  if (!expected || blob.size() != *expected) {
    report.add(rules::blob_size,
               std::min<std::uint64_t>(blob.size(), expected.value_or(UINT64_MAX)),
               "got " + std::to_string(blob.size()) + " bytes, expected " +
                   (expected ? std::to_string(*expected) : "more than 64 bits can count"));
    return failed();
  }
  const auto packed = blob.subspan(fixed_size);
  if (!wire::padding_is_zero(packed, *frames, fields.count_bits)) {
    report.add(rules::blob_pad_bits, blob.size() - 1, "unused bits behind the last count are set");
    return failed();
  }
  const auto base_offset = layout->base_frame_offset(*frames);
  if (!base_offset) {
    report.add(rules::blob_offset_overflow, std::nullopt, "the first frame offset leaves 64 bits");
    return failed();
  }
  std::optional<FrameTable> table;
  if (fields.count_bits == 0) {
    table = FrameTable::uniform(*base_offset, *frames, fields.count_min);
  } else {
    if (*frames > limits.frames) {
      return fail(Errc::over_limit, "the blob indexes " + std::to_string(*frames) +
                                        " frames, the limit is " + std::to_string(limits.frames));
    }
    auto counts = unpack_counts(packed, fields, *frames, report);
    if (!counts) return failed();
    table = FrameTable::of(*base_offset, std::move(*counts));
  }
  if (!table) {
    report.add(rules::blob_offset_overflow, std::nullopt, "the offset of a frame leaves 64 bits");
    return failed();
  }
  return Header{*layout, *std::move(table)};
}

Result<Header> parse_header_blob(std::span<const std::byte> blob, const Limits& limits) {
  Report report(Report::Until::first_error);
  return check_header_blob(blob, limits, report);
}

std::vector<std::byte> make_header_blob(const Header& header) {
  const Layout& layout = header.layout;
  const FrameTable& frames = header.frames;
  const unsigned bits = bit_length(frames.count_max() - frames.count_min());
  HeaderBlobFields fields;
  fields.image_width = layout.image_width;
  fields.image_length = layout.image_length;
  fields.time_count = layout.time_count;
  fields.tile_width = layout.tile_width;
  fields.tile_length = layout.tile_length;
  fields.samples_per_pixel = layout.samples_per_pixel;
  fields.bits_per_sample = static_cast<std::uint8_t>(layout.encoding->bits_per_sample);
  fields.sample_format = static_cast<std::uint8_t>(layout.encoding->sample_format);
  fields.frame_unit = layout.unit->number;
  fields.count_min = frames.count_min();
  fields.count_bits = static_cast<std::uint8_t>(bits);
  const auto fixed = wire::store_record(fields);
  std::vector<std::byte> blob(fixed.begin(), fixed.end());
  blob.resize(fixed_size + wire::packed_size(frames.frames(), bits).value_or(0));
  const std::span<std::byte> packed = std::span(blob).subspan(fixed_size);
  for (std::uint64_t i = 0; bits > 0 && i < frames.frames(); ++i) {
    wire::pack_at(packed, bits, i, frames.byte_count(i) - frames.count_min());
  }
  return blob;
}

void compare_headers(const Header& file, const Header& blob, Report& report) {
  const auto compare = [&report](std::string_view name, std::uint64_t in_file,
                                 std::uint64_t in_blob) {
    if (in_file == in_blob || report.done()) return;
    report.add(rules::pair_mismatch, std::nullopt,
               std::string(name) + " is " + std::to_string(in_blob) + " in the blob and " +
                   std::to_string(in_file) + " in the file");
  };
  compare("image_width", file.layout.image_width, blob.layout.image_width);
  compare("image_length", file.layout.image_length, blob.layout.image_length);
  compare("time_count", file.layout.time_count, blob.layout.time_count);
  compare("tile_width", file.layout.tile_width, blob.layout.tile_width);
  compare("tile_length", file.layout.tile_length, blob.layout.tile_length);
  compare("samples_per_pixel", file.layout.samples_per_pixel, blob.layout.samples_per_pixel);
  compare("bits_per_sample", file.layout.encoding->bits_per_sample,
          blob.layout.encoding->bits_per_sample);
  compare("sample_format", file.layout.encoding->sample_format,
          blob.layout.encoding->sample_format);
  compare("frame_unit", file.layout.unit->number, blob.layout.unit->number);
  compare("the number of frames", file.frames.frames(), blob.frames.frames());
  if (file.frames.frames() != blob.frames.frames()) return;
  for (std::uint64_t i = 0; i < file.frames.frames(); ++i) {
    if (file.frames.byte_count(i) == blob.frames.byte_count(i)) continue;
    compare("frame_byte_counts[" + std::to_string(i) + "]", file.frames.byte_count(i),
            blob.frames.byte_count(i));
    return;  // the first tells enough
  }
}

}  // namespace sillar::rumi
