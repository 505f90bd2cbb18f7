// The contract between the library and the module that links libproj.
#pragma once

#include <sillar/base/error.hpp>
#include <sillar/geo/crs.hpp>

#include <memory>

namespace sillar::geo {

/// The module's one symbol. The number grows with every change of what crosses the boundary
/// (`Error`, `CrsEntry`, `CrsRegistry`), so that a module of another release is not called.
inline constexpr const char* proj_factory_name = "sillar_proj_registry_1";

/// Sets `*registry` to PROJ's registry, or to io when proj.db cannot be read. Throws nothing. The
/// registry's code lies in the module, which must stay loaded.
using ProjFactory = void(Result<std::shared_ptr<const CrsRegistry>>* registry);

}  // namespace sillar::geo
