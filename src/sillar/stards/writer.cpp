// The writer: lay out, then encode and append; the header section last.
#include <sillar/stards/writer.hpp>

#include <sillar/codec/lz4.hpp>
#include <sillar/codec/shuffle.hpp>
#include <sillar/exec/shelf.hpp>
#include <sillar/stards/block.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sillar::stards {
namespace {

constexpr std::uint64_t default_block_size = std::uint64_t{1} << 20;
/// A known reader refuses files with more blocks in one array.
constexpr std::uint64_t default_blocks_most = 10000;
/// Stored bytes are copied in pieces of this size.
constexpr std::uint64_t copy_step = std::uint64_t{8} << 20;

[[nodiscard]] std::unexpected<Error> refuse(std::string detail) {
  return fail(Errc::bad_argument, std::move(detail));
}

/// The names of a file, and the index of each.
class Names {
 public:
  std::size_t add(const std::string& name) {
    const auto [place, fresh] = index_.emplace(name, entries_.size());
    if (fresh) entries_.push_back({.name = name, .hash = hash_of(name)});
    return place->second;
  }
  [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const {
    const auto place = index_.find(name);
    if (place == index_.end()) return std::nullopt;
    return place->second;
  }
  [[nodiscard]] const std::vector<KeyEntry>& entries() const { return entries_; }

 private:
  std::vector<KeyEntry> entries_;
  std::unordered_map<std::string, std::size_t> index_;
};

/// The array's decoded size, and how it is cut.
struct Cut {
  std::uint64_t raw = 0;
  std::uint64_t block_size = 0;

  [[nodiscard]] std::uint64_t blocks() const { return ceil_div(raw, block_size); }
};

[[nodiscard]] Result<Cut> cut_of(std::uint64_t raw, const Storage& storage) {
  Cut cut{.raw = raw, .block_size = storage.block_size.value_or(default_block_size)};
  if (!storage.block_size && cut.blocks() > default_blocks_most) {
    cut.block_size =
        ceil_div(ceil_div(raw, default_blocks_most), default_block_size) * default_block_size;
  }
  const bool lz4 = find_compression(storage.compression)->codec == BlockCodec::lz4;
  if (lz4 && std::min(cut.block_size, raw) > codec::lz4_raw_most) {
    return refuse("an LZ4 block has at most " + std::to_string(codec::lz4_raw_most) +
                  " bytes, not " + std::to_string(cut.block_size));
  }
  return cut;
}

/// All parts of the header section; positions and stored sizes are filled in as they are written.
struct Layout {
  Names names;
  std::vector<LayerEntry> layers;
  std::vector<std::vector<std::byte>> metadata;  // of each layer, encoded
  std::vector<std::uint64_t> presence;
  std::vector<IndexEntry> entries;
  std::vector<Cut> cuts;  // of each array that is encoded

