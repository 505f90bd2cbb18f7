// Memory for tensors.
#include <sillar/tensor/tensor.hpp>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <utility>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace sillar {
namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t huge_page = std::size_t{2} << 20;

/// First touch of 4 KiB pages costs more than decoding into them, so large buffers start on a huge
/// page and ask for more of them.
std::shared_ptr<void> allocate_aligned(std::size_t size) {
  const std::size_t alignment = size >= huge_page ? huge_page : cache_line;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
  if (alignment == huge_page) madvise(memory, rounded, MADV_HUGEPAGE);  // advice: may be refused
#endif
  return {memory, std::free};
}

}  // namespace

Result<Tensor> Tensor::allocate(DType dtype, Shape shape, std::uint64_t byte_limit) {
  const auto count = count_of(shape);
  const auto size = count ? checked_mul(*count, std::uint64_t{size_of(dtype)}) : std::nullopt;
  constexpr auto addressable =
      static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max());
  if (!size || *size > addressable - huge_page) {
    return fail(Errc::over_limit, "the result is larger than the address space");
  }
  if (*size > byte_limit) {
    return fail(Errc::over_limit, "the result has " + std::to_string(*size) +
                                      " bytes, the limit is " + std::to_string(byte_limit));
  }
  auto memory = allocate_aligned(static_cast<std::size_t>(*size));
  auto* data = static_cast<std::byte*>(memory.get());
  return Tensor(MutableTensorView(data, dtype, std::move(shape)), std::move(memory));
}

}  // namespace sillar
