// OpenZL behind the engine's doors. Compiled once for each build of OpenZL, in a namespace of its
// own.
#include <sillar/codec/openzl/engine.hpp>

#include <sillar/codec/geozl/openzl_binding.hpp>
#include <sillar/codec/openzl/xxh3.hpp>
#include <sillar/codec/openzl_budget.hpp>
#include <sillar/codec/openzl_native.hpp>

#include <openzl/openzl.h>

#define ZSTD_STATIC_LINKING_ONLY  // the mode of literals
#include <zstd.h>

#include <charconv>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#ifdef __clang__
#pragma clang diagnostic ignored "-Wc99-extensions"  // OpenZL's macros are compound literals
#endif

#ifndef SILLAR_OPENZL_VARIANT
#define SILLAR_OPENZL_VARIANT baseline
#endif
#define SILLAR_OPENZL_TEXT(x) SILLAR_OPENZL_TEXT_AS(x)
#define SILLAR_OPENZL_TEXT_AS(x) #x

namespace sillar::codec::openzl::SILLAR_OPENZL_VARIANT {
namespace {

template <class T, void (*Free)(T*)>
struct Deleter {
  void operator()(T* object) const { Free(object); }
};
void free_dctx(ZL_DCtx* object) { ZL_DCtx_free(object); }
void free_cctx(ZL_CCtx* object) { ZL_CCtx_free(object); }
void free_compressor(ZL_Compressor* object) { ZL_Compressor_free(object); }
void free_info(ZL_FrameInfo* object) { ZL_FrameInfo_free(object); }
void free_ref(ZL_TypedRef* object) { ZL_TypedRef_free(object); }
using DCtx = std::unique_ptr<ZL_DCtx, Deleter<ZL_DCtx, free_dctx>>;
using CCtx = std::unique_ptr<ZL_CCtx, Deleter<ZL_CCtx, free_cctx>>;
using Compressor = std::unique_ptr<ZL_Compressor, Deleter<ZL_Compressor, free_compressor>>;
using Info = std::unique_ptr<ZL_FrameInfo, Deleter<ZL_FrameInfo, free_info>>;
using Ref = std::unique_ptr<ZL_TypedRef, Deleter<ZL_TypedRef, free_ref>>;

/// The number behind "Custom decoder transform " in OpenZL's text, which is the only place that has
/// it.
std::optional<std::uint32_t> missing_codec(std::string_view context) {
  constexpr std::string_view before = "Custom decoder transform ";
  const auto at = context.find(before);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = context.substr(at + before.size());
  std::uint32_t id = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  if (parsed.ec != std::errc{}) return std::nullopt;
  return id;
}

std::string hex(std::uint32_t value) {
  std::string digits(8, '0');
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  digits.resize(static_cast<std::size_t>(end - digits.data()));
  return "0x" + digits;
}

std::unexpected<Error> decode_failure(const ZL_DCtx* context, ZL_Report report) {
  const char* text = ZL_DCtx_getErrorContextString(context, report);
  const std::string_view detail = text != nullptr ? text : "";
  if (const auto id = missing_codec(detail)) {
    const auto name = custom_codec_name(*id);
    return fail(Errc::unsupported, "the frame needs the custom codec " + hex(*id) +
                                       (name.empty() ? "" : " (" + std::string(name) + ")"));
  }
  switch (ZL_errorCode(report)) {
    case ZL_ErrorCode_formatVersion_unsupported:
      return fail(Errc::unsupported, "the frame's OpenZL format version is not known here");
    case ZL_ErrorCode_compressedChecksumWrong:
      return fail(Errc::checksum, "the checksum of the compressed bytes does not match");
    case ZL_ErrorCode_contentChecksumWrong:
      return fail(Errc::checksum, "the checksum of the decoded bytes does not match");
    case ZL_ErrorCode_allocation:
      return fail(Errc::codec, "the frame asks for more memory than one of its size can need");
    default:
      break;
  }
  std::string message = "OpenZL: ";
  message += ZL_ErrorCode_toString(ZL_errorCode(report));
  return fail(Errc::codec, std::move(message));
}

OutputType output_type(std::size_t type) {
  switch (type) {
    case ZL_Type_numeric:
      return OutputType::numeric;
    case ZL_Type_struct:
      return OutputType::structure;
    case ZL_Type_string:
      return OutputType::string;
    default:
      return OutputType::serial;
  }
}

Result<FrameInfo> inspect_frame(std::span<const std::byte> frame) {
  // The least header has the magic number; OpenZL reads it before it looks at the size.
  constexpr std::size_t magic_size = 4;
  if (frame.size() < magic_size) return fail(Errc::codec, "too short for an OpenZL frame");
  const Info info(ZL_FrameInfo_create(frame.data(), frame.size()));
  if (info == nullptr) return fail(Errc::codec, "no OpenZL frame header");
  const auto version = ZL_FrameInfo_getFormatVersion(info.get());
  const auto outputs = ZL_FrameInfo_getNumOutputs(info.get());
  if (ZL_isError(version) || ZL_isError(outputs)) {
    return fail(Errc::codec, "unreadable OpenZL frame header");
  }
  FrameInfo stated;
  stated.format_version = static_cast<unsigned>(ZL_validResult(version));
  stated.outputs = ZL_validResult(outputs);
  if (stated.outputs == 0) return stated;
  const auto type = ZL_FrameInfo_getOutputType(info.get(), 0);
  const auto size = ZL_FrameInfo_getDecompressedSize(info.get(), 0);
  if (ZL_isError(type) || ZL_isError(size)) {
    return fail(Errc::codec, "an OpenZL frame header without the type and size of its output");
  }
  stated.type = output_type(ZL_validResult(type));
  stated.decoded_size = ZL_validResult(size);
  return stated;
}

class FrameDecoder final : public Decoder {
 public:
  FrameDecoder() {
    if (auto hash = make_xxh3()) native_ = std::make_unique<NativeDecoder>(std::move(hash));
  }

