// The order in which a sink may be called: reserve, append, put_front, finish.
#pragma once

#include <sillar/base/error.hpp>

#include <cstdint>
#include <string>

namespace sillar::io {

/// Every sink asks it first. A call out of order fails with bad_argument and changes nothing.
class SinkOrder {
 public:
  /// Size of the front that was reserved.
  [[nodiscard]] std::uint64_t front() const { return front_; }

  [[nodiscard]] Result<> reserve(std::uint64_t size) {
    if (finished_) return after_finish();
    if (begun_) return fail(Errc::bad_argument, "reserve comes once, before the first append");
    begun_ = true;
    front_ = size;
    front_is_missing_ = size != 0;
    return {};
  }

  [[nodiscard]] Result<> append() {
    if (finished_) return after_finish();
    begun_ = true;
    return {};
  }

  [[nodiscard]] Result<> put_front(std::uint64_t size) {
    if (finished_) return after_finish();
    if (size != front_) {
      return fail(Errc::bad_argument, "the front has " + std::to_string(size) +
                                          " bytes, reserved were " + std::to_string(front_));
    }
    begun_ = true;
    front_is_missing_ = false;
    return {};
  }

  [[nodiscard]] Result<> finish() {
    if (finished_) return after_finish();
    if (front_is_missing_) {
      return fail(Errc::bad_argument,
                  "the " + std::to_string(front_) + " reserved bytes were never filled");
    }
    finished_ = true;
    return {};
  }

 private:
  [[nodiscard]] static std::unexpected<Error> after_finish() {
    return fail(Errc::bad_argument, "nothing may follow finish");
  }

  std::uint64_t front_ = 0;
  bool begun_ = false;
  bool front_is_missing_ = false;
  bool finished_ = false;
};

}  // namespace sillar::io
