// Frames: one whole OpenZL frame with one output of the right size.
#include <sillar/rumi/frame.hpp>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>
#include <string>

namespace sillar::rumi {
namespace {

// Decoded samples are handed out as the host's numbers. Numeric OpenZL outputs arrive that way,
// serial and structured ones do not on a big-endian host, where nobody has asked for this library
// yet.
static_assert(std::endian::native == std::endian::little,
              "frames of serial and struct output need a byte swap here");

/// An error of the codec as one of the frame.
[[nodiscard]] std::unexpected<Error> as_rule(Error error) {
  error.rule = error.code == Errc::unsupported ? &rules::frame_codec : &rules::frame_decode;
  return std::unexpected(std::move(error));
}

constexpr std::size_t alignment = 64;

}  // namespace

Result<> check_frame_header(std::span<const std::byte> frame, std::uint64_t decoded_size) {
  const auto stated = codec::openzl::inspect(frame);
  if (!stated) return as_rule(stated.error());
  if (stated->outputs != 1) {
    return fail(rules::frame_outputs,
                "the frame has " + std::to_string(stated->outputs) + " outputs, expected 1", 0);
  }
  if (stated->type == codec::openzl::OutputType::string) {
    return fail(rules::frame_outputs, "the frame's output is a list of strings, expected samples",
                0);
  }
  if (stated->decoded_size != decoded_size) {
    return fail(rules::frame_size,
                "the frame decodes to " + std::to_string(stated->decoded_size) +
                    " bytes, expected " + std::to_string(decoded_size),
                0);
  }
  return {};
}

Result<> check_booleans(std::span<const std::byte> samples) {
  // All bytes at once first: the compiler makes vectors of it.
  std::byte all{0};
  for (const std::byte sample : samples) all |= sample;
  if (all <= std::byte{1}) return {};
  const auto wrong =
      std::ranges::find_if(samples, [](std::byte sample) { return sample > std::byte{1}; });
  return fail(rules::frame_boolean,
              "sample " + std::to_string(wrong - samples.begin()) + " of the decoded frame is " +
                  std::to_string(std::to_integer<int>(*wrong)) + ", expected 0 or 1");
}

Result<> FrameDecoder::decode(std::span<const std::byte> frame, std::span<std::byte> out,
                              DType dtype, bool verify) {
  SILLAR_TRY(check_frame_header(frame, out.size()));
  if (auto decoded = decoder_->decode(frame, out, {.verify = verify}); !decoded)
    return as_rule(std::move(decoded).error());
  if (dtype == DType::boolean) SILLAR_TRY(check_booleans(out));
  return {};
}

Result<bool> FrameDecoder::decode_rectangle(std::span<const std::byte> frame,
                                            const codec::openzl::Rectangle& wanted,
                                            const codec::openzl::RowTarget& target, DType dtype,
                                            bool verify) {
  // Of booleans every byte of the frame is judged.
  if (dtype == DType::boolean) return false;
  return decoder_->decode_rectangle(frame, wanted, target, {.verify = verify});
}

std::span<std::byte> FrameDecoder::scratch(std::size_t size) {
  if (size > scratch_size_) {
    scratch_.reset();
    scratch_size_ = 0;
    const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
    scratch_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, rounded)));
    if (scratch_ == nullptr) throw std::bad_alloc();
    scratch_size_ = rounded;
  }
  return {scratch_.get(), size};
}

void FrameDecoder::Free::operator()(std::byte* memory) const { std::free(memory); }

}  // namespace sillar::rumi
