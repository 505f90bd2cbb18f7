// Errors as text and exit codes.
#include <sillar/base/error.hpp>

#include <array>
#include <charconv>
#include <system_error>

namespace sillar {
namespace {

struct Kind {
  std::string_view name;
  int exit_code;
};

// In the order of `Errc`.
constexpr std::array kinds = {
    Kind{"bad_argument", 2}, Kind{"not_found", 3}, Kind{"malformed", 4},   Kind{"truncated", 4},
    Kind{"checksum", 4},     Kind{"codec", 4},     Kind{"unsupported", 5}, Kind{"over_limit", 6},
    Kind{"io", 7},           Kind{"exists", 8},    Kind{"cancelled", 130},
};
static_assert(kinds.size() == static_cast<std::size_t>(Errc::cancelled) + 1);

const Kind& kind_of(Errc code) { return kinds.at(static_cast<std::size_t>(code)); }

}  // namespace

std::string_view name_of(Errc code) { return kind_of(code).name; }

int exit_code(Errc code) { return kind_of(code).exit_code; }

std::string Error::message() const {
  std::string text;
  const auto part = [&text](std::string_view piece) {
    if (!text.empty()) text += ": ";
    text += piece;
  };
  if (!source.empty()) part(source);
  if (offset) {
    std::array<char, 20> digits{'0', 'x'};
    const auto end =
        std::to_chars(digits.data() + 2, digits.data() + digits.size(), *offset, 16).ptr;
    part("offset " + std::string(digits.data(), end));
  }
  if (rule != nullptr) part(rule->id);
  part(detail.empty() ? (rule != nullptr ? rule->demand : name_of(code))
                      : std::string_view(detail));
  return text;
}

std::unexpected<Error> fail_errno(Errc code, std::string_view what, int error_number) {
  Error error{
      .code = code, .rule = nullptr, .offset = {}, .detail = std::string(what), .source = {}};
  error.detail += ": " + std::generic_category().message(error_number);
  error.system_errno = error_number;
  return std::unexpected(std::move(error));
}

}  // namespace sillar
