// GeoZL's decoders as custom decoders of OpenZL. Only for files that see OpenZL: they are compiled
// once for each build of it, and so is this.
#pragma once

#include <sillar/codec/geozl/codec.hpp>
#include <sillar/codec/geozl/registry.hpp>

#include <openzl/openzl.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#ifndef SILLAR_OPENZL_VARIANT
#define SILLAR_OPENZL_VARIANT baseline
#endif

namespace sillar::codec::geozl::SILLAR_OPENZL_VARIANT {

/// Memory of the decoding context that calls.
class DecoderOutput final : public Output {
 public:
  DecoderOutput(ZL_Decoder* decoder, std::uint64_t ceiling) : Output(ceiling), decoder_(decoder) {}

  /// Hands the words over. Nothing may have been asked for.
  [[nodiscard]] bool commit() {
    return stream_ != nullptr && !ZL_isError(ZL_Output_commit(stream_, count_));
  }

 private:
  Result<std::span<std::byte>> make_words(std::size_t count, std::size_t width) override {
    stream_ = ZL_Decoder_create1OutStream(decoder_, count, width);
    if (stream_ == nullptr) return fail(Errc::codec, "OpenZL has no place for a stream");
    count_ = count;
    return std::span(static_cast<std::byte*>(ZL_Output_ptr(stream_)), count * width);
  }

  Result<std::span<std::byte>> make_scratch(std::size_t size) override {
    void* memory = ZL_Decoder_getScratchSpace(decoder_, size);
    if (memory == nullptr && size > 0) return fail(Errc::codec, "no memory for a block");
    return std::span(static_cast<std::byte*>(memory), size);
  }

  ZL_Decoder* decoder_;
  ZL_Output* stream_ = nullptr;
  std::size_t count_ = 0;
};

/// Ties the decoders to one decoding context. Must outlive it, and stay where it is.
class Binding {
 public:
  Binding() = default;
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;

  /// Registers every decoder of the table. False where OpenZL refuses one.
  [[nodiscard]] bool register_in(ZL_DCtx* context) {
    seats_.clear();
    seats_.reserve(codecs().size());  // OpenZL keeps their addresses
    for (const Codec& codec : codecs()) {
      if (codec.decode == nullptr) continue;  // OpenZL says by number what is missing
      const Seat& seat = seats_.emplace_back(Seat{&codec, this});
      std::array<ZL_Type, 2> consumed{};
      for (std::size_t i = 0; i < codec.input_count; ++i) {
        consumed[i] = codec.inputs[i] == Kind::numeric ? ZL_Type_numeric : ZL_Type_serial;
      }
      ZL_TypedDecoderDesc described{};
      described.gd.CTid = codec.id;
      described.gd.inStreamType = ZL_Type_numeric;
      described.gd.outStreamTypes = consumed.data();
      described.gd.nbOutStreams = codec.input_count;
      described.transform_f = &Binding::run;
      described.name = codec.name.data();
      described.opaque.ptr = const_cast<Seat*>(&seat);
      if (ZL_isError(ZL_DCtx_registerTypedDecoder(context, &described))) return false;
    }
    return true;
  }

  /// To be called before each frame: no decoder may write more than `ceiling` bytes.
  void begin(std::uint64_t ceiling) {
    ceiling_ = ceiling;
    failure_.reset();
  }

  /// Why a decoder failed since `begin`; OpenZL's own report has only that it did.
  [[nodiscard]] std::optional<Error> take_failure() { return std::exchange(failure_, {}); }

 private:
  struct Seat {
    const Codec* codec;
    Binding* binding;
  };

  static ZL_Report run(ZL_Decoder* decoder, const ZL_Input* streams[]) noexcept {
    const auto& seat = *static_cast<const Seat*>(ZL_Decoder_getOpaquePtr(decoder));
    try {
      DecoderOutput out(decoder, seat.binding->ceiling_);
      auto done = decode(*seat.codec, header_of(decoder), inputs_of(*seat.codec, streams), out);
      if (!done) {
        seat.binding->failure_ = std::move(done).error();
        return ZL_returnError(ZL_ErrorCode_corruption);
      }
      return out.commit() ? ZL_returnSuccess() : ZL_returnError(ZL_ErrorCode_corruption);
    } catch (const std::bad_alloc&) {
      return ZL_returnError(ZL_ErrorCode_allocation);
    }
  }

  static std::span<const std::byte> header_of(ZL_Decoder* decoder) {
    const ZL_RBuffer header = ZL_Decoder_getCodecHeader(decoder);
    return {static_cast<const std::byte*>(header.start), header.size};
  }

  /// The streams of a row of the table, in its order.
  class Inputs {
   public:
    Inputs(std::size_t count, const ZL_Input* streams[]) : count_(count) {
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t width = ZL_Input_eltWidth(streams[i]);
        inputs_[i] = {.bytes = {static_cast<const std::byte*>(ZL_Input_ptr(streams[i])),
                                ZL_Input_numElts(streams[i]) * width},
                      .width = width};
      }
    }
    operator std::span<const Input>() const { return std::span(inputs_).first(count_); }

   private:
    std::array<Input, 2> inputs_;
    std::size_t count_;
  };

  static Inputs inputs_of(const Codec& codec, const ZL_Input* streams[]) {
    return {codec.input_count, streams};
  }

  std::vector<Seat> seats_;
  std::uint64_t ceiling_ = 0;
  std::optional<Error> failure_;
};

}  // namespace sillar::codec::geozl::SILLAR_OPENZL_VARIANT
