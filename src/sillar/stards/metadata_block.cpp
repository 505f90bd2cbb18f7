// The metadata of one layer.
#include <sillar/stards/metadata_block.hpp>

#include <sillar/codec/deflate.hpp>
#include <sillar/codec/lz4.hpp>
#include <sillar/wire/endian.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace sillar::stards {
namespace {

/// A size before the block, as LZ4 has it.
constexpr std::uint64_t lz4_prefix_size = 8;

/// A block without its compression.
struct Decoded {
  std::vector<std::byte> bytes;
};

[[nodiscard]] std::unexpected<Error> too_large(std::uint64_t size, const Limits& limits,
                                               std::uint64_t at) {
  return fail(Errc::over_limit,
              "a metadata block has " + std::to_string(size) + " bytes or more, the limit is " +
                  std::to_string(limits.trailer_bytes),
              at);
}

/// A zlib stream whose size nothing tells: the room grows until it fits.
[[nodiscard]] Result<std::optional<Decoded>> inflate(std::span<const std::byte> stored,
                                                     std::uint64_t at, const Limits& limits,
                                                     Report& report) {
  constexpr std::uint64_t first_room = 4096;
  const std::uint64_t possible = std::uint64_t{stored.size()} * codec::deflate_ratio_most;
  const std::uint64_t most = std::min(possible, limits.trailer_bytes);
  codec::Inflater inflater;
  Decoded decoded;
  std::uint64_t room = std::min(most, std::max(first_room, 4 * std::uint64_t{stored.size()}));
  while (true) {
    decoded.bytes.resize(static_cast<std::size_t>(room));
    const auto inflated = inflater.decode(stored, decoded.bytes);
    if (inflated) {
      decoded.bytes.resize(inflated->size);
      if (inflated->wrapper == codec::DeflateWrapper::gzip)
        report.add(rules::metadata_gzip_wrapper, at, "the block is a gzip stream");
      if (inflated->used != stored.size()) {
        report.add(rules::metadata_trailing_input, at + inflated->used,
                   std::to_string(stored.size() - inflated->used) + " bytes follow the stream");
      }
      return decoded;
    }
    const bool needs_more = inflated.error().code == Errc::over_limit;
    if (needs_more && room < most) {
      room = std::min(most, 2 * room);
      continue;
    }
    if (needs_more && most < possible) return too_large(most, limits, at);
    report.add(rules::metadata_gzip, at, inflated.error().detail, Errc::codec);
    return std::nullopt;
  }
}

[[nodiscard]] Result<std::optional<Decoded>> unpack_lz4(std::span<const std::byte> stored,
                                                        std::uint64_t at, const Limits& limits,
                                                        Report& report) {
  if (stored.size() <= lz4_prefix_size) {
    report.add(rules::metadata_lz4, at,
               "the block has " + std::to_string(stored.size()) +
                   " bytes, too few for its size and content",
               Errc::codec);
    return std::nullopt;
  }
  const auto size = wire::load<std::uint64_t>(stored.data());
  const auto block = stored.subspan(lz4_prefix_size);
  const auto most = std::uint64_t{block.size()} * codec::lz4_ratio_most;
  if (size > most) {
    report.add(rules::metadata_bomb, at,
               "the block states " + std::to_string(size) + " bytes, its " +
                   std::to_string(block.size()) + " stored bytes give no more than " +
                   std::to_string(most));
    return std::nullopt;
  }
  if (size > limits.trailer_bytes) return too_large(size, limits, at);
  Decoded decoded;
  decoded.bytes.resize(static_cast<std::size_t>(size));
  const auto done = codec::decode_lz4(block, decoded.bytes);
  if (done && *done == size) return decoded;
  report.add(
      rules::metadata_lz4, at,
      done ? "it decodes to " + std::to_string(*done) + " bytes, expected " + std::to_string(size)
           : done.error().detail,
      Errc::codec);
  return std::nullopt;
}

/// One block being judged, value after value.
class Values {
 public:
  Values(std::span<const std::byte> bytes, std::uint64_t position, std::uint64_t at,
         const KeyRegistry& keys, Report& report)
      : bytes_(bytes),
        position_(static_cast<std::size_t>(position)),
        at_(at),
        keys_(keys),
        report_(report) {}

