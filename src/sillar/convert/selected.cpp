// Selections are resolved by the rules of rumi, against the neutral description.
#include <sillar/convert/selected.hpp>

#include <sillar/convert/labels.hpp>

#include <utility>
#include <vector>

namespace sillar::convert {
namespace {

class SelectedSource final : public RasterSource {
 public:
  SelectedSource(std::unique_ptr<RasterSource> inner, RasterDescription description,
                 rumi::ResolvedSelection selection)
      : inner_(std::move(inner)),
        description_(std::move(description)),
        selection_(std::move(selection)) {}

  const RasterDescription& description() const override { return description_; }
  Grain grain() const override { return inner_->grain(); }
  bool concurrent() const override { return inner_->concurrent(); }

  Result<> read(const Region& region, const MutableTensorView& out,
                const std::stop_token& stop) override {
    // Neighbours that are neighbours in the source too are read together.
    const auto run_of = [](const std::vector<std::uint64_t>& list, std::uint64_t first,
                           std::uint64_t end) {
      std::uint64_t count = 1;
      while (first + count < end && list[first + count] == list[first] + count) ++count;
      return count;
    };
    for (std::uint64_t time = 0; time < region.times;) {
      const std::uint64_t times =
          run_of(selection_.times, region.time + time, region.time + region.times);
      for (std::uint64_t band = 0; band < region.bands;) {
        const std::uint64_t bands =
            run_of(selection_.bands, region.band + band, region.band + region.bands);
        const Region part{.time = selection_.times[region.time + time],
                          .times = times,
                          .band = selection_.bands[region.band + band],
                          .bands = bands,
                          .row = region.row + static_cast<std::uint64_t>(selection_.window.row),
                          .rows = region.rows,
                          .col = region.col + static_cast<std::uint64_t>(selection_.window.col),
                          .cols = region.cols};
        SILLAR_TRY(inner_->read(part, out.slice(0, time, times).slice(1, band, bands), stop));
        band += bands;
      }
      time += times;
    }
    return {};
  }

 private:
  std::unique_ptr<RasterSource> inner_;
  RasterDescription description_;
  rumi::ResolvedSelection selection_;
};

}  // namespace

Result<std::unique_ptr<RasterSource>> select(std::unique_ptr<RasterSource> source,
                                             const rumi::Selection& selection) {
  if (selection.axes != "tbyx")
    return fail(Errc::bad_argument, "a conversion keeps the order of axes");
  if (selection.outside == rumi::Outside::pad)
    return fail(Errc::bad_argument, "a conversion does not pad");
  RasterDescription part = source->description();
  SILLAR_TRY(const rumi::Layout layout, rumi::layout_of(part.shape(), part.dtype, 1, 1, 0));
  const auto trailer = [&]() -> Result<std::shared_ptr<const rumi::Trailer>> {
    auto found = std::make_shared<rumi::Trailer>();
    found->band_texts = part.band_texts;
    SILLAR_TRY(found->times, time_axis_of(part.periods));
    return found;
  };
  SILLAR_TRY(rumi::ResolvedSelection resolved, rumi::resolve(selection, layout, trailer));
  const auto taken = [](const auto& all, const std::vector<std::uint64_t>& wanted) {
    std::remove_cvref_t<decltype(all)> some;
    if (!all.empty()) {
      for (const std::uint64_t index : wanted) some.push_back(all[index]);
    }
    return some;
  };
  part.band_texts = taken(part.band_texts, resolved.bands);
  if (part.periods.size() == part.times) part.periods = taken(part.periods, resolved.times);
  part.bands = resolved.bands.size();
  part.times = resolved.times.size();
  part.rows = static_cast<std::uint64_t>(resolved.window.height);
  part.cols = static_cast<std::uint64_t>(resolved.window.width);
  if (part.transform) {
    part.transform = part.transform->shifted(static_cast<double>(resolved.window.col),
                                             static_cast<double>(resolved.window.row));
  }
  return std::make_unique<SelectedSource>(std::move(source), std::move(part), std::move(resolved));
}

}  // namespace sillar::convert
