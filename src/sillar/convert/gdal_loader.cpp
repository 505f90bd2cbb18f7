// Finds the module that links libgdal, on the first conversion that needs it.
#include <sillar/convert/gdal_module.hpp>
#include <sillar/convert/gdal_raster.hpp>

#ifdef SILLAR_GDAL_MODULE_NAME
#include <sillar/base/module.hpp>

#include <mutex>
#endif

namespace sillar::convert {
namespace {

#ifdef SILLAR_GDAL_MODULE_NAME

constexpr const char* advice =
    "; install libgdal (Debian: libgdal-dev), build sillar with it, and "
    "keep " SILLAR_GDAL_MODULE_NAME " beside the program or in the loader's path";

Result<const GdalModule*> gdal_module() {
  // Success is kept; a failure is tried again, since the set-up may have been mended.
  static std::mutex mutex;
  static const GdalModule* loaded = nullptr;

  const std::scoped_lock lock(mutex);
  if (loaded != nullptr) return loaded;
  auto symbol = load_symbol(SILLAR_GDAL_MODULE_NAME, gdal_factory_name, gdal_factory_name);
  if (!symbol)
    return fail(Errc::unsupported, "GDAL is not available: " + symbol.error().detail + advice);
  Result<const GdalModule*> module;
  reinterpret_cast<GdalFactory*>(*symbol)(&module);
  if (module) loaded = *module;
  return module;
}

#else

Result<const GdalModule*> gdal_module() {
  return fail(Errc::unsupported,
              "this build of sillar has no GDAL; install libgdal's development files (Debian: "
              "libgdal-dev) and build again");
}

#endif

}  // namespace

Result<std::unique_ptr<RasterSource>> open_with_gdal(const std::string& path) {
  SILLAR_TRY(const GdalModule* const module, gdal_module());
  return in_source(module->open(path), path);
}

Result<std::unique_ptr<RasterTarget>> create_geotiff(const std::string& path,
                                                     const RasterDescription& raster,
                                                     const GeotiffOptions& options) {
  SILLAR_TRY(const GdalModule* const module, gdal_module());
  return in_source(module->create_geotiff(path, raster, options), path);
}

Result<std::string> gdal_description() {
  SILLAR_TRY(const GdalModule* const module, gdal_module());
  return module->description();
}

}  // namespace sillar::convert
