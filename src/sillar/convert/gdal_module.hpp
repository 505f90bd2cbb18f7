// The contract between the library and the module that links libgdal.
#pragma once

#include <sillar/base/error.hpp>
#include <sillar/convert/gdal_raster.hpp>

#include <memory>
#include <string>

namespace sillar::convert {

/// What the module does. Its code lies in the module, which stays loaded.
class GdalModule {
 public:
  GdalModule() = default;
  GdalModule(const GdalModule&) = delete;
  GdalModule& operator=(const GdalModule&) = delete;
  virtual ~GdalModule() = default;

  [[nodiscard]] virtual std::string description() const = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<RasterSource>> open(
      const std::string& path) const = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<RasterTarget>> create_geotiff(
      const std::string& path, const RasterDescription& raster,
      const GeotiffOptions& options) const = 0;
};

/// The module's one symbol. The number grows with every change of what crosses the boundary.
inline constexpr const char* gdal_factory_name = "sillar_gdal_module_1";

/// Sets `*module`. Throws nothing.
using GdalFactory = void(Result<const GdalModule*>* module);

}  // namespace sillar::convert
