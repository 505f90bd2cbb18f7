// Writing rumi files: frames in any order and from many threads, the file whole or not at all.
#pragma once

#include <sillar/base/limits.hpp>
#include <sillar/exec/pool.hpp>
#include <sillar/geo/crs.hpp>
#include <sillar/io/byte_source.hpp>
#include <sillar/io/sink.hpp>
#include <sillar/rumi/front.hpp>
#include <sillar/rumi/profile.hpp>
#include <sillar/rumi/trailer.hpp>
#include <sillar/tensor/view.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sillar::rumi {

/// All of a file but its frames.
struct Content {
  Layout layout;
  Georeference georeference;
  Trailer trailer;
  AffineDemand affine = AffineDemand::regular;  ///< `none` for the georeference of another file
};

struct WriteOptions {
  Profile profile = Profile::portable;
  bool trust_frames = false;  ///< take precompressed frames without decoding them once
  Limits limits;
};

/// The georeference of EPSG:`code`: its model comes from `registry`, never from the number.
/// `stored` maps pixel centres where `pixel_is_point`, else corners. Fails with bad_argument
/// (rumi.write.crs: unknown, or of a kind that the format has no place for, which is named) or as
/// the registry does.
[[nodiscard]] Result<Georeference> georeference_of(std::uint32_t code,
                                                   const geo::CrsRegistry& registry,
                                                   const geo::Affine& stored, bool pixel_is_point);

/// A layout to be written: (T, B, Y, X), a dtype, the nominal tile, a frame unit. Fails with
/// bad_argument that names the axis which is zero or too long for its field.
[[nodiscard]] Result<Layout> layout_of(const Shape& shape, DType dtype, std::uint64_t tile_length,
                                       std::uint64_t tile_width, unsigned frame_unit);

/// Judges everything about a content that is known before its frames. Fails with bad_argument.
[[nodiscard]] Result<> check_content(const Content& content);

/// A file being written. Frames may be put by several threads at once and in any order; those ahead
/// of their turn wait compressed, in memory while they are few, else on disk. Without `finish()`
/// nothing appears under the final name.
class Writer {
 public:
  /// Begins a file on `sink`. Fails with bad_argument, over_limit or io.
  [[nodiscard]] static Result<Writer> create(std::unique_ptr<io::Sink> sink, Content content,
                                             const WriteOptions& options = {});

  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer();

  [[nodiscard]] const Layout& layout() const;
  [[nodiscard]] std::uint64_t frame_count() const;

  /// Compresses the samples of frame `index`, in the calling thread: shape (t, b, h, w) as
  /// `layout().place(index)` gives it, with t = b = 1 where frames are tiles; any strides. Fails
  /// with bad_argument (index, shape, dtype, a boolean that is neither 0 nor 1, a frame that was
  /// put before), codec or io.
  [[nodiscard]] Result<> put_samples(std::uint64_t index, const TensorView& samples);

  /// Takes frame `index` as it is, after it decoded to the right size. Fails with a rule of frames,
  /// or as above.
  [[nodiscard]] Result<> put_compressed(std::uint64_t index, std::span<const std::byte> frame);

  /// Writes the trailer and the front, and puts the file under its name. Returns the external
  /// header blob. Fails with bad_argument where a frame is missing, or io.
  [[nodiscard]] Result<std::vector<std::byte>> finish();

 private:
  struct State;
  explicit Writer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct WriteTensorOptions {
  WriteOptions write;
  exec::Pool* pool = nullptr;
  io::ReadControl control;
};

/// Writes `samples`, (t, b, y, x) of any strides, as a whole file. The bytes are the same at any
/// number of threads. Returns the header blob.
[[nodiscard]] Result<std::vector<std::byte>> write(std::unique_ptr<io::Sink> sink, Content content,
                                                   const TensorView& samples,
                                                   const WriteTensorOptions& options = {});

}  // namespace sillar::rumi
