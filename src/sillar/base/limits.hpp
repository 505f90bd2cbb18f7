// What one call may spend on an input that it does not trust.
#pragma once

#include <cstdint>

namespace sillar {

/// Checked against derived sizes before anything is allocated or decoded. An operation past a
/// limit fails with `Errc::over_limit`; that does not make a file invalid.
struct Limits {
  std::uint64_t frame_bytes = std::uint64_t{2} << 30;      ///< one decoded frame or block
  std::uint64_t output_bytes = std::uint64_t{64} << 30;    ///< one result tensor
  std::uint64_t frames = std::uint64_t{1} << 26;           ///< frames that are indexed
  std::uint64_t trailer_bytes = std::uint64_t{256} << 20;  ///< descriptions behind the samples
  std::uint64_t coordinates = std::uint64_t{1} << 22;      ///< time coordinates that are listed
};

}  // namespace sillar
