// Head and text of the footer that this library may write.
#include <sillar/opff/footer.hpp>

#include <sillar/opff/json_text.hpp>
#include <sillar/wire/utf8.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace sillar::opff {
namespace {

constexpr std::uint64_t head_size = wire::size<FooterHead>();

struct NamedDType {
  DType dtype;
  std::string_view name;
};

// clang-format off
constexpr std::array dtype_names = {
    NamedDType{DType::boolean, "bool"},
    NamedDType{DType::u8, "u8"}, NamedDType{DType::u16, "u16"}, NamedDType{DType::u32, "u32"}, NamedDType{DType::u64, "u64"},
    NamedDType{DType::i8, "i8"}, NamedDType{DType::i16, "i16"}, NamedDType{DType::i32, "i32"}, NamedDType{DType::i64, "i64"},
    NamedDType{DType::f16, "f16"}, NamedDType{DType::f32, "f32"}, NamedDType{DType::f64, "f64"},
    NamedDType{DType::c32, "c32"}, NamedDType{DType::c64, "c64"}, NamedDType{DType::c128, "c128"},
    NamedDType{DType::bf16, "bf16"},
    NamedDType{DType::f8_e4m3fn, "f8_e4m3fn"}, NamedDType{DType::f8_e5m2, "f8_e5m2"},
    NamedDType{DType::f8_e8m0fnu, "f8_e8m0fnu"}, NamedDType{DType::f8_e4m3fnuz, "f8_e4m3fnuz"},
    NamedDType{DType::f8_e5m2fnuz, "f8_e5m2fnuz"},
};
// clang-format on
static_assert(dtype_names.size() == dtype_table.size());

[[nodiscard]] std::optional<DType> dtype_of_footer(std::string_view name) {
  const auto found = std::ranges::find(dtype_names, name, &NamedDType::name);
  if (found == dtype_names.end()) return std::nullopt;
  return found->dtype;
}

[[nodiscard]] bool is_object(std::string_view text) {
  return wire::is_utf8(text) &&
         for_each_member(text, [](const std::string&, std::string_view) { return true; });
}

[[nodiscard]] std::string_view text_behind(std::span<const std::byte> footer, std::uint64_t at) {
  const auto rest = footer.subspan(static_cast<std::size_t>(at));
  return {reinterpret_cast<const char*>(rest.data()), rest.size()};
}

/// Fills `keys` from one member; false where its value is of another kind.
[[nodiscard]] bool take_member(FooterKeys& keys, const std::string& key, std::string_view value) {
  if (key == "dtype") {
    const auto name = json_string(value);
    if (!name || keys.dtype) return false;
    keys.dtype = dtype_of_footer(*name);
    return keys.dtype.has_value();
  }
  if (key == "valid_bits") {
    if (keys.valid_bits) return false;
    keys.valid_bits = json_count(value);
    return keys.valid_bits.has_value();
  }
  if (key != "shape" && key != "axes") return true;
  const auto items = json_items(value);
  if (!items) return false;
  if (key == "shape" ? keys.shape.has_value() : keys.axes.has_value()) return false;
  if (key == "shape") {
    keys.shape.emplace();
    for (const std::string_view item : *items) {
      const auto extent = json_count(item);
      if (!extent) return false;
      keys.shape->push_back(*extent);
    }
    return true;
  }
  keys.axes.emplace();
  for (const std::string_view item : *items) {
    auto name = json_string(item);
    if (!name) return false;
    keys.axes->push_back(*std::move(name));
  }
  return true;
}

/// "[a, b]" of texts that are JSON already.
[[nodiscard]] std::string array_text(const std::vector<std::string>& items) {
  std::string text = "[";
  for (const std::string& item : items) text += (text.size() > 1 ? ", " : "") + item;
  return text + "]";
}

}  // namespace

std::string_view footer_name_of(DType dtype) {
  return std::ranges::find(dtype_names, dtype, &NamedDType::dtype)->name;
}

Result<std::vector<std::byte>> make_footer(const std::string& text) {
  if (!is_object(text))
    return fail(rules::footer_text, "not one JSON object in UTF-8", {}, Errc::bad_argument);
  FooterHead head;
  if (text.size() > UINT32_MAX)
    return fail(Errc::over_limit, "the text of a footer has at most 4294967295 bytes");
  head.length = static_cast<std::uint32_t>(text.size());
  const auto stored = wire::store_record(head);
  std::vector<std::byte> footer(stored.begin(), stored.end());
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  footer.insert(footer.end(), bytes, bytes + text.size());
  return footer;
}

Result<std::vector<std::byte>> make_footer(const FooterKeys& keys) {
  std::vector<std::string> members;
  if (keys.dtype) members.push_back("\"dtype\": " + quoted(footer_name_of(*keys.dtype)));
  if (keys.shape) {
    std::vector<std::string> extents;
    for (const std::uint64_t extent : *keys.shape) extents.push_back(std::to_string(extent));
    members.push_back("\"shape\": " + array_text(extents));
  }
  if (keys.axes) {
    std::vector<std::string> names;
    for (const std::string& name : *keys.axes) names.push_back(quoted(name));
    members.push_back("\"axes\": " + array_text(names));
  }
  if (keys.valid_bits) members.push_back("\"valid_bits\": " + std::to_string(*keys.valid_bits));
  std::string text = "{";
  for (const std::string& member : members) text += (text.size() > 1 ? ", " : "") + member;
  return make_footer(text + "}");
}

void judge_footer(std::span<const std::byte> footer, std::uint64_t base, Report& report) {
  const std::uint64_t before = report.errors();
  if (footer.size() < head_size) {
    report.add(rules::footer_short, base + footer.size(),
               "the footer has " + std::to_string(footer.size()) + " bytes, expected " +
                   std::to_string(head_size) + " or more",
               Errc::truncated);
    return;
  }
  const auto head = wire::load_record<FooterHead>(footer);
  wire::check_record(head, base, report);
  if (report.errors() != before) return;
  if (head.length != footer.size() - head_size) {
    report.add(rules::footer_length, base + 12,
               "the length is " + std::to_string(head.length) + ", behind it are " +
                   std::to_string(footer.size() - head_size) + " bytes");
    return;
  }
  if (!is_object(text_behind(footer, head_size)))
    report.add(rules::footer_text, base + head_size, "not one JSON object in UTF-8");
}

Result<std::string> footer_text(std::span<const std::byte> footer) {
  Report report(Report::Until::first_error);
  judge_footer(footer, 0, report);
  SILLAR_TRY(report.verdict());
  return std::string(text_behind(footer, head_size));
}

Result<std::string> bare_footer_text(std::span<const std::byte> footer) {
  const std::string_view text = text_behind(footer, 0);
  if (!is_object(text)) return fail(rules::footer_text, "not one JSON object in UTF-8", 0);
  return std::string(text);
}

Result<FooterKeys> footer_keys(const std::string& text) {
  FooterKeys keys;
  std::string broken;
  const auto take = [&](const std::string& key, std::string_view value) {
    if (take_member(keys, key, value)) return true;
    broken = key;
    return false;
  };
  const bool whole = wire::is_utf8(text) && for_each_member(text, take);
  if (!broken.empty())
    return fail(rules::footer_text, "the value of " + quoted(broken) + " is of another kind");
  if (!whole) return fail(rules::footer_text, "not one JSON object in UTF-8");
  return keys;
}

}  // namespace sillar::opff
