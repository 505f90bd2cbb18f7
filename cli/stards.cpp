// What the verbs do with StarDS files.
#include "cli/stards.hpp"

#include "cli/progress.hpp"
#include "cli/signals.hpp"
#include "cli/text.hpp"
#include <sillar/stards/reader.hpp>
#include <sillar/stards/validate.hpp>
#include <sillar/stards/writer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

namespace sillar::cli {
namespace {

/// How much of a list the text shows; -v shows all of it.
constexpr std::uint64_t shown = 20;

/// An object that is filled without looking for each key among the others; the keys differ.
class ObjectOf {
 public:
  void put(std::string key, Json value) {
    object_.Json::object_t::Container::emplace_back(std::move(key), std::move(value));
  }
  [[nodiscard]] bool empty() const { return object_.empty(); }
  [[nodiscard]] Json take() { return Json(std::move(object_)); }

 private:
  Json::object_t object_;
};

[[nodiscard]] Result<stards::File> open_stards(std::shared_ptr<const io::ByteSource> source,
                                               const Input& input) {
  SILLAR_TRY(const Limits limits, Context::limits());
  return in_source(
      stards::open(std::move(source), {.limits = limits, .control = Context::control()}),
      input.path);
}

[[nodiscard]] Json shape_json(const Shape& shape) {
  Json list = Json::array();
  for (const std::uint64_t extent : shape) list.push_back(number(extent));
  return list;
}

[[nodiscard]] std::string shape_text(const Shape& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, " x "));
}

[[nodiscard]] std::string dtype_text(const stards::ArrayInfo& array) {
  return array.type() != nullptr ? std::string(array.type()->name)
                                 : fmt::format("data type {}", array.entry->data_type);
}

[[nodiscard]] std::string codec_text(const stards::ArrayInfo& array) {
  return array.compression() != nullptr ? std::string(array.compression()->name)
                                        : fmt::format("compression {}", array.entry->compression);
}

/// The decoded size of an array; the blocks may state more than 64 bits can count.
[[nodiscard]] std::uint64_t raw_bytes(const stards::ArrayInfo& array) {
  std::uint64_t sum = 0;
  for (const stards::Block& block : array.entry->blocks) {
    const auto more = checked_add(sum, block.uncompressed_size);
    if (!more) return UINT64_MAX;
    sum = *more;
  }
  return sum;
}

/// Why an array cannot be read, as far as its entry tells; null where it can.
[[nodiscard]] Json problem_json(const stards::File& file, const stards::ArrayInfo& array) {
  const auto checked = file.check(array);
  if (checked) return nullptr;
  return checked.error().rule != nullptr ? Json(checked.error().rule->id)
                                         : Json(name_of(checked.error().code));
}

[[nodiscard]] Json array_json(const stards::File& file, const stards::ArrayInfo& array) {
  Json json;
  json["dtype"] = array.type() != nullptr ? Json(array.type()->name) : Json(nullptr);
  json["shape"] = shape_json(array.shape());
  json["compression"] = array.entry->compression;
  json["codec"] = array.compression() != nullptr ? Json(array.compression()->name) : Json(nullptr);
  json["block_size"] = number(array.entry->block_size);
  json["nblocks"] = number(std::uint64_t{array.entry->blocks.size()});
  json["sliceable"] = array.is_sliceable();
  json["position"] = number(array.entry->position);
  json["stored_bytes"] = number(array.entry->total_bytes);
  json["raw_bytes"] = number(raw_bytes(array));
  json["problem"] = problem_json(file, array);
  return json;
}

/// The arrays of every layer that has some, in the order of the index.
[[nodiscard]] Json arrays_json(const stards::File& file) {
  std::vector<ObjectOf> by_layer(file.layer_count());
  for (std::size_t i = 0; i < file.array_count(); ++i) {
    const stards::ArrayInfo array = file.array(i);
    const auto layer = file.header().layers.find(array.layer).value_or(0);
    by_layer[layer].put(std::string(array.key), array_json(file, array));
  }
  ObjectOf arrays;
  for (std::size_t layer = 0; layer < by_layer.size(); ++layer) {
    if (!by_layer[layer].empty())
      arrays.put(std::string(file.layer(layer)), by_layer[layer].take());
  }
  return arrays.take();
}

struct MetadataJson {
  Json values;
  Json problems;
};

