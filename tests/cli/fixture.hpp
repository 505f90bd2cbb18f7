// A scratch directory with the small raster in it, as a.rumi.
#pragma once

#include "command_runner.hpp"
#include "small_raster.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <scratch_directory.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sillar::cli::testing {

using Json = nlohmann::json;

class CommandTest : public ::testing::Test {
 protected:
  CommandTest() { put("a.rumi", small_raster()); }

  [[nodiscard]] std::string at(std::string_view name) const { return directory_ / name; }
  void put(std::string_view name, std::string_view content) const {
    io::testing::put(at(name), content);
  }
  [[nodiscard]] std::string get(std::string_view name) const { return io::testing::get(at(name)); }

  /// What lies in the directory, temporaries among it.
  [[nodiscard]] std::vector<std::string> names() const { return directory_.names(); }

 private:
  ::sillar::testing::ScratchDirectory directory_;
};

using Names = std::vector<std::string>;

/// The document on standard output of a call that must succeed.
[[nodiscard]] inline Json answer(std::vector<std::string> arguments) {
  const Outcome outcome = run(std::move(arguments));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return Json::parse(outcome.out, nullptr, false);
}

}  // namespace sillar::cli::testing
