// The module's one door.
#include "geotiff.hpp"
#include "source.hpp"
#include <sillar/convert/gdal_module.hpp>

#include <gdal.h>

#include <exception>
#include <string>
#include <type_traits>

namespace sillar::convert {
namespace {

class LinkedGdal final : public GdalModule {
 public:
  LinkedGdal() { GDALAllRegister(); }

  std::string description() const override {
    return std::string("GDAL ") + GDALVersionInfo("RELEASE_NAME");
  }

  Result<std::unique_ptr<RasterSource>> open(const std::string& path) const override {
    return open_dataset(path);
  }

  Result<std::unique_ptr<RasterTarget>> create_geotiff(
      const std::string& path, const RasterDescription& raster,
      const GeotiffOptions& options) const override {
    return create_dataset(path, raster, options);
  }
};

}  // namespace
}  // namespace sillar::convert

extern "C" __attribute__((visibility("default"))) void sillar_gdal_module_1(
    sillar::Result<const sillar::convert::GdalModule*>* module) {
  static_assert(std::is_same_v<decltype(sillar_gdal_module_1), sillar::convert::GdalFactory>);
  try {
    static const sillar::convert::LinkedGdal linked;
    *module = &linked;
  } catch (const std::exception& error) {
    *module = sillar::fail(sillar::Errc::unsupported,
                           std::string("GDAL cannot be set up: ") + error.what());
  }
}
