// Reading and writing one rumi file: opening, planning, full reads, windows, bands, writing.
//
//   SILLAR_BENCH_FILE=scene.rumi build/release/bench/rumi_bench
//
// Everything is in the page cache; bytes per second are those of the samples that come out or go
// in. "copy" is the limit beside them: the output written once from memory.
#include <sillar/io/sink.hpp>
#include <sillar/rumi/reader.hpp>
#include <sillar/rumi/writer.hpp>
#include <sillar/tensor/copy.hpp>

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace sillar;  // NOLINT(google-build-using-namespace): a program, not a header

/// The file, opened once; a benchmark without one reports why.
class Scene {
 public:
  static const Scene* get(benchmark::State& state) {
    static const Scene scene;
    if (!scene.file_) {
      state.SkipWithError(scene.problem_.c_str());
      return nullptr;
    }
    return &scene;
  }

  [[nodiscard]] const rumi::File& file() const { return *file_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::vector<std::byte>& blob() const { return blob_; }
  [[nodiscard]] const rumi::Layout& layout() const { return file_->layout(); }

 private:
  Scene() {
    const char* path = std::getenv("SILLAR_BENCH_FILE");
    if (path == nullptr) {
      problem_ = "SILLAR_BENCH_FILE names no .rumi file";
      return;
    }
    path_ = path;
    if (auto file = rumi::open(path_)) {
      file_ = std::move(*file);
      blob_ = file_->header_blob();
    } else {
      problem_ = file.error().message();
    }
  }

  std::string path_;
  std::string problem_;
  std::optional<rumi::File> file_;
  std::vector<std::byte> blob_;
};

/// Stops the benchmark with the error's text.
template <class T>
bool failed(benchmark::State& state, const Result<T>& result) {
  if (!result) state.SkipWithError(result.error().message().c_str());
  return !result;
}

void count_bytes(benchmark::State& state, std::uint64_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(bytes));
}

/// Windows of at most 256 x 256 at fixed random places.
std::vector<geo::Window> random_windows(const rumi::Layout& layout, std::size_t count) {
  constexpr std::uint64_t side = 256;
  std::mt19937_64 random(7);
  const auto height = std::min<std::uint64_t>(side, layout.image_length);
  const auto width = std::min<std::uint64_t>(side, layout.image_width);
  std::uniform_int_distribution<std::uint64_t> row(0, layout.image_length - height);
  std::uniform_int_distribution<std::uint64_t> col(0, layout.image_width - width);
  std::vector<geo::Window> windows;
  for (std::size_t i = 0; i < count; ++i) {
    windows.push_back({static_cast<std::int64_t>(row(random)),
                       static_cast<std::int64_t>(col(random)), static_cast<std::int64_t>(height),
                       static_cast<std::int64_t>(width)});
  }
  return windows;
}

void open_by_path(benchmark::State& state) {
  const Scene* scene = Scene::get(state);
  if (scene == nullptr) return;
  for (auto _ : state) {
    if (failed(state, rumi::open(scene->path()))) return;
  }
}
BENCHMARK(open_by_path);

void open_by_blob(benchmark::State& state) {
  const Scene* scene = Scene::get(state);
  if (scene == nullptr) return;
  for (auto _ : state) {
    const auto file = rumi::open(
        scene->path(), {.header_blob = std::span(scene->blob()), .limits = {}, .control = {}});
    if (failed(state, file)) return;
  }
}
BENCHMARK(open_by_blob);

void plan_everything(benchmark::State& state) {
  const Scene* scene = Scene::get(state);
  if (scene == nullptr) return;
  for (auto _ : state) {
    const auto plan = scene->file().plan();
    if (failed(state, plan)) return;
    benchmark::DoNotOptimize(plan->frames.data());
  }
  state.counters["frames"] = static_cast<double>(scene->file().frames().frames());
}
BENCHMARK(plan_everything);