/// The metadata of every layer that has some; of a layer whose block cannot be read, the reason.
[[nodiscard]] Result<MetadataJson> metadata_json(const stards::File& file) {
  ObjectOf all;
  ObjectOf problems;
  for (std::size_t layer = 0; layer < file.layer_count(); ++layer) {
    const auto block = file.metadata(layer);
    if (!block) {
      if (block.error().rule == nullptr && block.error().code != Errc::over_limit)
        return std::unexpected(block.error());
      problems.put(std::string(file.layer(layer)), block.error().rule != nullptr
                                                       ? Json(block.error().rule->id)
                                                       : Json(name_of(block.error().code)));
      continue;
    }
    ObjectOf values;
    for (const stards::MetadataValue& value : (*block)->values) {
      values.put(file.header().keys[value.key].name,
                 Json{{"dtype", value.type->name}, {"shape", shape_json(value.shape)}});
    }
    if (!values.empty()) all.put(std::string(file.layer(layer)), values.take());
  }
  return MetadataJson{.values = all.take(), .problems = problems.take()};
}

[[nodiscard]] std::string array_line(const stards::File& file, const stards::ArrayInfo& array) {
  const stards::IndexEntry& entry = *array.entry;
  std::string text = fmt::format("    {}: {}, {}, {}", printable(array.key), dtype_text(array),
                                 shape_text(array.shape()), codec_text(array));
  if (entry.blocks.size() > 1) text += ", " + count_text(entry.blocks.size(), "block");
  if (entry.total_bytes != 0 && array.entry->compression != 0) {
    text += fmt::format(", ratio {:.2f}", static_cast<double>(raw_bytes(array)) /
                                              static_cast<double>(entry.total_bytes));
  }
  if (const auto checked = file.check(array); !checked)
    text += ": " + printable(checked.error().message());
  return text + "\n";
}

[[nodiscard]] std::string value_line(const stards::File& file, const stards::MetadataValue& value) {
  std::string text = fmt::format("    {}: {}, {}", printable(file.header().keys[value.key].name),
                                 value.type->name, shape_text(value.shape));
  constexpr std::size_t most = 60;
  if (value.strings && value.strings->size() == 1) {
    const std::string_view whole = (*value.strings)[0];
    text += fmt::format(", \"{}\"{}", printable(whole.substr(0, most)),
                        whole.size() > most ? "..." : "");
  }
  return text + "\n";
}

/// At most `shown` lines, and how many more there are.
[[nodiscard]] std::string lines_text(const std::vector<std::string>& lines, bool all) {
  std::string text;
  const std::size_t count = all ? lines.size() : std::min<std::size_t>(lines.size(), shown);
  for (std::size_t i = 0; i < count; ++i) text += lines[i];
  if (count < lines.size())
    text += fmt::format("    ... and {} more; -v shows all\n", lines.size() - count);
  return text;
}

[[nodiscard]] std::string layer_text(const stards::File& file, std::size_t layer,
                                     const std::vector<std::string>& arrays, bool all) {
  std::string text =
      fmt::format("  {}: {}\n", printable(file.layer(layer)), count_text(arrays.size(), "array"));
  text += lines_text(arrays, all);
  const auto block = file.metadata(layer);
  if (!block) return text + "  metadata: " + printable(block.error().message()) + "\n";
  if ((*block)->values.empty()) return text;
  std::vector<std::string> lines;
  for (const stards::MetadataValue& value : (*block)->values)
    lines.push_back(value_line(file, value));
  return text + "  metadata: " + count_text(lines.size(), "value") + "\n" + lines_text(lines, all);
}

[[nodiscard]] std::string file_text(const stards::File& file, bool all) {
  std::vector<std::vector<std::string>> arrays(file.layer_count());
  for (std::size_t i = 0; i < file.array_count(); ++i) {
    const stards::ArrayInfo array = file.array(i);
    const auto layer = file.header().layers.find(array.layer).value_or(0);
    arrays[layer].push_back(array_line(file, array));
  }
  std::string text;
  for (std::size_t layer = 0; layer < file.layer_count(); ++layer)
    text += layer_text(file, layer, arrays[layer], all);
  return text;
}

/// Strings as the bytes of a JSON list, in C order.
[[nodiscard]] Result<Tensor> json_bytes(const stards::Strings& strings) {
  Json list = Json::array();
  for (std::size_t i = 0; i < strings.size(); ++i) list.push_back(std::string(strings[i]));
  const std::string text = text_of(list, true);
  SILLAR_TRY(auto tensor, Tensor::allocate(DType::u8, {text.size()}));
  std::ranges::copy(std::as_bytes(std::span(text)), tensor.bytes().begin());
  return tensor;
}

[[nodiscard]] Result<Samples> samples_of(stards::Value value) {
  if (auto* tensor = std::get_if<Tensor>(&value))
    return Samples{.tensor = std::move(*tensor), .axes = ""};
  SILLAR_TRY(auto tensor, json_bytes(std::get<stards::Strings>(value)));
  return Samples{.tensor = std::move(tensor), .axes = ""};
}