  [[nodiscard]] std::vector<std::byte> header() const {
    return make_header_section(names.entries(), layers, presence, entries);
  }
};

/// The entry of an array, with as many blocks as it will have.
[[nodiscard]] Result<IndexEntry> entry_of(const DraftArray& array, Cut& cut) {
  if (const auto* stored = std::get_if<DraftArray::Stored>(&array.content))
    return *stored->file.array(stored->index).entry;
  IndexEntry entry;
  entry.compression = array.storage.compression;
  if (const auto* strings = std::get_if<Strings>(&array.content)) {
    entry.data_type = string_code;
    entry.shape = strings->shape();
    SILLAR_TRY(cut, cut_of(strings->payload().size(), array.storage));
  } else {
    const TensorView& view = std::get<DraftArray::Numbers>(array.content).view;
    entry.data_type = *code_of(view.dtype());
    entry.shape = view.shape();
    SILLAR_TRY(cut, cut_of(view.byte_size(), array.storage));
  }
  entry.block_size = cut.block_size;
  entry.blocks.resize(static_cast<std::size_t>(cut.blocks()));
  return entry;
}

/// The metadata block of a layer, compressed; empty where the layer has no values.
[[nodiscard]] Result<std::vector<std::byte>> encode_metadata(const DraftLayer& layer,
                                                             const Names& names,
                                                             LayerEntry& entry) {
  if (layer.metadata.empty()) return std::vector<std::byte>{};
  std::vector<MetadataValue> values;
  for (const DraftValue& value : layer.metadata) {
    values.push_back(value.value);
    values.back().key = static_cast<std::uint16_t>(*names.find(value.key));
  }
  std::ranges::sort(values, {}, &MetadataValue::key);
  for (const MetadataValue& value : values) entry.metadata_keys.push_back(value.key);
  const auto raw = make_metadata_block(layer.name, values);
  entry.metadata_compression = layer.metadata_compression;
  const BlockCodec codec = *find_compression(layer.metadata_compression)->codec;
  if (codec == BlockCodec::lz4 && raw.size() > codec::lz4_raw_most)
    return refuse("the metadata of a layer has more bytes than an LZ4 block takes");
  // The level that the reference has for metadata.
  constexpr int metadata_gzip_level = 6;
  SILLAR_TRY(auto encoder, BlockEncoder::make(codec, codec == BlockCodec::gzip
                                                         ? std::optional(metadata_gzip_level)
                                                         : std::nullopt));
  const auto stored = encoder.encode(raw);
  std::vector<std::byte> bytes(codec == BlockCodec::lz4 ? sizeof(std::uint64_t) : 0);
  if (codec == BlockCodec::lz4) wire::store(bytes.data(), std::uint64_t{raw.size()});
  bytes.insert(bytes.end(), stored.begin(), stored.end());
  if (bytes.size() > std::numeric_limits<std::uint32_t>::max())
    return refuse("the metadata of a layer has more bytes than 32 bits can count");
  entry.metadata_size = static_cast<std::uint32_t>(bytes.size());
  return bytes;
}

/// Every array belongs to the layer that its storage key tells, whichever layers there are.
[[nodiscard]] Result<> check_owners(const Draft& draft, const std::vector<LayerEntry>& entries) {
  const Layers layers = Layers::of(entries);
  for (const DraftArray& array : draft.arrays()) {
    const std::string stored = storage_key(array.layer, array.key);
    const auto owner = layers.owner_of(stored);
    if (layers[owner.layer].name == array.layer && owner.key == array.key) continue;
    return refuse("layer \"" + layers[owner.layer].name + "\" would claim the array \"" +
                  array.key + "\" of layer \"" + array.layer + "\"");
  }
  return {};
}

/// Bit i of a layer stands for index entry i, which is registry index i as well. In the layer of an
/// array the bit of the base array with the same key is set too, since some readers look there.
[[nodiscard]] std::vector<std::uint64_t> presence_of(const Draft& draft, const Layout& layout) {
  const std::uint64_t words = presence_words(draft.arrays().size());
  std::vector<std::uint64_t> presence(static_cast<std::size_t>(words) * draft.layers().size());
  std::unordered_map<std::string_view, std::size_t> layer_index;
  for (std::size_t i = 0; i < draft.layers().size(); ++i)
    layer_index.emplace(draft.layers()[i].name, i);
  const auto set = [&](std::size_t layer, std::size_t bit) {
    presence[layer * static_cast<std::size_t>(words) + bit / 64] |= std::uint64_t{1} << (bit % 64);
  };
  for (std::size_t i = 0; i < draft.arrays().size(); ++i) {
    const DraftArray& array = draft.arrays()[i];
    const std::size_t layer = layer_index.at(array.layer);
    set(layer, i);
    if (layer == 0) continue;
    const auto twin = layout.names.find(array.key);
    if (twin && *twin < draft.arrays().size() && draft.arrays()[*twin].layer == base_layer)
      set(layer, *twin);
  }
  return presence;
}

[[nodiscard]] Result<Layout> layout_of(const Draft& draft) {
  Layout layout;
  // Arrays first, so that an array has the same number in the index and in the registry.
  for (const DraftArray& array : draft.arrays())
    layout.names.add(storage_key(array.layer, array.key));
  for (const DraftArray& array : draft.arrays()) layout.names.add(array.key);
  for (const DraftLayer& layer : draft.layers()) {
    for (const DraftValue& value : layer.metadata) layout.names.add(value.key);
  }
  if (layout.names.entries().size() > key_count_most) {
    return refuse("the file would have " + std::to_string(layout.names.entries().size()) +
                  " keys, more than 65536");
  }
  for (std::size_t i = 0; i < draft.arrays().size(); ++i) {
    Cut cut;
    SILLAR_TRY(auto entry, entry_of(draft.arrays()[i], cut));
    entry.key = static_cast<std::uint16_t>(i);
    layout.entries.push_back(std::move(entry));
    layout.cuts.push_back(cut);
  }
  for (const DraftLayer& layer : draft.layers()) {
    LayerEntry entry{.name = layer.name,
                     .metadata_position = 0,
                     .metadata_size = 0,
                     .metadata_compression = 0,
                     .metadata_keys = {}};
    SILLAR_TRY(auto block, encode_metadata(layer, layout.names, entry));
    layout.metadata.push_back(std::move(block));
    layout.layers.push_back(std::move(entry));
  }
  layout.presence = presence_of(draft, layout);
  return layout;
}

/// Copies stored bytes; arrays that lie end to end are copied together.
class StoredCopier {
 public:
  StoredCopier(io::Sink& sink, const io::ReadControl& control) : sink_(sink), control_(control) {}

