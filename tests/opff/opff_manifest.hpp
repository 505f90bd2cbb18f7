// The manifest and the header table of the OPFF corpus: what every file must give.
#pragma once

#include "golden.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace sillar::opff::testing {

using sillar::testing::Bytes;
using Json = nlohmann::json;

/// The rows of a file of one JSON object a line.
inline std::vector<Json> read_rows(const std::string& name) {
  std::ifstream file(sillar::testing::data_path("corpus/opff/" + name));
  std::vector<Json> rows;
  for (std::string line; std::getline(file, line);) rows.push_back(Json::parse(line));
  return rows;
}

/// The entries of the manifest with a verdict, "accept" or "reject".
inline const std::vector<Json>& manifest(const std::string& verdict) {
  static const auto pick = [](const std::string& wanted) {
    std::vector<Json> picked;
    for (Json& entry : read_rows("manifest.jsonl")) {
      if (entry.at("verdict") == wanted) picked.push_back(std::move(entry));
    }
    return picked;
  };
  static const std::vector<Json> accepted = pick("accept");
  static const std::vector<Json> rejected = pick("reject");
  return verdict == "accept" ? accepted : rejected;
}

inline const std::vector<Json>& header_table() {
  static const std::vector<Json> rows = read_rows("header_table.jsonl");
  return rows;
}

inline std::string path_of(const Json& entry) {
  return sillar::testing::data_path("corpus/opff/" + entry.at("file").get<std::string>());
}

inline Bytes bytes_of(const Json& entry) {
  return sillar::testing::golden("corpus/opff/" + entry.at("file").get<std::string>());
}

/// The first bytes of a row of the header table: 64, or as many as the file has.
inline Bytes head_of(const Json& row) {
  Bytes head = sillar::testing::from_hex(row.at("head").get<std::string>());
  const auto size = row.at("file_size").get<std::uint64_t>();
  head.resize(static_cast<std::size_t>(std::min<std::uint64_t>(size, 64)));
  for (const Json& patch : row.at("reserved_patch"))
    head.at(patch.at(0).get<std::size_t>()) = static_cast<std::byte>(patch.at(1).get<int>());
  return head;
}

/// "opff.size", ... of the codes of an entry, in its order.
inline std::vector<std::string> rules_of(const Json& entry) {
  std::vector<std::string> rules;
  for (const Json& code : entry.at("violations"))
    rules.push_back("opff." + code.get<std::string>());
  return rules;
}

}  // namespace sillar::opff::testing
