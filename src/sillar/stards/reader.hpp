// Opening and reading StarDS files.
#pragma once

#include <sillar/base/limits.hpp>
#include <sillar/exec/pool.hpp>
#include <sillar/io/byte_source.hpp>
#include <sillar/stards/header_section.hpp>
#include <sillar/stards/metadata_block.hpp>
#include <sillar/stards/plan.hpp>
#include <sillar/stards/strings.hpp>
#include <sillar/tensor/tensor.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sillar::stards {

/// More than the header sections of ordinary files have.
inline constexpr std::uint64_t header_size_limit = std::uint64_t{256} << 20;

struct OpenOptions {
  std::uint64_t header_bytes = header_size_limit;  ///< the most that a header section may have
  Limits limits = {};                              ///< for metadata blocks (`trailer_bytes`)
  io::ReadControl control = {};
};

/// Where a key is looked for.
struct Scope {
  std::string_view layer = base_layer;
  bool inherit = false;  ///< what the layer lacks is looked for in the base layer
};

struct ReadOptions {
  Scope scope = {};
  bool slice_shuffled = false;  ///< `get_slice` decodes what it needs of a shuffled array
  exec::Pool* pool = nullptr;   ///< where to decode in parallel; null decodes in the calling thread
  Limits limits = {};
  io::ReadControl control = {};
};

/// What is known of an array without its bytes. Views live as long as a File of the same opening.
struct ArrayInfo {
  std::size_t index = 0;  ///< in the index entries
  std::string_view layer;
  std::string_view key;
  const IndexEntry* entry = nullptr;

  [[nodiscard]] const Shape& shape() const { return entry->shape; }

  /// Null where the code is not listed.
  [[nodiscard]] const DataType* type() const { return find_data_type(entry->data_type); }
  [[nodiscard]] const Compression* compression() const {
    return find_compression(entry->compression);
  }

  /// As the text says: it has blocks, and no codec with shuffle ("Byte-shuffle prefilter").
  [[nodiscard]] bool is_sliceable() const;
};

/// An array or a metadata value: numbers, or strings.
using Value = std::variant<Tensor, Strings>;

/// What an element may be in C++.
template <class T>
concept Element = std::same_as<T, std::int8_t> || std::same_as<T, std::int16_t> ||
                  std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> ||
                  std::same_as<T, std::uint8_t> || std::same_as<T, std::uint16_t> ||
                  std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t> ||
                  std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::string>;

/// The code of an element type ("Data types").
template <Element T>
[[nodiscard]] constexpr std::uint8_t type_code() {
  if constexpr (std::same_as<T, std::string>) return string_code;
  if constexpr (std::same_as<T, float>) return 8;
  if constexpr (std::same_as<T, double>) return 9;
  constexpr std::uint8_t unsigned_step = std::is_unsigned_v<T> ? 4 : 0;
  if constexpr (sizeof(T) == 1) return unsigned_step;
  if constexpr (sizeof(T) == 2) return unsigned_step + 1;
  if constexpr (sizeof(T) == 4) return unsigned_step + 2;
  return unsigned_step + 3;
}

/// Elements of a known type, in C order.
template <Element T>
struct Array {
  Shape shape;
  std::vector<T> values;
};

/// An open file: immutable, cheap to copy, usable from many threads at once and in a forked child.
/// Damage stays where it is: an array or a layer's metadata that is broken, or of an unknown type
/// or codec, is refused when it is asked for, and the others are not concerned.
class File {
 public:
  [[nodiscard]] const HeaderSection& header() const;
  [[nodiscard]] const io::ByteSource& source() const;

  /// All layers in their order, the base layer first. Views live as long as the file is open.
  [[nodiscard]] std::size_t layer_count() const { return header().layers.size(); }
  [[nodiscard]] std::string_view layer(std::size_t index) const;

  /// All arrays in the order of the index. `index` < array_count().
  [[nodiscard]] std::size_t array_count() const { return header().index.entries.size(); }
  [[nodiscard]] ArrayInfo array(std::size_t index) const;

  /// The array of that key, in constant time. Fails with bad_argument (no such layer or array).
  [[nodiscard]] Result<ArrayInfo> find(std::string_view key, const Scope& scope = {}) const;

  /// Success where the entry of an array breaks no rule and its type and codec are known. Fails
  /// with the first rule of arrays that is broken, or unsupported.
  [[nodiscard]] Result<> check(const ArrayInfo& array) const;

  /// Whether `get_slice` reads of that array only the blocks that it needs. Fails as `find` does.
  [[nodiscard]] Result<bool> is_sliceable(std::string_view key, const Scope& scope = {}) const;

  /// What a read will fetch and decode. Fails as `check` does, with bad_argument or over_limit.
  [[nodiscard]] Result<Plan> plan(const ArrayInfo& array, const Limits& limits = {}) const;
  [[nodiscard]] Result<Plan> plan(const ArrayInfo& array, std::span<const Slice> slices,
                                  const Limits& limits = {}) const;

  /// A whole array. Numbers come in C order and native byte order. Fails as `find` and `plan` do,
  /// with io, or codec (a damaged block; rule and file offset are those of the block).
  [[nodiscard]] Result<Value> get(std::string_view key, const ReadOptions& options = {}) const;

