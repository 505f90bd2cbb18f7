// Opening and reading rumi files.
#pragma once

#include <sillar/base/limits.hpp>
#include <sillar/exec/pool.hpp>
#include <sillar/io/byte_source.hpp>
#include <sillar/rumi/front.hpp>
#include <sillar/rumi/plan.hpp>
#include <sillar/tensor/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sillar::rumi {

struct OpenOptions {
  /// The external header blob of the file. With it nothing of the file is read but what is asked
  /// for; without it header and IFD are read, in one or two requests.
  std::optional<std::span<const std::byte>> header_blob;
  Limits limits;
  io::ReadControl control;
};

struct ReadOptions {
  exec::Pool* pool = nullptr;  ///< where to decode in parallel; null decodes in the calling thread
  bool verify = true;          ///< check the frames' own checksums
  Limits limits;
  io::ReadControl control;
};

/// An open file: immutable, cheap to copy, usable from many threads at once and in a forked child.
class File {
 public:
  [[nodiscard]] const Layout& layout() const;
  [[nodiscard]] const FrameTable& frames() const;
  [[nodiscard]] const Header& header() const;
  [[nodiscard]] const io::ByteSource& source() const;

  /// The CRS and affine. Fetched on first use where the file was opened by its blob. Fails with the
  /// rules of georeferencing.
  [[nodiscard]] Result<Georeference> georeference() const;

  /// Band texts and times, fetched on first use: everything behind the last frame. Fails with the
  /// rules of the trailer, or over_limit.
  [[nodiscard]] Result<std::shared_ptr<const Trailer>> trailer() const;

  /// The external header blob of this file.
  [[nodiscard]] std::vector<std::byte> header_blob() const { return make_header_blob(header()); }

  /// What a read of `selection` will fetch and decode. Reads the trailer only where the selection
  /// holds texts. Fails with bad_argument or over_limit.
  [[nodiscard]] Result<Plan> plan(const Selection& selection = {}, const Limits& limits = {}) const;

  /// The selected samples in a new tensor whose axes are in the selection's order: (t, b, y, x)
  /// unless it says otherwise. Native byte order. Fails as `plan` does, with io, truncated, or a
  /// rule of frames (with the file offset of the frame).
  [[nodiscard]] Result<Tensor> read(const Selection& selection = {},
                                    const ReadOptions& options = {}) const;

  /// Carries out a plan of this file into `out`: shape `plan.selection.shape()`, the file's dtype,
  /// any strides. On failure the content of `out` is unspecified.
  [[nodiscard]] Result<> read_into(const Plan& plan, const MutableTensorView& out,
                                   const ReadOptions& options = {}) const;

  /// Frame `index` as it is stored.
  [[nodiscard]] Result<std::vector<std::byte>> read_compressed(std::uint64_t index) const;

 private:
  struct State;
  explicit File(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  friend Result<File> open(std::shared_ptr<const io::ByteSource> source,
                           const OpenOptions& options);

  std::shared_ptr<const State> state_;
};

/// Opens a file. Fails with not_found, io, malformed, truncated, over_limit.
[[nodiscard]] Result<File> open(const std::string& path, const OpenOptions& options = {});
[[nodiscard]] Result<File> open(std::shared_ptr<const io::ByteSource> source,
                                const OpenOptions& options = {});

/// The front of a file, judged. Header and IFD in one request, and a second where the front is
/// long.
[[nodiscard]] Result<Front> check_front_of(const io::ByteSource& source, const Limits& limits,
                                           Report& report, const io::ReadControl& control = {});

/// The trailer of a file, judged.
[[nodiscard]] Result<Trailer> check_trailer_of(const io::ByteSource& source, const Header& header,
                                               const Limits& limits, Report& report,
                                               const io::ReadControl& control = {});

}  // namespace sillar::rumi
