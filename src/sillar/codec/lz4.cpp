// LZ4 blocks by liblz4.
#include <sillar/codec/lz4.hpp>

#include <lz4.h>
#include <lz4hc.h>

#include <algorithm>
#include <cassert>
#include <limits>

namespace sillar::codec {
namespace {

static_assert(lz4_raw_most == LZ4_MAX_INPUT_SIZE);

constexpr std::size_t int_most = std::numeric_limits<int>::max();

[[nodiscard]] const char* chars(std::span<const std::byte> bytes) {
  static constexpr char nowhere{};
  return bytes.empty() ? &nowhere : reinterpret_cast<const char*>(bytes.data());
}

/// A match at distance 0 repeats nothing. The format forbids it, but liblz4 takes it and leaves in
/// the output what was there before. `packed` may be damaged in any other way.
[[nodiscard]] bool has_match_at_zero(std::span<const std::byte> packed) {
  const auto* at = packed.data();
  const auto* const end = at + packed.size();
  const auto left = [&] { return static_cast<std::size_t>(end - at); };
  // The rest of a length whose four bits in the token are all ones.
  const auto more = [&](std::size_t length) {
    constexpr std::size_t longest_in_token = 15;
    if (length != longest_in_token) return length;
    while (at != end) {
      const auto byte = std::to_integer<std::size_t>(*at++);
      length += byte;
      if (byte != 255) break;
    }
    return length;
  };
  while (at != end) {
    const auto token = std::to_integer<std::size_t>(*at++);
    const std::size_t literals = more(token >> 4);
    if (literals >= left()) return false;  // the last sequence has literals alone
    at += literals;
    if (left() < 2) return false;
    if (at[0] == std::byte{0} && at[1] == std::byte{0}) return true;
    at += 2;
    static_cast<void>(more(token & 15));
  }
  return false;
}

}  // namespace

Result<std::size_t> decode_lz4(std::span<const std::byte> packed, std::span<std::byte> out) {
  if (packed.size() > int_most)
    return fail(Errc::codec, "an LZ4 block has less than 2^31 stored bytes");
  if (has_match_at_zero(packed))
    return fail(Errc::codec, "an LZ4 block with a match at distance 0");
  char none{};
  char* const to = out.empty() ? &none : reinterpret_cast<char*>(out.data());
  const int size = LZ4_decompress_safe(chars(packed), to, static_cast<int>(packed.size()),
                                       static_cast<int>(std::min(out.size(), int_most)));
  if (size < 0) {
    return fail(Errc::codec, "an LZ4 block that is damaged, ends early, or gives more than " +
                                 std::to_string(out.size()) + " bytes");
  }
  return static_cast<std::size_t>(size);
}

std::size_t lz4_bound(std::size_t size) {
  assert(size <= lz4_raw_most);
  return static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(size)));
}

std::size_t encode_lz4(std::span<const std::byte> raw, std::span<std::byte> out, int level) {
  assert(raw.size() <= lz4_raw_most && out.size() >= lz4_bound(raw.size()));
  auto* const to = reinterpret_cast<char*>(out.data());
  const int from_size = static_cast<int>(raw.size());
  const int to_size = static_cast<int>(std::min(out.size(), int_most));
  const int size = level == 0 ? LZ4_compress_default(chars(raw), to, from_size, to_size)
                              : LZ4_compress_HC(chars(raw), to, from_size, to_size, level);
  assert(size > 0);
  return static_cast<std::size_t>(size);
}

}  // namespace sillar::codec
