// `sillar decode-frame`: one bare OpenZL frame to its bytes.
#include "cli/formats.hpp"
#include "cli/output.hpp"
#include "cli/verb.hpp"
#include <sillar/codec/openzl.hpp>
#include <sillar/tensor/tensor.hpp>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

namespace sillar::cli {
namespace {

struct Options {
  std::string file;
  OutputOptions output;
  bool no_verify = false;
};

struct Decoded {
  codec::openzl::FrameInfo info;
  Tensor bytes;
};

/// Only frames with one output that has a size of its own are decoded.
[[nodiscard]] Result<> check(const codec::openzl::FrameInfo& info, const Limits& limits) {
  if (info.outputs != 1)
    return fail(Errc::unsupported,
                fmt::format("the frame has {} outputs, one is decoded", info.outputs));
  if (info.type == codec::openzl::OutputType::string)
    return fail(Errc::unsupported, "the frame holds strings");
  if (info.decoded_size > limits.frame_bytes) {
    return fail(Errc::over_limit, fmt::format("the frame decodes to {} bytes, the limit is {}",
                                              info.decoded_size, limits.frame_bytes));
  }
  return {};
}

[[nodiscard]] Result<Decoded> decode(const Options& options) {
  SILLAR_TRY(const Limits limits, Context::limits());
  SILLAR_TRY(const bool verify, Context::verify(options.no_verify));
  SILLAR_TRY(const auto frame, read_all(options.file, limits.frame_bytes));
  SILLAR_TRY(const auto info, codec::openzl::inspect(frame));
  SILLAR_TRY(check(info, limits));
  SILLAR_TRY(auto bytes, Tensor::allocate(DType::u8, {info.decoded_size}));
  SILLAR_TRY(codec::openzl::make_decoder()->decode(frame, bytes.bytes(), {.verify = verify}));
  return Decoded{.info = info, .bytes = std::move(bytes)};
}

[[nodiscard]] Result<int> run(const Options& options, const Context& context) {
  if (options.output.to_stdout() && context.json())
    return fail(Errc::bad_argument, "--json and -o - both want standard output");
  SILLAR_TRY(const auto decoded, in_source(decode(options), options.file));
  SILLAR_TRY(write_output(options.output, options.file, decoded.bytes.bytes()));
  if (context.json()) {
    Json json = document("decode-frame");
    put_path(json, "file", options.file);
    put_path(json, "output", options.output.path);
    json["format_version"] = decoded.info.format_version;
    json["type"] = codec::openzl::name_of(decoded.info.type);
    json["bytes"] = number(decoded.info.decoded_size);
    SILLAR_TRY(context.print_document(json));
  }
  return 0;
}

}  // namespace

Run declare_decode_frame(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("FILE", options->file, "The frame; - is standard input")->required();
  declare_output(app, options->output, true);
  app.add_flag("--no-verify", options->no_verify, "Leave the frame's own checksums unchecked");
  return [options](Context& context) { return run(*options, context); };
}

}  // namespace sillar::cli
