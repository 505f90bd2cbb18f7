// "File header", "Fixed IFD", "Placement", "Validating frame_unit", "Frame order".
#include <sillar/rumi/front.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

namespace sillar::rumi {
namespace {

[[nodiscard]] constexpr std::size_t index_of(TagIndex tag) { return static_cast<std::size_t>(tag); }

[[nodiscard]] constexpr std::uint64_t entry_offset(std::size_t i) {
  return ifd_entries_offset + wire::size<IfdEntry>() * i;
}

/// Where the value of entry `i`, or its offset, stands.
[[nodiscard]] constexpr std::uint64_t value_offset(std::size_t i) { return entry_offset(i) + 12; }

/// The fixed IFD of a file, with what can be read from it.
class Ifd {
 public:
  explicit Ifd(std::span<const std::byte> bytes) : bytes_(bytes) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      entries_[i] = wire::load_record<IfdEntry>(bytes_.subspan(entry_offset(i)));
    }
  }

  [[nodiscard]] const IfdEntry& entry(std::size_t i) const { return entries_[i]; }
  [[nodiscard]] std::uint64_t entry_count() const {
    return wire::load<std::uint64_t>(bytes_.data() + ifd_offset);
  }
  [[nodiscard]] std::uint64_t next() const {
    return wire::load<std::uint64_t>(bytes_.data() + ifd_next_offset);
  }

  /// The offset that entry `i` states for an external value.
  [[nodiscard]] std::uint64_t external(std::size_t i) const {
    return wire::load<std::uint64_t>(bytes_.data() + value_offset(i));
  }

  /// The value of a tag that has one.
  [[nodiscard]] StoredValue single(TagIndex tag) const {
    const std::uint64_t at = value_offset(index_of(tag));
    const bool is_short = tag_table[index_of(tag)].type == TagType::short_;
    return {is_short ? wire::load<std::uint16_t>(bytes_.data() + at)
                     : wire::load<std::uint32_t>(bytes_.data() + at),
            at};
  }

  [[nodiscard]] StoredAxes axes() const {
    return {.image_width = single(TagIndex::image_width),
            .image_length = single(TagIndex::image_length),
            .time_count = single(TagIndex::time_count),
            .samples_per_pixel = single(TagIndex::samples_per_pixel),
            .tile_width = single(TagIndex::tile_width),
            .tile_length = single(TagIndex::tile_length),
            .frame_unit = single(TagIndex::frame_unit)};
  }

 private:
  std::span<const std::byte> bytes_;
  std::array<IfdEntry, tag_table.size()> entries_;
};

/// Where the values of every tag stand in the canonical form ("Placement").
[[nodiscard]] std::array<std::uint64_t, tag_table.size()> value_offsets(const Layout& layout,
                                                                        std::uint64_t frames) {
  std::array<std::uint64_t, tag_table.size()> offsets{};
  std::uint64_t next = external_offset;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const std::uint64_t size = layout.tag_count(tag_table[i], frames) * size_of(tag_table[i].type);
    offsets[i] = size > inline_size ? next : value_offset(i);
    if (size > inline_size) next += size;
  }
  return offsets;
}

