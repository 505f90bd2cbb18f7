// What a file shall hold: arrays, layers and metadata that can be changed before they are written.
#pragma once

#include <sillar/stards/reader.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace sillar::stards {

/// How an array is stored.
struct Storage {
  std::uint8_t compression = 5;             ///< "Compression types": LZ4_SHUFFLE
  std::optional<std::uint64_t> block_size;  ///< decoded bytes; 1 MiB, more for very large arrays
  std::optional<int> level;                 ///< of the codec; none is its default
};

/// Where an array or a value belongs.
struct Target {
  std::string_view layer = base_layer;
};

/// An array to be written: numbers, strings, or the stored bytes of another file.
struct DraftArray {
  struct Stored {
    File file;
    std::size_t index;  ///< in its index entries
  };
  struct Numbers {
    TensorView view;
    std::shared_ptr<void> memory;  ///< keeps `view` alive, or null where the caller does
  };

  std::string layer;
  std::string key;
  std::variant<Stored, Numbers, Strings> content;
  Storage storage;  ///< of numbers and strings
};

/// A metadata value and its key.
struct DraftValue {
  std::string key;
  MetadataValue value;  ///< its key index is not used
};

struct DraftLayer {
  std::string name;
  std::vector<DraftValue> metadata;
  std::uint8_t metadata_compression = 3;  ///< NONE, GZIP or LZ4
};

/// The content of a file to be. Every change is judged at once and changes nothing where it fails;
/// nothing is read or encoded before it is written. Copies and moves.
class Draft {
 public:
  /// Nothing but the base layer.
  Draft();

  /// All of `file`: arrays as they are stored, whatever their type and codec. Reads the metadata.
  /// Fails with a rule of arrays or metadata that the file breaks where copying would spread the
  /// damage, unsupported for metadata that cannot be read, or io.
  [[nodiscard]] static Result<Draft> of(const File& file);

  [[nodiscard]] const std::vector<DraftLayer>& layers() const { return layers_; }
  [[nodiscard]] const std::vector<DraftArray>& arrays() const { return arrays_; }

  /// Something differs from what the draft began with.
  [[nodiscard]] bool is_changed() const { return changed_; }

  /// A new named layer, behind the others. Fails with bad_argument (not UTF-8, too long, there
  /// already).
  [[nodiscard]] Result<> add_layer(std::string_view name);

  /// Puts an array under `key`; one that is there is replaced and keeps its place. `numbers` may
  /// have any strides; without `memory` it must live until the draft was written. Fails with
  /// bad_argument (no such layer, a key that is not UTF-8, too long or reserved) or unsupported (a
  /// dtype that the format does not have, which is named).
  [[nodiscard]] Result<> put(std::string_view key, const TensorView& numbers,
                             const Storage& storage = {}, const Target& target = {},
                             std::shared_ptr<void> memory = {});
  [[nodiscard]] Result<> put(std::string_view key, Strings strings, const Storage& storage = {},
                             const Target& target = {});

  /// Fails with bad_argument where there is no such array.
  [[nodiscard]] Result<> remove(std::string_view key, const Target& target = {});

  /// Gives an array another key. Fails with bad_argument as `put` and `remove` do, or where the new
  /// key is taken.
  [[nodiscard]] Result<> rename(std::string_view key, std::string_view new_key,
                                const Target& target = {});

  /// Sets a metadata value; one that is there is replaced. Fails as `put` does.
  [[nodiscard]] Result<> set_metadata(std::string_view key, const TensorView& numbers,
                                      const Target& target = {});
  [[nodiscard]] Result<> set_metadata(std::string_view key, Strings strings,
                                      const Target& target = {});
  [[nodiscard]] Result<> remove_metadata(std::string_view key, const Target& target = {});

 private:
  [[nodiscard]] Result<DraftLayer*> layer_of(const Target& target);
  [[nodiscard]] DraftArray* find(std::string_view key, const Target& target);
  [[nodiscard]] Result<> check_key(std::string_view key, const Target& target) const;
  void index_arrays();
  [[nodiscard]] Result<> put_array(DraftArray array);
  [[nodiscard]] Result<> put_value(std::string_view key, MetadataValue value, const Target& target);

  std::vector<DraftLayer> layers_;
  std::vector<DraftArray> arrays_;
  std::unordered_map<std::string, std::size_t> places_;  // of arrays_, by storage key
  bool changed_ = false;
};

/// The elements of a view in C order, into as many bytes. More than 8 dimensions must be
/// contiguous.
void gather(const TensorView& numbers, std::span<std::byte> out);

}  // namespace sillar::stards
