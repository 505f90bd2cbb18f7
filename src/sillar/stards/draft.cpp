// What a file shall hold.
#include <sillar/stards/draft.hpp>

#include <sillar/stards/block.hpp>
#include <sillar/tensor/copy.hpp>
#include <sillar/wire/utf8.hpp>

#include <algorithm>
#include <utility>

namespace sillar::stards {
namespace {

[[nodiscard]] std::unexpected<Error> refuse(std::string detail) {
  return fail(Errc::bad_argument, std::move(detail));
}

[[nodiscard]] std::string quoted(std::string_view name) { return "\"" + std::string(name) + "\""; }

[[nodiscard]] Result<> check_name(std::string_view name, std::string_view what) {
  if (!wire::is_utf8(name)) return refuse(std::string(what) + " is not valid UTF-8");
  if (name.size() > name_size_most) {
    return refuse(std::string(what) + " has " + std::to_string(name.size()) +
                  " bytes, more than 65535");
  }
  return {};
}

[[nodiscard]] Result<> check_numbers(const TensorView& numbers) {
  if (!code_of(numbers.dtype())) {
    return fail(Errc::unsupported,
                "a StarDS file holds no elements of type " + std::string(name_of(numbers.dtype())));
  }
  constexpr std::size_t most_of_copy = 8;
  if (numbers.rank() > most_of_copy && !numbers.contiguous())
    return refuse("an array of more than 8 dimensions is taken in C order alone");
  if (!extent_of(numbers.shape(), *find_data_type(*code_of(numbers.dtype()))))
    return refuse("the shape asks for more bytes than 64 bits can count");
  return {};
}

[[nodiscard]] Result<> check_storage(const Storage& storage) {
  const Compression* compression = find_compression(storage.compression);
  if (compression == nullptr || !compression->codec) {
    return fail(Errc::unsupported,
                "nothing is written with compression " + std::to_string(storage.compression));
  }
  if (storage.block_size && *storage.block_size == 0)
    return refuse("a block has at least one byte");
  SILLAR_TRY(BlockEncoder::make(*compression->codec, storage.level));
  return {};
}

}  // namespace

void gather(const TensorView& numbers, std::span<std::byte> out) {
  if (numbers.contiguous()) {
    std::ranges::copy(numbers.bytes(), out.begin());
  } else {
    copy(MutableTensorView(out.data(), numbers.dtype(), numbers.shape()), numbers);
  }
}

Draft::Draft() : layers_{DraftLayer{.name = std::string(base_layer), .metadata = {}}} {}

Result<Draft> Draft::of(const File& file) {
  Draft draft;
  draft.layers_.clear();
  const HeaderSection& header = file.header();
  for (std::size_t i = 0; i < file.layer_count(); ++i) {
    DraftLayer layer{.name = std::string(file.layer(i)), .metadata = {}};
    SILLAR_TRY(const auto block, file.metadata(i));
    for (const MetadataValue& value : block->values)
      layer.metadata.push_back({.key = header.keys[value.key].name, .value = value});
    if (!block->values.empty()) layer.metadata_compression = header.layers[i].metadata_compression;
    draft.layers_.push_back(std::move(layer));
  }
  for (std::size_t i = 0; i < file.array_count(); ++i) {
    const ArrayInfo array = file.array(i);
    // What is merely unknown is copied as it is.
    if (const auto checked = file.check(array);
        !checked && checked.error().code != Errc::unsupported) {
      return std::unexpected(checked.error());
    }
    draft.arrays_.push_back({.layer = std::string(array.layer),
                             .key = std::string(array.key),
                             .content = DraftArray::Stored{file, i},
                             .storage = {}});
  }
  draft.index_arrays();
  return draft;
}

Result<DraftLayer*> Draft::layer_of(const Target& target) {
  const auto found = std::ranges::find(layers_, target.layer, &DraftLayer::name);
  if (found == layers_.end()) return refuse("there is no layer " + quoted(target.layer));
  return &*found;
}

DraftArray* Draft::find(std::string_view key, const Target& target) {
  const auto found = places_.find(storage_key(target.layer, key));
  if (found == places_.end()) return nullptr;
  DraftArray& array = arrays_[found->second];
  return array.layer == target.layer && array.key == key ? &array : nullptr;
}

void Draft::index_arrays() {
  places_.clear();
  for (std::size_t i = 0; i < arrays_.size(); ++i)
    places_.emplace(storage_key(arrays_[i].layer, arrays_[i].key), i);
}

Result<> Draft::check_key(std::string_view key, const Target& target) const {
  const std::string stored = storage_key(target.layer, key);
  SILLAR_TRY(check_name(stored, "the key"));
  if (target.layer == base_layer && key.starts_with(layer_prefix))
    return refuse("keys that begin with __layer_ are those of layers");
  if (places_.contains(stored))
    return refuse("the storage key " + quoted(stored) + " is that of another array");
  return {};
}

Result<> Draft::add_layer(std::string_view name) {
  SILLAR_TRY(check_name(name, "the layer name"));
  if (layer_of({name})) return refuse("there is a layer " + quoted(name));
  layers_.push_back({.name = std::string(name), .metadata = {}});
  changed_ = true;
  return {};
}

Result<> Draft::put_array(DraftArray array) {
  SILLAR_TRY(layer_of({array.layer}));
  SILLAR_TRY(check_storage(array.storage));
  if (DraftArray* const there = find(array.key, {array.layer}); there != nullptr) {
    *there = std::move(array);
  } else {
    SILLAR_TRY(check_key(array.key, {array.layer}));
    places_.emplace(storage_key(array.layer, array.key), arrays_.size());
    arrays_.push_back(std::move(array));
  }
  changed_ = true;
  return {};
}

Result<> Draft::put(std::string_view key, const TensorView& numbers, const Storage& storage,
                    const Target& target, std::shared_ptr<void> memory) {
  SILLAR_TRY(check_numbers(numbers));
  return put_array({.layer = std::string(target.layer),
                    .key = std::string(key),
                    .content = DraftArray::Numbers{numbers, std::move(memory)},
                    .storage = storage});
}

Result<> Draft::put(std::string_view key, Strings strings, const Storage& storage,
                    const Target& target) {
  return put_array({.layer = std::string(target.layer),
                    .key = std::string(key),
                    .content = std::move(strings),
                    .storage = storage});
}

Result<> Draft::remove(std::string_view key, const Target& target) {
  const DraftArray* const array = find(key, target);
  if (array == nullptr)
    return refuse("there is no array " + quoted(key) + " in layer " + quoted(target.layer));
  arrays_.erase(arrays_.begin() + (array - arrays_.data()));
  index_arrays();
  changed_ = true;
  return {};
}

Result<> Draft::rename(std::string_view key, std::string_view new_key, const Target& target) {
  DraftArray* const array = find(key, target);
  if (array == nullptr)
    return refuse("there is no array " + quoted(key) + " in layer " + quoted(target.layer));
  if (key == new_key) return {};
  SILLAR_TRY(check_key(new_key, target));
  array->key = new_key;
  index_arrays();
  changed_ = true;
  return {};
}

Result<> Draft::put_value(std::string_view key, MetadataValue value, const Target& target) {
  SILLAR_TRY(DraftLayer* const layer, layer_of(target));
  SILLAR_TRY(check_name(key, "the key"));
  if (value.shape.size() > UINT8_MAX) return refuse("a metadata value has at most 255 dimensions");
  const auto there = std::ranges::find(layer->metadata, key, &DraftValue::key);
  if (there != layer->metadata.end()) {
    there->value = std::move(value);
  } else if (layer->metadata.size() == metadata_key_count_most) {
    return refuse("a layer has at most 65535 metadata keys");
  } else {
    layer->metadata.push_back({.key = std::string(key), .value = std::move(value)});
  }
  changed_ = true;
  return {};
}

Result<> Draft::set_metadata(std::string_view key, const TensorView& numbers,
                             const Target& target) {
  SILLAR_TRY(check_numbers(numbers));
  MetadataValue value{
      .key = 0,
      .type = find_data_type(*code_of(numbers.dtype())),
      .shape = numbers.shape(),
      .bytes = std::vector<std::byte>(static_cast<std::size_t>(numbers.byte_size())),
      .strings = {}};
  gather(numbers, value.bytes);
  return put_value(key, std::move(value), target);
}

Result<> Draft::set_metadata(std::string_view key, Strings strings, const Target& target) {
  MetadataValue value{.key = 0,
                      .type = find_data_type(string_code),
                      .shape = strings.shape(),
                      .bytes = {},
                      .strings = {}};
  value.strings = std::move(strings);
  return put_value(key, std::move(value), target);
}

Result<> Draft::remove_metadata(std::string_view key, const Target& target) {
  SILLAR_TRY(DraftLayer* const layer, layer_of(target));
  const auto there = std::ranges::find(layer->metadata, key, &DraftValue::key);
  if (there == layer->metadata.end())
    return refuse("there is no metadata " + quoted(key) + " in layer " + quoted(target.layer));
  layer->metadata.erase(there);
  changed_ = true;
  return {};
}

}  // namespace sillar::stards