  Result<> decode(std::span<const std::byte> frame, std::span<std::byte> out,
                  const DecodeOptions& options) override {
    const Rectangle all{
        .frame_width = out.size(), .frame_height = 1, .rows = 1, .columns = out.size()};
    if (decode_native(frame, all, {.data = out.data()}, options)) return {};
    if (context_ == nullptr) make_context();
    verify(options.verify);
    // Ordinary graphs hold a handful of streams, none larger than the output.
    constexpr std::uint64_t streams = 4;
    constexpr std::uint64_t tables = std::uint64_t{16} << 20;
    const MemoryBudget budget(streams * out.size() + tables);
    geozl_.begin(out.size());
    ZL_OutputInfo written{};
    const auto report = ZL_DCtx_decompressTyped(context_.get(), &written, out.data(), out.size(),
                                                frame.data(), frame.size());
    if (ZL_isError(report)) {
      if (auto failure = geozl_.take_failure()) return std::unexpected(*std::move(failure));
      return decode_failure(context_.get(), report);
    }
    if (ZL_validResult(report) != out.size()) {
      return fail(Errc::codec, "the frame decodes to " + std::to_string(ZL_validResult(report)) +
                                   " bytes, expected " + std::to_string(out.size()));
    }
    return {};
  }

  Result<bool> decode_rectangle(std::span<const std::byte> frame, const Rectangle& wanted,
                                const RowTarget& target, const DecodeOptions& options) override {
    const auto lies_in = [](std::size_t first, std::size_t count, std::size_t whole) {
      return first <= whole && count <= whole - first;
    };
    if (!lies_in(wanted.row, wanted.rows, wanted.frame_height) ||
        !lies_in(wanted.column, wanted.columns, wanted.frame_width))
      return fail(Errc::bad_argument, "the rectangle does not lie in its frame");
    return decode_native(frame, wanted, target, options);
  }