/// Tags, types, counts that are fixed, and the end of the list. Nothing behind a wrong tag is
/// judged.
void check_entries(const Ifd& ifd, Report& report) {
  const auto found = [&report](const Rule& rule, std::uint64_t offset, std::string detail) {
    if (!report.done()) report.add(rule, offset, std::move(detail));
  };
  if (ifd.entry_count() != tag_table.size()) {
    return found(rules::ifd_entry_count, ifd_offset,
                 "the IFD has " + std::to_string(ifd.entry_count()) + " entries, expected 13");
  }
  for (std::size_t i = 0; i < tag_table.size(); ++i) {
    if (ifd.entry(i).tag != tag_table[i].number) {
      return found(rules::ifd_tags, entry_offset(i),
                   "entry " + std::to_string(i) + " has tag " + std::to_string(ifd.entry(i).tag) +
                       ", expected " + std::to_string(tag_table[i].number) + " (" +
                       std::string(tag_table[i].name) + ")");
    }
  }
  for (std::size_t i = 0; i < tag_table.size(); ++i) {
    const Tag& tag = tag_table[i];
    const IfdEntry& entry = ifd.entry(i);
    if (entry.type != std::to_underlying(tag.type)) {
      found(rules::ifd_type, entry_offset(i) + 2,
            std::string(tag.name) + " has type " + std::to_string(entry.type) + ", expected " +
                std::to_string(std::to_underlying(tag.type)));
    }
    if (tag.counted == TagCount::fixed && entry.count != tag.count) {
      found(rules::ifd_count, entry_offset(i) + 4,
            std::string(tag.name) + " has " + std::to_string(entry.count) + " values, expected " +
                std::to_string(tag.count));
    }
  }
  if (ifd.next() != 0) {
    found(rules::ifd_next, ifd_next_offset,
          "the next IFD is at " + std::to_string(ifd.next()) + ", expected 0");
  }
}

/// Counts that follow from B and N, unused inline bytes, and where external values lie.
void check_placement(const Ifd& ifd, std::span<const std::byte> bytes, const Layout& layout,
                     std::uint64_t frames, Report& report) {
  const auto found = [&report](const Rule& rule, std::uint64_t offset, std::string detail) {
    if (!report.done()) report.add(rule, offset, std::move(detail));
  };
  bool counted = true;
  for (std::size_t i = 0; i < tag_table.size(); ++i) {
    const Tag& tag = tag_table[i];
    const std::uint64_t count = layout.tag_count(tag, frames);
    if (ifd.entry(i).count == count) continue;
    counted = false;
    found(tag.counted == TagCount::frames ? rules::ifd_frame_count : rules::ifd_count,
          entry_offset(i) + 4,
          std::string(tag.name) + " has " + std::to_string(ifd.entry(i).count) +
              " values, expected " + std::to_string(count));
  }
  if (!counted || !layout.base_frame_offset(frames)) return;
  const auto places = value_offsets(layout, frames);
  for (std::size_t i = 0; i < tag_table.size(); ++i) {
    const Tag& tag = tag_table[i];
    const std::uint64_t size = layout.tag_count(tag, frames) * size_of(tag.type);
    if (size > inline_size) {
      if (ifd.external(i) == places[i]) continue;
      found(rules::ifd_external_offset, value_offset(i),
            std::string(tag.name) + " lies at " + std::to_string(ifd.external(i)) + ", expected " +
                std::to_string(places[i]));
    } else {
      const auto unused = bytes.subspan(value_offset(i), inline_size).subspan(size);
      if (std::ranges::all_of(unused, [](std::byte byte) { return byte == std::byte{0}; }))
        continue;
      found(rules::ifd_inline_padding, value_offset(i) + size,
            std::string(tag.name) + ": unused bytes of the entry are set");
    }
  }
}

/// BitsPerSample and SampleFormat: one listed pair, repeated.
[[nodiscard]] const SampleEncoding* check_samples(std::span<const std::byte> bytes,
                                                  std::uint64_t bits_at, std::uint64_t format_at,
                                                  std::uint64_t bands, Report& report) {
  const auto value = [&](std::uint64_t at, std::uint64_t band) {
    return StoredValue{wire::load<std::uint16_t>(bytes.data() + at + 2 * band), at + 2 * band};
  };
  const StoredValue bits = value(bits_at, 0);
  const StoredValue format = value(format_at, 0);
  for (std::uint64_t band = 1; band < bands && !report.done(); ++band) {
    for (const auto& [at, first] : {std::pair{bits_at, bits}, std::pair{format_at, format}}) {
      if (value(at, band).value == first.value) continue;
      report.add(rules::ifd_sample_mixed, at + 2 * band,
                 std::string(at == bits_at ? "BitsPerSample" : "SampleFormat") + " of band " +
                     std::to_string(band) + " is " + std::to_string(value(at, band).value) +
                     ", that of band 0 is " + std::to_string(first.value));
      return nullptr;
    }
  }
  return check_encoding(format, bits, ifd_layout_rules, report);
}

