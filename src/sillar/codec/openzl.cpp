// Chooses the build of OpenZL that this processor runs best.
#include <sillar/codec/openzl.hpp>

#include <sillar/codec/geozl/registry.hpp>
#include <sillar/codec/openzl/engine.hpp>

#include <string>

namespace sillar::codec::openzl {

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

std::string_view custom_codec_name(std::uint32_t id) { return geozl::name_of(id); }

}  // namespace sillar::codec::openzl
