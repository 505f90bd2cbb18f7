// Damaged and hostile files: refused or read, never a crash, and never much memory.
#include "made_file.hpp"
#include "opened.hpp"
#include "random.hpp"
#include "stards_manifest.hpp"

#include <gtest/gtest.h>

namespace sillar::stards::testing {
namespace {

using sillar::testing::Random;

/// Asks for everything; what comes back is not looked at. Sizes are held down.
void ask_for_all(const Bytes& bytes) {
  Limits limits;
  limits.frame_bytes = std::uint64_t{4} << 20;
  limits.output_bytes = std::uint64_t{4} << 20;
  limits.trailer_bytes = std::uint64_t{4} << 20;
  const auto source = io::memory_source(Bytes(bytes));
  const auto report = validate(*source, {.limits = limits});
  const auto file = open(source, {.limits = limits});
  if (report && !file) {
    EXPECT_GT(report->errors(), 0u);
  }
  if (!file) return;
  ReadOptions options{.slice_shuffled = true, .limits = limits};
  for (std::size_t i = 0; i < file->array_count(); ++i) {
    const ArrayInfo array = file->array(i);
    options.scope.layer = array.layer;
    const auto got = file->get(array.key, options);
    if (report && report->errors() == 0 && !got) {
      EXPECT_TRUE(got.error().code == Errc::unsupported) << got.error().message();
    }
    const std::vector<Slice> some(array.shape().size(), Slice{.start = 0, .stop = {}, .step = 2});
    static_cast<void>(file->get_slice(array.key, some, options));
  }
  for (std::size_t layer = 0; layer < file->layer_count(); ++layer)
    static_cast<void>(file->metadata(layer));
}

TEST(Files, with_changed_bytes_are_refused_or_read) {
  Random random(5);
  SCOPED_TRACE(random.trace());
  for (const char* name : {"layers_c5", "strings_c3", "mixed_codecs", "layers_meta_c1", "blocks_c4",
                           "layers_meta_c3", "empty_c1", "layer_longest"}) {
    const Bytes good = manifest().valid_case(name).bytes();
    for (int round = 0; round < 400; ++round) {
      Bytes bytes = good;
      for (std::uint64_t i = random.between(1, 3); i > 0; --i) {
        const std::size_t at = static_cast<std::size_t>(random.below(bytes.size()));
        bytes[at] = random.coin() ? std::byte{0xFF} : static_cast<std::byte>(random.below(256));
      }
      SCOPED_TRACE(std::string(name) + ", round " + std::to_string(round));
      ask_for_all(bytes);
    }
  }
}

TEST(Files, that_end_early_are_refused_or_read) {
  for (const char* name : {"layers_c5", "strings_c1", "layers_meta_c3"}) {
    const Bytes good = manifest().valid_case(name).bytes();
    for (std::size_t size = 0; size < good.size(); size += 1 + size / 200) {
      SCOPED_TRACE(std::string(name) + " of " + std::to_string(size) + " bytes");
      const Bytes bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
      ask_for_all(bytes);
      const auto broken = validate(*io::memory_source(Bytes(bytes)));
      ASSERT_TRUE(broken.has_value());
      EXPECT_GT(broken->errors(), 0u);
    }
  }
}

MadeMetadata no_metadata() {
  return {.layer = "__base__", .keys = {}, .compression = 0, .stored = {}, .shared = false};
}

TEST(Limits, hold_before_anything_is_allocated) {
  // 200 bytes that may decode to 200 KB, as far as anybody can tell.
  MadeArray array = plain_array("a", 4, {200000}, Bytes(200), 200000);
  array.compression = 1;
  array.blocks = {{0, 200, 200000}};
  const auto file = open_bytes(make_file({array}, {}, {no_metadata()})).value();
  Limits small;
  small.output_bytes = 199999;
  EXPECT_EQ(file.get("a", {.limits = small}).error().code, Errc::over_limit);
  small = {};
  small.frame_bytes = 199999;
  EXPECT_EQ(file.get("a", {.limits = small}).error().code, Errc::over_limit);
  EXPECT_EQ(file.get("a").error().rule, &rules::array_gzip);

  const Bytes metadata = manifest().valid_case("meta_bomb_like").bytes();
  Limits tight;
  tight.trailer_bytes = 64;
  const auto opened = open(io::memory_source(Bytes(metadata)), {.limits = tight}).value();
  EXPECT_EQ(opened.metadata(0).error().code, Errc::over_limit);
  const auto wide = open(io::memory_source(Bytes(metadata)), {.header_bytes = 40});
  EXPECT_EQ(wide.error().code, Errc::over_limit);
}

TEST(Shapes, without_elements_but_past_the_address_space_are_over_the_limit) {
  MadeArray array = plain_array("a", 4, {0, std::uint64_t{1} << 63}, {}, 1);
  const auto file = open_bytes(make_file({array}, {}, {no_metadata()})).value();
  EXPECT_EQ(file.get("a").error().code, Errc::over_limit);
}

TEST(Payloads, that_are_short_are_errors_and_never_zeros) {
  // A file that shrinks between opening and reading.
  class Shrunk final : public io::ByteSource {
   public:
    using ByteSource::read;
    explicit Shrunk(Bytes bytes) : bytes_(std::move(bytes)) {}
    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] Result<std::uint64_t> size() const override { return bytes_.size(); }
    [[nodiscard]] Result<> read(std::span<const io::ByteRange> ranges, const io::OnReady& on_ready,
                                const io::ReadControl& control) const override {
      if (shrunk) return fail(Errc::truncated, "the file shrank", 0);
      return io::memory_source(std::span<const std::byte>(bytes_))->read(ranges, on_ready, control);
    }
    bool shrunk = false;

   private:
    Bytes bytes_;
    std::string name_ = "shrunk";
  };
  const auto source = std::make_shared<Shrunk>(manifest().valid_case("special_c3").bytes());
  const auto file = open(std::shared_ptr<const io::ByteSource>(source)).value();
  source->shrunk = true;
  const auto got = file.get(file.array(0).key);
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code, Errc::truncated);
}

}  // namespace
}  // namespace sillar::stards::testing