  /// The next value; nothing where it cannot be read, and then nothing behind it can.
  [[nodiscard]] std::optional<MetadataValue> next() {
    wire::Reader wire(bytes_.subspan(position_));
    MetadataHead head;
    carry(wire, head);
    if (!wire.ok()) return cut("a value has no room for its head");
    const std::string name = "the value of key " + std::to_string(head.key);
    if (head.key >= keys_.size()) {
      report_.add(rules::metadata_key_index, at_,
                  name + ": the registry has " + std::to_string(keys_.size()) + " keys");
    }
    MetadataValue value{.key = head.key,
                        .type = find_data_type(head.data_type),
                        .shape = std::move(head.shape),
                        .bytes = {},
                        .strings = {}};
    if (value.type == nullptr) {
      report_.add(rules::unsupported_meta_dtype, at_,
                  name + " has data type " + std::to_string(head.data_type) +
                      ", so that nothing tells where it ends",
                  Errc::unsupported);
      return std::nullopt;
    }
    const auto extent = extent_of(value.shape, *value.type);
    if (!extent) {
      report_.add(rules::metadata_shape_overflow, at_,
                  "the shape of " + name + " asks for more bytes than 64 bits can count");
      return std::nullopt;
    }
    position_ += static_cast<std::size_t>(wire.position());
    return value.type->dtype ? numbers(std::move(value), extent->bytes, name)
                             : strings(std::move(value), extent->count);
  }

  [[nodiscard]] std::size_t position() const { return position_; }

 private:
  std::nullopt_t cut(std::string detail) {
    report_.add(rules::metadata_truncated, at_, std::move(detail));
    return std::nullopt;
  }

  std::optional<MetadataValue> numbers(MetadataValue value, std::uint64_t size,
                                       const std::string& name) {
    const auto rest = bytes_.subspan(position_);
    if (size > rest.size()) {
      return cut(name + " has " + std::to_string(size) + " bytes, there are " +
                 std::to_string(rest.size()));
    }
    const auto mine = rest.first(static_cast<std::size_t>(size));
    value.bytes.assign(mine.begin(), mine.end());
    position_ += mine.size();
    return value;
  }

  std::optional<MetadataValue> strings(MetadataValue value, std::uint64_t count) {
    value.strings = check_strings(
        bytes_.subspan(position_), value.shape, count, at_,
        {.lengths = rules::metadata_string, .utf8 = rules::metadata_string_utf8}, report_);
    if (!value.strings) return std::nullopt;
    position_ += value.strings->payload().size();
    return value;
  }

  std::span<const std::byte> bytes_;
  std::size_t position_;
  std::uint64_t at_;
  const KeyRegistry& keys_;
  Report& report_;
};

/// The keys of the block against those that the registry lists. Duplicates were reported.
void check_keys(const MetadataBlock& block, const LayerEntry& layer, std::uint64_t at,
                Report& report) {
  std::vector<std::uint16_t> found;
  found.reserve(block.values.size());
  for (const MetadataValue& value : block.values) found.push_back(value.key);
  std::ranges::sort(found);
  if (const auto twin = std::ranges::adjacent_find(found); twin != found.end()) {
    report.add(rules::metadata_duplicate, at,
               "the block holds key " + std::to_string(*twin) + " twice");
    return;
  }
  std::vector<std::uint16_t> listed = layer.metadata_keys;
  std::ranges::sort(listed);
  if (found != listed) {
    report.add(rules::metadata_keys, at,
               "the block holds other keys than the registry lists for its layer");
  }
}

/// How much a report holds against the file.
[[nodiscard]] std::uint64_t objections(const Report& report) {
  return report.errors() + report.count(Severity::unsupported);
}

}  // namespace

const MetadataValue* MetadataBlock::find(std::uint32_t key) const {
  const auto found = std::ranges::find(values, key, &MetadataValue::key);
  return found == values.end() ? nullptr : &*found;
}

std::optional<MetadataBlock> check_metadata_block(std::span<const std::byte> bytes,
                                                  std::uint64_t at, const LayerEntry& layer,
                                                  const KeyRegistry& keys, Report& report) {
  const std::uint64_t before = objections(report);
  wire::Reader wire(bytes);
  std::string magic;
  wire.text(magic, metadata_magic.size());
  if (magic != metadata_magic) {
    report.add(rules::metadata_magic, at, "the block does not begin with STARMETA");
    return std::nullopt;
  }
  std::uint8_t version = 0;
  std::string name;
  std::uint16_t count = 0;
  wire.number(version);
  carry_name(wire, name);
  wire.number(count);
  if (!wire.ok()) {
    report.add(rules::metadata_truncated, at, "the block ends inside its head");
    return std::nullopt;
  }
  if (version != metadata_version) {
    report.add(rules::metadata_version, at,
               "the version is " + std::to_string(version) + ", expected 1");
    return std::nullopt;
  }
  if (name != layer.name)
    report.add(rules::metadata_layer_name, at, "the block has the name of another layer");
  const bool counts_agree = count == layer.metadata_keys.size();
  if (!counts_agree) {
    report.add(rules::metadata_keys, at,
               "the block has " + std::to_string(count) + " values, the registry lists " +
                   std::to_string(layer.metadata_keys.size()) + " keys");
  }
  MetadataBlock block;
  block.values.reserve(std::min<std::size_t>(count, bytes.size() / 4));
  Values values(bytes, wire.position(), at, keys, report);
  for (std::uint16_t i = 0; i < count; ++i) {
    auto value = values.next();
    if (!value) return std::nullopt;
    block.values.push_back(*std::move(value));
  }
  if (values.position() != bytes.size()) {
    report.add(rules::metadata_trailing, at,
               std::to_string(bytes.size() - values.position()) +
                   " bytes follow the last value of the block");
  }
  const bool keys_exist = std::ranges::all_of(
      block.values, [&](const MetadataValue& value) { return value.key < keys.size(); });
  if (counts_agree && keys_exist) check_keys(block, layer, at, report);
  if (objections(report) != before) return std::nullopt;
  return block;
}

