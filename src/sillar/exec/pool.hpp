// The thread pool. Nothing else in the library starts a thread.
#pragma once

#include <sillar/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace sillar::exec {

/// A fixed number of worker threads, started on first use. A pool may be shared by many calls, from
/// many threads; destroying it waits for its workers. In a forked child the parent's workers do not
/// exist: work then runs in the calling thread.
class Pool {
 public:
  /// `threads` counts the calling thread: 1 starts no worker.
  explicit Pool(std::size_t threads);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();

  [[nodiscard]] std::size_t threads() const;

  /// Calls `body(index, worker)` for every index in [0, count), each once, handed out one by one in
  /// rising order; `worker` < threads() names a slot of this call, and one slot runs one body at a
  /// time. A failure stops the handing out; of several the one with the lowest index is returned,
  /// which is what a single thread would have met. `body` must not throw anything but
  /// std::bad_alloc, which is passed on to the caller. A body that calls `for_each` on its own pool
  /// gets its work done in its own thread.
  [[nodiscard]] Result<> for_each(std::uint64_t count,
                                  const std::function<Result<>(std::uint64_t, std::size_t)>& body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// `for_each` on `pool`, or in the calling thread (worker 0) where there is none.
[[nodiscard]] Result<> for_each(Pool* pool, std::uint64_t count,
                                const std::function<Result<>(std::uint64_t, std::size_t)>& body);

}  // namespace sillar::exec
