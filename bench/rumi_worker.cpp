// One process of the peer benchmarks: reads requests as JSON lines, times them, answers as JSON
// lines.
//
//   {"op": "full",    "path": P, "header": HEX}                               read everything
//   {"op": "windows", "path": P, "header": HEX, "windows": [[r, c, h, w], ...], "bands": [..]?}
//   {"op": "write",   "raw": P, "shape": [t, b, y, x], "dtype": "uint16", "tile": 256, "unit": 0,
//   "path": OUT}
//
// Each answer has "t" (seconds inside the library, opening included) and, for reads, "sum": the sum
// of the samples' bytes as 64-bit words, which the runner compares across peers in an untimed
// round.
#include <sillar/rumi/reader.hpp>
#include <sillar/rumi/writer.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace {

using nlohmann::json;
using namespace sillar;  // NOLINT(google-build-using-namespace): a program, not a header

class Clock {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::vector<std::byte> from_hex(const std::string& text) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::uint64_t sum_of(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min<std::size_t>(8, bytes.size() - i));
    sum += word;
  }
  return sum;
}

Result<json> full(const json& request) {
  const auto header = from_hex(request.at("header"));
  const Clock clock;
  SILLAR_TRY(const auto file,
             rumi::open(request.at("path").get<std::string>(),
                        {.header_blob = std::span(header), .limits = {}, .control = {}}));
  SILLAR_TRY(const auto tensor, file.read());
  const double seconds = clock.seconds();
  return json{{"t", seconds}, {"sum", sum_of(tensor.bytes())}};
}

Result<json> windows(const json& request) {
  const auto header = from_hex(request.at("header"));
  std::vector<rumi::Selection> selections;
  for (const auto& w : request.at("windows")) {
    rumi::Selection selection;
    selection.window = geo::Window{w.at(0), w.at(1), w.at(2), w.at(3)};
    if (request.contains("bands")) {
      selection.bands.emplace();
      for (const std::uint64_t band : request["bands"]) selection.bands->emplace_back(band);
    }
    selections.push_back(std::move(selection));
  }
  const bool check = request.value("check", false);
  std::uint64_t sum = 0;
  const Clock clock;
  SILLAR_TRY(const auto file,
             rumi::open(request.at("path").get<std::string>(),
                        {.header_blob = std::span(header), .limits = {}, .control = {}}));
  for (const auto& selection : selections) {
    SILLAR_TRY(const auto tensor, file.read(selection));
    if (check) sum += sum_of(tensor.bytes());
  }
  return json{{"t", clock.seconds()}, {"sum", sum}};
}

Result<json> write(const json& request) {
  const Shape shape = request.at("shape");
  const DType dtype = dtype_of(request.at("dtype").get<std::string>()).value_or(DType::u8);
  std::ifstream in(request.at("raw").get<std::string>(), std::ios::binary);
  SILLAR_TRY(auto samples, Tensor::allocate(dtype, shape));
  in.read(reinterpret_cast<char*>(samples.bytes().data()),
          static_cast<std::streamsize>(samples.bytes().size()));
  std::vector<std::string> texts;
  for (std::uint64_t b = 0; b < shape[1]; ++b) texts.push_back(fmt::format("b{}", b));
  std::vector<rumi::Seconds> times;
  for (std::uint64_t t = 0; t < shape[0]; ++t)
    times.push_back(rumi::Seconds{86400} * static_cast<rumi::Seconds>(t));
  const std::uint64_t tile = request.at("tile");
  const Clock clock;
  SILLAR_TRY(const auto layout,
             rumi::layout_of(shape, dtype, tile, tile, request.value("unit", 0U)));
  SILLAR_TRY(auto axis, rumi::TimeAxis::make(rumi::TimeType::instant, times));
  SILLAR_TRY(auto sink,
             io::create_file(request.at("path").get<std::string>(), {.overwrite = true}));
  SILLAR_TRY(
      const auto blob,
      rumi::write(std::move(sink),
                  {.layout = layout, .georeference = {}, .trailer = {texts, std::move(axis)}},
                  samples.view()));
  const double seconds = clock.seconds();
  std::string hex;
  for (const std::byte byte : blob) hex += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return json{{"t", seconds}, {"header", hex}};
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const json request = json::parse(line);
    const std::string op = request.at("op");
    const auto answer = op == "full"      ? full(request)
                        : op == "windows" ? windows(request)
                                          : write(request);
    std::cout << (answer ? *answer : json{{"error", answer.error().message()}}).dump() << std::endl;
  }
  return 0;
}
