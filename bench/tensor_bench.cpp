// Strided copies between layouts, each beside the copy of as many contiguous bytes.
//
//   build/release/bench/tensor_bench
#include <sillar/tensor/copy.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

using sillar::CopyAxis;

constexpr std::uint64_t side = 256;  // of a tile
constexpr std::uint64_t bands = 4;

void count_bytes(benchmark::State& state, std::uint64_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * bytes));
}

void contiguous(benchmark::State& state) {
  const auto size = static_cast<std::uint64_t>(state.range(0));
  const std::uint64_t bytes = side * side * bands * size;
  const std::vector<std::byte> from(bytes);
  std::vector<std::byte> to(bytes);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), bytes);
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  count_bytes(state, bytes);
}
BENCHMARK(contiguous)->Arg(1)->Arg(2)->Arg(4)->Arg(8);

/// A tile's rows into a wider image.
void rows_into_image(benchmark::State& state) {
  const auto size = static_cast<std::int64_t>(state.range(0));
  const auto row = static_cast<std::int64_t>(side) * size;
  const std::int64_t image_row = row * 16;
  const std::vector<std::byte> from(side * side * static_cast<std::uint64_t>(size));
  std::vector<std::byte> to(static_cast<std::uint64_t>(image_row) * side);
  const std::array<CopyAxis, 2> axes = {{{side, image_row, row}, {side, size, size}}};
  for (auto _ : state) {
    sillar::copy_strided(to.data(), from.data(), static_cast<std::size_t>(size), axes);
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  count_bytes(state, from.size());
}
BENCHMARK(rows_into_image)->Arg(1)->Arg(2)->Arg(4)->Arg(8);

/// (y, x, band) to (band, y, x): cells with bands innermost.
void bands_apart(benchmark::State& state) {
  const auto size = static_cast<std::int64_t>(state.range(0));
  const auto plane = static_cast<std::int64_t>(side * side) * size;
  const auto pixel = static_cast<std::int64_t>(bands) * size;
  const std::vector<std::byte> from(static_cast<std::uint64_t>(plane) * bands);
  std::vector<std::byte> to(from.size());
  const std::array<CopyAxis, 2> axes = {{{bands, plane, size}, {side * side, size, pixel}}};
  for (auto _ : state) {
    sillar::copy_strided(to.data(), from.data(), static_cast<std::size_t>(size), axes);
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  count_bytes(state, from.size());
}
BENCHMARK(bands_apart)->Arg(1)->Arg(2)->Arg(4)->Arg(8);

/// (band, y, x) to (y, x, band): what picture libraries want.
void bands_together(benchmark::State& state) {
  const auto size = static_cast<std::int64_t>(state.range(0));
  const auto plane = static_cast<std::int64_t>(side * side) * size;
  const auto pixel = static_cast<std::int64_t>(bands) * size;
  const std::vector<std::byte> from(static_cast<std::uint64_t>(plane) * bands);
  std::vector<std::byte> to(from.size());
  const std::array<CopyAxis, 2> axes = {{{side * side, pixel, size}, {bands, size, plane}}};
  for (auto _ : state) {
    sillar::copy_strided(to.data(), from.data(), static_cast<std::size_t>(size), axes);
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  count_bytes(state, from.size());
}
BENCHMARK(bands_together)->Arg(1)->Arg(2)->Arg(4)->Arg(8);

}  // namespace
