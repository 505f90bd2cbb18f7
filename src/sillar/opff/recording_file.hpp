// One file being recorded: frames in order, the header last, then its own name.
#pragma once

#include <sillar/base/error.hpp>
#include <sillar/io/descriptor.hpp>
#include <sillar/io/file_target.hpp>
#include <sillar/opff/format.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace sillar::opff {

/// `PATH.recording`, held by a lock while its recorder lives. One thread at a time.
class RecordingFile {
 public:
  struct Options {
    bool overwrite = false;
    bool sync = true;
    std::uint64_t preallocate = 0;  ///< bytes to ask the file system for
  };

  /// Creates it with `header`, whose count of frames is made 0. Fails with exists, not_found, io.
  [[nodiscard]] static Result<RecordingFile> create(const std::string& path, const Header& header,
                                                    const Options& options);

  /// Opens one whose recorder died. Fails with not_found, bad_argument (it is still being
  /// recorded), io.
  [[nodiscard]] static Result<RecordingFile> open(const std::string& recording_path,
                                                  const Options& options);

  RecordingFile(RecordingFile&&) noexcept = default;
  RecordingFile& operator=(RecordingFile&&) noexcept = default;
  RecordingFile(const RecordingFile&) = delete;
  RecordingFile& operator=(const RecordingFile&) = delete;
  ~RecordingFile() = default;

  /// Bytes of the file.
  [[nodiscard]] Result<std::uint64_t> size() const;
  [[nodiscard]] Result<std::size_t> read(std::span<std::byte> out, std::uint64_t offset) const;

  /// Adds bytes at the end.
  [[nodiscard]] Result<> append(std::span<const std::byte> bytes);

  /// Cuts what is behind `size` bytes, writes `header`, and moves the file to its own name. Where
  /// that name has no suffix, it stays where it is.
  [[nodiscard]] Result<> publish(const Header& header, std::uint64_t size);

  /// Takes the file away.
  void discard();

  /// The path under which it is published.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  RecordingFile(io::FileTarget target, std::string name, io::Descriptor file, std::string path,
                const Options& options);

  [[nodiscard]] std::unexpected<Error> failed(std::string_view call, int error) const;

  io::FileTarget target_;  ///< where it goes
  std::string name_;       ///< of the recording, in the same directory
  io::Descriptor file_;
  std::string path_;
  Options options_;
  std::uint64_t end_ = 0;
};

}  // namespace sillar::opff
