// Reading: find, plan, fetch, decode, place.
#include <sillar/stards/reader.hpp>

#include <sillar/codec/shuffle.hpp>
#include <sillar/exec/shelf.hpp>
#include <sillar/stards/block.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <mutex>
#include <utility>

namespace sillar::stards {
namespace {

static_assert(std::endian::native == std::endian::little,
              "elements are stored little-endian and handed out as they are");

[[nodiscard]] std::string quoted(std::string_view name) { return "\"" + std::string(name) + "\""; }

/// An error inside a block, told as one of the file.
[[nodiscard]] std::unexpected<Error> in_block(Error error, const PlannedBlock& block) {
  if (!error.offset) error.offset = block.range.offset;
  error.detail = "block " + std::to_string(block.index) + ": " + error.detail;
  return std::unexpected(std::move(error));
}

/// Copies what the walk takes of a decoded block.
void place_block(const Walk& walk, const PlannedBlock& block, std::span<const std::byte> raw,
                 std::span<std::byte> out) {
  const std::uint64_t begin = block.raw_start;
  const std::uint64_t end = begin + block.raw_size;
  for (WalkCursor cursor(walk, block.first_run); !cursor.done() && cursor.raw() < end;
       cursor.next()) {
    // A run may begin in an earlier block, or end in a later one.
    const std::uint64_t from = std::max(cursor.raw(), begin);
    const std::uint64_t to = std::min(cursor.raw() + walk.run, end);
    const auto piece =
        raw.subspan(static_cast<std::size_t>(from - begin), static_cast<std::size_t>(to - from));
    const auto at = static_cast<std::uint64_t>(cursor.out()) + (from - cursor.raw());
    std::ranges::copy(piece, out.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

/// Decodes one fetched block and puts the selected bytes in place.
[[nodiscard]] Result<> decode_and_place(const Plan& plan, const PlannedBlock& block,
                                        std::span<const std::byte> stored, std::span<std::byte> out,
                                        BlockDecoder& decoder) {
  const auto size = static_cast<std::size_t>(block.raw_size);
  const Walk& walk = plan.walk;
  const bool in_place = walk.axes.empty() && block.raw_start >= walk.raw_start &&
                        block.raw_start + size <= walk.raw_start + walk.run;
  if (in_place) {
    const auto at = static_cast<std::size_t>(block.raw_start - walk.raw_start);
    const auto done = decoder.decode(plan.codec, stored, out.subspan(at, size));
    if (!done) return in_block(done.error(), block);
    return {};
  }
  if (plan.codec == BlockCodec::none && stored.size() == size) {
    place_block(walk, block, stored, out);
    return {};
  }
  const auto scratch = decoder.scratch(size);
  const auto done = decoder.decode(plan.codec, stored, scratch);
  if (!done) return in_block(done.error(), block);
  place_block(walk, block, scratch, out);
  return {};
}

/// How many blocks one task of a parallel read takes.
[[nodiscard]] std::uint64_t blocks_per_task(std::uint64_t blocks, std::size_t threads) {
  constexpr std::uint64_t most = 16;
  constexpr std::uint64_t tasks_per_thread = 4;
  return std::clamp<std::uint64_t>(blocks / (threads * tasks_per_thread), 1, most);
}

[[nodiscard]] Result<Value> value_of(const MetadataValue& value) {
  if (value.strings) return Value(*value.strings);
  if (!has_strides(value.shape))
    return fail(Errc::over_limit, "the value is larger than the address space");
  SILLAR_TRY(auto tensor, Tensor::allocate(*value.type->dtype, value.shape));
  std::ranges::copy(value.bytes, tensor.bytes().begin());
  return Value(std::move(tensor));
}

}  // namespace

bool ArrayInfo::is_sliceable() const {
  const Compression* known = compression();
  return !entry->blocks.empty() && (known == nullptr || !known->shuffle);
}

struct File::State {
  std::shared_ptr<const io::ByteSource> source;
  HeaderSection header;
  std::vector<Membership> owners;           // of each index entry
  std::vector<std::uint32_t> entry_of_key;  // or no_entry
  Limits limits;
  io::ReadControl control;
  mutable exec::Shelf<BlockDecoder> decoders{[] { return std::make_unique<BlockDecoder>(); }};
  mutable std::mutex mutex;                                            // of what follows
  mutable std::vector<std::shared_ptr<const MetadataBlock>> metadata;  // of each layer, if read
};

namespace {
constexpr std::uint32_t no_entry = std::numeric_limits<std::uint32_t>::max();
}  // namespace

Result<File> open(const std::string& path, const OpenOptions& options) {
  SILLAR_TRY(auto source, io::open_file(path));
  return open(std::move(source), options);
}

Result<File> open(std::span<const std::byte> bytes, const OpenOptions& options) {
  return open(io::memory_source(bytes), options);
}

Result<File> open(std::shared_ptr<const io::ByteSource> source, const OpenOptions& options) {
  Report report(Report::Until::first_error);
  SILLAR_TRY(auto header,
             in_source(check_header_of(*source, options.header_bytes, report, options.control),
                       source->name()));
  auto state = std::make_shared<File::State>();
  state->source = std::move(source);
  state->header = std::move(header);
  state->limits = options.limits;
  state->control = options.control;
  const KeyRegistry& keys = state->header.keys;
  const auto& entries = state->header.index.entries;
  state->entry_of_key.assign(keys.size(), no_entry);
  state->owners.reserve(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    state->entry_of_key[entries[i].key] = static_cast<std::uint32_t>(i);
    state->owners.push_back(state->header.layers.owner_of(keys[entries[i].key].name));
  }
  state->metadata.resize(state->header.layers.size());
  return File(std::move(state));
}

const HeaderSection& File::header() const { return state_->header; }
const io::ByteSource& File::source() const { return *state_->source; }

std::string_view File::layer(std::size_t index) const { return header().layers[index].name; }

ArrayInfo File::array(std::size_t index) const {
  const Membership& owner = state_->owners[index];
  return {.index = index,
          .layer = layer(owner.layer),
          .key = owner.key,
          .entry = &header().index.entries[index]};
}

Result<ArrayInfo> File::find(std::string_view key, const Scope& scope) const {
  const auto refused = [&](std::string detail) {
    return in_source(Result<ArrayInfo>(fail(Errc::bad_argument, std::move(detail))),
                     source().name());
  };
  const auto layer = header().layers.find(scope.layer);
  if (!layer) return refused("there is no layer " + quoted(scope.layer));
  const auto found = [&](std::uint32_t wanted) -> std::optional<ArrayInfo> {
    const auto index = header().keys.find(storage_key(this->layer(wanted), key));
    if (!index || state_->entry_of_key[*index] == no_entry) return std::nullopt;
    const std::uint32_t entry = state_->entry_of_key[*index];
    if (state_->owners[entry].layer != wanted) return std::nullopt;
    return array(entry);
  };
  if (const auto here = found(*layer)) return *here;
  if (scope.inherit && *layer != 0) {
    if (const auto base = found(0)) return *base;
  }
  return refused("there is no array " + quoted(key) + " in layer " + quoted(scope.layer));
}

Result<> File::check(const ArrayInfo& array) const {
  SILLAR_TRY(const std::uint64_t file_size, source().size());
  Report report(Report::Until::end);
  check_array(*array.entry, header().index.offsets[array.index], header().fixed.header_size,
              file_size, report);
  return in_source(refusal_of(report), source().name());
}

Result<bool> File::is_sliceable(std::string_view key, const Scope& scope) const {
  SILLAR_TRY(const ArrayInfo array, find(key, scope));
  return array.is_sliceable();
}

Result<Plan> File::plan(const ArrayInfo& array, const Limits& limits) const {
  SILLAR_TRY(check(array));
  return in_source(make_plan(*array.entry, all_of(array.shape()), limits), source().name());
}

Result<Plan> File::plan(const ArrayInfo& array, std::span<const Slice> slices,
                        const Limits& limits) const {
  SILLAR_TRY(check(array));
  SILLAR_TRY(auto ranges, in_source(resolve(slices, array.shape()), source().name()));
  return in_source(make_plan(*array.entry, std::move(ranges), limits), source().name());
}

Result<Plan> File::whole_plan(std::string_view key, const ReadOptions& options) const {
  SILLAR_TRY(const ArrayInfo array, find(key, options.scope));
  return plan(array, options.limits);
}

Result<Plan> File::slice_plan(std::string_view key, std::span<const Slice> slices,
                              const ReadOptions& options) const {
  SILLAR_TRY(const ArrayInfo array, find(key, options.scope));
  SILLAR_TRY(check(array));
  if (array.compression()->shuffle && !options.slice_shuffled) {
    return in_source(Result<Plan>(fail(Errc::bad_argument,
                                       quoted(key) + " is shuffled, hence not sliceable: get all "
                                                     "of it, or ask for slices of shuffled arrays",
                                       array.entry->position)),
                     source().name());
  }
  return plan(array, slices, options.limits);
}

Result<Value> File::get(std::string_view key, const ReadOptions& options) const {
  SILLAR_TRY(const Plan plan, whole_plan(key, options));
  return read(plan, options);
}

Result<Value> File::get_slice(std::string_view key, std::span<const Slice> slices,
                              const ReadOptions& options) const {
  SILLAR_TRY(const Plan plan, slice_plan(key, slices, options));
  return read(plan, options);
}

Result<Value> File::read(const Plan& plan, const ReadOptions& options) const {
  if (!plan.type->dtype) {
    SILLAR_TRY(auto strings, read_strings(plan, options));
    return Value(std::move(strings));
  }
  SILLAR_TRY(auto tensor,
             Tensor::allocate(*plan.type->dtype, plan.shape, options.limits.output_bytes));
  SILLAR_TRY(read_into(plan, tensor.bytes(), options));
  return Value(std::move(tensor));
}

Result<> File::read_into(const Plan& plan, std::span<std::byte> out,
                         const ReadOptions& options) const {
  if (out.size() != plan.bytes) {
    return fail(Errc::bad_argument, "the output has " + std::to_string(out.size()) +
                                        " bytes, the plan " + std::to_string(plan.bytes));
  }
  std::unique_ptr<std::byte[]> planes;
  std::span<std::byte> target = out;
  if (plan.planes > 1) {
    planes = std::make_unique_for_overwrite<std::byte[]>(out.size());
    target = {planes.get(), out.size()};
  }
  const auto run = [&](std::span<const PlannedBlock> blocks, BlockDecoder& decoder) -> Result<> {
    std::vector<io::ByteRange> ranges;
    ranges.reserve(blocks.size());
    for (const PlannedBlock& block : blocks) ranges.push_back(block.range);
    return source().read(
        ranges,
        [&](std::size_t i, std::span<const std::byte> stored) {
          return decode_and_place(plan, blocks[i], stored, target, decoder);
        },
        options.control);
  };
  Result<> done;
  if (options.pool == nullptr || options.pool->threads() == 1 || plan.blocks.size() <= 1) {
    const auto decoder = state_->decoders.borrow();
    done = run(plan.blocks, *decoder);
  } else {
    const std::uint64_t step = blocks_per_task(plan.blocks.size(), options.pool->threads());
    done = options.pool->for_each(
        ceil_div(plan.blocks.size(), step), [&](std::uint64_t task, std::size_t) {
          const auto decoder = state_->decoders.borrow();
          const auto rest = std::span(plan.blocks).subspan(task * step);
          return run(rest.first(std::min<std::size_t>(step, rest.size())), *decoder);
        });
  }
  SILLAR_TRY(in_source(std::move(done), source().name()));
  if (plan.planes > 1) codec::unshuffle(target, out, static_cast<std::size_t>(plan.planes));
  return {};
}

Result<Strings> File::read_strings(const Plan& plan, const ReadOptions& options) const {
  std::vector<std::byte> payload(static_cast<std::size_t>(plan.bytes));
  SILLAR_TRY(read_into(plan, payload, options));
  const std::uint64_t at = plan.blocks.empty() ? 0 : plan.blocks.front().range.offset;
  Report report(Report::Until::first_error);
  auto strings = check_string_array(payload, plan.array_shape, at, report);
  if (!strings)
    return in_source(Result<Strings>(std::unexpected(report.verdict().error())), source().name());
  if (plan.shape == plan.array_shape && plan.shape.size() == plan.ranges.size() &&
      std::ranges::none_of(plan.ranges, &AxisRange::backwards)) {
    return *std::move(strings);
  }
  return in_source(strings->picked(plan.shape, places_of(plan.ranges, plan.array_shape)),
                   source().name());
}

Result<std::shared_ptr<const MetadataBlock>> File::metadata(std::size_t layer) const {
  const std::scoped_lock lock(state_->mutex);
  auto& kept = state_->metadata[layer];
  if (kept == nullptr) {
    Report report(Report::Until::end);
    SILLAR_TRY(auto block, in_source(check_metadata_of(source(), header(), layer, state_->limits,
                                                       report, state_->control),
                                     source().name()));
    SILLAR_TRY(in_source(refusal_of(report), source().name()));
    kept = std::make_shared<const MetadataBlock>(*std::move(block));
  }
  return kept;
}

Result<const MetadataValue*> File::find_metadata(
    std::string_view key, const Scope& scope, std::shared_ptr<const MetadataBlock>& holder) const {
  const auto refused = [&](std::string detail) {
    return in_source(Result<const MetadataValue*>(fail(Errc::bad_argument, std::move(detail))),
                     source().name());
  };
  const auto layer = header().layers.find(scope.layer);
  if (!layer) return refused("there is no layer " + quoted(scope.layer));
  const auto index = header().keys.find(key);
  for (const std::uint32_t place : {*layer, std::uint32_t{0}}) {
    if (place != *layer && !scope.inherit) break;
    // A key that the registry does not list for the layer is not there, whatever the block holds.
    const auto& listed = header().layers[place].metadata_keys;
    if (!index || std::ranges::find(listed, *index) == listed.end()) continue;
    SILLAR_TRY(holder, metadata(place));
    return holder->find(*index);
  }
  return refused("there is no metadata " + quoted(key) + " in layer " + quoted(scope.layer));
}

Result<Value> File::get_metadata(std::string_view key, const Scope& scope) const {
  std::shared_ptr<const MetadataBlock> holder;
  SILLAR_TRY(const MetadataValue* value, find_metadata(key, scope, holder));
  return value_of(*value);
}

std::unexpected<Error> other_type(const DataType& stored, std::uint8_t wanted) {
  return fail(Errc::bad_argument, "the elements are " + std::string(stored.name) + ", not " +
                                      std::string(find_data_type(wanted)->name));
}

}  // namespace sillar::stards