Result<std::optional<MetadataBlock>> check_metadata_of(const io::ByteSource& source,
                                                       const HeaderSection& header,
                                                       std::size_t layer, const Limits& limits,
                                                       Report& report,
                                                       const io::ReadControl& control) {
  const LayerEntry& entry = header.layers[layer];
  const std::uint64_t entry_at = header.layers.offset(layer);
  const std::uint64_t position_at = entry_at + 2 + entry.name.size();
  const auto refused = [&](const Rule& rule, std::uint64_t at, std::string detail,
                           Errc code = Errc::malformed) -> std::optional<MetadataBlock> {
    report.add(rule, at, std::move(detail), code);
    return std::nullopt;
  };
  const Compression* compression = find_compression(entry.metadata_compression);
  if (compression == nullptr || !packs_metadata(*compression)) {
    return refused(rules::unsupported_meta_compression, position_at + 12,
                   "compression " + std::to_string(entry.metadata_compression), Errc::unsupported);
  }
  if (entry.metadata_size == 0) {
    if (entry.metadata_keys.empty()) return MetadataBlock{};
    return refused(rules::metadata_missing, position_at,
                   "the registry lists " + std::to_string(entry.metadata_keys.size()) +
                       " keys, the block has no bytes");
  }
  SILLAR_TRY(const std::uint64_t file_size, source.size());
  const std::uint64_t at = entry.metadata_position;
  const auto end = checked_add(at, std::uint64_t{entry.metadata_size});
  if (!end || *end > file_size) {
    return refused(rules::metadata_bounds, position_at,
                   "the block has " + std::to_string(entry.metadata_size) + " bytes from " +
                       std::to_string(at) + ", the file has " + std::to_string(file_size),
                   Errc::truncated);
  }
  if (at < header.fixed.header_size) {
    return refused(rules::metadata_in_header, position_at,
                   "the block begins at " + std::to_string(at) + ", the header section ends at " +
                       std::to_string(header.fixed.header_size));
  }
  const io::ByteRange range{at, entry.metadata_size};
  std::optional<MetadataBlock> block;
  SILLAR_TRY(source.read(
      {&range, 1},
      [&](std::size_t, std::span<const std::byte> stored) -> Result<> {
        std::optional<Decoded> decoded;
        if (compression->codec == BlockCodec::gzip) {
          SILLAR_TRY(decoded, inflate(stored, at, limits, report));
        } else if (compression->codec == BlockCodec::lz4) {
          SILLAR_TRY(decoded, unpack_lz4(stored, at, limits, report));
        } else {
          block = check_metadata_block(stored, at, entry, header.keys, report);
          return {};
        }
        if (decoded) block = check_metadata_block(decoded->bytes, at, entry, header.keys, report);
        return {};
      },
      control));
  return block;
}

std::vector<std::byte> make_metadata_block(std::string_view layer,
                                           std::span<const MetadataValue> values) {
  const auto magic = std::as_bytes(std::span(metadata_magic));
  std::vector<std::byte> bytes(magic.begin(), magic.end());
  wire::Writer wire(bytes);
  wire.number(metadata_version);
  std::string name(layer);
  carry_name(wire, name);
  wire.number(static_cast<std::uint16_t>(values.size()));
  for (const MetadataValue& value : values) {
    MetadataHead head{.key = value.key, .data_type = value.type->code, .shape = value.shape};
    carry(wire, head);
    const std::span<const std::byte> payload =
        value.strings ? value.strings->payload() : std::span<const std::byte>(value.bytes);
    bytes.insert(bytes.end(), payload.begin(), payload.end());
  }
  return bytes;
}

}  // namespace sillar::stards
