// Plane arithmetic, and the wrapper that carries it out.
#include <sillar/convert/fold.hpp>

#include <sillar/convert/labels.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace sillar::convert {
namespace {

class FoldedSource final : public RasterSource {
 public:
  FoldedSource(std::unique_ptr<RasterSource> inner, RasterDescription description, FoldOrder order)
      : inner_(std::move(inner)), description_(std::move(description)), order_(order) {}

  const RasterDescription& description() const override { return description_; }
  Grain grain() const override { return inner_->grain(); }
  bool concurrent() const override { return inner_->concurrent(); }

  Result<> read(const Region& region, const MutableTensorView& out,
                const std::stop_token& stop) override {
    // One read for a run of neighbouring planes: the bands of a date, or the dates of a band.
    const bool time_major = order_ == FoldOrder::time_major;
    const std::uint64_t runs = time_major ? region.times : region.bands;
    for (std::uint64_t run = 0; run < runs; ++run) {
      Region flat = region;
      flat.time = 0;
      flat.times = 1;
      flat.band =
          plane_of(order_, region.time + (time_major ? run : 0),
                   region.band + (time_major ? 0 : run), description_.times, description_.bands);
      flat.bands = time_major ? region.bands : region.times;
      const MutableTensorView part =
          time_major ? out.slice(0, run, 1) : out.at(1, run).with_axis(0);
      SILLAR_TRY(inner_->read(flat, part, stop));
    }
    return {};
  }

 private:
  std::unique_ptr<RasterSource> inner_;
  RasterDescription description_;
  FoldOrder order_;
};

/// "text, TIME" taken apart.
struct TimedText {
  std::string text;
  rumi::Period period;
};

std::optional<TimedText> split_time(const std::string& text) {
  const std::size_t comma = text.rfind(", ");
  if (comma == std::string::npos || comma == 0) return std::nullopt;
  const std::string time = text.substr(comma + 2);
  if (time.find('T') == std::string::npos)
    return std::nullopt;  // only times that `plane_texts` writes
  auto period = parse_period_label(time);
  if (!period) return std::nullopt;
  return TimedText{text.substr(0, comma), *period};
}

/// The texts of the bands where each date repeats them.
std::vector<std::string> folded_texts(const std::vector<std::string>& texts, std::uint64_t times,
                                      std::uint64_t bands, FoldOrder order) {
  if (texts.size() != times * bands) return {};
  std::vector<std::string> folded;
  for (std::uint64_t band = 0; band < bands; ++band) {
    folded.push_back(texts[plane_of(order, 0, band, times, bands)]);
    for (std::uint64_t time = 1; time < times; ++time) {
      if (texts[plane_of(order, time, band, times, bands)] != folded.back()) return {};
    }
  }
  return folded;
}

bool matches(const std::vector<std::string>& texts, const PlaneLabels& labels) {
  const std::uint64_t times = labels.periods.size();
  const std::uint64_t bands = labels.band_texts.size();
  if (times * bands != texts.size()) return false;
  for (std::uint64_t time = 0; time < times; ++time) {
    for (std::uint64_t band = 0; band < bands; ++band) {
      const auto split = split_time(texts[plane_of(labels.order, time, band, times, bands)]);
      if (!split || split->text != labels.band_texts[band] || split->period != labels.periods[time])
        return false;
    }
  }
  return true;
}

}  // namespace

Result<FoldOrder> fold_order_of(std::string_view word) {
  if (word == "tb") return FoldOrder::time_major;
  if (word == "bt") return FoldOrder::band_major;
  return fail(
      Errc::bad_argument,
      "\"" + std::string(word) +
          "\" is no order of planes, expected tb (all bands of a date, then the next date) or bt");
}

Result<std::unique_ptr<RasterSource>> fold(std::unique_ptr<RasterSource> source,
                                           std::uint64_t times, FoldOrder order,
                                           const std::optional<PlaneLabels>& labels) {
  RasterDescription folded = source->description();
  if (folded.times != 1)
    return fail(Errc::bad_argument,
                "only a raster of one time folds, this one has " + std::to_string(folded.times));
  if (times == 0 || folded.bands % times != 0) {
    return fail(Errc::bad_argument, std::to_string(folded.bands) + " planes do not fold into " +
                                        std::to_string(times) + " times");
  }
  folded.times = times;
  folded.bands /= times;
  folded.band_texts = folded_texts(folded.band_texts, folded.times, folded.bands, order);
  if (labels && labels->band_texts.size() == folded.bands && labels->periods.size() == times) {
    folded.band_texts = labels->band_texts;
    folded.periods = labels->periods;
    folded.periods_origin = "band descriptions";
  }
  if (folded.periods.size() != times) folded.periods.clear();
  return std::make_unique<FoldedSource>(std::move(source), std::move(folded), order);
}

std::vector<std::string> plane_texts(const RasterDescription& raster, FoldOrder order,
                                     bool with_time) {
  std::vector<std::string> texts(raster.times * raster.bands);
  for (std::uint64_t time = 0; time < raster.times; ++time) {
    for (std::uint64_t band = 0; band < raster.bands; ++band) {
      std::string& text = texts[plane_of(order, time, band, raster.times, raster.bands)];
      if (band < raster.band_texts.size()) text = raster.band_texts[band];
      if (with_time && time < raster.periods.size()) text += ", " + text_of(raster.periods[time]);
    }
  }
  return texts;
}

std::optional<PlaneLabels> read_plane_texts(const std::vector<std::string>& texts,
                                            std::optional<FoldOrder> order) {
  if (texts.empty()) return std::nullopt;
  const auto first = split_time(texts.front());
  if (!first) return std::nullopt;
  PlaneLabels labels{{}, {}, order.value_or(FoldOrder::time_major)};
  const auto add_band = [&](const TimedText& plane) { labels.band_texts.push_back(plane.text); };
  const auto add_time = [&](const TimedText& plane) { labels.periods.push_back(plane.period); };
  add_band(*first);
  add_time(*first);
  // The first run has one time (or band) throughout; the heads of the other runs have the rest.
  const bool time_major = labels.order == FoldOrder::time_major;
  std::uint64_t run = 1;
  for (; run < texts.size(); ++run) {
    const auto plane = split_time(texts[run]);
    if (!plane || (time_major ? plane->period != first->period : plane->text != first->text)) break;
    time_major ? add_band(*plane) : add_time(*plane);
  }
  for (std::uint64_t head = run; head < texts.size(); head += run) {
    const auto plane = split_time(texts[head]);
    if (!plane) return std::nullopt;
    time_major ? add_time(*plane) : add_band(*plane);
  }
  if (!order && labels.periods.size() != 1) return std::nullopt;
  if (!matches(texts, labels)) return std::nullopt;
  const std::set<std::string> distinct(labels.band_texts.begin(), labels.band_texts.end());
  if (distinct.size() != labels.band_texts.size()) return std::nullopt;
  return labels;
}

}  // namespace sillar::convert
