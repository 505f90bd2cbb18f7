// "Trailer" and "Band descriptions".
#include <sillar/rumi/trailer.hpp>

#include <sillar/wire/bits.hpp>
#include <sillar/wire/cursor.hpp>
#include <sillar/wire/utf8.hpp>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace sillar::rumi {
namespace {

/// One band text: its length, then its bytes. Reads or writes.
template <class Wire>
void carry(Wire& wire, std::string& text) {
  auto size = static_cast<std::uint16_t>(text.size());
  wire.number(size);
  wire.text(text, size);
}

/// The first text that stands again before it, and its twin.
struct Twins {
  std::uint64_t band;
  std::uint64_t earlier;
};
[[nodiscard]] std::optional<Twins> find_twins(std::span<const std::string> texts) {
  std::unordered_map<std::string_view, std::uint64_t> seen;
  seen.reserve(texts.size());
  for (std::uint64_t band = 0; band < texts.size(); ++band) {
    const auto [place, fresh] = seen.emplace(texts[band], band);
    if (!fresh) return Twins{band, place->second};
  }
  return std::nullopt;
}

}  // namespace

const Rule* broken_text_rule(std::string_view text) {
  if (text.empty()) return &rules::trailer_text_empty;
  if (!wire::is_utf8(text)) return &rules::trailer_text_utf8;
  if (text.contains('\0')) return &rules::trailer_text_nul;
  return nullptr;
}

Result<Trailer> check_trailer(std::span<const std::byte> bytes, std::uint64_t base,
                              std::uint64_t bands, std::uint64_t times, const Limits& limits,
                              Report& report) {
  const std::uint64_t errors = report.errors();
  const auto failed = [&report]() -> Result<Trailer> {
    return std::unexpected(report.verdict().error());
  };
  const auto truncated = [&] {
    report.add(rules::trailer_truncated, base + bytes.size(), "the file ends inside the trailer",
               Errc::truncated);
    return failed();
  };
  if (bytes.empty()) {
    report.add(rules::trailer_missing, base, "the file ends with its last frame", Errc::truncated);
    return failed();
  }
  if (bytes.size() < wire::size<TrailerHead>()) return truncated();
  wire::check_record(wire::load_record<TrailerHead>(bytes), base, report);
  if (report.errors() != errors) return failed();

  wire::Reader reader(bytes.subspan(wire::size<TrailerHead>()));
  const std::uint64_t texts_base = base + wire::size<TrailerHead>();
  // Each text has two bytes at least, so a short trailer cannot ask for many.
  if (bands > reader.remaining() / 2) return truncated();
  Trailer trailer;
  trailer.band_texts.resize(bands);
  for (std::uint64_t band = 0; band < bands; ++band) {
    const std::uint64_t offset = texts_base + reader.position();
    std::string& text = trailer.band_texts[band];
    carry(reader, text);
    if (!reader.ok()) return truncated();
    if (const Rule* rule = broken_text_rule(text); rule != nullptr && !report.done()) {
      report.add(*rule, offset + (rule == &rules::trailer_text_empty ? 0 : 2),
                 "the text of band " + std::to_string(band) +
                     (text.empty()                       ? " is empty"
                      : rule == &rules::trailer_text_nul ? " has a zero byte"
                                                         : " is not UTF-8"));
    }
  }
  if (const auto twins = find_twins(trailer.band_texts); twins && !report.done()) {
    report.add(rules::trailer_text_duplicate, texts_base,
               "bands " + std::to_string(twins->earlier) + " and " + std::to_string(twins->band) +
                   " have the same text");
  }
  if (report.done()) return failed();

  const std::uint64_t time_at = wire::size<TrailerHead>() + reader.position();
  const auto time_bytes = bytes.subspan(time_at);
  if (time_bytes.size() < wire::size<TimeFields>()) return truncated();
  const auto fields = wire::load_record<TimeFields>(time_bytes);
  const std::uint64_t before_fields = report.errors();
  wire::check_record(fields, base + time_at, report);
  if (report.errors() != before_fields) return failed();

  const std::uint64_t coordinates =
      coordinate_count(static_cast<TimeType>(fields.time_type), times);
  const std::uint64_t packed =
      wire::packed_size(coordinates, fields.time_bits).value_or(UINT64_MAX);
  const std::uint64_t have = time_bytes.size() - wire::size<TimeFields>();
  if (packed > have) return truncated();
  if (packed < have) {
    report.add(
        rules::trailer_size, base + bytes.size() - (have - packed),
        "the file goes on for " + std::to_string(have - packed) + " bytes behind the trailer");
    if (report.done()) return failed();
  }
  if (coordinates > limits.coordinates) {
    return fail(Errc::over_limit,
                "the trailer has " + std::to_string(coordinates) +
                    " time coordinates, the limit is " + std::to_string(limits.coordinates),
                base + time_at);
  }
  auto axis = check_time_axis(time_bytes.first(wire::size<TimeFields>() + packed), base + time_at,
                              times, report);
  if (!axis || report.errors() != errors) return failed();
  trailer.times = *std::move(axis);
  return trailer;
}

std::vector<std::byte> make_trailer(const Trailer& trailer) {
  const auto head = wire::store_record(TrailerHead{});
  std::vector<std::byte> bytes(head.begin(), head.end());
  wire::Writer writer(bytes);
  for (std::string text : trailer.band_texts) carry(writer, text);
  append_time_axis(trailer.times, bytes);
  return bytes;
}

Result<> check_band_texts(std::span<const std::string> texts, std::uint64_t bands) {
  if (texts.size() != bands) {
    return fail(Errc::bad_argument, "got " + std::to_string(texts.size()) + " band texts for " +
                                        std::to_string(bands) + " bands");
  }
  for (std::uint64_t band = 0; band < bands; ++band) {
    const std::string who = "the text of band " + std::to_string(band);
    if (const Rule* rule = broken_text_rule(texts[band]); rule != nullptr) {
      return fail(*rule, who + ": " + std::string(rule->demand), {}, Errc::bad_argument);
    }
    if (texts[band].size() > UINT16_MAX) {
      return fail(Errc::bad_argument,
                  who + " has " + std::to_string(texts[band].size()) + " bytes, at most 65535 fit");
    }
  }
  if (const auto twins = find_twins(texts)) {
    return fail(rules::trailer_text_duplicate,
                "bands " + std::to_string(twins->earlier) + " and " + std::to_string(twins->band) +
                    " have the same text",
                {}, Errc::bad_argument);
  }
  return {};
}

}  // namespace sillar::rumi
