// The header is a Python literal; a parser of just that dictionary reads it.
//
//     "\x93NUMPY" major minor  header length (2 bytes, from version 2 on 4)  header, padded with
//     spaces and a newline     samples
#include <sillar/convert/npy.hpp>

#include <sillar/base/checked.hpp>
#include <sillar/io/pending_file.hpp>
#include <sillar/tensor/copy.hpp>
#include <sillar/tensor/tensor.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstring>
#include <utility>

namespace sillar::convert {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::uint64_t longest_header = std::uint64_t{1} << 20;
constexpr std::uint64_t alignment = 64;

[[nodiscard]] std::unexpected<Error> broken(std::string detail) {
  return fail(Errc::malformed, "npy header: " + std::move(detail));
}

/// Reads {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4)}.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  Result<NpyHeader> parse() {
    bool has_descr = false;
    bool has_order = false;
    bool has_shape = false;
    if (!take('{')) return broken("expected a dictionary");
    while (!take('}')) {
      SILLAR_TRY(const std::string key, text());
      if (!take(':')) return broken("expected a colon behind '" + key + "'");
      if (key == "descr") {
        if (peek() == '[') return fail(Errc::unsupported, "structured arrays are no rasters");
        SILLAR_TRY(const std::string descr, text());
        SILLAR_TRY(set_type(descr));
        has_descr = true;
      } else if (key == "fortran_order") {
        SILLAR_TRY(header_.fortran_order, boolean());
        has_order = true;
      } else if (key == "shape") {
        SILLAR_TRY(header_.shape, shape());
        has_shape = true;
      } else {
        return broken("unknown key '" + key + "'");
      }
      if (!take(',') && peek() != '}')
        return broken("expected a comma behind the value of '" + key + "'");
    }
    if (!has_descr || !has_order || !has_shape)
      return broken("descr, fortran_order or shape is missing");
    if (peek() != '\0') return broken("something follows the dictionary");
    return std::move(header_);
  }

 private:
  char peek() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0)
      rest_.remove_prefix(1);
    return rest_.empty() ? '\0' : rest_.front();
  }

  bool take(char letter) {
    if (peek() != letter) return false;
    rest_.remove_prefix(1);
    return true;
  }

  Result<std::string> text() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return broken("expected a string");
    rest_.remove_prefix(1);
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) return broken("a string does not end");
    std::string found(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return found;
  }

  Result<bool> boolean() {
    peek();
    for (const auto& [word, value] :
         {std::pair{std::string_view("True"), true}, std::pair{std::string_view("False"), false}}) {
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return value;
      }
    }
    return broken("fortran_order is neither True nor False");
  }

  Result<Shape> shape() {
    if (!take('(')) return broken("shape is no tuple");
    Shape extents;
    while (!take(')')) {
      peek();
      std::uint64_t extent = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (error != std::errc{}) return broken("shape holds something that is no number");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      if (peek() == 'L') rest_.remove_prefix(1);  // Python 2
      extents.push_back(extent);
      if (!take(',') && peek() != ')') return broken("shape is no tuple");
    }
    return extents;
  }

  /// "<f4", "|u1", ">c16", "|V2"
  Result<> set_type(const std::string& descr) {
    std::string_view rest = descr;
    char order = '=';
    if (!rest.empty() && std::string_view("<>|=").contains(rest.front())) {
      order = rest.front();
      rest.remove_prefix(1);
    }
    if (rest.empty()) return broken("descr is empty");
    const char kind = rest.front();
    rest.remove_prefix(1);
    std::uint64_t size = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    const bool plain = error == std::errc{} && end == rest.data() + rest.size();
    header_.item_size = size;
    header_.swapped = size > 1 && kind != 'V' &&
                      order == (std::endian::native == std::endian::little ? '>' : '<');
    if (plain && kind == 'V' && size > 0) return {};
    if (plain) {
      const std::string bits = std::to_string(size * 8);
      const std::string_view family = kind == 'b'   ? "bool"
                                      : kind == 'u' ? "uint"
                                      : kind == 'i' ? "int"
                                      : kind == 'f' ? "float"
                                      : kind == 'c' ? "complex"
                                                    : "";
      if (!family.empty())
        header_.dtype =
            dtype_of(kind == 'b' && size == 1 ? std::string(family) : std::string(family) + bits);
      if (kind == 'c' && size < 8) header_.dtype.reset();  // NumPy has no such type
    }
    if (!header_.dtype)
      return fail(Errc::unsupported, "arrays of type '" + descr + "' are no rasters");
    return {};
  }

  std::string_view rest_;
  NpyHeader header_;
};

