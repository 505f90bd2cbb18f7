// Chooses the build of OpenZL that this processor runs best.
#include <sillar/codec/openzl.hpp>

#include <sillar/codec/openzl/engine.hpp>

#include <array>

namespace sillar::codec::openzl {
namespace {

struct CustomCodec {
  std::uint32_t id;
  std::string_view name;
};

// GeoZL's numbers, so that an error can name what is missing.
constexpr std::array custom_codecs = {
    CustomCodec{0x72D701, "geozl.delta_w"},
    CustomCodec{0x72D702, "geozl.delta_n"},
    CustomCodec{0x72D703, "geozl.planar"},
    CustomCodec{0x72D704, "geozl.deinterleave"},
    CustomCodec{0x72D705, "geozl.med"},
    CustomCodec{0x72D706, "geozl.average"},
    CustomCodec{0x72D707, "geozl.wp_static"},
    CustomCodec{0x72D708, "geozl.binoffset"},
    CustomCodec{0x72D709, "geozl.intmult"},
    CustomCodec{0x72D70A, "geozl.floatquant"},
    CustomCodec{0x72D70B, "geozl.floatmult"},
    CustomCodec{0x72D70C, "geozl.nodata"},
    CustomCodec{0x72D70D, "geozl.pfor"},
    CustomCodec{0x72D70E, "geozl.blocked_transpose_zstd"},
    CustomCodec{0x72D70F, "geozl.planar_zigzag"},
    CustomCodec{0x72D710, "geozl.planar_zigzag_pfor"},
    CustomCodec{0x72D711, "geozl.med_zigzag"},
    CustomCodec{0x72D712, "geozl.planar_zigzag_pivco"},
    CustomCodec{0x72D780, "geozl.quant"},
    CustomCodec{0x72D781, "geozl.quant_linear"},
    CustomCodec{0x72D782, "geozl.quant_log"},
    CustomCodec{0x72D783, "geozl.quant_sqrt"},
};

}  // namespace

const Engine& best_engine() {
#if SILLAR_OPENZL_HAS_V3
  static const bool has_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                             __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
                             __builtin_cpu_supports("f16c") && __builtin_cpu_supports("lzcnt") &&
                             __builtin_cpu_supports("movbe");
  if (has_v3) return v3::engine();
#endif
  return baseline::engine();
}

std::string_view name_of(OutputType type) {
  switch (type) {
    case OutputType::serial:
      return "serial";
    case OutputType::structure:
      return "struct";
    case OutputType::numeric:
      return "numeric";
    case OutputType::string:
      return "string";
  }
  return "unknown";
}

namespace {

std::string name_of(const Zstd& search) {
  std::string text = "zstd-" + std::to_string(search.level);
  if (search.min_match != 0 || search.target_length != 0) {
    text += ":" + std::to_string(search.min_match) + ":" + std::to_string(search.target_length);
  }
  return text;
}

}  // namespace

std::string Graph::name() const {
  std::string text;
  for (std::size_t i = 0; i < step_count; ++i) {
    text += steps[i] == Step::delta ? "delta>" : "zigzag>";
  }
  switch (sink) {
    case Sink::store:
      return text + "store";
    case Sink::constant:
      return text + "constant";
    case Sink::zstd:
      return text + name_of(zstd);
    case Sink::entropy:
      return text + "entropy";
    case Sink::transpose_zstd:
      return text + "transpose>" + name_of(zstd);
    case Sink::transpose_entropy:
      return text + "transpose>entropy";
    case Sink::field_lz:
      return text + "field_lz";
  }
  return text;
}

Result<FrameInfo> inspect(std::span<const std::byte> frame) { return best_engine().inspect(frame); }

std::unique_ptr<Decoder> make_decoder() { return best_engine().make_decoder(); }

std::unique_ptr<Encoder> make_encoder(const EncodeOptions& options) {
  return best_engine().make_encoder(options);
}

std::string description() {
  const Engine& engine = best_engine();
  return std::string(engine.version) + " (" + std::string(engine.name) + ")";
}

std::string_view custom_codec_name(std::uint32_t id) {
  for (const CustomCodec& codec : custom_codecs) {
    if (codec.id == id) return codec.name;
  }
  return {};
}

}  // namespace sillar::codec::openzl
