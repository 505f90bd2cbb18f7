// The one error type, and `Result`, which every fallible function returns.
#pragma once

#include <sillar/base/rule.hpp>

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sillar {

/// What a program should do about an error. The exit codes of the command and the Python classes
/// follow from it.
enum class Errc {
  bad_argument,  ///< the caller's fault: a window outside, an unknown band
  not_found,     ///< a path that is missing or cannot be read
  malformed,     ///< a rule of the format is broken
  truncated,     ///< the bytes end before the format does
  checksum,      ///< stored checksum and content differ
  codec,         ///< a frame or block that its codec cannot decode
  unsupported,   ///< a type, codec or version that a reader may not know
  over_limit,    ///< larger than the caller's `Limits` allow; nothing was allocated
  io,            ///< read, write or network failure
  exists,        ///< the output is there and overwriting was not asked for
  cancelled,     ///< stopped by the caller
};

/// The enumerator's name, for messages and JSON.
[[nodiscard]] std::string_view name_of(Errc code);

/// The exit code of the command for an error of this kind (2 to 8, or 130).
[[nodiscard]] int exit_code(Errc code);

/// Why something failed. Values compare and copy; `rule` points at static storage.
struct Error {
  Errc code = Errc::io;
  const Rule* rule = nullptr;           ///< the broken sentence, when there is one
  std::optional<std::uint64_t> offset;  ///< byte of `source` at which to look
  std::string detail;                   ///< expected and found, as values
  std::string source;                   ///< file, URL or key; empty for memory
  int system_errno = 0;                 ///< errno of the system call that failed, or 0

  friend bool operator==(const Error&, const Error&) = default;

  /// One line for people: "FILE: offset 0x1a4: rumi.ifd.tags: detail".
  [[nodiscard]] std::string message() const;
};

template <class T = void>
using Result = std::expected<T, Error>;

/// An error of kind `code` without a rule. Used as `return fail(Errc::io, "...")`.
[[nodiscard]] inline std::unexpected<Error> fail(Errc code, std::string detail,
                                                 std::optional<std::uint64_t> offset = {}) {
  return std::unexpected(Error{
      .code = code, .rule = nullptr, .offset = offset, .detail = std::move(detail), .source = {}});
}

/// A broken rule: malformed unless another `code` fits better.
[[nodiscard]] inline std::unexpected<Error> fail(const Rule& rule, std::string detail,
                                                 std::optional<std::uint64_t> offset = {},
                                                 Errc code = Errc::malformed) {
  return std::unexpected(Error{
      .code = code, .rule = &rule, .offset = offset, .detail = std::move(detail), .source = {}});
}

/// A failed system call: `what` names the call, `error_number` is its errno.
[[nodiscard]] std::unexpected<Error> fail_errno(Errc code, std::string_view what, int error_number);

/// The same result, with the error's source filled in where it is still empty.
template <class T>
[[nodiscard]] Result<T> in_source(Result<T> result, std::string_view source) {
  if (!result && result.error().source.empty()) result.error().source = source;
  return result;
}

}  // namespace sillar

// SILLAR_TRY(auto x, expr): x is the value of the Result `expr`, or this function returns its
// error. SILLAR_TRY(expr): the same for a Result<void>.
#define SILLAR_TRY(...) \
  SILLAR_TRY_PICK(__VA_ARGS__, SILLAR_TRY_VALUE, SILLAR_TRY_VOID, )(__VA_ARGS__)
#define SILLAR_TRY_PICK(a, b, pick, ...) pick
#define SILLAR_TRY_VALUE(declaration, ...) \
  SILLAR_TRY_VALUE_AS(SILLAR_TRY_NAME(sillar_try_, __COUNTER__), declaration, __VA_ARGS__)
#define SILLAR_TRY_VALUE_AS(name, declaration, ...)                       \
  auto name = (__VA_ARGS__);                                              \
  if (!name.has_value()) return std::unexpected(std::move(name).error()); \
  declaration = *std::move(name)
#define SILLAR_TRY_VOID(...) \
  SILLAR_TRY_VOID_AS(SILLAR_TRY_NAME(sillar_try_, __COUNTER__), __VA_ARGS__)
#define SILLAR_TRY_VOID_AS(name, ...)                  \
  do {                                                 \
    if (auto name = (__VA_ARGS__); !name.has_value())  \
      return std::unexpected(std::move(name).error()); \
  } while (false)
#define SILLAR_TRY_NAME(a, b) SILLAR_TRY_NAME_AS(a, b)
#define SILLAR_TRY_NAME_AS(a, b) a##b
