// "Global key registry".
#include <sillar/stards/key_registry.hpp>

#include <sillar/wire/endian.hpp>
#include <sillar/wire/utf8.hpp>

#include <algorithm>

namespace sillar::stards {
namespace {

/// The least that a key takes: its length and its hash.
constexpr std::uint64_t key_entry_size_least = 10;

[[nodiscard]] std::string quoted(std::string_view name) {
  constexpr std::size_t shown = 60;
  return "\"" + std::string(name.substr(0, shown)) + (name.size() > shown ? "...\"" : "\"");
}

}  // namespace

std::uint64_t hash_of(std::string_view key) {
  // MurmurHash64A with the seed of libstdc++.
  constexpr std::uint64_t multiplier = 0xC6A4A7935BD1E995;
  constexpr std::uint64_t seed = 0xC70F6907;
  constexpr auto mix = [](std::uint64_t value) { return value ^ (value >> 47); };
  std::uint64_t hash = seed ^ (key.size() * multiplier);
  const auto bytes = std::as_bytes(std::span(key));
  const std::size_t words = bytes.size() / 8;
  for (std::size_t i = 0; i < words; ++i) {
    const auto word = wire::load<std::uint64_t>(bytes.data() + 8 * i) * multiplier;
    hash = (hash ^ (mix(word) * multiplier)) * multiplier;
  }
  std::uint64_t rest = 0;
  for (std::size_t i = bytes.size(); i-- > 8 * words;)
    rest = (rest << 8) | std::to_integer<std::uint64_t>(bytes[i]);
  if (bytes.size() % 8 != 0) hash = (hash ^ rest) * multiplier;
  return mix(mix(hash) * multiplier);
}

std::uint64_t fnv1a_of(std::string_view key) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char letter : key) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3;
  return hash;
}

KeyRegistry KeyRegistry::check(wire::Reader& wire, std::uint32_t count, Report& report) {
  KeyRegistry keys;
  if (count > wire.remaining() / key_entry_size_least) {
    report.add(rules::file_key_count, wire.position(),
               std::to_string(count) + " keys do not fit the header section");
    give_up(wire);
    return keys;
  }
  keys.entries_.reserve(count);
  keys.index_.reserve(count);
  for (std::uint32_t index = 0; index < count; ++index) {
    const std::uint64_t at = wire.position();
    KeyEntry entry;
    carry(wire, entry);
    if (!wire.ok()) {
      report.add(rules::file_key_count, at,
                 "key " + std::to_string(index) + " of " + std::to_string(count) +
                     " does not fit the header section");
      return keys;
    }
    if (!wire::is_utf8(entry.name)) {
      report.add(rules::file_key_utf8, at + 2,
                 "key " + std::to_string(index) + " is not valid UTF-8");
    }
    // Room was reserved for all, so that views of short names stay valid.
    const KeyEntry& kept = keys.entries_.emplace_back(std::move(entry));
    const auto [twin, fresh] = keys.index_.emplace(kept.name, index);
    if (!fresh) {
      report.add(rules::file_key_duplicate, at + 2,
                 "keys " + std::to_string(twin->second) + " and " + std::to_string(index) +
                     " are both " + quoted(kept.name));
    }
    if (report.done()) return keys;
  }
  return keys;
}

std::optional<std::uint32_t> KeyRegistry::find(std::string_view name) const {
  const auto found = index_.find(name);
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

}  // namespace sillar::stards
