// Finds the module that links libproj, on the first question for PROJ's registry.
#include <sillar/geo/crs.hpp>

#ifdef SILLAR_PROJ_MODULE_NAME

#include <sillar/base/module.hpp>
#include <sillar/geo/proj_module.hpp>

#include <mutex>

namespace sillar::geo {
namespace {

constexpr const char* advice =
    "; install libproj with its database (Debian: libproj25, proj-data), build sillar with PROJ, "
    "and "
    "keep " SILLAR_PROJ_MODULE_NAME " beside the program or in the loader's path";

/// The module's factory.
Result<ProjFactory*> load_factory() {
  auto symbol = load_symbol(SILLAR_PROJ_MODULE_NAME, proj_factory_name, proj_factory_name);
  if (!symbol) {
    return fail(Errc::unsupported, "PROJ is not available: " + symbol.error().detail + advice);
  }
  return reinterpret_cast<ProjFactory*>(*symbol);
}

}  // namespace

Result<std::shared_ptr<const CrsRegistry>> proj_registry() {
  // Success is kept; a failure is tried again, since the set-up may have been mended.
  static std::mutex mutex;
  static std::shared_ptr<const CrsRegistry> loaded;

  const std::scoped_lock lock(mutex);
  if (loaded) return loaded;
  SILLAR_TRY(ProjFactory* const factory, load_factory());
  Result<std::shared_ptr<const CrsRegistry>> registry;
  factory(&registry);
  if (registry) loaded = *registry;
  return registry;
}

}  // namespace sillar::geo

#else

namespace sillar::geo {

Result<std::shared_ptr<const CrsRegistry>> proj_registry() {
  return fail(Errc::unsupported,
              "this build of sillar has no PROJ; install libproj's development files (Debian: "
              "libproj-dev, proj-data) and build again, or use the built-in table");
}

}  // namespace sillar::geo

#endif
