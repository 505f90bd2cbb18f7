// What the verbs do with OPFF files.
#pragma once

#include "cli/formats.hpp"
#include <sillar/opff/format.hpp>

namespace sillar::cli {

[[nodiscard]] Result<Description> describe_opff(const Input& input, Context& context);
[[nodiscard]] Result<Report> validate_opff(const Input& input, const ValidateRequest& request,
                                           Context& context);

/// The stored samples or the footer as bytes; or samples whose axes t, b, y and x are frame,
/// channel, row and column. A selection, or an order of axes, asks for `canonical`.
[[nodiscard]] Result<Samples> read_opff(const Input& input, const ReadRequest& request,
                                        const BeforeDecoding& before, Context& context);

}  // namespace sillar::cli
