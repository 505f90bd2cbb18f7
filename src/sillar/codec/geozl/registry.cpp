#include <sillar/codec/geozl/registry.hpp>

#include <sillar/codec/geozl/blocked_zstd.hpp>
#include <sillar/codec/geozl/interleave.hpp>
#include <sillar/codec/geozl/nodata.hpp>
#include <sillar/codec/geozl/pco.hpp>
#include <sillar/codec/geozl/pfor.hpp>
#include <sillar/codec/geozl/pivco.hpp>
#include <sillar/codec/geozl/planar.hpp>
#include <sillar/codec/geozl/predictors.hpp>
#include <sillar/codec/geozl/quantizers.hpp>
#include <sillar/codec/geozl/words.hpp>

namespace sillar::codec::geozl {
namespace {

constexpr Kind n = Kind::numeric;
constexpr Kind s = Kind::serial;

// clang-format off
constexpr std::array table = {
    //    number    name                            inputs     width                lossless  decoder
    Codec{0x72D701, "geozl.delta_w",                1, {n},    Width::first_input,  true,  decode_delta_w},
    Codec{0x72D702, "geozl.delta_n",                1, {n},    Width::first_input,  true,  decode_delta_n},
    Codec{0x72D703, "geozl.planar",                 1, {n},    Width::first_input,  true,  decode_planar},
    Codec{0x72D704, "geozl.deinterleave",           2, {n, n}, Width::first_input,  true,  decode_deinterleave},
    Codec{0x72D705, "geozl.med",                    1, {n},    Width::first_input,  true,  decode_med},
    Codec{0x72D706, "geozl.average",                1, {n},    Width::first_input,  true,  decode_average},
    Codec{0x72D707, "geozl.wp_static",              1, {n},    Width::first_input,  true,  decode_wp_static},
    Codec{0x72D708, "geozl.binoffset",              2, {n, n}, Width::second_input, true,  decode_binoffset},
    Codec{0x72D709, "geozl.intmult",                2, {n, n}, Width::first_input,  true,  decode_intmult},
    Codec{0x72D70A, "geozl.floatquant",             2, {n, n}, Width::first_input,  true,  decode_floatquant},
    // The order of its whole numbers is not known.
    Codec{0x72D70B, "geozl.floatmult",              2, {n, n}, Width::first_input,  true,  nullptr},
    Codec{0x72D70C, "geozl.nodata",                 2, {n, n}, Width::first_input,  true,  decode_nodata},
    Codec{0x72D70D, "geozl.pfor",                   1, {s},    Width::header,       true,  decode_pfor},
    Codec{0x72D70E, "geozl.blocked_transpose_zstd", 1, {s},    Width::header,       true,  decode_blocked_transpose_zstd},
    Codec{0x72D70F, "geozl.planar_zigzag",          1, {n},    Width::first_input,  true,  decode_planar_zigzag},
    Codec{0x72D710, "geozl.planar_zigzag_pfor",     1, {s},    Width::header,       true,  decode_planar_zigzag_pfor},
    Codec{0x72D711, "geozl.med_zigzag",             1, {n},    Width::first_input,  true,  decode_med_zigzag},
    Codec{0x72D712, "geozl.planar_zigzag_pivco",    2, {n, s}, Width::header,       true,  decode_planar_zigzag_pivco},
    // Retired: no file has it.
    Codec{0x72D780, "geozl.quant",                  1, {n},    Width::first_input,  false, nullptr},
    Codec{0x72D781, "geozl.quant_linear",           1, {n},    Width::first_input,  false, decode_quant_linear},
    Codec{0x72D782, "geozl.quant_log",              1, {n},    Width::first_input,  false, decode_quant_log},
    Codec{0x72D783, "geozl.quant_sqrt",             1, {n},    Width::first_input,  false, decode_quant_sqrt},
};
// clang-format on

bool is_word(std::size_t width) { return width == 1 || width == 2 || width == 4 || width == 8; }

}  // namespace

std::span<const Codec> codecs() { return table; }

Result<> decode(const Codec& codec, std::span<const std::byte> header,
                std::span<const Input> inputs, Output& out) {
  if (codec.decode == nullptr) {
    return fail(Errc::unsupported, "the frame needs the codec " + std::string(codec.name));
  }
  if (inputs.size() != codec.input_count) return corrupt("another number of streams");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Input& input = inputs[i];
    const bool numeric = codec.inputs[i] == Kind::numeric;
    if (numeric ? !is_word(input.width) : input.width != 1) {
      return corrupt("words of an unknown width");
    }
    if (input.bytes.size() % input.width != 0) return corrupt("a stream that is cut off");
    if (reinterpret_cast<std::uintptr_t>(input.bytes.data()) % input.width != 0) {
      return corrupt("words at odd addresses");
    }
  }
  return codec.decode(header, inputs, out);
}

std::string_view name_of(std::uint32_t id) {
  for (const Codec& codec : table) {
    if (codec.id == id) return codec.name;
  }
  return {};
}

}  // namespace sillar::codec::geozl
