// NumPy's files: versions, byte orders, orders of axes.
#include <sillar/convert/npy.hpp>

#include "memory_raster.hpp"
#include <sillar/convert/transfer.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <scratch_directory.hpp>
#include <string>

namespace sillar::convert {
namespace {

using sillar::testing::ScratchDirectory;
using testing::bytes_of_samples;
using testing::numbered;
using testing::numbered_source;
using testing::read_all;

/// A file of version `major` with that dictionary and those samples.
std::vector<std::byte> file_of(int major, std::string header,
                               const std::vector<std::byte>& samples) {
  header += std::string(7, ' ') + "\n";
  std::string text = "\x93NUMPY";
  text += static_cast<char>(major);
  text += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    text += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  text += header;
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  bytes.insert(bytes.end(), samples.begin(), samples.end());
  return bytes;
}

std::string dictionary(const std::string& descr, const std::string& order,
                       const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

Result<std::unique_ptr<RasterSource>> open(std::vector<std::byte> bytes,
                                           const NpyOptions& options = {}) {
  return open_npy(io::memory_source(std::move(bytes)), options);
}

std::vector<std::byte> swapped16(std::vector<std::byte> bytes) {
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) std::swap(bytes[i], bytes[i + 1]);
  return bytes;
}

TEST(Npy, versions_one_to_three_are_read) {
  const Shape shape = {1, 1, 3, 4};
  for (const int major : {1, 2, 3}) {
    const auto source = open(
        file_of(major, dictionary("<u2", "False", "(3, 4)"), bytes_of_samples(numbered(shape))));
    ASSERT_TRUE(source.has_value()) << major;
    EXPECT_EQ((*source)->description().shape(), shape);
    EXPECT_EQ(*read_all(**source), bytes_of_samples(numbered(shape))) << major;
  }
  EXPECT_EQ(open(file_of(4, dictionary("<u2", "False", "(3, 4)"), {})).error().code,
            Errc::unsupported);
}

TEST(Npy, big_endian_samples_become_native) {
  const Shape shape = {1, 2, 3, 4};
  const auto samples = bytes_of_samples(numbered(shape));
  const auto source = open(file_of(1, dictionary(">u2", "False", "(2, 3, 4)"), swapped16(samples)));
  ASSERT_TRUE(source.has_value());
  EXPECT_EQ(*read_all(**source), samples);
  // Each half of a complex number by itself.
  const std::vector<float> pairs = {1, 2, 3, 4};
  std::vector<std::byte> turned;
  for (const float value : pairs) {
    const auto word = std::byteswap(std::bit_cast<std::uint32_t>(value));
    const auto* bytes = reinterpret_cast<const std::byte*>(&word);
    turned.insert(turned.end(), bytes, bytes + 4);
  }
  const auto complex = open(file_of(1, dictionary(">c8", "False", "(1, 2)"), turned));
  ASSERT_TRUE(complex.has_value());
  EXPECT_EQ((*complex)->description().dtype, DType::c64);
  EXPECT_EQ(*read_all(**complex), bytes_of_samples(pairs));
}

TEST(Npy, fortran_order_gives_the_same_samples_as_c_order) {
  const Shape shape = {2, 3, 3, 4};
  const auto samples = numbered(shape);
  std::vector<std::uint16_t> turned;
  for (std::uint64_t x = 0; x < 4; ++x) {
    for (std::uint64_t y = 0; y < 3; ++y) {
      for (std::uint64_t b = 0; b < 3; ++b) {
        for (std::uint64_t t = 0; t < 2; ++t)
          turned.push_back(samples[((t * 3 + b) * 3 + y) * 4 + x]);
      }
    }
  }
  const auto source =
      open(file_of(1, dictionary("<u2", "True", "(2, 3, 3, 4)"), bytes_of_samples(turned)));
  ASSERT_TRUE(source.has_value());
  EXPECT_EQ(*read_all(**source), bytes_of_samples(samples));
  // A part of it: times 1.., bands 1..2, rows 1..2, columns 2..3.
  std::vector<std::uint16_t> part(1 * 2 * 2 * 2);
  ASSERT_TRUE((*source)
                  ->read({1, 1, 1, 2, 1, 2, 2, 2},
                         MutableTensorView(reinterpret_cast<std::byte*>(part.data()), DType::u16,
                                           {1, 2, 2, 2}),
                         {})
                  .has_value());
  EXPECT_EQ(part, (std::vector<std::uint16_t>{4052, 4053, 4102, 4103, 5052, 5053, 5102, 5103}));
}

TEST(Npy, a_part_of_a_c_ordered_array_equals_the_slice) {
  const Shape shape = {2, 3, 3, 4};
  const auto source = open(
      file_of(1, dictionary("<u2", "False", "(2, 3, 3, 4)"), bytes_of_samples(numbered(shape))));
  std::vector<std::uint16_t> part(4);
  ASSERT_TRUE((*source)
                  ->read({1, 1, 2, 1, 1, 2, 1, 2},
                         MutableTensorView(reinterpret_cast<std::byte*>(part.data()), DType::u16,
                                           {1, 1, 2, 2}),
                         {})
                  .has_value());
  EXPECT_EQ(part, (std::vector<std::uint16_t>{5051, 5052, 5101, 5102}));
}

TEST(Npy, every_dtype_of_numpy_has_its_name) {
  const struct {
    const char* descr;
    DType dtype;
  } cases[] = {{"|b1", DType::boolean}, {"|u1", DType::u8},   {"<u2", DType::u16},
               {"<u4", DType::u32},     {"<u8", DType::u64},  {"|i1", DType::i8},
               {"<i2", DType::i16},     {"<i4", DType::i32},  {"<i8", DType::i64},
               {"<f2", DType::f16},     {"<f4", DType::f32},  {"<f8", DType::f64},
               {"<c8", DType::c64},     {"<c16", DType::c128}};
  for (const auto& [descr, dtype] : cases) {
    const auto header = parse_npy_header(file_of(1, dictionary(descr, "False", "(1, 1)"), {}));
    ASSERT_TRUE(header.has_value()) << descr;
    EXPECT_EQ(header->dtype, dtype) << descr;
    EXPECT_EQ(header->item_size, size_of(dtype));
    EXPECT_FALSE(header->swapped);
  }
}

TEST(Npy, what_is_no_raster_is_refused_by_name) {
  EXPECT_EQ(
      open(file_of(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 2), }", {}))
          .error()
          .code,
      Errc::unsupported);
  for (const char* descr : {"|O", "<U3", "|S4", "<M8[ns]", "<f16", "<c4"}) {
    const auto refused = open(file_of(1, dictionary(descr, "False", "(2, 2)"), {}));
    ASSERT_FALSE(refused.has_value()) << descr;
    EXPECT_EQ(refused.error().code, Errc::unsupported) << descr;
    EXPECT_NE(refused.error().detail.find(descr), std::string::npos) << descr;
  }
  EXPECT_EQ(
      open(file_of(1, dictionary("|u1", "False", "(4,)"), std::vector<std::byte>(4))).error().code,
      Errc::bad_argument);
  EXPECT_EQ(
      open(file_of(1, dictionary("|u1", "False", "()"), std::vector<std::byte>(1))).error().code,
      Errc::bad_argument);
  const auto empty = open(file_of(1, dictionary("|u1", "False", "(3, 0)"), {}));
  ASSERT_FALSE(empty.has_value());
  EXPECT_NE(empty.error().detail.find("x axis"), std::string::npos);
}

TEST(Npy, sizes_are_held_against_the_file_before_anything_is_read) {
  EXPECT_EQ(open(file_of(1, dictionary("<f8", "False", "(3, 4)"), std::vector<std::byte>(95)))
                .error()
                .code,
            Errc::truncated);
  EXPECT_EQ(open(file_of(1, dictionary("<f8", "False", "(3, 4)"), std::vector<std::byte>(97)))
                .error()
                .code,
            Errc::malformed);
  EXPECT_EQ(open(file_of(1, dictionary("<f8", "False", "(4294967296, 4294967296)"),
                         std::vector<std::byte>(8)))
                .error()
                .code,
            Errc::truncated);
  auto cut = file_of(1, dictionary("<f8", "False", "(3, 4)"), {});
  cut.resize(30);
  EXPECT_EQ(open(cut).error().code, Errc::truncated);
}

TEST(Npy, plain_bytes_are_what_the_caller_says) {
  const auto bytes =
      file_of(1, dictionary("<V2", "False", "(2, 2)"), std::vector<std::byte>(8, std::byte{0x3f}));
  EXPECT_EQ(open(bytes).error().code, Errc::bad_argument);
  NpyOptions options;
  options.dtype = DType::bf16;
  EXPECT_EQ((*open(bytes, options))->description().dtype, DType::bf16);
  options.dtype = DType::f8_e5m2;
  EXPECT_EQ(open(bytes, options).error().code, Errc::bad_argument);
}

TEST(Npy, a_written_header_is_padded_to_64_and_read_back) {
  for (const Shape& shape : {Shape{5}, Shape{2, 3}, Shape{1, 2, 3, 4}}) {
    const auto head = make_npy_header(DType::f32, shape);
    EXPECT_EQ(head.size() % 64, 0U);
    const auto header = parse_npy_header(head);
    ASSERT_TRUE(header.has_value());
    EXPECT_EQ(header->shape, shape);
    EXPECT_EQ(header->dtype, DType::f32);
    EXPECT_EQ(header->data_offset, head.size());
  }
  // As NumPy 1.26 writes numpy.zeros((2, 3), "<f4").
  const std::string expected = std::string("\x93NUMPY\1\0\x76\0", 10) +
                               "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" +
                               std::string(58, ' ') + "\n";
  const auto head = make_npy_header(DType::f32, {2, 3});
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(head.data()), head.size()), expected);
}

TEST(Npy, a_written_file_holds_what_was_put_in_any_pieces) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "a.npy";
  const auto source = numbered_source(2, 3);
  {
    auto target = create_npy(path, source->description(), false);
    ASSERT_TRUE(target.has_value());
    ASSERT_TRUE(transfer(*source, **target, {.piece_bytes = 16}).has_value());
    EXPECT_EQ(io::open_file(path).error().code, Errc::not_found);  // nothing before finish()
    ASSERT_TRUE((*target)->finish().has_value());
  }
  const auto written = open_npy(*io::open_file(path));
  ASSERT_TRUE(written.has_value());
  EXPECT_EQ(*read_all(**written), bytes_of_samples(numbered({2, 3, 3, 4})));
  EXPECT_EQ(create_npy(path, source->description(), false).error().code, Errc::exists);
}

}  // namespace
}  // namespace sillar::convert
