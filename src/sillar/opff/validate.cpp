// The reader's checks run to the end.
#include <sillar/opff/validate.hpp>

#include <sillar/base/limits.hpp>
#include <sillar/opff/footer.hpp>
#include <sillar/opff/reader.hpp>

namespace sillar::opff {

Result<Report> validate(const io::ByteSource& source, const ValidateOptions& options) {
  Report report(Report::Until::end);
  SILLAR_TRY(const auto outline, check_outline_of(source, report, options.control));
  if (!options.footer || !outline || outline->footer_range().size == 0) return report;
  const io::ByteRange range = outline->footer_range();
  if (range.size > Limits{}.trailer_bytes) {
    auto failure = fail(Errc::over_limit,
                        "the footer has " + std::to_string(range.size) + " bytes, the limit is " +
                            std::to_string(Limits{}.trailer_bytes),
                        range.offset);
    failure.error().source = source.name();
    return failure;
  }
  SILLAR_TRY(const auto footer, source.read(range.offset, range.size));
  judge_footer(footer, range.offset, report);
  return report;
}

}  // namespace sillar::opff