/// TileByteCounts and TileOffsets: one contiguous run that ends inside the file.
[[nodiscard]] std::optional<FrameTable> check_frames(std::span<const std::byte> bytes,
                                                     std::uint64_t offsets_at,
                                                     std::uint64_t counts_at, std::uint64_t frames,
                                                     std::uint64_t file_size, Report& report) {
  std::vector<std::uint32_t> counts(frames);
  std::uint64_t expected = bytes.size();
  bool run_broken = false;
  for (std::uint64_t i = 0; i < frames; ++i) {
    counts[i] = wire::load<std::uint32_t>(bytes.data() + counts_at + 4 * i);
    const auto offset = wire::load<std::uint64_t>(bytes.data() + offsets_at + 8 * i);
    if (counts[i] == 0) {
      report.add(rules::ifd_zero_byte_count, counts_at + 4 * i,
                 "frame " + std::to_string(i) + " has 0 bytes");
      if (report.done()) return std::nullopt;
    }
    if (offset != expected && !run_broken) {
      report.add(i == 0 ? rules::ifd_base_offset : rules::ifd_frame_offsets, offsets_at + 8 * i,
                 "frame " + std::to_string(i) + " lies at " + std::to_string(offset) +
                     ", expected " + std::to_string(expected));
      if (report.done()) return std::nullopt;
      run_broken = true;  // the offsets behind it would only repeat the finding
    }
    if (__builtin_add_overflow(expected, counts[i], &expected)) {
      report.add(rules::ifd_offset_overflow, counts_at + 4 * i,
                 "the end of frame " + std::to_string(i) + " leaves 64 bits");
      return std::nullopt;
    }
  }
  if (expected > file_size) {
    report.add(rules::file_frames_truncated, file_size,
               "the file has " + std::to_string(file_size) + " bytes, its frames end at " +
                   std::to_string(expected),
               Errc::truncated);
    return std::nullopt;
  }
  return FrameTable::of(bytes.size(), std::move(counts));
}

}  // namespace

Result<std::uint64_t> check_front_size(std::span<const std::byte> bytes, std::uint64_t file_size,
                                       const Limits& limits, Report& report) {
  const std::uint64_t errors = report.errors();
  const auto failed = [&report]() -> Result<std::uint64_t> {
    return std::unexpected(report.verdict().error());
  };
  if (file_size < wire::size<FileHeader>()) {
    report.add(rules::file_truncated_header, file_size,
               "the file has " + std::to_string(file_size) + " bytes, expected at least 16",
               Errc::truncated);
    return failed();
  }
  wire::check_record(wire::load_record<FileHeader>(bytes), 0, report);
  if (report.errors() != errors) return failed();
  if (file_size < external_offset) {
    report.add(rules::ifd_truncated, file_size,
               "the file has " + std::to_string(file_size) + " bytes, its IFD ends at 292",
               Errc::truncated);
    return failed();
  }
  const Ifd ifd(bytes);
  check_entries(ifd, report);
  if (report.errors() != errors) return failed();
  const auto layout = check_axes(ifd.axes(), ifd_layout_rules, report);
  if (!layout) return failed();
  const auto frames = layout->frame_count();
  if (!frames) {
    report.add(rules::ifd_frame_count, entry_offset(index_of(TagIndex::tile_offsets)) + 4,
               "the image and tile sizes ask for more frames than 64 bits can count");
    return failed();
  }
  check_placement(ifd, bytes, *layout, *frames, report);
  if (report.errors() != errors) return failed();
  const auto base_offset = layout->base_frame_offset(*frames);
  if (!base_offset || *base_offset > file_size) {
    report.add(rules::ifd_external_truncated, file_size,
               "the file has " + std::to_string(file_size) + " bytes, its external values end at " +
                   (base_offset ? std::to_string(*base_offset) : "more than 64 bits can count"),
               Errc::truncated);
    return failed();
  }
  if (*frames > limits.frames) {
    return fail(Errc::over_limit, "the file has " + std::to_string(*frames) +
                                      " frames, the limit is " + std::to_string(limits.frames));
  }
  return *base_offset;
}

