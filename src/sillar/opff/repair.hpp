// Giving the file of a recorder that died its number of frames.
#pragma once

#include <sillar/base/error.hpp>
#include <sillar/opff/format.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace sillar::opff {

struct RepairOptions {
  std::optional<std::uint64_t> frames;  ///< keep so many; without it all that are whole
  bool dry_run = false;                 ///< only say what would be done
  bool overwrite = false;               ///< the file that the recording was meant for may be there
};

/// What a repair did, or would do.
struct Repaired {
  std::string path;  ///< where the file is then: without `.recording`
  std::uint32_t start_id = 0;
  std::uint64_t frames = 0;
  std::uint64_t dropped_bytes = 0;  ///< of a frame that was cut short, or behind the frames wanted
};

/// Sets the count of frames of a recording from its size, cuts a frame that is not whole, and takes
/// the suffix `.recording` off its name. Nothing else is wrong with such a file: a header that
/// breaks another rule is refused by it. Fails with bad_argument (the header has a count already,
/// no whole frame, more than 255, still being recorded), malformed, truncated, exists, not_found,
/// io; the file is as it was then.
[[nodiscard]] Result<Repaired> repair(const std::string& path, const RepairOptions& options = {});

}  // namespace sillar::opff
