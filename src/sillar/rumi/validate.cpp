// The reader's checks run to the end, and what only a judge asks.
#include <sillar/rumi/validate.hpp>

#include <sillar/rumi/frame.hpp>
#include <sillar/rumi/reader.hpp>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

namespace sillar::rumi {
namespace {

/// A failure that is a finding of its own is in the report already; others end the validation.
[[nodiscard]] bool is_finding(const Error& error) { return error.rule != nullptr; }

/// Warns where the EPSG registry does not know the code, or knows it as another kind.
[[nodiscard]] Result<> check_registry(const Georeference& georeference, std::uint64_t base,
                                      const geo::CrsRegistry& registry, Report& report) {
  if (!georeference.defined()) return {};
  const std::uint64_t key_at = base + 128 + 2 * 15;
  const std::string name = "EPSG:" + std::to_string(georeference.epsg);
  SILLAR_TRY(const auto entry, registry.find(georeference.epsg));
  if (!entry) {
    report.add(rules::geo_epsg_registry, key_at,
               name + " is not in the registry (" + registry.description() + ")");
    return {};
  }
  const bool projected = entry->kind == geo::CrsKind::projected;
  const bool fits =
      geo::is_horizontal(entry->kind) && projected == (georeference.model == CrsModel::projected);
  if (!fits) {
    report.add(rules::geo_epsg_registry, key_at,
               name + " is a " + std::string(geo::name_of(entry->kind)) + " CRS, the file says " +
                   (georeference.model == CrsModel::projected ? "projected" : "geographic"));
  }
  return {};
}

/// What was found in frames, told by any number of threads in any order: of each rule the first
/// frames, as many as a report lists, and how many more there were.
class FrameFindings {
 public:
  void add(std::uint64_t index, Error error) {
    const std::scoped_lock lock(mutex_);
    OfRule& known = of_rule(*error.rule);
    const auto place = std::ranges::upper_bound(known.first, index, {},
                                                [](const auto& entry) { return entry.first; });
    if (known.first.size() < Report::most_of_a_rule) {
      known.first.emplace(place, index, std::move(error));
      return;
    }
    ++known.more;
    if (place == known.first.end()) return;
    std::shift_right(place, known.first.end(), 1);
    *place = {index, std::move(error)};
  }

  /// Puts them into `report`, in frame order.
  void move_to(Report& report) {
    Entries all;
    for (OfRule& known : rules_) std::ranges::move(known.first, std::back_inserter(all));
    std::ranges::sort(all, {}, [](const auto& entry) { return entry.first; });
    for (auto& [index, error] : all) {
      const Severity severity = error.rule->severity;
      report.add(severity, std::move(error));
    }
    for (const OfRule& known : rules_) report.add_unlisted(*known.rule, known.more);
  }

 private:
  using Entries = std::vector<std::pair<std::uint64_t, Error>>;
  struct OfRule {
    const Rule* rule = nullptr;
    Entries first{};  ///< in frame order
    std::uint64_t more = 0;
  };

  OfRule& of_rule(const Rule& rule) {
    const auto known = std::ranges::find(rules_, &rule, &OfRule::rule);
    return known != rules_.end() ? *known : rules_.emplace_back(&rule);
  }

  std::mutex mutex_;
  std::vector<OfRule> rules_;
};

/// Decodes every frame. Findings come in frame order at any number of threads.
[[nodiscard]] Result<> check_frames(const io::ByteSource& source, const Header& header,
                                    const ValidateOptions& options, Report& report) {
  const Layout& layout = header.layout;
  FrameFindings found;
  std::vector<std::unique_ptr<FrameDecoder>> decoders(
      options.pool != nullptr ? options.pool->threads() : 1);
  const auto check = [&](std::uint64_t index, std::size_t worker) -> Result<> {
    auto& decoder = decoders[worker];
    if (decoder == nullptr) decoder = std::make_unique<FrameDecoder>();
    const FramePlace place = layout.place(index);
    // A size past 64 bits is past every limit too.
    const std::uint64_t size = layout.decoded_bytes(place.height, place.width).value_or(UINT64_MAX);
    const io::ByteRange range = header.frames.range(index);
    return source.read(
        {&range, 1},
        [&](std::size_t, std::span<const std::byte> bytes) -> Result<> {
          auto judged = check_frame_header(bytes, size);
          if (judged && size > options.limits.frame_bytes) {
            return fail(Errc::over_limit,
                        "frame " + std::to_string(index) + " decodes to " + std::to_string(size) +
                            " bytes, the limit is " + std::to_string(options.limits.frame_bytes),
                        range.offset);
          }
          if (judged) {
            judged = decoder->decode(bytes, decoder->scratch(size), layout.dtype(), true);
          }
          if (judged) return {};
          Error error = std::move(judged).error();
          error.offset = range.offset + error.offset.value_or(0);
          error.detail = "frame " + std::to_string(index) + ": " + error.detail;
          found.add(index, std::move(error));
          return {};
        },
        options.control);
  };
  SILLAR_TRY(exec::for_each(options.pool, header.frames.frames(), check));
  found.move_to(report);
  return {};
}

/// The blob by itself, and against the file where that could be parsed.
[[nodiscard]] Result<> check_blob(std::span<const std::byte> blob, const Header* file,
                                  const Limits& limits, Report& report) {
  const auto header = check_header_blob(blob, limits, report);
  if (!header) {
    if (!is_finding(header.error())) return std::unexpected(header.error());
    return {};
  }
  if (file != nullptr) compare_headers(*file, *header, report);
  return {};
}

}  // namespace

Result<Report> validate(const io::ByteSource& source, const ValidateOptions& options) {
  Report report(Report::Until::end);
  const auto work = [&]() -> Result<> {
    const auto front = check_front_of(source, options.limits, report, options.control);
    if (!front && !is_finding(front.error())) return std::unexpected(front.error());
    if (front) {
      const std::uint64_t base = front->header.frames.base_offset() - georeferencing_size;
      SILLAR_TRY(check_registry(
          front->georeference, base,
          options.registry != nullptr ? *options.registry : geo::builtin_registry(), report));
      const auto trailer =
          check_trailer_of(source, front->header, options.limits, report, options.control);
      if (!trailer && !is_finding(trailer.error())) return std::unexpected(trailer.error());
      if (options.decode) SILLAR_TRY(check_frames(source, front->header, options, report));
    }
    if (options.header_blob) {
      SILLAR_TRY(check_blob(*options.header_blob, front ? &front->header : nullptr, options.limits,
                            report));
    }
    return {};
  };
  SILLAR_TRY(in_source(work(), source.name()));
  return report;
}

}  // namespace sillar::rumi
