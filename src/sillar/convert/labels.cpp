// Times from text, and the description that a file is written with.
#include <sillar/convert/labels.hpp>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace sillar::convert {
namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

Result<std::optional<rumi::Seconds>> parse_unix_seconds(std::string_view text) {
  std::string_view digits = text;
  const bool sign = !digits.empty() && (digits.front() == '+' || digits.front() == '-');
  if (sign) digits.remove_prefix(1);
  if (digits.empty() || !std::ranges::all_of(digits, is_digit)) return std::nullopt;
  if (!sign && (digits.size() == 4 || digits.size() == 8)) {
    return fail(Errc::bad_argument,
                "\"" + std::string(text) +
                    "\" looks like a year or a date; write 2024-01-31 for a date, or +" +
                    std::string(text) + " for seconds since 1970");
  }
  std::int64_t seconds = 0;
  const std::string_view number = text.front() == '+' ? digits : text;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), seconds);
  if (error != std::errc{} || end != number.data() + number.size()) {
    return fail(Errc::bad_argument, "\"" + std::string(text) + "\" leaves 64 bits of seconds");
  }
  return rumi::Seconds{seconds};
}

Result<rumi::Seconds> parse_moment(std::string_view text) {
  SILLAR_TRY(const auto seconds, parse_unix_seconds(text));
  if (seconds) return *seconds;
  return rumi::parse_instant(text);
}

bool usable(const std::vector<std::string>& texts, std::uint64_t bands) {
  if (texts.size() != bands) return false;
  const std::set<std::string> distinct(texts.begin(), texts.end());
  return distinct.size() == texts.size() && std::ranges::all_of(texts, [](const std::string& text) {
           return rumi::broken_text_rule(text) == nullptr;
         });
}

std::string counted(std::uint64_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

Result<> assign_times(RasterDescription& raster, const Assignments& assignments, Labels labels) {
  if (!assignments.periods.empty()) {
    if (assignments.periods.size() != raster.times) {
      const bool folds =
          raster.times == 1 && raster.bands % assignments.periods.size() == 0 && !assignments.fold;
      return fail(Errc::bad_argument,
                  "got " + counted(assignments.periods.size(), "time") + " for " +
                      counted(raster.times, "time step") +
                      (folds ? "; --fold tb or --fold bt makes times of its bands" : ""));
    }
    raster.periods = assignments.periods;
    raster.periods_origin.clear();
  }
  if (raster.periods.size() == raster.times) return {};
  if (assignments.undated && raster.times == 1) {
    raster.periods = {rumi::Period{}};
    raster.periods_origin.clear();
    return {};
  }
  raster.periods.clear();
  if (labels == Labels::optional) return {};
  return fail(
      Errc::bad_argument,
      "the source does not say when its samples were taken; add --set-time 2024-01-31T10:20:30Z (" +
          (raster.times == 1 ? std::string("or --undated")
                             : "once for each of its " + counted(raster.times, "time")) +
          ")");
}

}  // namespace

Result<rumi::Period> parse_period_label(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    SILLAR_TRY(const rumi::Seconds moment, parse_moment(text));
    return rumi::Period{moment, moment};
  }
  SILLAR_TRY(const rumi::Seconds begin, parse_moment(text.substr(0, slash)));
  SILLAR_TRY(const rumi::Seconds end, parse_moment(text.substr(slash + 1)));
  if (end <= begin)
    return fail(Errc::bad_argument,
                "the interval \"" + std::string(text) + "\" does not end after it begins");
  return rumi::Period{begin, end};
}

std::string text_of(const rumi::Period& period) {
  const std::string begin = rumi::format_instant(period.begin);
  return period.instant() ? begin : begin + "/" + rumi::format_instant(period.end);
}

Result<RasterDescription> assign(RasterDescription raster, const Assignments& assignments,
                                 Labels labels) {
  SILLAR_TRY(assign_times(raster, assignments, labels));
  if (!assignments.band_texts.empty()) {
    SILLAR_TRY(rumi::check_band_texts(assignments.band_texts, raster.bands));
    raster.band_texts = assignments.band_texts;
  } else if (labels == Labels::required && !usable(raster.band_texts, raster.bands)) {
    raster.band_texts.clear();
    for (std::uint64_t band = 1; band <= raster.bands; ++band)
      raster.band_texts.push_back("band " + std::to_string(band));
  }
  if (assignments.epsg) raster.crs = Crs{.epsg = assignments.epsg, .name = {}};
  if (assignments.transform) raster.transform = assignments.transform;
  if (assignments.pixel_is_point) {
    // A matrix that the source gives for corners is turned into the one for centres of the same
    // place.
    if (!assignments.transform && !raster.pixel_is_point && raster.transform) {
      raster.transform = geo::stored_transform(*raster.transform, true);
    }
    raster.pixel_is_point = true;
  }
  return raster;
}

Result<rumi::Content> content_of(const RasterDescription& raster, const rumi::Layout& layout,
                                 const geo::CrsRegistry& registry,
                                 const std::optional<rumi::Georeference>& kept) {
  rumi::Content content{.layout = layout, .georeference = {}, .trailer = {}};
  content.georeference.pixel_is_point = raster.pixel_is_point;
  if (kept) {
    content.georeference = *kept;
    content.affine = rumi::AffineDemand::none;
  } else if (raster.crs && raster.crs->epsg) {
    // Without an affine, pixels are their own coordinates: corners of pixel (0, 0) at (0, 0).
    const geo::Affine stored =
        raster.transform.value_or(geo::stored_transform(geo::Affine{}, raster.pixel_is_point));
    SILLAR_TRY(content.georeference,
               rumi::georeference_of(*raster.crs->epsg, registry, stored, raster.pixel_is_point));
  }
  content.trailer.band_texts = raster.band_texts;
  SILLAR_TRY(content.trailer.times, time_axis_of(raster.periods));
  return content;
}

Result<rumi::TimeAxis> time_axis_of(const std::vector<rumi::Period>& periods) {
  const auto intervals =
      std::ranges::count_if(periods, [](const rumi::Period& period) { return !period.instant(); });
  if (intervals != 0 && static_cast<std::size_t>(intervals) != periods.size()) {
    return fail(Errc::bad_argument, "instants and intervals are mixed");
  }
  std::vector<rumi::Seconds> seconds;
  for (const rumi::Period& period : periods) {
    seconds.push_back(period.begin);
    if (intervals != 0) seconds.push_back(period.end);
  }
  return rumi::TimeAxis::make(intervals != 0 ? rumi::TimeType::interval : rumi::TimeType::instant,
                              seconds);
}

std::vector<rumi::Period> periods_of(const rumi::TimeAxis& axis) {
  std::vector<rumi::Period> periods;
  periods.reserve(axis.steps());
  for (std::uint64_t step = 0; step < axis.steps(); ++step)
    periods.push_back({axis.start(step), axis.end(step)});
  return periods;
}

}  // namespace sillar::convert
