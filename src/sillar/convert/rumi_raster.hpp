// rumi files as a source and as a target of conversions.
#pragma once

#include <sillar/convert/labels.hpp>
#include <sillar/convert/raster.hpp>
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

/// The file's samples; frames are verified where `verify`.
[[nodiscard]] Result<std::unique_ptr<RasterSource>> rumi_source(rumi::File file, bool verify,
                                                                const Limits& limits);

/// A file being written, frame by frame. `header_blob` is filled by `finish()` and must outlive it.
[[nodiscard]] Result<std::unique_ptr<RasterTarget>> rumi_target(
    std::unique_ptr<io::Sink> sink, rumi::Content content, const rumi::WriteOptions& options,
    std::vector<std::byte>& header_blob);

/// Writes `content` with the frames of `file` as they are stored; the layouts are equal. Each frame
/// is decoded once, unless `options` trusts them: a frame of a codec that this library lacks is
/// unsupported. Returns the header blob.
[[nodiscard]] Result<std::vector<std::byte>> copy_frames(
    const rumi::File& file, std::unique_ptr<io::Sink> sink, rumi::Content content,
    const rumi::WriteOptions& options, exec::Pool* pool, const io::ReadControl& control);

}  // namespace sillar::convert
