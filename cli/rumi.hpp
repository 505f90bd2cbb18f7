// What the verbs do with rumi files.
#pragma once

#include "cli/formats.hpp"
#include <sillar/rumi/header_blob.hpp>

namespace sillar::cli {

[[nodiscard]] Result<Description> describe_rumi(const Input& input, Context& context);
[[nodiscard]] Result<Report> validate_rumi(const Input& input, const ValidateRequest& request,
                                           Context& context);
[[nodiscard]] Result<PlanDescription> plan_rumi(const Input& input, const ReadRequest& request,
                                                bool every_frame, Context& context);
[[nodiscard]] Result<Samples> read_rumi(const Input& input, const ReadRequest& request,
                                        const BeforeDecoding& before, Context& context);

/// The fields of a header, as both documents and both texts show them.
void put_layout(Json& json, const rumi::Layout& layout);
[[nodiscard]] std::string layout_text(const rumi::Layout& layout);
[[nodiscard]] std::string frames_text(const rumi::Header& header);

/// One line of a block: the key in its column, then the value.
[[nodiscard]] std::string line_text(std::string_view key, std::string_view value);

}  // namespace sillar::cli