  /// Copies the stored bytes of an array now, or with those of the next ones.
  [[nodiscard]] Result<> append(const DraftArray::Stored& stored) {
    const IndexEntry& entry = *stored.file.array(stored.index).entry;
    const io::ByteSource* const source = &stored.file.source();
    if (source != source_ || entry.position != waiting_.offset + waiting_.size) {
      SILLAR_TRY(flush());
      source_ = source;
      waiting_ = {entry.position, 0};
    }
    waiting_.size += entry.total_bytes;
    return {};
  }

  /// Nothing waits afterwards.
  [[nodiscard]] Result<> flush() {
    while (waiting_.size != 0) {
      const io::ByteRange range{waiting_.offset, std::min(copy_step, waiting_.size)};
      SILLAR_TRY(in_source(
          source_->read(
              {&range, 1},
              [&](std::size_t, std::span<const std::byte> bytes) { return sink_.append(bytes); },
              control_),
          source_->name()));
      waiting_ = {range.offset + range.size, waiting_.size - range.size};
    }
    return {};
  }

 private:
  io::Sink& sink_;
  const io::ReadControl& control_;
  const io::ByteSource* source_ = nullptr;
  io::ByteRange waiting_;
};

/// Encodes blocks, some at a time, and appends them in their order.
class BlockWriter {
 public:
  BlockWriter(io::Sink& sink, const WriteOptions& options) : sink_(sink), options_(options) {}

  /// Fills the blocks and the stored size of `entry`.
  [[nodiscard]] Result<> append(std::span<const std::byte> raw, const Cut& cut,
                                const Storage& storage, IndexEntry& entry) {
    const BlockCodec codec = *find_compression(storage.compression)->codec;
    std::vector<BlockEncoder> encoders;
    const std::size_t threads = options_.pool == nullptr ? 1 : options_.pool->threads();
    for (std::size_t i = 0; i < threads; ++i) {
      SILLAR_TRY(auto encoder, BlockEncoder::make(codec, storage.level));
      encoders.push_back(std::move(encoder));
    }
    const auto piece = [&](std::uint64_t index) {
      const std::uint64_t at = index * cut.block_size;
      return raw.subspan(static_cast<std::size_t>(at),
                         static_cast<std::size_t>(std::min(cut.block_size, cut.raw - at)));
    };
    constexpr std::uint64_t batch_per_thread = 4;
    const std::uint64_t step = threads == 1 ? 1 : threads * batch_per_thread;
    std::vector<std::vector<std::byte>> stored(static_cast<std::size_t>(step));
    for (std::uint64_t first = 0; first < cut.blocks(); first += step) {
      SILLAR_TRY(options_.control.check());
      const std::uint64_t count = std::min(step, cut.blocks() - first);
      if (threads == 1) {
        SILLAR_TRY(keep(encoders[0].encode(piece(first)), piece(first).size(), first, entry));
        continue;
      }
      SILLAR_TRY(options_.pool->for_each(count, [&](std::uint64_t i, std::size_t worker) {
        const auto block = encoders[worker].encode(piece(first + i));
        stored[static_cast<std::size_t>(i)].assign(block.begin(), block.end());
        return Result<>{};
      }));
      for (std::uint64_t i = 0; i < count; ++i) {
        SILLAR_TRY(
            keep(stored[static_cast<std::size_t>(i)], piece(first + i).size(), first + i, entry));
      }
    }
    return {};
  }