/// The strides of a file of `extents` (t, b, y, x), in elements.
[[nodiscard]] std::array<std::uint64_t, 4> strides_of(const std::array<std::uint64_t, 4>& extents,
                                                      bool fortran_order) {
  std::array<std::uint64_t, 4> strides{};
  std::uint64_t stride = 1;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t axis = fortran_order ? i : 3 - i;
    strides[axis] = stride;
    stride *= extents[axis];
  }
  return strides;
}

template <class Word>
void swap_words(std::byte* bytes, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i, bytes += sizeof(Word)) {
    Word word;
    std::memcpy(&word, bytes, sizeof word);
    word = std::byteswap(word);
    std::memcpy(bytes, &word, sizeof word);
  }
}

/// Turns the byte order of numbers of `size` bytes.
void swap_order(std::span<std::byte> bytes, std::size_t size) {
  if (size == 2) swap_words<std::uint16_t>(bytes.data(), bytes.size() / 2);
  if (size == 4) swap_words<std::uint32_t>(bytes.data(), bytes.size() / 4);
  if (size == 8) swap_words<std::uint64_t>(bytes.data(), bytes.size() / 8);
}

class NpySource final : public RasterSource {
 public:
  NpySource(std::shared_ptr<const io::ByteSource> source, const NpyHeader& header,
            RasterDescription description)
      : source_(std::move(source)),
        header_(header),
        description_(std::move(description)),
        extents_{description_.times, description_.bands, description_.rows, description_.cols},
        strides_(strides_of(extents_, header.fortran_order)) {}

  const RasterDescription& description() const override { return description_; }
  bool concurrent() const override { return true; }
  Grain grain() const override {
    if (!header_.fortran_order) return {.rows = 1, .cols = description_.cols, .all_planes = false};
    return {.rows = description_.rows, .cols = 1, .all_planes = true};
  }

  Result<> read(const Region& region, const MutableTensorView& out,
                const std::stop_token& stop) override {
    // The file is a list of lines: rows in C order, columns of all planes in Fortran order. A part
    // of each line is one range; lines that are wanted whole and lie together are read together.
    std::vector<io::ByteRange> ranges;
    std::vector<TakenPart> parts;
    header_.fortran_order ? plan_columns(region, ranges, parts) : plan_rows(region, ranges, parts);
    std::vector<std::byte> turned;
    const std::size_t size = size_of(description_.dtype);
    const auto place = [&](std::size_t index, std::span<const std::byte> bytes) -> Result<> {
      if (header_.swapped) {
        turned.assign(bytes.begin(), bytes.end());
        swap_order(turned, info(description_.dtype).component_size);
        bytes = turned;
      }
      const TakenPart& part = parts[index];
      Strides strides;
      for (std::size_t axis = 0; axis < 4; ++axis)
        strides.push_back(static_cast<std::int64_t>(part.strides[axis]));
      MutableTensorView to = out;
      for (std::size_t axis = 0; axis < 4; ++axis)
        to = to.slice(axis, part.start[axis], part.shape[axis]);
      copy(to,
           TensorView(bytes.data() + part.first * size, description_.dtype, part.shape, strides));
      return {};
    };
    return source_->read(ranges, place, {.stop = stop, .deadline = {}});
  }

 private:
  /// What a range holds of the region: an array inside the range, and where it goes.
  struct TakenPart {
    std::uint64_t first = 0;  ///< element of the range
    Shape shape;
    std::array<std::uint64_t, 4> strides{};
    std::array<std::uint64_t, 4> start{};  ///< in the region
  };

  [[nodiscard]] io::ByteRange range_of(std::uint64_t element, std::uint64_t count) const {
    const std::uint64_t size = size_of(description_.dtype);
    return {header_.data_offset + element * size, count * size};
  }

  void plan_rows(const Region& region, std::vector<io::ByteRange>& ranges,
                 std::vector<TakenPart>& parts) const {
    const bool whole = region.cols == description_.cols;
    const std::uint64_t lines = whole ? region.rows : 1;
    for (std::uint64_t time = 0; time < region.times; ++time) {
      for (std::uint64_t band = 0; band < region.bands; ++band) {
        for (std::uint64_t row = 0; row < region.rows; row += lines) {
          const std::uint64_t at = (region.time + time) * strides_[0] +
                                   (region.band + band) * strides_[1] +
                                   (region.row + row) * strides_[2] + region.col;
          ranges.push_back(range_of(at, lines * region.cols));
          parts.push_back(
              {0, {1, 1, lines, region.cols}, {0, 0, region.cols, 1}, {time, band, row, 0}});
        }
      }
    }
  }

