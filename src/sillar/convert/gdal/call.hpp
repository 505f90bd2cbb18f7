// One call into GDAL: its messages are kept instead of printed, its settings hold for this thread.
#pragma once

#include <sillar/base/error.hpp>

#include <cpl_conv.h>
#include <cpl_error.h>

#include <string>
#include <utility>
#include <vector>

namespace sillar::convert {

/// While it lives, errors of GDAL in this thread go into it.
class GdalCall {
 public:
  GdalCall() { CPLPushErrorHandlerEx(&GdalCall::take, this); }
  GdalCall(const GdalCall&) = delete;
  GdalCall& operator=(const GdalCall&) = delete;
  ~GdalCall() {
    CPLPopErrorHandler();
    for (auto& [key, value] : settings_) {
      CPLSetThreadLocalConfigOption(key, value.empty() ? nullptr : value.c_str());
    }
  }

  /// A configuration option of GDAL, for this thread and as long as this object lives.
  void set(const char* key, const char* value) {
    const char* const old = CPLGetThreadLocalConfigOption(key, nullptr);
    settings_.emplace_back(key, old == nullptr ? "" : old);
    CPLSetThreadLocalConfigOption(key, value);
  }

  [[nodiscard]] bool failed() const { return !message_.empty(); }

  /// GDAL's first error, with `otherwise` where it gave none.
  [[nodiscard]] std::unexpected<Error> error(Errc code, std::string otherwise) const {
    if (out_of_memory_) code = Errc::over_limit;
    return fail(code, message_.empty() ? std::move(otherwise) : "GDAL: " + message_);
  }

  /// Success where GDAL raised no error.
  [[nodiscard]] Result<> verdict(Errc code) const {
    if (failed()) return error(code, {});
    return {};
  }

 private:
  static void CPL_STDCALL take(CPLErr level, CPLErrorNum number, const char* text) {
    if (level != CE_Failure && level != CE_Fatal) return;
    auto* const self = static_cast<GdalCall*>(CPLGetErrorHandlerUserData());
    if (!self->message_.empty()) return;
    self->message_ = text == nullptr || *text == '\0' ? "error without a message" : text;
    self->out_of_memory_ = number == CPLE_OutOfMemory;
  }

  std::string message_;
  bool out_of_memory_ = false;
  std::vector<std::pair<const char*, std::string>> settings_;
};

}  // namespace sillar::convert
