// What the verbs do with StarDS files.
#pragma once

#include "cli/formats.hpp"

#include <string>

namespace sillar::cli {

[[nodiscard]] Result<Description> describe_stards(const Input& input, Context& context);
[[nodiscard]] Result<Report> validate_stards(const Input& input, const ValidateRequest& request,
                                             Context& context);

/// One array, or a slice of it, or one metadata value; strings as the bytes of a JSON list. The
/// selection of `request` is not for StarDS files.
[[nodiscard]] Result<Samples> read_stards(const Input& input, const ReadRequest& request,
                                          const BeforeDecoding& before, Context& context);

/// The whole file as another one: blocks are copied as they are stored. Fails with exists (and no
/// `overwrite`), bad_argument (the output is the input), as reading does where a part is broken, or
/// with io.
[[nodiscard]] Result<> copy_stards(const Input& input, const std::string& output, bool overwrite,
                                   Context& context);

}  // namespace sillar::cli
