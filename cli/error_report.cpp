// An error as the command tells it, in text or JSON.
#include "cli/error_report.hpp"

#include "cli/text.hpp"

namespace sillar::cli {

std::string hint_for(const Error& error, std::string_view verb) {
  switch (error.code) {
    case Errc::bad_argument:
      // The selection does not fit the file.
      if (error.source.empty() || (verb != "read" && verb != "plan")) return {};
      return "`sillar info` lists the shape, bands and times of a file";
    case Errc::exists:
      return "--overwrite replaces it";
    case Errc::malformed:
    case Errc::truncated:
    case Errc::checksum:
    case Errc::codec:
      if (error.rule == nullptr || error.source.empty() || verb == "validate") return {};
      return "`sillar validate` lists every finding in a file";
    case Errc::over_limit:
      return "limits keep a file from asking for too much; SILLAR_MAX_FRAME_BYTES sets that of one "
             "decoded frame";
    default:
      return {};
  }
}

std::string detail_of(const Error& error) {
  if (!error.detail.empty()) return error.detail;
  return std::string(error.rule != nullptr ? error.rule->demand : name_of(error.code));
}

std::string error_text(const Error& error, std::string_view hint, bool colored) {
  const std::string_view red = colored ? "\x1b[1;31m" : "";
  const std::string_view cyan = colored ? "\x1b[36m" : "";
  const std::string_view plain = colored ? "\x1b[0m" : "";
  std::string text = "sillar: ";
  text.append(red).append("error:").append(plain);
  text += " " + printable(error.message()) + "\n";
  if (!hint.empty())
    text.append(cyan)
        .append("hint:")
        .append(plain)
        .append(" ")
        .append(printable(hint))
        .append("\n");
  return text;
}

Json error_json(const Error& error, std::string_view hint) {
  Json json = document("error");
  json["code"] = name_of(error.code);
  json["exit_code"] = exit_code(error.code);
  if (error.source.empty()) {
    json["file"] = nullptr;
  } else {
    put_path(json, "file", error.source);
  }
  json["offset"] = number_or_null(error.offset);
  json["rule"] = error.rule != nullptr ? Json(error.rule->id) : Json(nullptr);
  json["section"] = error.rule != nullptr ? Json(error.rule->section) : Json(nullptr);
  json["message"] = detail_of(error);
  json["errno"] = error.system_errno != 0 ? Json(error.system_errno) : Json(nullptr);
  json["hint"] = hint.empty() ? Json(nullptr) : Json(hint);
  return json;
}

}  // namespace sillar::cli
