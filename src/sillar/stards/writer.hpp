// Writing StarDS files: the header section is known before anything is encoded, the file is whole
// or not there.
#pragma once

#include <sillar/exec/pool.hpp>
#include <sillar/io/byte_source.hpp>
#include <sillar/io/sink.hpp>
#include <sillar/stards/draft.hpp>

#include <memory>
#include <string>

namespace sillar::stards {

struct WriteOptions {
  exec::Pool* pool = nullptr;  ///< where to encode blocks in parallel
  io::ReadControl control = {};
};

/// Writes a draft as a whole file and finishes the sink. The bytes are the same at any number of
/// threads. Arrays that came from a file are copied as they are stored. Fails with bad_argument
/// before anything is written (more than 65536 keys; a layer that would claim an array of another
/// one; a size that its field does not hold), or with io.
[[nodiscard]] Result<> write(const Draft& draft, std::unique_ptr<io::Sink> sink,
                             const WriteOptions& options = {});

/// Puts `draft` under the name `path`, whole, in the place of the file that it came from. Writes
/// nothing where the draft was not changed. Fails as `write` does.
[[nodiscard]] Result<> update(const Draft& draft, const std::string& path,
                              const WriteOptions& options = {});

}  // namespace sillar::stards
