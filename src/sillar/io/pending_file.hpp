// A file that is written beside its target, by us or by a library that wants a path, and published.
#pragma once

#include <sillar/base/error.hpp>
#include <sillar/io/file_target.hpp>
#include <sillar/io/sink.hpp>
#include <sillar/io/temporary.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sillar::io {

/// A temporary beside its target, named and locked as `Temporary` says; removed with this object
/// unless `publish()` put it under its name. One owner, one thread at a time.
class PendingFile {
 public:
  /// Removes stale temporaries of the target first, unless the options say otherwise. What replaces
  /// a file has its permissions from the first byte on. Fails with exists (without `overwrite`),
  /// not_found (no such directory), or io.
  [[nodiscard]] static Result<PendingFile> create(const std::string& path,
                                                  const FileSinkOptions& options = {});

  /// The path of the temporary, for a library that opens files itself. It must write into this very
  /// file, not put another one in its place.
  [[nodiscard]] std::string temporary_path() const;

  /// What the caller called the target.
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Writes `bytes` at `offset`. Fails with io.
  [[nodiscard]] Result<> write(std::span<const std::byte> bytes, std::uint64_t offset);

  /// Makes the file durable, and puts it under its name, whole. Whatever happens, the temporary is
  /// gone after it. Fails with exists or io; the old file is then untouched.
  [[nodiscard]] Result<> publish();

  /// Another temporary of the same target, which this object must outlive, of mode 0600. Fails with
  /// io.
  [[nodiscard]] Result<Temporary> another() const;

 private:
  PendingFile(FileTarget target, Temporary file, std::string path, const FileSinkOptions& options);

  [[nodiscard]] int directory() const { return target_.directory.number(); }
  [[nodiscard]] std::unexpected<Error> failed(std::string_view call, int error) const;
  [[nodiscard]] std::unexpected<Error> exists() const;
  [[nodiscard]] Result<> check_name() const;
  [[nodiscard]] Result<> put_under_its_name();
  [[nodiscard]] Result<> take_permissions() const;

  FileTarget target_;
  Temporary file_;  // after target_, whose directory it uses
  std::string path_;
  FileSinkOptions options_;
};

}  // namespace sillar::io
