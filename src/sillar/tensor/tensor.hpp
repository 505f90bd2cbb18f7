// A tensor: a view together with the memory that it looks at.
#pragma once

#include <sillar/base/error.hpp>
#include <sillar/tensor/view.hpp>

#include <memory>

namespace sillar {

/// An array that owns, or shares, its memory. Moves; a copy is asked for by `copy_of`.
class Tensor {
 public:
  Tensor() = default;

  /// `memory` is whatever keeps the bytes of `view` alive: a buffer, a mapping.
  Tensor(MutableTensorView view, std::shared_ptr<void> memory)
      : view_(std::move(view)), memory_(std::move(memory)) {}

  Tensor(Tensor&&) = default;
  Tensor& operator=(Tensor&&) = default;
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  ~Tensor() = default;

  [[nodiscard]] const MutableTensorView& view() const { return view_; }
  [[nodiscard]] DType dtype() const { return view_.dtype(); }
  [[nodiscard]] const Shape& shape() const { return view_.shape(); }
  [[nodiscard]] std::span<std::byte> bytes() const { return view_.bytes(); }
  [[nodiscard]] const std::shared_ptr<void>& memory() const { return memory_; }

  /// Contiguous and uninitialised, aligned to 64 bytes; large ones ask for huge pages. Fails with
  /// over_limit where the size leaves the address space or passes `byte_limit`.
  [[nodiscard]] static Result<Tensor> allocate(DType dtype, Shape shape,
                                               std::uint64_t byte_limit = UINT64_MAX);

 private:
  MutableTensorView view_;
  std::shared_ptr<void> memory_;
};

}  // namespace sillar
