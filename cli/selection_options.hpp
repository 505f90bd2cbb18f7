// The options that select samples, and what they mean for a rumi file.
#pragma once

#include <sillar/base/error.hpp>
#include <sillar/rumi/reader.hpp>

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sillar::cli {

/// As the user wrote them; empty where an option was not given.
struct SelectionOptions {
  std::vector<std::string> bands;
  std::vector<std::string> times;
  std::string window;
  std::string bbox;
  std::string bbox_crs;
  bool clip = false;
  std::string pad;
  std::string axes = "tbyx";

  /// The option that each is, and its value, for hints and documents.
  [[nodiscard]] bool selects_all() const {
    return bands.empty() && times.empty() && window.empty() && bbox.empty();
  }
};

void declare_selection(CLI::App& app, SelectionOptions& options);

/// An option that may come again and again, and takes one argument each time.
void declare_repeatable(CLI::App& app, const char* name, std::vector<std::string>& values,
                        const char* value, const char* what);

/// Bands, times, window and --clip, for a raster of any format. Fails with bad_argument.
[[nodiscard]] Result<rumi::Selection> pixel_selection_of(const SelectionOptions& options);

/// The bounding box that was given. Fails with bad_argument.
[[nodiscard]] Result<geo::Bounds> bounds_of(const SelectionOptions& options);

/// What the options mean for `file`. Reads the georeference only for a bounding box. Fails with
/// bad_argument.
[[nodiscard]] Result<rumi::Selection> selection_of(const SelectionOptions& options,
                                                   const rumi::File& file);

}  // namespace sillar::cli
