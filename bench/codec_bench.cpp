// Every graph that the encoder builds, on the tiles of a rumi file: ratio, encoding, decoding.
//
//   SILLAR_BENCH_FILE=scene.rumi build/release/bench/codec_bench
//
// Bytes per second are those of the samples.
#include <sillar/codec/openzl.hpp>
#include <sillar/rumi/reader.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace sillar;                 // NOLINT(google-build-using-namespace): a program
using namespace sillar::codec::openzl;  // NOLINT(google-build-using-namespace)

struct Tiles {
  std::vector<std::vector<std::byte>> samples;
  std::size_t width = 1;  ///< bytes of a word
  std::uint64_t bytes = 0;
  std::string problem;
};

/// Every frame of the file, decoded.
Tiles read_tiles() {
  Tiles tiles;
  const char* path = std::getenv("SILLAR_BENCH_FILE");
  if (path == nullptr) {
    tiles.problem = "SILLAR_BENCH_FILE names no .rumi file";
    return tiles;
  }
  const auto file = rumi::open(path);
  if (!file) {
    tiles.problem = file.error().message();
    return tiles;
  }
  tiles.width = std::min<std::size_t>(size_of(file->layout().dtype()), 8);
  const auto decoder = make_decoder();
  for (std::uint64_t i = 0; i < file->frames().frames(); ++i) {
    const auto frame = file->read_compressed(i);
    const auto stated = frame ? inspect(*frame) : std::unexpected(frame.error());
    if (!stated) {
      tiles.problem = stated.error().message();
      return tiles;
    }
    std::vector<std::byte> samples(stated->decoded_size);
    if (const auto decoded = decoder->decode(*frame, samples, {}); !decoded) {
      tiles.problem = decoded.error().message();
      return tiles;
    }
    tiles.bytes += samples.size();
    tiles.samples.push_back(std::move(samples));
  }
  return tiles;
}

const Tiles& tiles() {
  static const Tiles all = read_tiles();
  return all;
}

void encode(benchmark::State& state, const Graph& graph) {
  const auto encoder = make_encoder();
  std::vector<std::byte> frame;
  std::uint64_t size = 0;
  for (auto _ : state) {
    size = 0;
    for (const auto& samples : tiles().samples) {
      if (const auto done = encoder->encode(graph, samples, tiles().width, frame); !done) {
        state.SkipWithError(done.error().message().c_str());
        return;
      }
      size += frame.size();
    }
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * tiles().bytes));
  state.counters["ratio"] = static_cast<double>(tiles().bytes) / static_cast<double>(size);
}

void decode(benchmark::State& state, const Graph& graph, const DecodeOptions& options) {
  const auto encoder = make_encoder();
  const auto decoder = make_decoder();
  std::vector<std::vector<std::byte>> frames;
  std::size_t largest = 0;
  for (const auto& samples : tiles().samples) {
    if (const auto done = encoder->encode(graph, samples, tiles().width, frames.emplace_back());
        !done) {
      state.SkipWithError(done.error().message().c_str());
      return;
    }
    largest = std::max(largest, samples.size());
  }
  std::vector<std::uint64_t> words(largest / 8 + 1);
  const auto out = std::as_writable_bytes(std::span(words));
  for (auto _ : state) {
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const auto done = decoder->decode(frames[i], out.first(tiles().samples[i].size()), options);
      if (!done) {
        state.SkipWithError(done.error().message().c_str());
        return;
      }
    }
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * tiles().bytes));
}

std::vector<Graph> graphs(std::size_t width) {
  std::vector<Graph> list;
  const auto add = [&list](std::vector<Step> steps, Sink sink, Zstd zstd = {}) {
    Graph graph{.steps = {},
                .step_count = static_cast<std::uint8_t>(steps.size()),
                .sink = sink,
                .zstd = zstd};
    std::ranges::copy(steps, graph.steps.begin());
    list.push_back(graph);
  };
  add({}, Sink::store);
  for (const auto& steps : {std::vector<Step>{}, {Step::delta}, {Step::delta, Step::zigzag}}) {
    for (const Zstd zstd :
         {Zstd{.level = 1}, Zstd{.level = 3}, Zstd{.level = 9}, zstd_for_differences}) {
      add(steps, Sink::zstd, zstd);
      if (width > 1) add(steps, Sink::transpose_zstd, zstd);
    }
    if (width <= 2) add(steps, Sink::entropy);
    if (width > 1) add(steps, Sink::transpose_entropy);
    add(steps, Sink::field_lz);
  }
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (!tiles().problem.empty()) {
    std::fprintf(stderr, "%s\n", tiles().problem.c_str());
    return 1;
  }
  for (const Graph& graph : graphs(tiles().width)) {
    benchmark::RegisterBenchmark(("encode/" + graph.name()).c_str(), encode, graph)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("decode/" + graph.name()).c_str(), decode, graph, DecodeOptions{})
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("decode_by_openzl/" + graph.name()).c_str(), decode, graph,
                                 DecodeOptions{.verify = true, .native = false})
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
