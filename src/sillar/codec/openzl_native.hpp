// Decodes plain OpenZL frames into rows, without OpenZL's streams between the nodes.
#pragma once

#include <sillar/codec/openzl.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace sillar::codec::openzl {

/// XXH3-64, which seals OpenZL's frames.
class Xxh3 {
 public:
  Xxh3() = default;
  Xxh3(const Xxh3&) = delete;
  Xxh3& operator=(const Xxh3&) = delete;
  virtual ~Xxh3() = default;

  [[nodiscard]] virtual std::uint64_t of(std::span<const std::byte> bytes) const = 0;

  /// The hash of all that is added since `begin`, piece by piece.
  virtual void begin() = 0;
  virtual void add(std::span<const std::byte> bytes) = 0;
  [[nodiscard]] virtual std::uint64_t end() const = 0;
};

/// The graphs that are known here, as the encoder goes through them:
///
///   [delta] [zigzag] [numbers, structures, bytes]  > zstd
///                                                  > stored
///                                                  > constant
///                                                  > byte planes, each of these three
///
/// A frame is decoded by zstd into memory of this object, at most the frame's decoded size, and
/// from there in one pass into the target. Keeps its memory. One thread at a time.
class NativeDecoder {
 public:
  explicit NativeDecoder(std::unique_ptr<Xxh3> hash);
  NativeDecoder(const NativeDecoder&) = delete;
  NativeDecoder& operator=(const NativeDecoder&) = delete;
  ~NativeDecoder();

  /// As `Decoder::decode_rectangle`, for a rectangle inside its frame. False also for every frame
  /// that is damaged in any way.
  [[nodiscard]] bool decode(std::span<const std::byte> frame, const Rectangle& wanted,
                            const RowTarget& target, bool verify);

 private:
  struct Room;

  std::unique_ptr<Xxh3> hash_;
  std::unique_ptr<Room> room_;
};

}  // namespace sillar::codec::openzl
