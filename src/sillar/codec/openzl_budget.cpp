// The allocator that OpenZL is compiled against: malloc with a budget for each thread.
#include <sillar/codec/openzl_budget.hpp>

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace {

struct Account {
  bool limited = false;
  std::int64_t used = 0;  // since the budget began; freeing older blocks makes it negative
  std::int64_t limit = 0;
};
thread_local Account account;  // NOLINT(*-non-const-global-variables): OpenZL passes no context

// NOLINTBEGIN(*-no-malloc): this is an allocator.
// The size of a block stands before it; the header keeps malloc's alignment.
constexpr std::size_t header = 16;
static_assert(header >= alignof(std::max_align_t));

void* allocate(std::size_t size, bool zeroed) {
  const auto most = static_cast<std::size_t>(PTRDIFF_MAX) - header;
  if (size > most) return nullptr;
  const auto bytes = static_cast<std::int64_t>(size);
  if (account.limited && bytes > account.limit - account.used) return nullptr;
  void* block = zeroed ? std::calloc(1, size + header) : std::malloc(size + header);
  if (block == nullptr) return nullptr;
  std::memcpy(block, &size, sizeof size);
  account.used += bytes;
  return static_cast<std::byte*>(block) + header;
}

std::size_t size_of_block(void* memory) {
  std::size_t size = 0;
  std::memcpy(&size, static_cast<std::byte*>(memory) - header, sizeof size);
  return size;
}

}  // namespace

extern "C" {

void* sillar_zl_malloc(std::size_t size);
void* sillar_zl_calloc(std::size_t count, std::size_t size);
void* sillar_zl_realloc(void* memory, std::size_t size);
void sillar_zl_free(void* memory);

void* sillar_zl_malloc(std::size_t size) { return allocate(size, false); }

void* sillar_zl_calloc(std::size_t count, std::size_t size) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
  return allocate(bytes, true);
}

void sillar_zl_free(void* memory) {
  if (memory == nullptr) return;
  account.used -= static_cast<std::int64_t>(size_of_block(memory));
  std::free(static_cast<std::byte*>(memory) - header);
}

void* sillar_zl_realloc(void* memory, std::size_t size) {
  if (memory == nullptr) return allocate(size, false);
  void* moved = allocate(size, false);
  if (moved == nullptr) return nullptr;
  const std::size_t old = size_of_block(memory);
  std::memcpy(moved, memory, old < size ? old : size);
  sillar_zl_free(memory);
  return moved;
}
}
// NOLINTEND(*-no-malloc)

namespace sillar::codec::openzl {

MemoryBudget::MemoryBudget(std::uint64_t bytes) {
  account.limited = true;
  account.used = 0;
  account.limit = bytes > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(bytes);
}

MemoryBudget::~MemoryBudget() { account.limited = false; }

}  // namespace sillar::codec::openzl
