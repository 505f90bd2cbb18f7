// Compression profiles: which graphs a frame is tried with.
#pragma once

#include <sillar/base/error.hpp>
#include <sillar/codec/openzl.hpp>
#include <sillar/tensor/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sillar::rumi {

/// How frames are compressed.
enum class Profile : std::uint8_t {
  portable,  ///< standard OpenZL nodes alone: every OpenZL decoder reads the file
};

[[nodiscard]] std::string_view name_of(Profile profile);
[[nodiscard]] std::optional<Profile> profile_of(std::string_view name);

/// Compresses frames by a profile, each with the graph that makes it smallest of those that its
/// content calls for. One thread at a time; the same samples give the same bytes everywhere.
class FrameEncoder {
 public:
  explicit FrameEncoder(Profile profile);

  /// Compresses contiguous samples, aligned to 8 bytes, into a frame of one numeric output. The
  /// returned bytes live until the next call. Fails with codec.
  [[nodiscard]] Result<std::span<const std::byte>> encode(std::span<const std::byte> samples,
                                                          DType dtype);

  /// The graph of the last frame.
  [[nodiscard]] const codec::openzl::Graph& graph() const { return graph_; }

 private:
  std::unique_ptr<codec::openzl::Encoder> encoder_;
  codec::openzl::Graph graph_;
  std::vector<std::byte> best_;
  std::vector<std::byte> trial_;
};

}  // namespace sillar::rumi
