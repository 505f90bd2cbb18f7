// The part of the OpenZL binding that is compiled once for each build of OpenZL.
#pragma once

#include <sillar/codec/openzl.hpp>

#ifndef SILLAR_OPENZL_HAS_V3
#define SILLAR_OPENZL_HAS_V3 0
#endif

namespace sillar::codec::openzl {

/// The doors of one build of OpenZL.
struct Engine {
  std::string_view name;     ///< the instruction set that OpenZL was compiled for
  std::string_view version;  ///< of OpenZL
  Result<FrameInfo> (*inspect)(std::span<const std::byte> frame);
  std::unique_ptr<Decoder> (*make_decoder)();
  std::unique_ptr<Encoder> (*make_encoder)(const EncodeOptions& options);
};

namespace baseline {
[[nodiscard]] const Engine& engine();
}
#if SILLAR_OPENZL_HAS_V3
namespace v3 {
[[nodiscard]] const Engine& engine();
}
#endif

/// The quickest build that this processor can run.
[[nodiscard]] const Engine& best_engine();

}  // namespace sillar::codec::openzl
