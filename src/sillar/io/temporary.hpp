// Temporaries beside a target: `.NAME.sillar-RANDOM`, held by a lock while their writer lives.
#pragma once

#include <sillar/base/error.hpp>
#include <sillar/io/descriptor.hpp>

#include <string>
#include <string_view>
#include <sys/types.h>

namespace sillar::io {

/// What the names of all temporaries of the target `name` begin with: `.NAME.sillar-`. Where that
/// and RANDOM would pass 255 bytes, NAME is cut (between UTF-8 characters) and followed by `~` and
/// the 64-bit FNV-1a hash of the whole name, as 16 hexadecimal digits.
[[nodiscard]] std::string temporary_prefix(std::string_view name);

/// A locked, empty file under a name that nobody else uses. It is removed with this object, but
/// not by a forked child that inherited it.
class Temporary {
 public:
  /// Creates one for the target `name` in the directory `directory`, which must outlive it. `mode`
  /// is what the umask is applied to. Fails with io; `path` is what the error calls the target.
  [[nodiscard]] static Result<Temporary> create(int directory, std::string_view name, mode_t mode,
                                                std::string_view path);

  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  Temporary(Temporary&& other) noexcept;
  Temporary& operator=(Temporary&&) = delete;
  ~Temporary() { remove(); }

  /// The open file, for reading and writing.
  [[nodiscard]] int number() const { return file_.number(); }

  /// Its name in the directory; empty once it was removed or released.
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Takes the name away; the open file stays usable.
  void remove();

  /// The name leads to something else now (it was moved): never remove it.
  void release() { name_.clear(); }

 private:
  Temporary(int directory, Descriptor file, std::string name);

  int directory_;
  Descriptor file_;
  std::string name_;
  pid_t owner_;
};

/// Removes the temporaries of the target `name` in `directory` whose lock is free: their writer
/// died. Nothing else is touched, and what cannot be removed stays.
void remove_stale(int directory, std::string_view name);

}  // namespace sillar::io
