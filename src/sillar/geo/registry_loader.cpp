// Finds the module that links libproj, on the first question for PROJ's registry.
#include <sillar/geo/crs.hpp>

#ifdef SILLAR_PROJ_MODULE_NAME

#include <sillar/geo/proj_module.hpp>

#include <dlfcn.h>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <vector>

namespace sillar::geo {
namespace {

constexpr const char* advice =
    "; install libproj with its database (Debian: libproj25, proj-data), build sillar with PROJ, "
    "and "
    "keep " SILLAR_PROJ_MODULE_NAME " beside the program or in the loader's path";

/// Where the module may lie: beside the library or program that holds this code, beside the
/// program, or where the loader looks. Relative folders are left out: they would depend on the
/// working directory.
std::vector<std::filesystem::path> candidates() {
  std::vector<std::filesystem::path> found;
  const auto add_beside = [&found](const std::filesystem::path& file) {
    if (!file.is_absolute()) return;
    auto path = file.parent_path() / SILLAR_PROJ_MODULE_NAME;
    if (found.empty() || found.back() != path) found.push_back(std::move(path));
  };
  // The address of any constant of this code tells which file it was loaded from.
  Dl_info here{};
  if (::dladdr(proj_factory_name, &here) != 0 && here.dli_fname != nullptr) {
    add_beside(here.dli_fname);
  }
  std::error_code ignored;
  add_beside(std::filesystem::read_symlink("/proc/self/exe", ignored));
  found.emplace_back(SILLAR_PROJ_MODULE_NAME);
  return found;
}

std::string last_loader_error() {
  const char* const text = ::dlerror();
  return text == nullptr ? "the loader gave no reason" : text;
}

/// The module's factory. The module is never unloaded.
Result<ProjFactory*> load_factory() {
  std::string reason;
  for (const auto& path : candidates()) {
    void* const module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (module == nullptr) {
      // A module that is there and does not load says more than a place where none is.
      std::error_code ignored;
      const std::string error = last_loader_error();
      if (reason.empty() || std::filesystem::exists(path, ignored)) reason = error;
      continue;
    }
    void* const symbol = ::dlsym(module, proj_factory_name);
    if (symbol != nullptr) return reinterpret_cast<ProjFactory*>(symbol);
    reason = path.string() + " belongs to another release of sillar";
  }
  return fail(Errc::unsupported, "PROJ is not available: " + reason + advice);
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
