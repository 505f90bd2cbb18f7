// Arrays of strings.
#include <sillar/stards/strings.hpp>

#include <sillar/stards/rules.hpp>
#include <sillar/wire/endian.hpp>
#include <sillar/wire/utf8.hpp>

#include <algorithm>
#include <limits>

namespace sillar::stards {
namespace {

constexpr std::size_t length_size = 4;
constexpr std::uint64_t total_most = std::numeric_limits<std::uint32_t>::max();

void append_string(std::vector<std::byte>& payload, std::string_view text) {
  const std::size_t at = payload.size();
  payload.resize(at + length_size + text.size());
  wire::store(payload.data() + at, static_cast<std::uint32_t>(text.size()));
  std::ranges::copy(std::as_bytes(std::span(text)),
                    payload.begin() + static_cast<std::ptrdiff_t>(at + length_size));
}

}  // namespace

Result<Strings> Strings::of(Shape shape, std::span<const std::string> values) {
  if (count_of(shape) != values.size()) {
    return fail(Errc::bad_argument,
                std::to_string(values.size()) + " strings do not make an array of that shape");
  }
  std::uint64_t total = 0;
  for (const std::string& value : values) {
    if (!wire::is_utf8(value)) return fail(Errc::bad_argument, "a string is not valid UTF-8");
    total += length_size + value.size();
    if (total > total_most)
      return fail(Errc::bad_argument, "strings of more bytes than 32 bits can count");
  }
  std::vector<std::byte> payload(length_size);
  payload.reserve(length_size + static_cast<std::size_t>(total));
  wire::store(payload.data(), static_cast<std::uint32_t>(total));
  std::vector<std::uint64_t> starts;
  starts.reserve(values.size());
  for (const std::string& value : values) {
    starts.push_back(payload.size());
    append_string(payload, value);
  }
  return Strings(std::move(shape), std::move(payload), std::move(starts));
}

std::string_view Strings::operator[](std::size_t index) const {
  const std::byte* const at = payload_.data() + starts_[index];
  return {reinterpret_cast<const char*>(at) + length_size, wire::load<std::uint32_t>(at)};
}

std::vector<std::string> Strings::values() const {
  std::vector<std::string> list;
  list.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) list.emplace_back((*this)[i]);
  return list;
}

Result<Strings> Strings::picked(Shape shape, std::span<const std::uint64_t> places) const {
  std::uint64_t total = 0;
  for (const std::uint64_t place : places) {
    total += length_size + (*this)[static_cast<std::size_t>(place)].size();
    if (total > total_most)
      return fail(Errc::bad_argument, "strings of more bytes than 32 bits can count");
  }
  std::vector<std::byte> payload(length_size);
  payload.reserve(length_size + static_cast<std::size_t>(total));
  wire::store(payload.data(), static_cast<std::uint32_t>(total));
  std::vector<std::uint64_t> starts;
  starts.reserve(places.size());
  for (const std::uint64_t place : places) {
    starts.push_back(payload.size());
    append_string(payload, (*this)[static_cast<std::size_t>(place)]);
  }
  return Strings(std::move(shape), std::move(payload), std::move(starts));
}

std::optional<Strings> check_strings(std::span<const std::byte> bytes, const Shape& shape,
                                     std::uint64_t count, std::uint64_t at,
                                     const StringRules& rules, Report& report) {
  const auto broken = [&](std::string detail) {
    report.add(rules.lengths, at, std::move(detail));
    return std::nullopt;
  };
  if (bytes.size() < length_size) return broken("the total of the strings is missing");
  const auto total = wire::load<std::uint32_t>(bytes.data());
  if (count > (bytes.size() - length_size) / length_size) {
    return broken(std::to_string(count) + " strings do not fit into " +
                  std::to_string(bytes.size()) + " bytes");
  }
  std::vector<std::uint64_t> starts;
  starts.reserve(static_cast<std::size_t>(count));
  std::size_t position = length_size;
  std::optional<std::uint64_t> not_utf8;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::size_t left = bytes.size() - position;
    if (left < length_size) return broken("string " + std::to_string(i) + " has no length");
    const auto length = wire::load<std::uint32_t>(bytes.data() + position);
    if (length > left - length_size) {
      return broken("string " + std::to_string(i) + " has " + std::to_string(length) +
                    " bytes, there are " + std::to_string(left - length_size));
    }
    const auto text = bytes.subspan(position + length_size, length);
    if (!not_utf8 && !wire::is_utf8({reinterpret_cast<const char*>(text.data()), text.size()})) {
      not_utf8 = i;
    }
    starts.push_back(position);
    position += length_size + length;
  }
  if (total != position - length_size) {
    return broken("the total of the strings is " + std::to_string(total) + ", they have " +
                  std::to_string(position - length_size) + " bytes");
  }
  if (not_utf8) {
    report.add(rules.utf8, at, "string " + std::to_string(*not_utf8) + " is not valid UTF-8");
    return std::nullopt;
  }
  return Strings(shape, {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(position)},
                 std::move(starts));
}

std::optional<Strings> check_string_array(std::span<const std::byte> payload, const Shape& shape,
                                          std::uint64_t at, Report& report) {
  auto strings =
      check_strings(payload, shape, count_of(shape).value_or(0), at,
                    {.lengths = rules::array_string, .utf8 = rules::array_string_utf8}, report);
  if (strings && strings->payload().size() != payload.size()) {
    report.add(rules::array_string, at,
               std::to_string(payload.size() - strings->payload().size()) +
                   " bytes follow the last string");
    return std::nullopt;
  }
  return strings;
}

}  // namespace sillar::stards
