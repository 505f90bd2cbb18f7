// "Layer metadata registry" and the names of arrays in layers.
#pragma once

#include <sillar/stards/format.hpp>
#include <sillar/stards/key_registry.hpp>
#include <sillar/wire/cursor.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sillar::stards {

/// Where an array belongs, told from its storage key. `key` is a view of the storage key.
struct Membership {
  std::uint32_t layer = 0;  ///< index into the layers; 0 is the base layer
  std::string_view key;
};

/// The storage key of `key` in `layer`.
[[nodiscard]] std::string storage_key(std::string_view layer, std::string_view key);

/// The layers of a file, the base layer first. Moves; views of its names stay valid as long as it
/// lives.
class Layers {
 public:
  Layers() = default;
  Layers(Layers&&) = default;
  Layers& operator=(Layers&&) = default;
  Layers(const Layers&) = delete;
  Layers& operator=(const Layers&) = delete;
  ~Layers() = default;

  /// Reads `count` named layers and the base layer before them; `wire` stands at it, and is not ok
  /// afterwards where they do not fit. Reports `file` rules.
  [[nodiscard]] static Layers check(wire::Reader& wire, std::uint32_t count,
                                    const KeyRegistry& keys, Report& report);

  /// The layers of a file that is being made; no two have the same name.
  [[nodiscard]] static Layers of(std::vector<LayerEntry> entries);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const LayerEntry& operator[](std::size_t index) const { return entries_[index]; }
  [[nodiscard]] const std::vector<LayerEntry>& entries() const { return entries_; }

  /// The byte of the file at which each entry begins.
  [[nodiscard]] std::uint64_t offset(std::size_t index) const { return offsets_[index]; }

  /// The index of a layer, or nothing.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const;

  /// The layer whose array has that storage key: of those whose prefix it begins with, the one with
  /// the longest name; the base layer where there is none.
  [[nodiscard]] Membership owner_of(std::string_view storage_key) const;

 private:
  void sort_names();

  /// A named layer in the order of `name + layer_suffix`.
  struct Prefix {
    std::string text;  ///< the name and the suffix
    std::uint32_t layer;
    std::uint32_t shorter;  ///< place of the longest other prefix that this begins with, or itself
  };

  std::vector<LayerEntry> entries_;
  std::vector<std::uint64_t> offsets_;
  std::unordered_map<std::string_view, std::uint32_t> index_;  // views of entries_
  std::vector<Prefix> prefixes_;
};

}  // namespace sillar::stards