/// What the target is told before anything is decoded. Strings become bytes; how many is not known
/// yet.
[[nodiscard]] Result<> announce(const BeforeDecoding& before, const stards::DataType& type,
                                const Shape& shape) {
  return type.dtype ? before(*type.dtype, shape) : before(DType::u8, {0});
}

}  // namespace

Result<Description> describe_stards(const Input& input, Context& context) {
  SILLAR_TRY(const auto file, open_stards(input.source, input));
  Description description;
  if (!context.json()) {
    description.text = file_text(file, context.verbose() > 0);
    return description;
  }
  Json& json = description.json;
  json["format_version"] = file.header().fixed.format_version;
  json["header_size"] = number(file.header().fixed.header_size);
  json["keys"] = number(std::uint64_t{file.header().keys.size()});
  json["layers"] = Json::array();
  for (std::size_t i = 1; i < file.layer_count(); ++i)
    json["layers"].push_back(std::string(file.layer(i)));
  json["arrays"] = arrays_json(file);
  SILLAR_TRY(auto metadata, metadata_json(file));
  json["metadata"] = std::move(metadata.values);
  json["metadata_problems"] = std::move(metadata.problems);
  return description;
}

Result<Report> validate_stards(const Input& input, const ValidateRequest& request,
                               Context& context) {
  if (request.header_blob) return fail(Errc::bad_argument, "a header blob is for rumi files");
  stards::ValidateOptions options;
  options.decode = request.decode;
  SILLAR_TRY(options.pool, context.pool());
  SILLAR_TRY(options.limits, Context::limits());
  options.control = Context::control();
  SILLAR_TRY(const std::uint64_t size, input.source->size());
  Progress progress(context.progress_style());
  progress.expect(size);
  return in_source(stards::validate(*watched(input.source, progress), options), input.path);
}

Result<Samples> read_stards(const Input& input, const ReadRequest& request,
                            const BeforeDecoding& before, Context& context) {
  const StardsParts& parts = request.stards;
  const auto refused = [&](std::string detail) {
    return in_source(Result<Samples>(fail(Errc::bad_argument, std::move(detail))), input.path);
  };
  if (!request.selection.selects_all() || request.header_blob)
    return refused("bands, times, windows and header blobs are not for StarDS files");
  if (!parts.has_key) return refused("--key says which array; `sillar info` lists them");
  Progress progress(context.progress_style());
  SILLAR_TRY(const auto file, open_stards(watched(input.source, progress), input));
  const stards::Scope scope{.layer = parts.layer, .inherit = parts.inherit};
  if (parts.metadata) {
    if (!parts.slice.empty()) return refused("a metadata value is read whole, without --slice");
    SILLAR_TRY(auto value, in_source(file.get_metadata(parts.key, scope), input.path));
    const auto* tensor = std::get_if<Tensor>(&value);
    SILLAR_TRY(before(tensor != nullptr ? tensor->dtype() : DType::u8,
                      tensor != nullptr ? tensor->shape() : Shape{0}));
    return samples_of(std::move(value));
  }
  stards::ReadOptions options{.scope = scope, .slice_shuffled = true};
  SILLAR_TRY(options.pool, context.pool());
  SILLAR_TRY(options.limits, Context::limits());
  options.control = Context::control();
  SILLAR_TRY(const auto array, file.find(parts.key, scope));
  SILLAR_TRY(const auto slices, in_source(stards::parse_slices(parts.slice), input.path));
  SILLAR_TRY(const auto plan, parts.slice.empty() ? file.plan(array, options.limits)
                                                  : file.plan(array, slices, options.limits));
  progress.expect(plan.fetched_bytes());
  SILLAR_TRY(announce(before, *plan.type, plan.shape));
  SILLAR_TRY(auto value, in_source(file.read(plan, options), input.path));
  return samples_of(std::move(value));
}

Result<> copy_stards(const Input& input, const std::string& output, bool overwrite,
                     Context& context) {
  std::error_code ignored;
  if (std::filesystem::equivalent(input.path, output, ignored))
    return in_source(Result<>(fail(Errc::bad_argument, "the output is the input")), output);
  Progress progress(context.progress_style());
  SILLAR_TRY(const std::uint64_t size, input.source->size());
  SILLAR_TRY(const auto file, open_stards(watched(input.source, progress), input));
  SILLAR_TRY(const auto draft, in_source(stards::Draft::of(file), input.path));
  progress.expect(size);
  static_cast<void>(stop_on_signals());
  SILLAR_TRY(auto sink, io::create_file(output, {.overwrite = overwrite}));
  stards::WriteOptions options;
  SILLAR_TRY(options.pool, context.pool());
  options.control = Context::control();
  return in_source(stards::write(draft, std::move(sink), options), output);
}

}  // namespace sillar::cli