void copy_everything(benchmark::State& state) {
  const Scene* scene = Scene::get(state);
  if (scene == nullptr) return;
  const auto from = scene->file().read();
  if (failed(state, from)) return;
  for (auto _ : state) {
    auto to = Tensor::allocate(from->dtype(), from->shape());
    if (failed(state, to)) return;
    copy(to->view(), from->view());
    benchmark::DoNotOptimize(to->bytes().data());
  }
  count_bytes(state, from->bytes().size());
}
BENCHMARK(copy_everything)->Unit(benchmark::kMillisecond);

void read_everything(benchmark::State& state) {
  const Scene* scene = Scene::get(state);
  if (scene == nullptr) return;
  rumi::ReadOptions options;
  options.verify = state.range(0) != 0;
  std::uint64_t bytes = 0;
  for (auto _ : state) {
    const auto samples = scene->file().read({}, options);
    if (failed(state, samples)) return;
    bytes = samples->bytes().size();
  }
  count_bytes(state, bytes);
}
BENCHMARK(read_everything)->ArgName("verify")->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond);

void read_everything_into_the_same_buffer(benchmark::State& state) {
  const Scene* scene = Scene::get(state);
  if (scene == nullptr) return;
  auto samples = scene->file().read();
  const auto plan = scene->file().plan();
  if (failed(state, samples) || failed(state, plan)) return;
  for (auto _ : state) {
    if (failed(state, scene->file().read_into(*plan, samples->view()))) return;
  }
  count_bytes(state, samples->bytes().size());
}
BENCHMARK(read_everything_into_the_same_buffer)->Unit(benchmark::kMillisecond);

/// The axes of the output as people ask for them.
void read_everything_as(benchmark::State& state, const char* axes) {
  const Scene* scene = Scene::get(state);
  if (scene == nullptr) return;
  rumi::Selection selection;
  selection.axes = axes;
  std::uint64_t bytes = 0;
  for (auto _ : state) {
    const auto samples = scene->file().read(selection);
    if (failed(state, samples)) return;
    bytes = samples->bytes().size();
  }
  count_bytes(state, bytes);
}
BENCHMARK_CAPTURE(read_everything_as, tyxb, "tyxb")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_everything_as, yxtb, "yxtb")->Unit(benchmark::kMillisecond);

void read_windows(benchmark::State& state) {
  const Scene* scene = Scene::get(state);
  if (scene == nullptr) return;
  const auto windows = random_windows(scene->layout(), 64);
  rumi::Selection selection;
  if (state.range(0) != 0) selection.bands = {{std::uint64_t{0}}};
  std::uint64_t bytes = 0;
  std::size_t next = 0;
  for (auto _ : state) {
    selection.window = windows[next++ % windows.size()];
    const auto samples = scene->file().read(selection);
    if (failed(state, samples)) return;
    bytes = samples->bytes().size();
  }
  count_bytes(state, bytes);
}
BENCHMARK(read_windows)->ArgName("one_band")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

void write_everything(benchmark::State& state) {
  const Scene* scene = Scene::get(state);
  if (scene == nullptr) return;
  const auto samples = scene->file().read();
  const auto georeference = scene->file().georeference();
  const auto trailer = scene->file().trailer();
  if (failed(state, samples) || failed(state, georeference) || failed(state, trailer)) return;
  std::vector<std::byte> out;
  for (auto _ : state) {
    const auto blob = rumi::write(io::memory_sink(out),
                                  {.layout = scene->layout(),
                                   .georeference = *georeference,
                                   .trailer = **trailer,
                                   .affine = rumi::AffineDemand::none},
                                  samples->view());
    if (failed(state, blob)) return;
  }
  count_bytes(state, samples->bytes().size());
  state.counters["ratio"] =
      static_cast<double>(samples->bytes().size()) / static_cast<double>(out.size());
}
BENCHMARK(write_everything)->Unit(benchmark::kMillisecond);

}  // namespace
