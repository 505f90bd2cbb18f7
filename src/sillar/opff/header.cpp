// The checks of the header, in the order of their rules.
#include <sillar/opff/header.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace sillar::opff {
namespace {

/// Moves what `fields` found of `rule` to `report`, as one finding at the first of its bytes.
void report_once(const Report& fields, const Rule& rule, Report& report) {
  std::optional<std::uint64_t> offset;
  std::string detail;
  for (const Finding& finding : fields.findings()) {
    if (finding.error.rule != &rule) continue;
    if (!offset) offset = finding.error.offset;
    detail += (detail.empty() ? "" : "; ") + finding.error.detail;
  }
  if (offset && !report.done()) report.add(rule, offset, std::move(detail));
}

/// The layout of the header names the field; this names the byte.
void report_reserved(const Header& header, Report& report) {
  const auto found = std::ranges::find_if(header.reserved, [](auto byte) { return byte != 0; });
  if (found == header.reserved.end() || report.done()) return;
  const auto offset = header_size - static_cast<std::uint64_t>(header.reserved.end() - found);
  report.add(rules::reserved, offset,
             "byte " + std::to_string(offset) + " is " + std::to_string(*found) + ", expected 0");
}

void report_bitmap(const Geometry& geometry, Report& report, const Rule& rule) {
  if (!geometry.is_bitmap() || report.done()) return;
  if (&rule == &rules::interleaved_bitmap && geometry.layout != Layout::planar) {
    report.add(rule, 6, "depth is 0 and bit 7 of config is not set");
  }
  const std::uint64_t area = geometry.width * geometry.height;
  if (&rule == &rules::bitmap_modulo && area % 8 != 0) {
    report.add(rule, 12,
               "the area is " + std::to_string(geometry.width) + " x " +
                   std::to_string(geometry.height) + " = " + std::to_string(area) + " pixels");
  }
}

/// The size is judged only where the header defines one: not behind an unknown depth, not for a
/// bitmap whose planes are no whole bytes.
void report_size(const Geometry& geometry, std::uint64_t file_size, Report& report) {
  if (report.done()) return;
  if (geometry.is_bitmap() && geometry.width * geometry.height % 8 != 0) return;
  const auto expected = expected_size(geometry);
  if (expected && file_size >= *expected) return;
  report.add(rules::size, file_size,
             "the file has " + std::to_string(file_size) + " bytes, expected " +
                 (expected ? std::to_string(*expected) : "more than 64 bits can count") +
                 " or more",
             Errc::truncated);
}

}  // namespace

std::optional<Outline> judge_header(std::span<const std::byte> head,
                                    std::optional<std::uint64_t> file_size, Report& report) {
  const std::uint64_t before = report.errors();
  if (head.size() < header_size) {
    report.add(rules::header_short, head.size(),
               "the file has " + std::to_string(head.size()) + " bytes, expected " +
                   std::to_string(header_size) + " or more",
               Errc::truncated);
    return std::nullopt;
  }
  const auto header = wire::load_record<Header>(head);
  Report fields(Report::Until::end);
  wire::check_record(header, 0, fields);
  for (const Rule* rule : {&rules::magic, &rules::version}) {
    report_once(fields, *rule, report);
    if (report.errors() != before) return std::nullopt;
  }

  report_once(fields, rules::depth, report);
  const bool depth_is_known = find_depth(header.depth) != nullptr;
  const Geometry geometry = depth_is_known ? geometry_of(header) : Geometry{};
  if (depth_is_known) report_bitmap(geometry, report, rules::interleaved_bitmap);
  report_once(fields, rules::channels, report);
  report_once(fields, rules::zero_dimension, report);
  if (depth_is_known) report_bitmap(geometry, report, rules::bitmap_modulo);
  report_reserved(header, report);
  if (depth_is_known && file_size) report_size(geometry, *file_size, report);
  if (report.errors() != before) return std::nullopt;
  return Outline{.header = header,
                 .geometry = geometry,
                 .expected_size = expected_size(geometry).value_or(UINT64_MAX),
                 .file_size = file_size};
}

Result<Outline> read_header(std::span<const std::byte> head,
                            std::optional<std::uint64_t> file_size) {
  Report report(Report::Until::first_error);
  auto outline = judge_header(head, file_size, report);
  SILLAR_TRY(report.verdict());
  return *std::move(outline);
}

Result<> check_letter(const Outline& outline, std::string_view letters) {
  if (letters.empty() || letters.find(outline.letter()) != std::string_view::npos) return {};
  return fail(Errc::unsupported,
              "the letter of the file is " + std::string(1, outline.letter()) +
                  ", wanted is one of " + std::string(letters),
              3);
}

}  // namespace sillar::opff
