// Frame arithmetic: "Frame index", "frame_unit", "Sample encodings", "Deriving base_frame_offset".
#include <sillar/rumi/layout.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace sillar::rumi {

std::optional<std::uint64_t> Layout::frame_count() const {
  const auto cells = checked_mul(tiles_across(), tiles_down());
  if (!frames_are_tiles()) return cells;
  const auto planes = checked_mul(bands(), times());
  return cells && planes ? checked_mul(*cells, *planes) : std::nullopt;
}

FramePlace Layout::place(std::uint64_t index) const {
  FramePlace place;
  std::uint64_t spatial = index;
  if (frames_are_tiles()) {
    const std::uint64_t inner_count = unit->time_outside ? bands() : times();
    const std::uint64_t outer_count = unit->time_outside ? times() : bands();
    const std::uint64_t inner = index % inner_count;
    const std::uint64_t outer = index / inner_count % outer_count;
    spatial = index / inner_count / outer_count;
    place.band = unit->time_outside ? inner : outer;
    place.time = unit->time_outside ? outer : inner;
  }
  place.row = spatial / tiles_across();
  place.col = spatial % tiles_across();
  place.y = place.row * tile_length;
  place.x = place.col * tile_width;
  place.height = std::min<std::uint64_t>(tile_length, image_length - place.y);
  place.width = std::min<std::uint64_t>(tile_width, image_width - place.x);
  return place;
}

std::uint64_t Layout::frame_index(std::uint64_t row, std::uint64_t col, std::uint64_t band,
                                  std::uint64_t time) const {
  const std::uint64_t spatial = row * tiles_across() + col;
  if (!frames_are_tiles()) return spatial;
  return unit->time_outside ? (spatial * times() + time) * bands() + band
                            : (spatial * bands() + band) * times() + time;
}

FrameStrides Layout::strides(std::uint64_t height, std::uint64_t width) const {
  FrameStrides strides;
  std::int64_t stride = 1;
  const auto take = [&stride](std::int64_t& axis, std::uint64_t extent) {
    axis = stride;
    stride *= static_cast<std::int64_t>(extent);
  };
  for (std::size_t i = unit->axes.size(); i-- > 0;) {
    switch (unit->axes[i]) {
      case 'w':
        take(strides.col, width);
        break;
      case 'h':
        take(strides.row, height);
        break;
      case 'b':
        take(strides.band, bands());
        break;
      case 't':
        take(strides.time, times());
        break;
      default:  // 'a': the one axis that exceeds 1
        bands() > 1 ? take(strides.band, bands()) : take(strides.time, times());
        break;
    }
  }
  return strides;
}

std::string Layout::frame_axes() const {
  std::string text;
  for (const char axis : unit->axes) {
    if (!text.empty()) text += ' ';
    text += axis != 'a' ? axis : bands() > 1 ? 'b' : 't';
  }
  return text;
}

std::optional<std::uint64_t> Layout::decoded_bytes(std::uint64_t height,
                                                   std::uint64_t width) const {
  const std::uint64_t planes = frames_are_tiles() ? 1 : bands() * times();
  return checked_mul(height * width, planes, std::uint64_t{encoding->decoded_bytes});
}

std::uint64_t Layout::tag_count(const Tag& tag, std::uint64_t frames) const {
  switch (tag.counted) {
    case TagCount::fixed:
      return tag.count;
    case TagCount::bands:
      return bands();
    case TagCount::frames:
      return frames;
  }
  return 0;
}

std::optional<std::uint64_t> Layout::base_frame_offset(std::uint64_t frames) const {
  std::optional<std::uint64_t> offset = external_offset;
  for (const Tag& tag : tag_table) {
    const auto size = checked_mul(tag_count(tag, frames), size_of(tag.type));
    if (!size || !offset) return std::nullopt;
    if (*size > inline_size) offset = checked_add(*offset, *size);
  }
  return offset;
}

std::optional<Layout> check_axes(const StoredAxes& stored, const LayoutRules& rules,
                                 Report& report) {
  const std::uint64_t errors = report.errors();
  const auto found = [&report](const Rule* rule, const StoredValue& where, std::string detail) {
    if (!report.done()) report.add(*rule, where.offset, std::move(detail));
  };
  const struct {
    const StoredValue& stored;
    std::string_view name;
  } dimensions[] = {
      {stored.image_width, "the image width"},
      {stored.image_length, "the image length"},
      {stored.time_count, "the time count"},
      {stored.samples_per_pixel, "the number of samples per pixel"},
      {stored.tile_width, "the tile width"},
      {stored.tile_length, "the tile length"},
  };
  for (const auto& [dimension, name] : dimensions) {
    if (dimension.value == 0)
      found(rules.zero_dimension, dimension, std::string(name) + " is 0, expected more than 0");
  }
  const std::string number = "frame unit " + std::to_string(stored.frame_unit.value);
  const FrameUnit* unit = find_unit(stored.frame_unit.value);
  if (unit == nullptr) {
    found(rules.frame_unit, stored.frame_unit, number + " is not registered, expected 0 to 9");
  } else if (!is_valid_for(*unit, stored.samples_per_pixel.value, stored.time_count.value)) {
    found(rules.frame_unit_axes, stored.frame_unit,
          number + " does not go with B = " + std::to_string(stored.samples_per_pixel.value) +
              " and T = " + std::to_string(stored.time_count.value));
  }
  if (report.errors() != errors) return std::nullopt;
  return Layout{.image_width = static_cast<std::uint32_t>(stored.image_width.value),
                .image_length = static_cast<std::uint32_t>(stored.image_length.value),
                .time_count = static_cast<std::uint32_t>(stored.time_count.value),
                .samples_per_pixel = static_cast<std::uint16_t>(stored.samples_per_pixel.value),
                .tile_width = static_cast<std::uint16_t>(stored.tile_width.value),
                .tile_length = static_cast<std::uint16_t>(stored.tile_length.value),
                .encoding = nullptr,
                .unit = unit};
}

const SampleEncoding* check_encoding(const StoredValue& sample_format,
                                     const StoredValue& bits_per_sample, const LayoutRules& rules,
                                     Report& report) {
  const SampleEncoding* encoding = find_encoding(sample_format.value, bits_per_sample.value);
  if (encoding == nullptr && !report.done()) {
    report.add(*rules.sample_pair, sample_format.offset,
               "sample format " + std::to_string(sample_format.value) + " with " +
                   std::to_string(bits_per_sample.value) + " bits is not a listed pair");
  }
  return encoding;
}

}  // namespace sillar::rumi