  /// The same as elements of type `T`. Fails with bad_argument where the array has another type:
  /// nothing is converted.
  template <Element T>
  [[nodiscard]] Result<Array<T>> get(std::string_view key, const ReadOptions& options = {}) const;

  /// Part of an array: only blocks with selected elements are fetched and decoded (of strings,
  /// all). Without `options.slice_shuffled` an array that is not sliceable is refused, with
  /// bad_argument.
  [[nodiscard]] Result<Value> get_slice(std::string_view key, std::span<const Slice> slices,
                                        const ReadOptions& options = {}) const;
  template <Element T>
  [[nodiscard]] Result<Array<T>> get_slice(std::string_view key, std::span<const Slice> slices,
                                           const ReadOptions& options = {}) const;

  /// Carries out a plan of this file. Fails as `get` does.
  [[nodiscard]] Result<Value> read(const Plan& plan, const ReadOptions& options = {}) const;

  /// The same for numbers, into the C-ordered memory `out` of `plan.bytes` bytes. On failure its
  /// content is unspecified.
  [[nodiscard]] Result<> read_into(const Plan& plan, std::span<std::byte> out,
                                   const ReadOptions& options = {}) const;

  /// The values of a layer's metadata; fetched on first use. `layer` < layer_count(). Fails with a
  /// rule of metadata, unsupported, io or over_limit.
  [[nodiscard]] Result<std::shared_ptr<const MetadataBlock>> metadata(std::size_t layer) const;

  /// One metadata value. Fails as `metadata` does, or with bad_argument (no such layer or key).
  [[nodiscard]] Result<Value> get_metadata(std::string_view key, const Scope& scope = {}) const;
  template <Element T>
  [[nodiscard]] Result<Array<T>> get_metadata(std::string_view key, const Scope& scope = {}) const;

 private:
  struct State;
  explicit File(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  friend Result<File> open(std::shared_ptr<const io::ByteSource> source,
                           const OpenOptions& options);

  [[nodiscard]] Result<Plan> slice_plan(std::string_view key, std::span<const Slice> slices,
                                        const ReadOptions& options) const;
  [[nodiscard]] Result<Plan> whole_plan(std::string_view key, const ReadOptions& options) const;
  [[nodiscard]] Result<Strings> read_strings(const Plan& plan, const ReadOptions& options) const;
  [[nodiscard]] Result<const MetadataValue*> find_metadata(
      std::string_view key, const Scope& scope, std::shared_ptr<const MetadataBlock>& holder) const;
  template <Element T>
  [[nodiscard]] Result<Array<T>> read_as(const Plan& plan, const ReadOptions& options) const;

  std::shared_ptr<const State> state_;
};

/// Opens a file. Fails with not_found, io, malformed, truncated, over_limit. Metadata and arrays
/// are not touched.
[[nodiscard]] Result<File> open(const std::string& path, const OpenOptions& options = {});
[[nodiscard]] Result<File> open(std::shared_ptr<const io::ByteSource> source,
                                const OpenOptions& options = {});

/// Opens a file in memory, which must outlive everything that is read from it.
[[nodiscard]] Result<File> open(std::span<const std::byte> bytes, const OpenOptions& options = {});

/// The refusal of a type that the caller did not expect.
[[nodiscard]] std::unexpected<Error> other_type(const DataType& stored, std::uint8_t wanted);

template <Element T>
Result<Array<T>> File::read_as(const Plan& plan, const ReadOptions& options) const {
  if (plan.type->code != type_code<T>()) return other_type(*plan.type, type_code<T>());
  if constexpr (std::same_as<T, std::string>) {
    SILLAR_TRY(const Strings strings, read_strings(plan, options));
    return Array<T>{strings.shape(), strings.values()};
  } else {
    Array<T> array{plan.shape, std::vector<T>(static_cast<std::size_t>(plan.bytes / sizeof(T)))};
    SILLAR_TRY(read_into(plan, std::as_writable_bytes(std::span(array.values)), options));
    return array;
  }
}

template <Element T>
Result<Array<T>> File::get(std::string_view key, const ReadOptions& options) const {
  SILLAR_TRY(const Plan plan, whole_plan(key, options));
  return read_as<T>(plan, options);
}

template <Element T>
Result<Array<T>> File::get_slice(std::string_view key, std::span<const Slice> slices,
                                 const ReadOptions& options) const {
  SILLAR_TRY(const Plan plan, slice_plan(key, slices, options));
  return read_as<T>(plan, options);
}

template <Element T>
Result<Array<T>> File::get_metadata(std::string_view key, const Scope& scope) const {
  std::shared_ptr<const MetadataBlock> holder;
  SILLAR_TRY(const MetadataValue* value, find_metadata(key, scope, holder));
  if (value->type->code != type_code<T>()) return other_type(*value->type, type_code<T>());
  if constexpr (std::same_as<T, std::string>) {
    return Array<T>{value->shape, value->strings->values()};
  } else {
    Array<T> array{value->shape, std::vector<T>(value->bytes.size() / sizeof(T))};
    std::ranges::copy(value->bytes, std::as_writable_bytes(std::span(array.values)).begin());
    return array;
  }
}

}  // namespace sillar::stards
