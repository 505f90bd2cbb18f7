// The table of sample types against the specification's (rumi, "DLPack representation").
#include <sillar/tensor/dtype.hpp>

#include <gtest/gtest.h>

namespace sillar {
namespace {

struct Expected {
  std::string_view name;
  unsigned bytes, code, bits;
};

// From the tables "Sample encodings" and "DLPack representation".
constexpr Expected expected[] = {
    {"bool", 1, 6, 8},
    {"uint8", 1, 1, 8},
    {"uint16", 2, 1, 16},
    {"uint32", 4, 1, 32},
    {"uint64", 8, 1, 64},
    {"int8", 1, 0, 8},
    {"int16", 2, 0, 16},
    {"int32", 4, 0, 32},
    {"int64", 8, 0, 64},
    {"float16", 2, 2, 16},
    {"float32", 4, 2, 32},
    {"float64", 8, 2, 64},
    {"complex32", 4, 5, 32},
    {"complex64", 8, 5, 64},
    {"complex128", 16, 5, 128},
    {"bfloat16", 2, 4, 16},
    {"float8_e4m3fn", 1, 10, 8},
    {"float8_e4m3fnuz", 1, 11, 8},
    {"float8_e5m2", 1, 12, 8},
    {"float8_e5m2fnuz", 1, 13, 8},
    {"float8_e8m0fnu", 1, 14, 8},
};

TEST(DTypes, have_the_sizes_and_DLPack_codes_of_the_specification) {
  EXPECT_EQ(std::size(expected), dtype_table.size());
  for (const auto& [name, bytes, code, bits] : expected) {
    const auto dtype = dtype_of(name);
    ASSERT_TRUE(dtype.has_value()) << name;
    EXPECT_EQ(name_of(*dtype), name);
    EXPECT_EQ(size_of(*dtype), bytes) << name;
    EXPECT_EQ(info(*dtype).dlpack_code, code) << name;
    EXPECT_EQ(info(*dtype).dlpack_bits, bits) << name;
    EXPECT_EQ(info(*dtype).component_size, name.starts_with("complex") ? bytes / 2 : bytes) << name;
  }
}

TEST(DTypes, stand_in_the_table_at_their_own_number) {
  for (std::size_t i = 0; i < dtype_table.size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(dtype_table[i].dtype), i);
}

TEST(DTypes, of_other_names_do_not_exist) {
  for (const auto* name : {"", "Bool", "u8", "float", "float8", "int128", "complex256"})
    EXPECT_EQ(dtype_of(name), std::nullopt) << name;
}

}  // namespace
}  // namespace sillar
