// dlopen, with a short list of places.
#include <sillar/base/module.hpp>

#include <dlfcn.h>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace sillar {
namespace {

/// Relative folders are left out: they would depend on the working directory.
std::vector<std::filesystem::path> candidates(std::string_view file_name, const void* neighbour) {
  std::vector<std::filesystem::path> found;
  const auto add_beside = [&](const std::filesystem::path& file) {
    if (!file.is_absolute()) return;
    auto path = file.parent_path() / file_name;
    if (found.empty() || found.back() != path) found.push_back(std::move(path));
  };
  Dl_info here{};
  if (::dladdr(neighbour, &here) != 0 && here.dli_fname != nullptr) add_beside(here.dli_fname);
  std::error_code ignored;
  add_beside(std::filesystem::read_symlink("/proc/self/exe", ignored));
  found.emplace_back(file_name);
  return found;
}

std::string last_loader_error() {
  const char* const text = ::dlerror();
  return text == nullptr ? "the loader gave no reason" : text;
}

}  // namespace

Result<void*> load_symbol(std::string_view file_name, const char* symbol, const void* neighbour) {
  std::string reason;
  for (const auto& path : candidates(file_name, neighbour)) {
    void* const module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (module == nullptr) {
      // A module that is there and does not load says more than a place where none is.
      std::error_code ignored;
      const std::string error = last_loader_error();
      if (reason.empty() || std::filesystem::exists(path, ignored)) reason = error;
      continue;
    }
    if (void* const address = ::dlsym(module, symbol); address != nullptr) return address;
    reason = path.string() + " belongs to another release of sillar";
  }
  return fail(Errc::unsupported, std::move(reason));
}

}  // namespace sillar
