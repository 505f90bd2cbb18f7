// Pages of memory: a file mapped, or filled with bytes that came another way.
#pragma once

#include <sillar/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sillar::opff {

/// What may be done with a mapping.
enum class Access : std::uint8_t {
  read_only,     ///< writing ends the process; what others write to the file is seen
  private_copy,  ///< pages that are written to become the process's own; the file never changes
};

/// Whole pages, so that byte 64 of it is aligned to 64. Unmapped at the end.
class Region {
 public:
  Region() = default;
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  Region(Region&& other) noexcept;
  Region& operator=(Region&& other) noexcept;
  ~Region();

  /// Maps a whole regular file by four system calls: open, fstat, mmap, close. No byte of it is
  /// read here and no descriptor is held. An empty file gives an empty region. Fails with not_found
  /// (missing, a directory, no permission, no regular file), or io (ENOMEM: no address space).
  [[nodiscard]] static Result<Region> map(const std::string& path, Access access);

  /// Zeros, of which only the pages that are touched take memory. Fails with over_limit where
  /// there is no address space for them.
  [[nodiscard]] static Result<Region> reserve(std::uint64_t size);

  [[nodiscard]] std::span<std::byte> bytes() const { return {data_, size_}; }

 private:
  Region(std::byte* data, std::size_t size) : data_(data), size_(size) {}

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace sillar::opff
