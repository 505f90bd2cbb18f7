// One sample as a person writes it.
#pragma once

#include <sillar/base/error.hpp>
#include <sillar/tensor/dtype.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace sillar::cli {

/// The bytes of one sample, in native order: "255", "-1", "nan", "true", "1.5+2j". Whole numbers
/// must fit; others are rounded to the nearest that the type has. Fails with bad_argument.
[[nodiscard]] Result<std::vector<std::byte>> sample_bytes(std::string_view text, DType dtype);

}  // namespace sillar::cli
