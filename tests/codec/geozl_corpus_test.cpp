// Frames that GeoZL wrote decode to the samples that it read.
#include "golden.hpp"
#include "random.hpp"
#include "sha256.hpp"
#include <sillar/codec/geozl/openzl_binding.hpp>
#include <sillar/codec/openzl_budget.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <openzl/openzl.h>

#include <memory>
#include <string>
#include <vector>

namespace sillar::codec::geozl {
namespace {

using sillar::testing::Bytes;
using sillar::testing::golden;

struct Free {
  void operator()(ZL_DCtx* context) const { ZL_DCtx_free(context); }
};

/// OpenZL with all codecs of the table.
class FrameReader {
 public:
  FrameReader() : context_(ZL_DCtx_create()) {
    EXPECT_TRUE(binding_.register_in(context_.get()));
    EXPECT_FALSE(ZL_isError(ZL_DCtx_setParameter(context_.get(), ZL_DParam_stickyParameters, 1)));
  }

  /// Without checksums only the decoders themselves stand between damage and the samples.
  void ignore_checksums() {
    for (const auto what : {ZL_DParam_checkContentChecksum, ZL_DParam_checkCompressedChecksum}) {
      EXPECT_FALSE(ZL_isError(ZL_DCtx_setParameter(context_.get(), what, ZL_TernaryParam_disable)));
    }
  }

  bool read(const Bytes& frame, std::size_t size) { return read(frame, size, size); }

  bool read(const Bytes& frame, std::size_t size, std::uint64_t ceiling) {
    memory_.assign(size / 8 + 1, 0);
    size_ = size;
    binding_.begin(ceiling);
    const openzl::MemoryBudget budget(4 * size + (std::uint64_t{16} << 20));
    ZL_OutputInfo written{};
    const auto report = ZL_DCtx_decompressTyped(context_.get(), &written, memory_.data(), size,
                                                frame.data(), frame.size());
    failure_ = binding_.take_failure();
    return !ZL_isError(report) && ZL_validResult(report) == size;
  }

  [[nodiscard]] std::span<const std::byte> samples() const {
    return std::as_bytes(std::span(memory_)).first(size_);
  }
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }

 private:
  baseline::Binding binding_;
  std::unique_ptr<ZL_DCtx, Free> context_;
  std::vector<std::uint64_t> memory_;
  std::size_t size_ = 0;
  std::optional<Error> failure_;
};

struct Vector {
  std::string file, sha256;
  std::size_t decoded_size;
};

std::vector<Vector> vectors(const std::string& folder) {
  const Bytes text = golden(folder + "manifest.json");
  const auto manifest = nlohmann::json::parse(
      std::string_view(reinterpret_cast<const char*>(text.data()), text.size()));
  std::vector<Vector> list;
  for (const auto& entry : manifest.at("vectors")) {
    list.push_back({folder + entry.at("file").get<std::string>(), entry.at("sha256"),
                    entry.at("decoded_bytes")});
  }
  return list;
}

constexpr std::string_view format_24 = "corpus/geozl/";
constexpr std::string_view format_27 = "corpus/geozl/v27/";

TEST(GeozlFrames, decode_to_the_samples_of_the_manifest) {
  const auto list = vectors(std::string(format_24));
  ASSERT_EQ(list.size(), 121u);
  FrameReader reader;
  for (const Vector& vector : list) {
    SCOPED_TRACE(vector.file);
    ASSERT_TRUE(reader.read(golden(vector.file), vector.decoded_size))
        << (reader.failure() ? reader.failure()->message() : "");
    EXPECT_EQ(sillar::testing::sha256(reader.samples()), vector.sha256);
  }
}

TEST(GeozlFrames, decode_in_format_27_too) {
  const auto list = vectors(std::string(format_27));
  ASSERT_EQ(list.size(), 9u);
  FrameReader reader;
  for (const Vector& vector : list) {
    SCOPED_TRACE(vector.file);
    ASSERT_TRUE(reader.read(golden(vector.file), vector.decoded_size))
        << (reader.failure() ? reader.failure()->message() : "");
    EXPECT_EQ(sillar::testing::sha256(reader.samples()), vector.sha256);
  }
}

TEST(GeozlFrames, are_refused_where_a_decoder_would_pass_the_ceiling) {
  FrameReader reader;
  const auto list = vectors(std::string(format_24));
  const auto& vector = list.front();
  EXPECT_FALSE(reader.read(golden(vector.file), vector.decoded_size, vector.decoded_size - 1));
  ASSERT_TRUE(reader.failure().has_value());
  EXPECT_EQ(reader.failure()->code, Errc::codec);
  EXPECT_TRUE(reader.read(golden(vector.file), vector.decoded_size));
  EXPECT_FALSE(reader.failure().has_value());
}

TEST(GeozlFrames, are_decoded_or_refused_however_they_are_damaged) {
  sillar::testing::Random random(20);
  SCOPED_TRACE(random.trace());
  FrameReader reader;
  reader.ignore_checksums();
  for (const std::string_view folder : {format_24, format_27}) {
    for (const Vector& vector : vectors(std::string(folder))) {
      const Bytes frame = golden(vector.file);
      if (frame.size() > 20000) continue;
      for (int round = 0; round < 40; ++round) {
        Bytes damaged = frame;
        for (std::uint64_t i = random.between(1, 3); i > 0; --i) {
          // Headers of codecs lie in front.
          const std::uint64_t most =
              random.coin() ? std::min<std::uint64_t>(96, frame.size()) : frame.size();
          damaged[random.below(most)] = static_cast<std::byte>(random.below(256));
        }
        reader.read(damaged, vector.decoded_size);
      }
    }
  }
}

}  // namespace
}  // namespace sillar::codec::geozl
