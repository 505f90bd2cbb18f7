// The place that a path leads to, for a file that may not exist yet.
#pragma once

#include <sillar/base/error.hpp>
#include <sillar/io/descriptor.hpp>

#include <optional>
#include <string>
#include <sys/types.h>

namespace sillar::io {

/// An entry of a directory. The directory is held open, so that a later `chdir` or renamed parent
/// does not lead elsewhere.
struct FileTarget {
  Descriptor directory;
  std::string name;
};

/// Follows `path` and the symbolic links at its end, a dangling one too. Fails with not_found
/// (no such directory), bad_argument (a NUL byte) or io; EISDIR where the path can only name a
/// directory.
[[nodiscard]] Result<FileTarget> resolve_target(const std::string& path);

/// The mode of the regular file at the target, or nothing where there is no file. Fails with io:
/// EISDIR for a directory, "not a regular file" for a device, pipe or socket. `path` is what the
/// error calls it.
[[nodiscard]] Result<std::optional<mode_t>> mode_of(const FileTarget& target,
                                                    const std::string& path);

/// Gives the file `from` of the target's directory the target's name, without a moment in which
/// either could be lost: with `overwrite` in place of the file that is there, else only where there
/// is none. Fails with exists or io; `from` is then still there.
[[nodiscard]] Result<> take_name(const FileTarget& target, const std::string& from, bool overwrite,
                                 const std::string& path);

/// Makes the names of the target's directory durable. Fails with io.
[[nodiscard]] Result<> sync_directory(const FileTarget& target, const std::string& path);

}  // namespace sillar::io
