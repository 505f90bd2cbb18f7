// "Layer metadata registry".
#include <sillar/stards/layers.hpp>

#include <sillar/wire/utf8.hpp>

#include <algorithm>

namespace sillar::stards {
namespace {

/// The least that a layer takes: all of its fields but the name and the keys.
constexpr std::uint64_t layer_entry_size_least = 17;

[[nodiscard]] std::string layer_text(std::uint32_t index) {
  return index == 0 ? std::string("the base layer") : "layer " + std::to_string(index);
}

void check_metadata_keys(const LayerEntry& entry, std::uint32_t layer, std::uint64_t at,
                         const KeyRegistry& keys, Report& report) {
  const auto& list = entry.metadata_keys;
  bool rising = true;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] >= keys.size()) {
      report.add(rules::file_meta_key_index, at + 2 * i,
                 layer_text(layer) + " lists key " + std::to_string(list[i]) +
                     ", the registry has " + std::to_string(keys.size()));
    }
    rising = rising && (i == 0 || list[i - 1] < list[i]);
  }
  if (rising) return;
  auto sorted = list;
  std::ranges::sort(sorted);
  const auto twin = std::ranges::adjacent_find(sorted);
  if (twin != sorted.end()) {
    report.add(rules::file_meta_key_duplicate, at,
               layer_text(layer) + " lists key " + std::to_string(*twin) + " twice");
  } else {
    report.add(rules::file_meta_key_order, at,
               "the metadata keys of " + layer_text(layer) + " are not in rising order");
  }
}

}  // namespace

std::string storage_key(std::string_view layer, std::string_view key) {
  if (layer == base_layer) return std::string(key);
  std::string text(layer_prefix);
  text += layer;
  text += layer_suffix;
  text += key;
  return text;
}

Layers Layers::check(wire::Reader& wire, std::uint32_t count, const KeyRegistry& keys,
                     Report& report) {
  Layers layers;
  const std::uint64_t all = std::uint64_t{count} + 1;
  if (all > wire.remaining() / layer_entry_size_least) {
    report.add(rules::file_layer_count, wire.position(),
               std::to_string(all) + " layers do not fit the header section");
    give_up(wire);
    return layers;
  }
  layers.entries_.reserve(static_cast<std::size_t>(all));
  layers.offsets_.reserve(static_cast<std::size_t>(all));
  for (std::uint64_t i = 0; i < all; ++i) {
    const auto index = static_cast<std::uint32_t>(i);
    const std::uint64_t at = wire.position();
    LayerEntry entry;
    carry(wire, entry);
    if (!wire.ok()) {
      report.add(
          rules::file_layer_count, at,
          layer_text(index) + " of " + std::to_string(all) + " does not fit the header section");
      return layers;
    }
    if (!wire::is_utf8(entry.name)) {
      report.add(rules::file_layer_utf8, at + 2,
                 "the name of " + layer_text(index) + " is not valid UTF-8");
    }
    if (index == 0 && entry.name != base_layer) {
      report.add(rules::file_layer_base, at + 2, "the first layer has another name");
    }
    check_metadata_keys(entry, index, wire.position() - 2 * entry.metadata_keys.size(), keys,
                        report);
    const LayerEntry& kept = layers.entries_.emplace_back(std::move(entry));
    layers.offsets_.push_back(at);
    const auto [twin, fresh] = layers.index_.emplace(kept.name, index);
    if (!fresh) {
      report.add(rules::file_layer_duplicate, at + 2,
                 layer_text(twin->second) + " and " + layer_text(index) + " have the same name");
    }
    if (report.done()) return layers;
  }
  layers.sort_names();
  return layers;
}

Layers Layers::of(std::vector<LayerEntry> entries) {
  Layers layers;
  layers.entries_ = std::move(entries);
  layers.offsets_.resize(layers.entries_.size());
  for (std::uint32_t i = 0; i < layers.entries_.size(); ++i)
    layers.index_.emplace(layers.entries_[i].name, i);
  layers.sort_names();
  return layers;
}

std::optional<std::uint32_t> Layers::find(std::string_view name) const {
  const auto found = index_.find(name);
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

void Layers::sort_names() {
  for (std::uint32_t layer = 1; layer < entries_.size(); ++layer) {
    prefixes_.push_back(
        {.text = entries_[layer].name + std::string(layer_suffix), .layer = layer, .shorter = 0});
  }
  std::ranges::sort(prefixes_, {}, &Prefix::text);
  // What a text begins with stands before it, and only what begins with that stands between.
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < prefixes_.size(); ++i) {
    while (!open.empty() && !prefixes_[i].text.starts_with(prefixes_[open.back()].text))
      open.pop_back();
    prefixes_[i].shorter = open.empty() ? i : open.back();
    open.push_back(i);
  }
}

Membership Layers::owner_of(std::string_view storage_key) const {
  const Membership base{.layer = 0, .key = storage_key};
  if (!storage_key.starts_with(layer_prefix)) return base;
  const std::string_view rest = storage_key.substr(layer_prefix.size());
  // The last text that does not stand behind `rest`: what `rest` begins with is that text, or what
  // that text begins with.
  const auto behind = std::ranges::upper_bound(prefixes_, rest, {}, &Prefix::text);
  if (behind == prefixes_.begin()) return base;
  auto place = static_cast<std::size_t>(behind - prefixes_.begin()) - 1;
  const std::string& text = prefixes_[place].text;
  const auto common =
      static_cast<std::size_t>(std::ranges::mismatch(text, rest).in1 - text.begin());
  while (prefixes_[place].text.size() > common) {
    if (prefixes_[place].shorter == place) return base;
    place = prefixes_[place].shorter;
  }
  return {.layer = prefixes_[place].layer, .key = rest.substr(prefixes_[place].text.size())};
}

}  // namespace sillar::stards
