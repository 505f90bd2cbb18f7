// Files and arrays that tests make, and what they ask of errors.
#pragma once

#include "cube.hpp"
#include "golden.hpp"
#include "random.hpp"
#include "scratch_directory.hpp"
#include <sillar/base/report.hpp>
#include <sillar/opff/reader.hpp>
#include <sillar/opff/writer.hpp>
#include <sillar/tensor/copy.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sillar::opff::testing {

using io::testing::get;
using io::testing::put;
using sillar::testing::Bytes;
using sillar::testing::from_hex;
using sillar::testing::Random;
using sillar::testing::ScratchDirectory;
using sillar::testing::to_hex;

inline std::string rule_of(const Error& error) {
  return error.rule != nullptr ? std::string(error.rule->id) : std::string();
}

template <class T>
std::string rule_of(const Result<T>& result) {
  return result ? "success" : rule_of(result.error());
}

/// The rules that a report holds, in its order.
inline std::vector<std::string> rules_in(const Report& report) {
  std::vector<std::string> rules;
  for (const Finding& finding : report.findings()) rules.push_back(rule_of(finding.error));
  return rules;
}

/// A header of 64 bytes: the first 16 as digits, the rest zero.
inline Bytes head(std::string_view first_16) {
  Bytes bytes = from_hex(first_16);
  bytes.resize(64);
  return bytes;
}

/// The file of `samples`, in memory.
inline Result<Bytes> written(const TensorView& samples, const WriteOptions& options = {}) {
  Bytes out;
  const auto sink = io::memory_sink(out);
  SILLAR_TRY(write(*sink, samples, options));
  return out;
}

/// The elements of a view in C order.
inline Bytes elements(const TensorView& view) {
  Bytes bytes(static_cast<std::size_t>(view.byte_size()));
  copy(MutableTensorView(bytes.data(), view.dtype(), view.shape()), view);
  return bytes;
}

/// Bytes 0, 1, 2, ...
inline Bytes counting(std::size_t size, unsigned first = 0) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(first + i);
  return bytes;
}

}  // namespace sillar::opff::testing
