// The manifest of the StarDS corpus: what every file must give.
#pragma once

#include "golden.hpp"
#include <sillar/stards/rules.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sillar::stards::testing {

using sillar::testing::Bytes;

/// An array or a metadata value.
struct ManifestValue {
  std::string error;  ///< of a broken one; nothing else counts then
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::string sha256;
  std::optional<std::vector<std::string>> strings;
  std::uint64_t compression = 0;  ///< from here on of arrays alone
  std::uint64_t block_count = 0;
  bool sliceable = false;
};

/// By layer, then by key.
using ManifestValues = std::map<std::string, std::map<std::string, ManifestValue>>;

struct ManifestCase {
  std::string name, file;
  std::string rule;    ///< of an invalid file, as the library calls it
  std::string detect;  ///< open, array, metadata, unsupported; empty for a valid file
  std::vector<std::string> layers;
  ManifestValues arrays, metadata;
  std::map<std::string, std::vector<std::string>> lost_metadata;
  std::vector<std::string> warnings;  ///< as the library calls their rules

  [[nodiscard]] Bytes bytes() const { return sillar::testing::golden("corpus/stards/" + file); }

  /// Two parts of the file share bytes, which only a judge needs to see.
  [[nodiscard]] bool is_overlap() const { return rule.ends_with("overlap"); }
};

struct Manifest {
  std::vector<ManifestCase> valid;
  std::vector<ManifestCase> invalid;

  [[nodiscard]] const ManifestCase& valid_case(std::string_view name) const;
  [[nodiscard]] const ManifestCase& invalid_case(std::string_view name) const;
};

/// Read once.
[[nodiscard]] const Manifest& manifest();

}  // namespace sillar::stards::testing
