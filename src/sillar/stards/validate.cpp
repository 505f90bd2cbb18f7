// The reader's checks run to the end, and what only a judge asks.
#include <sillar/stards/validate.hpp>

#include <sillar/exec/shelf.hpp>
#include <sillar/stards/block.hpp>

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace sillar::stards {
namespace {

/// A failure that is a finding of its own is in the report already; others end the validation.
[[nodiscard]] bool is_finding(const Error& error) { return error.rule != nullptr; }

/// The hashes against the functions that are known; one finding for all.
void check_hashes(const KeyRegistry& keys, Report& report) {
  std::uint64_t at = fixed_header_size;
  std::uint64_t unknown = 0;
  std::uint64_t first_at = 0;
  for (const KeyEntry& key : keys.entries()) {
    const std::uint64_t hash_at = at + 2 + key.name.size();
    at = hash_at + 8;
    if (key.hash == hash_of(key.name) || key.hash == fnv1a_of(key.name)) continue;
    if (unknown++ == 0) first_at = hash_at;
  }
  if (unknown == 0) return;
  report.add(rules::file_hash, first_at,
             std::to_string(unknown) + " of " + std::to_string(keys.size()) +
                 " keys have a hash of no known function");
}

/// Keys that nothing refers to; one finding for all.
void check_used_keys(const HeaderSection& header, Report& report) {
  const KeyRegistry& keys = header.keys;
  std::vector<bool> used(keys.size());
  for (const LayerEntry& layer : header.layers.entries()) {
    for (const std::uint16_t key : layer.metadata_keys) used[key] = true;
  }
  for (const IndexEntry& entry : header.index.entries) {
    used[entry.key] = true;
    // The key within the layer is registered as well.
    const auto owner = header.layers.owner_of(keys[entry.key].name);
    if (owner.layer == 0) continue;
    if (const auto logical = keys.find(owner.key)) used[*logical] = true;
  }
  const auto unused = std::ranges::count(used, false);
  if (unused == 0) return;
  const auto first = static_cast<std::size_t>(std::ranges::find(used, false) - used.begin());
  std::uint64_t at = fixed_header_size;
  for (std::size_t i = 0; i < first; ++i) at += 2 + keys[i].name.size() + 8;
  report.add(rules::file_unused_key, at,
             std::to_string(unused) + " of " + std::to_string(keys.size()) +
                 " keys belong to nothing, key " + std::to_string(first) + " is the first");
}

/// Bits past the last entry; one finding for all.
void check_presence_bits(const HeaderSection& header, Report& report) {
  const std::uint64_t words = presence_words(header.fixed.entry_count);
  const std::uint64_t spare = words * 64 - header.fixed.entry_count;
  if (spare == 0) return;
  const std::uint64_t past = ~std::uint64_t{0} << (64 - spare);
  for (std::uint64_t layer = 0; layer < header.layers.size(); ++layer) {
    const std::uint64_t last = (layer + 1) * words - 1;
    if ((header.presence[static_cast<std::size_t>(last)] & past) == 0) continue;
    report.add(rules::file_presence_past_end, header.presence_offset + 8 * last,
               "layer " + std::to_string(layer) + " has bits past entry " +
                   std::to_string(header.fixed.entry_count - 1));
    return;
  }
}

/// What the blocks of one array gave.
struct BlockFindings {
  std::vector<std::pair<std::uint64_t, Error>> errors;  // by block
  std::vector<std::pair<std::uint64_t, BlockRemarks>> remarks;
};

/// Decodes every block of a sound array, into `out` where that is not empty.
[[nodiscard]] Result<BlockFindings> decode_blocks(const io::ByteSource& source, const Plan& plan,
                                                  std::span<std::byte> out,
                                                  exec::Shelf<BlockDecoder>& decoders,
                                                  const ValidateOptions& options) {
  BlockFindings found;
  std::mutex mutex;
  const auto check = [&](std::uint64_t index, std::size_t) -> Result<> {
    const PlannedBlock& block = plan.blocks[static_cast<std::size_t>(index)];
    const auto size = static_cast<std::size_t>(block.raw_size);
    return source.read(
        {&block.range, 1},
        [&](std::size_t, std::span<const std::byte> stored) -> Result<> {
          // What is stored as it is decodes to itself.
          if (plan.codec == BlockCodec::none && out.empty()) return {};
          const auto decoder = decoders.borrow();
          const auto target = out.empty()
                                  ? decoder->scratch(size)
                                  : out.subspan(static_cast<std::size_t>(block.raw_start), size);
          auto decoded = decoder->decode(plan.codec, stored, target);
          const std::scoped_lock lock(mutex);
          if (!decoded) {
            Error error = std::move(decoded).error();
            error.offset = block.range.offset;
            error.detail = "block " + std::to_string(index) + ": " + error.detail;
            found.errors.emplace_back(index, std::move(error));
          } else if (decoded->gzip_wrapper || decoded->trailing_input) {
            found.remarks.emplace_back(index, *decoded);
          }
          return {};
        },
        options.control);
  };
  SILLAR_TRY(exec::for_each(options.pool, plan.blocks.size(), check));
  const auto by_block = [](const auto& entry) { return entry.first; };
  std::ranges::sort(found.errors, {}, by_block);
  std::ranges::sort(found.remarks, {}, by_block);
  return found;
}

/// The first block of each remark stands for all.
void add_remarks(const BlockFindings& found, const Plan& plan, Report& report) {
  const auto first = [&](bool BlockRemarks::* remark, const Rule& rule, std::string_view what) {
    for (const auto& [index, remarks] : found.remarks) {
      if (!(remarks.*remark)) continue;
      report.add(rule, plan.blocks[static_cast<std::size_t>(index)].range.offset,
                 "block " + std::to_string(index) + std::string(what));
      return;
    }
  };
  first(&BlockRemarks::gzip_wrapper, rules::array_gzip_wrapper, " is a gzip stream");
  first(&BlockRemarks::trailing_input, rules::array_trailing_input, " has bytes behind its stream");
}

/// The content of an array whose entry is sound.
[[nodiscard]] Result<> check_content(const io::ByteSource& source, const IndexEntry& entry,
                                     exec::Shelf<BlockDecoder>& decoders,
                                     const ValidateOptions& options, Report& report) {
  SILLAR_TRY(const Plan plan, make_plan(entry, all_of(entry.shape), options.limits));
  const bool strings = !plan.type->dtype;
  std::vector<std::byte> payload(strings ? static_cast<std::size_t>(plan.bytes) : 0);
  SILLAR_TRY(auto found, decode_blocks(source, plan, payload, decoders, options));
  add_remarks(found, plan, report);
  const bool decodes = found.errors.empty();
  for (auto& [index, error] : found.errors) report.add(Severity::error, std::move(error));
  if (strings && decodes)
    static_cast<void>(check_string_array(payload, entry.shape, entry.position, report));
  return {};
}

/// Bytes of the file that belong to an array or a metadata block.
struct Payload {
  std::uint64_t begin;
  std::uint64_t end;
  bool is_metadata;
  std::uint64_t place;  ///< byte of the header section that tells the position
  std::string name;
};

/// The payloads that lie in the data section; nothing where one does not, since its bytes would be
/// missed.
[[nodiscard]] std::optional<std::vector<Payload>> payloads_of(const HeaderSection& header,
                                                              std::uint64_t file_size) {
  std::vector<Payload> list;
  bool all_inside = true;
  const auto take = [&](std::uint64_t begin, std::uint64_t size, bool is_metadata,
                        std::uint64_t place, std::string name) {
    if (size == 0) return;
    const auto end = checked_add(begin, size);
    if (!end || *end > file_size || begin < header.fixed.header_size) {
      all_inside = false;
      return;
    }
    list.push_back({begin, *end, is_metadata, place, std::move(name)});
  };
  for (std::size_t i = 0; i < header.index.entries.size(); ++i) {
    const IndexEntry& entry = header.index.entries[i];
    take(entry.position, entry.total_bytes, false, header.index.offsets[i] + entry_position_at,
         "array " + std::to_string(i));
  }
  for (std::size_t i = 0; i < header.layers.size(); ++i) {
    const LayerEntry& layer = header.layers[i];
    take(layer.metadata_position, layer.metadata_size, true,
         header.layers.offset(i) + 2 + layer.name.size(),
         "the metadata of layer " + std::to_string(i));
  }
  std::ranges::stable_sort(list, {}, &Payload::begin);
  if (!all_inside) return std::nullopt;
  return list;
}

void add_overlap(const Payload& payload, const Payload& other, Report& report) {
  report.add(payload.is_metadata ? rules::metadata_overlap : rules::array_overlap, payload.place,
             payload.name + " has bytes " + std::to_string(payload.begin) + " to " +
                 std::to_string(payload.end) + ", " + other.name + " " +
                 std::to_string(other.begin) + " to " + std::to_string(other.end));
}

/// Overlaps, gaps, and bytes behind the last payload.
void check_placement(const HeaderSection& header, std::uint64_t file_size, Report& report) {
  const auto list = payloads_of(header, file_size);
  if (!list) return;
  std::uint64_t end = header.fixed.header_size;
  const Payload* last = nullptr;  // the one that ends at `end`
  for (const Payload& payload : *list) {
    if (last != nullptr && payload.begin < end) {
      add_overlap(payload, *last, report);
      if (payload.is_metadata != last->is_metadata) add_overlap(*last, payload, report);
    } else if (payload.begin > end) {
      report.add(rules::file_gap, end,
                 std::to_string(payload.begin - end) + " bytes belong to nothing");
    }
    if (payload.end > end) {
      end = payload.end;
      last = &payload;
    }
  }
  if (end != file_size) {
    report.add(rules::file_trailing_file, end,
               std::to_string(file_size - end) + " bytes follow the last payload");
  }
}

[[nodiscard]] Result<> check_arrays(const io::ByteSource& source, const HeaderSection& header,
                                    std::uint64_t file_size, const ValidateOptions& options,
                                    Report& report) {
  exec::Shelf<BlockDecoder> decoders([] { return std::make_unique<BlockDecoder>(); });
  for (std::size_t i = 0; i < header.index.entries.size(); ++i) {
    const IndexEntry& entry = header.index.entries[i];
    Report mine(Report::Until::end);
    check_array(entry, header.index.offsets[i], header.fixed.header_size, file_size, mine);
    if (options.decode && refusal_of(mine))
      SILLAR_TRY(check_content(source, entry, decoders, options, mine));
    const std::string name = "array " + std::to_string(i) + ": ";
    for (Finding finding : mine.findings()) {
      finding.error.detail.insert(0, name);
      report.add(finding.severity, std::move(finding.error));
    }
  }
  return {};
}

}  // namespace

Result<Report> validate(const io::ByteSource& source, const ValidateOptions& options) {
  Report report(Report::Until::end);
  const auto work = [&]() -> Result<> {
    SILLAR_TRY(const std::uint64_t file_size, source.size());
    const auto header = check_header_of(source, options.header_bytes, report, options.control);
    if (!header) return is_finding(header.error()) ? Result<>{} : std::unexpected(header.error());
    check_hashes(header->keys, report);
    check_used_keys(*header, report);
    check_presence_bits(*header, report);
    SILLAR_TRY(check_arrays(source, *header, file_size, options, report));
    for (std::size_t layer = 0; layer < header->layers.size(); ++layer) {
      SILLAR_TRY(
          check_metadata_of(source, *header, layer, options.limits, report, options.control));
    }
    check_placement(*header, file_size, report);
    return {};
  };
  SILLAR_TRY(in_source(work(), source.name()));
  return report;
}

}  // namespace sillar::stards
