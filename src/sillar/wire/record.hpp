// Records of fixed size, declared once: reading, writing, checking and describing come from one
// table.
//
// A record is a plain struct with a `static constexpr auto layout`, a tuple of fields in the order
// of the specification's table:
//
//   struct Header {
//     std::uint16_t version;
//     static constexpr auto layout = std::tuple{field<&Header::version>(0, "version", exactly(1),
//     &rules::version)};
//   };
//   static_assert(wire::size<Header>() == 2);  // the offsets add up, without a gap
#pragma once

#include <sillar/base/report.hpp>
#include <sillar/base/rule.hpp>
#include <sillar/wire/endian.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace sillar::wire {

template <class T>
struct MemberOf;
template <class Record, class T>
struct MemberOf<T Record::*> {
  using record = Record;
  using value = T;
};

template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t N>
inline constexpr bool is_array<std::array<T, N>> = true;

/// Accepts every value.
struct Anything {
  template <class T>
  constexpr bool operator()(const T& /*value*/) const {
    return true;
  }
  [[nodiscard]] std::string expected() const { return "anything"; }
};

/// One line of a layout: where a member lies, what it is called, what it may be, whose rule it is.
template <auto Member, class Check>
struct Field {
  using value_type = typename MemberOf<decltype(Member)>::value;
  static constexpr auto member = Member;

  std::uint64_t offset;
  std::string_view name;
  Check check;
  const Rule* rule;
};

template <auto Member>
[[nodiscard]] constexpr auto field(std::uint64_t offset, std::string_view name) {
  return Field<Member, Anything>{offset, name, {}, nullptr};
}

template <auto Member, class Check>
[[nodiscard]] constexpr auto field(std::uint64_t offset, std::string_view name, Check check,
                                   const Rule* rule) {
  return Field<Member, Check>{offset, name, check, rule};
}

namespace detail {

template <class Record, class Visit>
constexpr void for_each_field(Visit&& visit) {
  std::apply([&](const auto&... fields) { (visit(fields), ...); }, Record::layout);
}

template <class T>
constexpr void load_into(T& value, const std::byte* bytes) {
  if constexpr (is_array<T>) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      value[i] = load<typename T::value_type>(bytes + i * sizeof(typename T::value_type));
    }
  } else {
    value = load<T>(bytes);
  }
}

template <class T>
constexpr void store_from(const T& value, std::byte* bytes) {
  if constexpr (is_array<T>) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      store(bytes + i * sizeof(typename T::value_type), value[i]);
    }
  } else {
    store(bytes, value);
  }
}

template <class T>
[[nodiscard]] std::string text_of(const T& value) {
  if constexpr (is_array<T>) {
    std::string text = "(";
    for (const auto& item : value) text += (text.size() > 1 ? ", " : "") + std::to_string(item);
    return text + ")";
  } else {
    return std::to_string(value);
  }
}

}  // namespace detail

/// The bytes of a record. Does not compile where the layout has a gap or an overlap.
template <class Record>
[[nodiscard]] consteval std::uint64_t size() {
  std::uint64_t end = 0;
  bool whole = true;
  detail::for_each_field<Record>([&](const auto& field) {
    whole = whole && field.offset == end;
    end += sizeof(typename std::remove_cvref_t<decltype(field)>::value_type);
  });
  if (!whole) throw "the offsets of the layout leave a gap";  // NOLINT: stops the compiler
  return end;
}

/// The record stored at the start of `bytes`, unchecked. `bytes` holds at least size<Record>().
template <class Record>
[[nodiscard]] constexpr Record load_record(std::span<const std::byte> bytes) {
  Record record{};
  detail::for_each_field<Record>([&](const auto& field) {
    detail::load_into(record.*(std::remove_cvref_t<decltype(field)>::member),
                      bytes.data() + field.offset);
  });
  return record;
}

template <class Record>
[[nodiscard]] constexpr std::array<std::byte, size<Record>()> store_record(const Record& record) {
  std::array<std::byte, size<Record>()> bytes{};
  detail::for_each_field<Record>([&](const auto& field) {
    detail::store_from(record.*(std::remove_cvref_t<decltype(field)>::member),
                       bytes.data() + field.offset);
  });
  return bytes;
}

/// Reports every field whose value its rule forbids; `base` is the record's offset in its source.
template <class Record>
void check_record(const Record& record, std::uint64_t base, Report& report) {
  detail::for_each_field<Record>([&](const auto& field) {
    const auto& value = record.*(std::remove_cvref_t<decltype(field)>::member);
    if (report.done() || field.rule == nullptr || field.check(value)) return;
    report.add(*field.rule, base + field.offset,
               std::string(field.name) + " is " + detail::text_of(value) + ", expected " +
                   field.check.expected());
  });
}

/// One line of a dump.
struct FieldText {
  std::uint64_t offset;
  std::uint64_t size;
  std::string_view name;
  std::string value;
};

/// The fields of a record as text, in order.
template <class Record>
[[nodiscard]] std::vector<FieldText> describe(const Record& record, std::uint64_t base) {
  std::vector<FieldText> lines;
  detail::for_each_field<Record>([&](const auto& field) {
    using Value = typename std::remove_cvref_t<decltype(field)>::value_type;
    lines.push_back({base + field.offset, sizeof(Value), field.name,
                     detail::text_of(record.*(std::remove_cvref_t<decltype(field)>::member))});
  });
  return lines;
}

/// A check for one value.
template <class T>
struct Exactly {
  T wanted;
  constexpr bool operator()(const T& value) const { return value == wanted; }
  [[nodiscard]] std::string expected() const { return detail::text_of(wanted); }
};
template <class T>
[[nodiscard]] constexpr Exactly<T> exactly(T wanted) {
  return {wanted};
}

/// A check for anything but zero.
struct Nonzero {
  template <class T>
  constexpr bool operator()(const T& value) const {
    return value != 0;
  }
  [[nodiscard]] std::string expected() const { return "more than 0"; }
};
inline constexpr Nonzero nonzero;

/// A check for values up to and with `most`.
template <class T>
struct AtMost {
  T most;
  constexpr bool operator()(const T& value) const { return value <= most; }
  [[nodiscard]] std::string expected() const { return "at most " + detail::text_of(most); }
};
template <class T>
[[nodiscard]] constexpr AtMost<T> at_most(T most) {
  return {most};
}

}  // namespace sillar::wire
