// The built-in EPSG registry: a table in the program, searched by halving.
#include <sillar/geo/crs.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

namespace sillar::geo {
namespace {

/// Codes first .. first + count - 1, all of one kind. `kind` is a CrsKind, with `old` where the
/// codes are deprecated.
struct CodeRun {
  std::uint32_t first;
  std::uint16_t count;
  std::uint8_t kind;
};

constexpr auto g2 = std::uint8_t{std::to_underlying(CrsKind::geographic_2d)};
constexpr auto g3 = std::uint8_t{std::to_underlying(CrsKind::geographic_3d)};
constexpr auto pr = std::uint8_t{std::to_underlying(CrsKind::projected)};
constexpr auto gc = std::uint8_t{std::to_underlying(CrsKind::geocentric)};
constexpr auto ve = std::uint8_t{std::to_underlying(CrsKind::vertical)};
constexpr auto co = std::uint8_t{std::to_underlying(CrsKind::compound)};
[[maybe_unused]] constexpr auto en = std::uint8_t{std::to_underlying(CrsKind::engineering)};
[[maybe_unused]] constexpr auto ot = std::uint8_t{std::to_underlying(CrsKind::other)};
constexpr std::uint8_t old = 0x80;

#include <sillar/geo/epsg_table_data.inc>

/// Halving needs ascending runs that do not overlap; the count guards against lost rows.
consteval bool is_sound() {
  std::uint64_t end = 0;
  std::size_t codes = 0;
  for (const CodeRun& run : epsg_runs) {
    if (run.count == 0 || run.first < end) return false;
    end = std::uint64_t{run.first} + run.count;
    codes += run.count;
  }
  return codes == epsg_code_count;
}
static_assert(is_sound());

class BuiltinRegistry final : public CrsRegistry {
 public:
  [[nodiscard]] Result<std::optional<CrsEntry>> find(std::uint32_t code) const override {
    const auto after = std::ranges::upper_bound(epsg_runs, code, {}, &CodeRun::first);
    if (after == std::begin(epsg_runs)) return std::nullopt;
    const CodeRun& run = *std::prev(after);
    if (code - run.first >= run.count) return std::nullopt;
    return CrsEntry{.code = code,
                    .kind = static_cast<CrsKind>(run.kind & ~old),
                    .deprecated = (run.kind & old) != 0,
                    .name = {}};
  }

  [[nodiscard]] std::string description() const override {
    return "built-in table, EPSG " + std::string(epsg_version);
  }
};

}  // namespace

const CrsRegistry& builtin_registry() {
  static const BuiltinRegistry registry;
  return registry;
}

}  // namespace sillar::geo
