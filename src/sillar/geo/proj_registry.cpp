// PROJ's database as a registry: the module that links libproj.
#include <sillar/geo/proj_module.hpp>

#include <proj.h>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <unistd.h>

namespace sillar::geo {
namespace {

constexpr const char* advice =
    "; install PROJ's data (Debian: proj-data) or set PROJ_DATA to the folder of proj.db";

/// One libproj context with its open database. Belongs to one thread of one process: libproj asks
/// for the first, SQLite for the second.
class Context {
 public:
  Context() : context_(proj_context_create()), process_(::getpid()) {
    proj_log_func(context_, this, [](void* self, int, const char* message) {
      static_cast<Context*>(self)->last_message_ = message;
    });
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() {
    // A context that came through fork() is left alone: its database belongs to the parent.
    if (::getpid() == process_) proj_context_destroy(context_);
  }

  [[nodiscard]] bool is_of_this_process() const { return ::getpid() == process_; }
  [[nodiscard]] PJ_CONTEXT* get() const { return context_; }

  /// "v10.076", or io where the database cannot be read. libproj answers questions for a CRS alike
  /// when the code is unknown and when the database is missing; this one tells the two apart.
  [[nodiscard]] Result<std::string> epsg_version() const {
    const char* const version = proj_context_get_database_metadata(context_, "EPSG.VERSION");
    if (version == nullptr) {
      return fail(Errc::io, "PROJ's database cannot be read: " + last_message_ + advice);
    }
    return version;
  }

 private:
  PJ_CONTEXT* context_;
  pid_t process_;
  std::string last_message_;
};

/// This thread's context.
const Context& context() {
  thread_local std::unique_ptr<Context> mine;
  if (!mine || !mine->is_of_this_process()) mine = std::make_unique<Context>();
  return *mine;
}

CrsKind kind_of(PJ_TYPE type) {
  switch (type) {
    case PJ_TYPE_GEOGRAPHIC_2D_CRS:
      return CrsKind::geographic_2d;
    case PJ_TYPE_GEOGRAPHIC_3D_CRS:
      return CrsKind::geographic_3d;
    case PJ_TYPE_PROJECTED_CRS:
      return CrsKind::projected;
    case PJ_TYPE_GEOCENTRIC_CRS:
      return CrsKind::geocentric;
    case PJ_TYPE_VERTICAL_CRS:
      return CrsKind::vertical;
    case PJ_TYPE_COMPOUND_CRS:
      return CrsKind::compound;
    case PJ_TYPE_ENGINEERING_CRS:
      return CrsKind::engineering;
    default:
      return CrsKind::other;
  }
}

class ProjRegistry final : public CrsRegistry {
 public:
  explicit ProjRegistry(const std::string& epsg_version)
      : description_(std::string("PROJ ") + proj_info().version + ", EPSG " + epsg_version) {}

  [[nodiscard]] Result<std::optional<CrsEntry>> find(std::uint32_t code) const override {
    const Context& here = context();
    const std::unique_ptr<PJ, decltype(&proj_destroy)> crs(
        proj_create_from_database(here.get(), "EPSG", std::to_string(code).c_str(), PJ_CATEGORY_CRS,
                                  0, nullptr),
        &proj_destroy);
    if (!crs) {
      SILLAR_TRY([[maybe_unused]] const auto version, here.epsg_version());
      return std::nullopt;
    }
    const char* const name = proj_get_name(crs.get());
    return CrsEntry{.code = code,
                    .kind = kind_of(proj_get_type(crs.get())),
                    .deprecated = proj_is_deprecated(crs.get()) != 0,
                    .name = name == nullptr ? "" : name};
  }

  [[nodiscard]] std::string description() const override { return description_; }

 private:
  std::string description_;
};

Result<std::shared_ptr<const CrsRegistry>> open_registry() {
  SILLAR_TRY(const std::string version, context().epsg_version());
  return std::make_shared<const ProjRegistry>(version);
}

}  // namespace
}  // namespace sillar::geo

extern "C" __attribute__((visibility("default"))) void sillar_proj_registry_1(
    sillar::Result<std::shared_ptr<const sillar::geo::CrsRegistry>>* registry) {
  static_assert(std::is_same_v<decltype(sillar_proj_registry_1), sillar::geo::ProjFactory>);
  try {
    *registry = sillar::geo::open_registry();
  } catch (const std::exception& error) {
    *registry =
        sillar::fail(sillar::Errc::io, std::string("PROJ cannot be set up: ") + error.what());
  }
}