  void plan_columns(const Region& region, std::vector<io::ByteRange>& ranges,
                    std::vector<TakenPart>& parts) const {
    const std::uint64_t planes = description_.times * description_.bands;
    for (std::uint64_t col = 0; col < region.cols; ++col) {
      ranges.push_back(
          range_of((region.col + col) * strides_[3] + region.row * planes, region.rows * planes));
      parts.push_back({region.time * strides_[0] + region.band * strides_[1],
                       {region.times, region.bands, region.rows, 1},
                       strides_,
                       {0, 0, 0, col}});
    }
  }

  std::shared_ptr<const io::ByteSource> source_;
  NpyHeader header_;
  RasterDescription description_;
  std::array<std::uint64_t, 4> extents_;
  std::array<std::uint64_t, 4> strides_;
};

class NpyTarget final : public RasterTarget {
 public:
  NpyTarget(io::PendingFile file, const RasterDescription& raster, std::uint64_t data_offset)
      : file_(std::move(file)),
        dtype_(raster.dtype),
        shape_(raster.shape()),
        data_offset_(data_offset) {}

  Grain grain() const override { return {.rows = 1, .cols = shape_[3], .all_planes = false}; }

  Result<> put(const Region& region, const TensorView& samples) override {
    const std::uint64_t size = size_of(dtype_);
    SILLAR_TRY(Tensor rows, Tensor::allocate(dtype_, {region.rows, region.cols}));
    for (std::uint64_t time = 0; time < region.times; ++time) {
      for (std::uint64_t band = 0; band < region.bands; ++band) {
        copy(rows.view(), samples.at(0, time).at(0, band));
        const std::uint64_t plane = (region.time + time) * shape_[1] + region.band + band;
        const std::uint64_t at =
            plane * shape_[2] * shape_[3] + region.row * shape_[3] + region.col;
        SILLAR_TRY(file_.write(rows.bytes(), data_offset_ + at * size));
      }
    }
    return {};
  }

  Result<> finish() override { return file_.publish(); }

 private:
  io::PendingFile file_;
  DType dtype_;
  Shape shape_;
  std::uint64_t data_offset_;
};

}  // namespace

bool is_npy(std::span<const std::byte> bytes) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

Result<NpyHeader> parse_npy_header(std::span<const std::byte> bytes) {
  if (!is_npy(bytes)) return broken("the magic bytes are missing");
  const auto byte_at = [&](std::size_t index) {
    return std::to_integer<std::uint64_t>(bytes[index]);
  };
  if (bytes.size() < magic.size() + 2)
    return fail(Errc::truncated, "the npy header is cut", bytes.size());
  const std::uint64_t major = byte_at(6);
  if (major < 1 || major > 3)
    return fail(Errc::unsupported,
                "npy version " + std::to_string(major) + " is not known, expected 1 to 3", 6);
  const std::size_t length_size = major == 1 ? 2 : 4;
  const std::size_t start = magic.size() + 2 + length_size;
  if (bytes.size() < start) return fail(Errc::truncated, "the npy header is cut", bytes.size());
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_size; ++i) length |= byte_at(8 + i) << (8 * i);
  if (length > longest_header) return broken("its length is " + std::to_string(length));
  if (bytes.size() - start < length)
    return fail(Errc::truncated, "the npy header is cut", bytes.size());
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + start, length);
  SILLAR_TRY(NpyHeader header, HeaderParser(text).parse());
  header.data_offset = start + length;
  return header;
}