 private:
  bool decode_native(std::span<const std::byte> frame, const Rectangle& wanted,
                     const RowTarget& target, const DecodeOptions& options) {
    return options.native && native_ != nullptr &&
           native_->decode(frame, wanted, target, options.verify);
  }

  /// Many readers meet plain frames alone, and never need it.
  void make_context() {
    DCtx context(ZL_DCtx_create());
    if (context == nullptr || !geozl_.register_in(context.get())) throw std::bad_alloc();
    context_ = std::move(context);
    // Else every frame would fall back to the defaults.
    set(ZL_DParam_stickyParameters, 1);
  }

  void set(ZL_DParam parameter, int value) {
    if (ZL_isError(ZL_DCtx_setParameter(context_.get(), parameter, value))) throw std::bad_alloc();
  }

  void verify(bool on) {
    if (verifies_ == on) return;
    const int value = on ? ZL_TernaryParam_enable : ZL_TernaryParam_disable;
    set(ZL_DParam_checkContentChecksum, value);
    set(ZL_DParam_checkCompressedChecksum, value);
    verifies_ = on;
  }

  geozl::SILLAR_OPENZL_VARIANT::Binding geozl_;
  DCtx context_;                           // made on first use
  std::unique_ptr<NativeDecoder> native_;  // null where there is no hash
  std::optional<bool> verifies_;
};

class FrameEncoder final : public Encoder {
 public:
  explicit FrameEncoder(const EncodeOptions& options)
      : options_(options), context_(ZL_CCtx_create()) {
    if (context_ == nullptr) throw std::bad_alloc();
  }

  Result<> encode(const Graph& graph, std::span<const std::byte> samples, std::size_t width,
                  std::vector<std::byte>& frame) override {
    SILLAR_TRY(ZL_Compressor * compressor, compressor_of(graph));
    frame.resize(ZL_compressBound(samples.size()));
    const Ref input(ZL_TypedRef_createNumeric(samples.data(), width, samples.size() / width));
    if (input == nullptr) return fail(Errc::bad_argument, "samples that OpenZL does not take");
    // OpenZL forgets the compressor and the parameters after each frame.
    if (ZL_isError(ZL_CCtx_refCompressor(context_.get(), compressor)) || !set_parameters()) {
      return fail(Errc::codec, "OpenZL refuses the graph " + graph.name());
    }
    const auto report =
        ZL_CCtx_compressTypedRef(context_.get(), frame.data(), frame.size(), input.get());
    if (ZL_isError(report)) {
      return fail(Errc::codec,
                  "OpenZL: " + graph.name() + ": " + ZL_ErrorCode_toString(ZL_errorCode(report)));
    }
    frame.resize(ZL_validResult(report));
    return {};
  }

 private:
  using Key = std::tuple<std::array<Step, 2>, std::uint8_t, Sink, Zstd>;

  bool set_parameters() {
    const int checksums = options_.checksums ? ZL_TernaryParam_enable : ZL_TernaryParam_disable;
    const auto set = [this](ZL_CParam parameter, int value) {
      return !ZL_isError(ZL_CCtx_setParameter(context_.get(), parameter, value));
    };
    return set(ZL_CParam_formatVersion, static_cast<int>(options_.format_version)) &&
           set(ZL_CParam_contentChecksum, checksums) &&
           set(ZL_CParam_compressedChecksum, checksums);
  }

  Result<ZL_Compressor*> compressor_of(const Graph& graph) {
    const Key key{graph.steps, graph.step_count, graph.sink, graph.zstd};
    if (const auto found = compressors_.find(key); found != compressors_.end()) {
      return found->second.get();
    }
    Compressor compressor(ZL_Compressor_create());
    if (compressor == nullptr) throw std::bad_alloc();
    const auto version = static_cast<int>(options_.format_version);
    if (ZL_isError(
            ZL_Compressor_setParameter(compressor.get(), ZL_CParam_formatVersion, version)) ||
        ZL_isError(ZL_Compressor_selectStartingGraphID(compressor.get(),
                                                       build(compressor.get(), graph)))) {
      return fail(Errc::codec, "OpenZL cannot build the graph " + graph.name());
    }
    return compressors_.emplace(key, std::move(compressor)).first->second.get();
  }

