// Coordinate reference systems by EPSG code: what kind a code is.
#pragma once

#include <sillar/base/error.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sillar::geo {

enum class CrsKind {
  geographic_2d,
  geographic_3d,
  projected,
  geocentric,
  vertical,
  compound,
  engineering,
  other,  ///< a kind that the registry gives and that no format here can hold
};

/// "geographic 2D", "projected", ...
[[nodiscard]] std::string_view name_of(CrsKind kind);

/// True for the kinds that an EPSG-only format can hold: projected, geographic 2D and 3D.
[[nodiscard]] bool is_horizontal(CrsKind kind);

/// One entry of the EPSG registry.
struct CrsEntry {
  std::uint32_t code = 0;
  CrsKind kind = CrsKind::other;
  bool deprecated = false;
  std::string name;  ///< as the registry writes it; empty from the built-in table

  friend bool operator==(const CrsEntry&, const CrsEntry&) = default;
};

/// Where codes are looked up. Lookups are safe from many threads.
class CrsRegistry {
 public:
  CrsRegistry() = default;
  CrsRegistry(const CrsRegistry&) = delete;
  CrsRegistry& operator=(const CrsRegistry&) = delete;
  virtual ~CrsRegistry() = default;

  /// The entry of EPSG:`code`, or nothing where the registry has none.
  [[nodiscard]] virtual Result<std::optional<CrsEntry>> find(std::uint32_t code) const = 0;

  /// "PROJ 9.1.1, EPSG v10.076" or "built-in table, EPSG v10.076".
  [[nodiscard]] virtual std::string description() const = 0;
};

/// The table generated from PROJ's database (code, kind, deprecation): no file, no start-up cost.
[[nodiscard]] const CrsRegistry& builtin_registry();

/// PROJ's database, loaded on first use. Fails with unsupported when the library was built without
/// PROJ or its module is not there, and with io when proj.db is missing (a set-up fault, not an
/// unknown code).
[[nodiscard]] Result<std::shared_ptr<const CrsRegistry>> proj_registry();

/// A CRS as a person writes it: "EPSG:32719", "epsg:4326", "32719", or
/// "urn:ogc:def:crs:EPSG::32719". Fails with bad_argument for another authority (naming it:
/// "ESRI:102008", "OGC:CRS84", "IAU_2015:30100") and for anything else.
[[nodiscard]] Result<std::uint32_t> parse_epsg(std::string_view text);

/// The entry of `code`, judged for writing: found in `registry` and horizontal. Fails with
/// bad_argument naming the kind ("EPSG:7415 is a compound CRS") or saying that EPSG does not define
/// it.
[[nodiscard]] Result<CrsEntry> require_horizontal(const CrsRegistry& registry, std::uint32_t code);

}  // namespace sillar::geo
