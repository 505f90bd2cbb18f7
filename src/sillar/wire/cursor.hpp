// Cursors for sections of variable length: one function template describes a section, and a reader,
// a writer or a measurer carries it out.
#pragma once

#include <sillar/wire/endian.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sillar::wire {

/// Takes fields from bytes. After the first field that is not there, `ok()` is false and every
/// further field is zero or empty, so a description is checked once, at its end.
class Reader {
 public:
  static constexpr bool reads = true;

  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <Number T>
  void number(T& value) {
    value = T{};
    const auto raw = take(sizeof(T));
    if (ok_) value = load<T>(raw.data());
  }

  /// `size` bytes as text; nothing is allocated before they are known to be there.
  void text(std::string& value, std::uint64_t size) {
    const auto raw = take(size);
    value.assign(reinterpret_cast<const char*>(raw.data()), raw.size());
  }

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] std::uint64_t remaining() const { return bytes_.size() - position_; }

 private:
  std::span<const std::byte> take(std::uint64_t size) {
    if (!ok_ || size > remaining()) {
      ok_ = false;
      return {};
    }
    const auto piece = bytes_.subspan(position_, size);
    position_ += size;
    return piece;
  }

  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
  bool ok_ = true;
};

/// Appends fields to a buffer.
class Writer {
 public:
  static constexpr bool reads = false;

  explicit Writer(std::vector<std::byte>& out) : out_(out) {}

  template <Number T>
  void number(const T& value) {
    const std::size_t at = out_.size();
    out_.resize(at + sizeof(T));
    store(out_.data() + at, value);
  }

  void text(const std::string& value, std::uint64_t /*size*/) {
    const auto* bytes = reinterpret_cast<const std::byte*>(value.data());
    out_.insert(out_.end(), bytes, bytes + value.size());
  }

  [[nodiscard]] std::uint64_t position() const { return out_.size(); }

 private:
  std::vector<std::byte>& out_;
};

}  // namespace sillar::wire
