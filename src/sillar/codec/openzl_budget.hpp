// How much OpenZL may allocate in this thread.
#pragma once

#include <cstdint>

namespace sillar::codec::openzl {

/// While it lives, OpenZL's allocations of this thread that would pass `bytes` in sum fail. A frame
/// can claim any size for its inner streams, so decoding runs under a budget.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t bytes);
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;
  ~MemoryBudget();
};

}  // namespace sillar::codec::openzl
