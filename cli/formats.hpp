// The formats that the command knows, and what it can do with files of each.
#pragma once

#include "cli/context.hpp"
#include "cli/selection_options.hpp"
#include <sillar/base/report.hpp>
#include <sillar/io/byte_source.hpp>
#include <sillar/opff/format.hpp>
#include <sillar/tensor/tensor.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sillar::cli {

struct Format;

/// An input whose format is known and whose bytes can be read; nothing of it was judged yet.
struct Input {
  std::string path;  ///< as the user wrote it
  std::shared_ptr<const io::ByteSource> source;
  const Format* format = nullptr;
};

/// What `info` says: the object of the JSON document, and the text.
struct Description {
  Json json;
  std::string text;
};

struct ValidateRequest {
  std::optional<std::vector<std::byte>> header_blob;
  bool decode = true;
};

/// What of an OPFF file is read, and how.
struct OpffParts {
  bool footer = false;     ///< the bytes behind the samples instead of the samples
  bool canonical = false;  ///< (frame, channel, y, x) and booleans, not the stored bytes
  opff::BitOrder bit_order = opff::BitOrder::msb_first;
};

/// What of a StarDS file is read.
struct StardsParts {
  bool has_key = false;  ///< else nothing can be read; a key may be empty
  std::string key;
  std::string layer = "__base__";
  bool metadata = false;  ///< the metadata value of that key, not the array
  bool inherit = false;   ///< what the layer lacks is looked for in the base layer
  std::string slice;      ///< "0:10:2,-3,:"; empty for all of the array
};

struct ReadRequest {
  std::optional<std::vector<std::byte>> header_blob;
  std::string header_path;
  SelectionOptions selection;
  bool no_verify = false;
  OpffParts opff;
  StardsParts stards;
};

/// Samples that were read, and what their axes are called.
struct Samples {
  Tensor tensor;
  std::string axes;
};

/// What a read would do.
struct PlanDescription {
  Json json;
  std::string text;
};

/// Called when a read is planned and before anything is decoded; an error ends it.
using BeforeDecoding = std::function<Result<>(DType dtype, const Shape& shape)>;

/// A format, and one function for everything that verbs ask of it; null where it is not built yet.
struct Format {
  std::string_view name;
  std::string_view title;  ///< as its specification spells it
  std::string_view extension;
  bool (*has_magic)(std::span<const std::byte> first_bytes);
  Result<Description> (*describe)(const Input&, Context&);
  Result<Report> (*validate)(const Input&, const ValidateRequest&, Context&);
  Result<PlanDescription> (*plan)(const Input&, const ReadRequest&, bool every_frame, Context&);
  Result<Samples> (*read)(const Input&, const ReadRequest&, const BeforeDecoding&, Context&);
};

[[nodiscard]] std::span<const Format> formats();
[[nodiscard]] const Format& rumi_format();

/// Fails with unsupported, by the format's name.
[[nodiscard]] std::unexpected<Error> not_built(const Format& format, std::string_view verb);

/// Opens a path, a file:// URL, or standard input ("-"), and tells its format: by its extension,
/// else by its first bytes. Fails with not_found, unsupported (another scheme), malformed (no known
/// format), io.
[[nodiscard]] Result<Input> open_input(const std::string& path);

/// The same, of a format that was already decided.
[[nodiscard]] Result<Input> open_input_as(const Format& format, const std::string& path);

/// More than any header blob of a file within the limits has.
inline constexpr std::uint64_t most_of_blob = std::uint64_t{512} << 20;

/// All bytes of a small file or of standard input. Fails with over_limit past `limit`.
[[nodiscard]] Result<std::vector<std::byte>> read_all(const std::string& path, std::uint64_t limit);

}  // namespace sillar::cli
