// A file written at any offset, by us or by a library that wants a path; whole or absent.
#pragma once

#include <sillar/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace sillar::convert {

/// A temporary beside its target, named and locked as `io/temporary.hpp` says; removed with this
/// object unless `finish()` put it under its name.
class OutputFile {
 public:
  /// Fails with exists (without `overwrite`), not_found (no such directory), or io.
  [[nodiscard]] static Result<OutputFile> create(const std::string& path, bool overwrite);

  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// The path of the temporary, for a library that opens files itself. It must write into this very
  /// file, not put another one in its place.
  [[nodiscard]] std::string temporary_path() const;

  /// What the caller called the target.
  [[nodiscard]] const std::string& path() const;

  [[nodiscard]] Result<> write(std::span<const std::byte> bytes, std::uint64_t offset);

  /// Makes the file durable, and puts it under its name.
  [[nodiscard]] Result<> finish();

 private:
  struct State;
  explicit OutputFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sillar::convert