std::vector<std::byte> make_npy_header(DType dtype, const Shape& shape) {
  const DTypeInfo& type = info(dtype);
  const std::string_view name = type.name;
  std::string descr = type.size == 1 ? "|" : "<";  // bytes have no order
  const std::string size = std::to_string(type.size);
  if (dtype == DType::boolean) {
    descr += "b1";
  } else if (name.starts_with("uint")) {
    descr += "u" + size;
  } else if (name.starts_with("int")) {
    descr += "i" + size;
  } else if (dtype == DType::f16 || dtype == DType::f32 || dtype == DType::f64) {
    descr += "f" + size;
  } else if (dtype == DType::c64 || dtype == DType::c128) {
    descr += "c" + size;
  } else {
    descr = "|V" + size;
  }
  std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (const std::uint64_t extent : shape) text += std::to_string(extent) + ", ";
  if (shape.size() > 1) text.resize(text.size() - 2);
  if (shape.size() == 1) text.pop_back();  // "(3,)"
  text += "), }";
  std::uint64_t length = text.size() + 1;
  const bool long_form = 10 + length + alignment > UINT16_MAX;
  const std::uint64_t start = long_form ? 12 : 10;
  length = ceil_div(start + length, alignment) * alignment - start;
  text.append(length - text.size() - 1, ' ');
  text += '\n';
  std::string head(magic);
  head += long_form ? '\2' : '\1';
  head += '\0';
  for (std::size_t i = 0; i < start - 8; ++i) head += static_cast<char>(length >> (8 * i) & 0xFF);
  head += text;
  std::vector<std::byte> bytes(head.size());
  std::memcpy(bytes.data(), head.data(), head.size());
  return bytes;
}

Result<std::unique_ptr<RasterSource>> open_npy(std::shared_ptr<const io::ByteSource> source,
                                               const NpyOptions& options) {
  const std::string name = source->name();
  const auto open = [&]() -> Result<std::unique_ptr<RasterSource>> {
    SILLAR_TRY(const auto start, source->read_up_to(0, longest_header + 16));
    SILLAR_TRY(const NpyHeader header, parse_npy_header(start));
    RasterDescription raster;
    raster.dtype = header.dtype.value_or(DType::u8);
    if (options.dtype && options.dtype != header.dtype) {
      const bool booleans = options.dtype == DType::boolean && header.dtype == DType::u8;
      if ((header.dtype && !booleans) || size_of(*options.dtype) != header.item_size) {
        return fail(Errc::bad_argument,
                    "samples of " +
                        (header.dtype ? std::string(name_of(*header.dtype))
                                      : std::to_string(header.item_size) + " plain bytes") +
                        " are not " + std::string(name_of(*options.dtype)) +
                        "; samples are never cast");
      }
      raster.dtype = *options.dtype;
    } else if (!header.dtype) {
      return fail(Errc::bad_argument,
                  "the samples are " + std::to_string(header.item_size) +
                      " plain bytes each; --dtype says what they are (such as bfloat16)");
    }
    const Shape& shape = header.shape;
    if (shape.size() < 2 || shape.size() > 4) {
      return fail(Errc::bad_argument,
                  "an array of " + std::to_string(shape.size()) +
                      " axes is no raster, expected (y, x), (b, y, x) or (t, b, y, x)");
    }
    constexpr std::array<std::string_view, 4> axis_names = {"time", "band", "y", "x"};
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis] == 0)
        return fail(Errc::bad_argument,
                    "the " + std::string(axis_names[4 - shape.size() + axis]) + " axis is empty");
    }
    raster.cols = shape.back();
    raster.rows = shape[shape.size() - 2];
    if (shape.size() > 2) raster.bands = shape[shape.size() - 3];
    if (shape.size() > 3) raster.times = shape[0];
    const auto count = count_of(shape);
    const auto data_size = count ? checked_mul(*count, header.item_size) : std::nullopt;
    const auto end = data_size ? checked_add(*data_size, header.data_offset) : std::nullopt;
    SILLAR_TRY(const std::uint64_t file_size, source->size());
    if (!end || *end > file_size)
      return fail(Errc::truncated, "the samples end past the file", file_size);
    if (*end < file_size)
      return fail(Errc::malformed, std::to_string(file_size - *end) + " bytes follow the samples",
                  end);
    return std::make_unique<NpySource>(std::move(source), header, std::move(raster));
  };
  return in_source(open(), name);
}

Result<std::unique_ptr<RasterTarget>> create_npy(const std::string& path,
                                                 const RasterDescription& raster, bool overwrite) {
  const auto head = make_npy_header(raster.dtype, raster.shape());
  SILLAR_TRY(io::PendingFile file, io::PendingFile::create(path, {.overwrite = overwrite}));
  SILLAR_TRY(file.write(head, 0));
  return std::make_unique<NpyTarget>(std::move(file), raster, head.size());
}

}  // namespace sillar::convert