Result<Front> check_front(std::span<const std::byte> bytes, std::uint64_t file_size,
                          Report& report) {
  const std::uint64_t errors = report.errors();
  const Ifd ifd(bytes);
  // Both hold: `check_front_size` has judged them.
  Layout layout = check_axes(ifd.axes(), ifd_layout_rules, report).value_or(Layout{});
  const std::uint64_t frames = layout.frame_count().value_or(0);
  const auto places = value_offsets(layout, frames);
  const auto place = [&places](TagIndex tag) { return places[index_of(tag)]; };

  layout.encoding = check_samples(bytes, place(TagIndex::bits_per_sample),
                                  place(TagIndex::sample_format), layout.bands(), report);
  std::optional<FrameTable> table;
  if (!report.done()) {
    table = check_frames(bytes, place(TagIndex::tile_offsets), place(TagIndex::tile_byte_counts),
                         frames, file_size, report);
  }
  std::optional<Georeference> georeference;
  if (!report.done()) {
    const std::uint64_t at = place(TagIndex::model_transformation);
    georeference = check_georeferencing(bytes.subspan(at).first<georeferencing_size>(), at, report);
  }
  if (report.errors() != errors || !table || !georeference)
    return std::unexpected(report.verdict().error());
  return Front{{layout, *std::move(table)}, *georeference};
}

std::vector<std::byte> make_front(const Front& front) {
  const Layout& layout = front.header.layout;
  const FrameTable& table = front.header.frames;
  const auto places = value_offsets(layout, table.frames());
  std::vector<std::byte> bytes(table.base_offset());
  const auto put = [&bytes](std::uint64_t offset, const auto& value) {
    wire::store(bytes.data() + offset, value);
  };
  const auto header = wire::store_record(FileHeader{});
  std::ranges::copy(header, bytes.begin());
  put(ifd_offset, std::uint64_t{tag_table.size()});
  for (std::size_t i = 0; i < tag_table.size(); ++i) {
    const Tag& tag = tag_table[i];
    IfdEntry entry{.tag = tag.number,
                   .type = std::to_underlying(tag.type),
                   .count = layout.tag_count(tag, table.frames()),
                   .value = {}};
    const auto stored = wire::store_record(entry);
    std::ranges::copy(stored, bytes.begin() + static_cast<std::ptrdiff_t>(entry_offset(i)));
    if (places[i] >= external_offset) put(value_offset(i), places[i]);
  }
  const auto at = [&places](TagIndex tag) { return places[index_of(tag)]; };
  put(at(TagIndex::image_width), layout.image_width);
  put(at(TagIndex::image_length), layout.image_length);
  put(at(TagIndex::samples_per_pixel), layout.samples_per_pixel);
  put(at(TagIndex::tile_width), layout.tile_width);
  put(at(TagIndex::tile_length), layout.tile_length);
  put(at(TagIndex::frame_unit), std::uint16_t{layout.unit->number});
  put(at(TagIndex::time_count), layout.time_count);
  for (std::uint64_t band = 0; band < layout.bands(); ++band) {
    put(at(TagIndex::bits_per_sample) + 2 * band, layout.encoding->bits_per_sample);
    put(at(TagIndex::sample_format) + 2 * band, layout.encoding->sample_format);
  }
  std::uint64_t offset = table.base_offset();
  for (std::uint64_t i = 0; i < table.frames(); ++i) {
    put(at(TagIndex::tile_offsets) + 8 * i, offset);
    put(at(TagIndex::tile_byte_counts) + 4 * i, table.byte_count(i));
    offset += table.byte_count(i);
  }
  std::ranges::copy(
      make_georeferencing(front.georeference),
      bytes.begin() + static_cast<std::ptrdiff_t>(at(TagIndex::model_transformation)));
  return bytes;
}

}  // namespace sillar::rumi