 private:
  Result<> keep(std::span<const std::byte> block, std::size_t raw_size, std::uint64_t index,
                IndexEntry& entry) {
    entry.blocks[static_cast<std::size_t>(index)] = {.offset = entry.total_bytes,
                                                     .compressed_size = block.size(),
                                                     .uncompressed_size = raw_size};
    entry.total_bytes += block.size();
    return sink_.append(block);
  }

  io::Sink& sink_;
  const WriteOptions& options_;
};

/// The bytes of numbers in the order in which they are cut into blocks, in `buffer` where they are
/// not so already.
[[nodiscard]] std::span<const std::byte> serialized(const TensorView& view,
                                                    const Compression& compression,
                                                    std::vector<std::byte>& buffer) {
  const auto size = static_cast<std::size_t>(view.byte_size());
  const std::size_t element = size_of(view.dtype());
  const bool shuffled = compression.shuffle && element > 1;
  if (view.contiguous() && !shuffled) return view.bytes();
  buffer.resize(size);
  if (!shuffled) {
    gather(view, buffer);
  } else if (view.contiguous()) {
    codec::shuffle(view.bytes(), buffer, element);
  } else {
    std::vector<std::byte> elements(size);
    gather(view, elements);
    codec::shuffle(elements, buffer, element);
  }
  return buffer;
}

[[nodiscard]] Result<> append_array(const DraftArray& array, const Cut& cut, BlockWriter& writer,
                                    StoredCopier& copier, IndexEntry& entry) {
  if (const auto* stored = std::get_if<DraftArray::Stored>(&array.content))
    return copier.append(*stored);
  SILLAR_TRY(copier.flush());
  if (const auto* strings = std::get_if<Strings>(&array.content))
    return writer.append(strings->payload(), cut, array.storage, entry);
  std::vector<std::byte> buffer;
  return writer.append(serialized(std::get<DraftArray::Numbers>(array.content).view,
                                  *find_compression(array.storage.compression), buffer),
                       cut, array.storage, entry);
}

}  // namespace

Result<> write(const Draft& draft, std::unique_ptr<io::Sink> sink, const WriteOptions& options) {
  SILLAR_TRY(Layout layout, layout_of(draft));
  SILLAR_TRY(check_owners(draft, layout.layers));
  const auto first_header = layout.header();
  SILLAR_TRY(sink->reserve(first_header.size()));
  std::uint64_t position = first_header.size();
  BlockWriter writer(*sink, options);
  StoredCopier copier(*sink, options.control);
  for (std::size_t i = 0; i < draft.arrays().size(); ++i) {
    IndexEntry& entry = layout.entries[i];
    entry.position = position;
    SILLAR_TRY(append_array(draft.arrays()[i], layout.cuts[i], writer, copier, entry));
    position += entry.total_bytes;
  }
  SILLAR_TRY(copier.flush());
  for (std::size_t i = 0; i < layout.layers.size(); ++i) {
    if (layout.metadata[i].empty()) continue;
    layout.layers[i].metadata_position = position;
    SILLAR_TRY(sink->append(layout.metadata[i]));
    position += layout.metadata[i].size();
  }
  SILLAR_TRY(sink->put_front(layout.header()));
  return sink->finish();
}

Result<> update(const Draft& draft, const std::string& path, const WriteOptions& options) {
  if (!draft.is_changed()) return {};
  SILLAR_TRY(auto sink, io::create_file(path, {.overwrite = true}));
  return write(draft, std::move(sink), options);
}

}  // namespace sillar::stards
