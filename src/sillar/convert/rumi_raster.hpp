// rumi files as a source and as a target of conversions.
#pragma once

#include <sillar/convert/labels.hpp>
#include <sillar/convert/raster.hpp>
#include <sillar/convert/transfer.hpp>
#include <sillar/exec/pool.hpp>
#include <sillar/rumi/reader.hpp>
#include <sillar/rumi/writer.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sillar::convert {

/// A raster by what the file says of itself. Fails as the file's georeference and trailer do.
[[nodiscard]] Result<RasterDescription> describe(const rumi::File& file);

struct RumiSourceOptions {
  bool verify = true;  ///< check the frames' own checksums

  /// Where the frames of one read are decoded; it outlives the source. A read by a thread of the
  /// same pool decodes in that thread.
  exec::Pool* pool = nullptr;
  Limits limits{};
};

/// The file's samples.
[[nodiscard]] Result<std::unique_ptr<RasterSource>> rumi_source(rumi::File file,
                                                                const RumiSourceOptions& options);

/// A file being written, frame by frame. `header_blob` is filled by `finish()` and must outlive it.
[[nodiscard]] Result<std::unique_ptr<RasterTarget>> rumi_target(
    std::unique_ptr<io::Sink> sink, rumi::Content content, const rumi::WriteOptions& options,
    std::vector<std::byte>& header_blob);

/// Writes `content` with the frames of `file` as they are stored; the layouts are equal. Each frame
/// is decoded once, unless `write` trusts them: a frame of a codec that this library lacks is
/// unsupported. Progress counts stored bytes. Returns the header blob.
[[nodiscard]] Result<std::vector<std::byte>> copy_frames(const rumi::File& file,
                                                         std::unique_ptr<io::Sink> sink,
                                                         rumi::Content content,
                                                         const rumi::WriteOptions& write,
                                                         const TransferOptions& options);

}  // namespace sillar::convert