  static ZL_GraphID sink_of(ZL_Compressor* compressor, const Graph& graph) {
    switch (graph.sink) {
      case Sink::store:
        return ZL_GRAPH_STORE;
      case Sink::constant:
        return ZL_GRAPH_CONSTANT;
      case Sink::zstd:
        return zstd(compressor, graph.zstd);
      case Sink::entropy:
        return ZL_GRAPH_ENTROPY;
      case Sink::transpose_zstd:
        return planes(compressor, zstd(compressor, graph.zstd));
      case Sink::transpose_entropy:
        return planes(compressor, ZL_GRAPH_ENTROPY);
      case Sink::field_lz:
        return ZL_GRAPH_FIELD_LZ;
    }
    return ZL_GRAPH_ILLEGAL;
  }

  static ZL_GraphID zstd(ZL_Compressor* compressor, const Zstd& search) {
    std::vector<ZL_IntParam> chosen = {{ZSTD_c_compressionLevel, search.level},
                                       // Else a target length would leave literals as they are.
                                       {ZSTD_c_literalCompressionMode, ZSTD_lcm_huffman}};
    if (search.min_match != 0) chosen.push_back({ZSTD_c_minMatch, search.min_match});
    if (search.target_length != 0) chosen.push_back({ZSTD_c_targetLength, search.target_length});
    const ZL_LocalParams local{
        .intParams = {chosen.data(), chosen.size()}, .copyParams = {}, .refParams = {}};
    ZL_ParameterizedGraphDesc described{};
    described.graph = ZL_GRAPH_ZSTD;
    described.localParams = &local;
    return ZL_Compressor_registerParameterizedGraph(compressor, &described);
  }

  /// Numbers as structures, split into byte planes.
  static ZL_GraphID planes(ZL_Compressor* compressor, ZL_GraphID each) {
    return ZL_Compressor_registerStaticGraph_fromNode1o(
        compressor, ZL_NODE_CONVERT_NUM_TO_STRUCT_LE,
        ZL_Compressor_registerTransposeSplitGraph(compressor, each));
  }

  static ZL_GraphID build(ZL_Compressor* compressor, const Graph& graph) {
    ZL_GraphID id = sink_of(compressor, graph);
    for (std::size_t i = graph.step_count; i-- > 0;) {
      const ZL_NodeID node = graph.steps[i] == Step::delta ? ZL_NODE_DELTA_INT : ZL_NODE_ZIGZAG;
      id = ZL_Compressor_registerStaticGraph_fromNode1o(compressor, node, id);
    }
    return id;
  }

  EncodeOptions options_;
  CCtx context_;
  std::map<Key, Compressor> compressors_;
};

}  // namespace

const Engine& engine() {
  static constexpr Engine doors{
      .name = SILLAR_OPENZL_TEXT(SILLAR_OPENZL_VARIANT),
      .version = SILLAR_OPENZL_TEXT(ZL_LIBRARY_VERSION_MAJOR) "." SILLAR_OPENZL_TEXT(
          ZL_LIBRARY_VERSION_MINOR) "." SILLAR_OPENZL_TEXT(ZL_LIBRARY_VERSION_PATCH),
      .inspect = inspect_frame,
      .make_decoder = []() -> std::unique_ptr<Decoder> { return std::make_unique<FrameDecoder>(); },
      .make_encoder = [](const EncodeOptions& options) -> std::unique_ptr<Encoder> {
        return std::make_unique<FrameEncoder>(options);
      },
  };
  return doors;
}

}  // namespace sillar::codec::openzl::SILLAR_OPENZL_VARIANT
