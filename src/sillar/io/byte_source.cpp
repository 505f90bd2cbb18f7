// What every byte source does alike: stop in time, judge ranges, deliver one range as a buffer.
#include <sillar/io/byte_source.hpp>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace sillar::io {

Result<> ReadControl::check() const {
  if (stop.stop_requested()) return fail(Errc::cancelled, "the read was stopped");
  if (deadline && std::chrono::steady_clock::now() >= *deadline) {
    return fail_errno(Errc::io, "the deadline of the read has passed", ETIMEDOUT);
  }
  return {};
}

Result<> check_inside(ByteRange range, std::uint64_t source_size, const std::string& source_name) {
  if (range.size == 0) return {};
  if (range.offset <= source_size && range.size <= source_size - range.offset) return {};
  return in_source(Result<>(fail(Errc::truncated,
                                 "expected " + std::to_string(range.size) + " bytes from offset " +
                                     std::to_string(range.offset) + ", the source has " +
                                     std::to_string(source_size) + " bytes",
                                 source_size)),
                   source_name);
}

Result<std::vector<std::byte>> ByteSource::read(std::uint64_t offset, std::uint64_t size,
                                                const ReadControl& control) const {
  std::vector<std::byte> bytes;
  const ByteRange range{offset, size};
  SILLAR_TRY(read(
      std::span(&range, 1),
      [&bytes](std::size_t, std::span<const std::byte> delivered) -> Result<> {
        bytes.assign(delivered.begin(), delivered.end());
        return {};
      },
      control));
  return bytes;
}

Result<std::vector<std::byte>> ByteSource::read_up_to(std::uint64_t offset,
                                                      std::uint64_t size) const {
  SILLAR_TRY(const std::uint64_t total, this->size());
  if (offset >= total) return std::vector<std::byte>{};
  return read(offset, std::min(size, total - offset));
}

}  // namespace sillar::io
