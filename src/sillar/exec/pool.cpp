// Workers join the job of whoever calls: the caller does its own job too, so no job waits for one.
#include <sillar/exec/pool.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <list>
#include <mutex>
#include <pthread.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace sillar::exec {
namespace {

using Body = std::function<Result<>(std::uint64_t, std::size_t)>;

// One call of `for_each`. It lives on its caller's stack, and ends when no helper is inside.
class Job {
 public:
  Job(std::uint64_t count, const Body& body) : body_(body), end_(count) {}

  // Runs indices until none is left to hand out. Indices are handed out one by one: a body is a
  // frame or a tile, next to which the counter costs nothing.
  void work(std::size_t slot) {
    while (true) {
      const std::uint64_t index = next_.fetch_add(1, std::memory_order_relaxed);
      if (index >= end_.load(std::memory_order_relaxed)) return;
      run(index, slot);
    }
  }

  // Once all have left `work`.
  Result<> outcome() {
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    return std::move(failure_);
  }

  std::size_t helpers = 0;  // inside `work`; guarded by the pool's mutex
  std::condition_variable helper_left;

 private:
  void run(std::uint64_t index, std::size_t slot) {
    try {
      if (Result<> result = body_(index, slot); !result) end_at(index, std::move(result), nullptr);
    } catch (...) {
      end_at(index, {}, std::current_exception());
    }
  }

  // Nothing past `index` starts any more. All below it was handed out before, so the failure of
  // the lowest index, the one that a single thread would have met, is found whoever is faster.
  void end_at(std::uint64_t index, Result<> failure, std::exception_ptr thrown) {
    const std::scoped_lock hold(mutex_);
    if (index >= end_.load(std::memory_order_relaxed)) return;
    end_.store(index, std::memory_order_relaxed);
    failure_ = std::move(failure);
    thrown_ = std::move(thrown);
  }

  const Body& body_;
  std::atomic<std::uint64_t> next_ = 0;
  std::atomic<std::uint64_t> end_;
  std::mutex mutex_;
  Result<> failure_;
  std::exception_ptr thrown_;
};

// The pools whose bodies this thread is in, the innermost first. A body knows nothing of the pool
// that runs it, so only the thread can tell.
struct Inside {
  const void* pool;
  const Inside* outer;
};
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
thread_local const Inside* innermost = nullptr;

class Entered {
 public:
  explicit Entered(const void* pool) : here_{pool, innermost} { innermost = &here_; }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;
  ~Entered() { innermost = here_.outer; }

 private:
  Inside here_;
};

bool is_inside(const void* pool) {
  for (const Inside* level = innermost; level != nullptr; level = level->outer) {
    if (level->pool == pool) return true;
  }
  return false;
}

// Threads that are started meanwhile leave signals to the caller's threads, but for those that a
// thread raises itself.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) {
      sigdelset(&all, own);
    }
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

Result<> serially(std::uint64_t count, const Body& body) {
  for (std::uint64_t index = 0; index < count; ++index) SILLAR_TRY(body(index, 0));
  return {};
}

}  // namespace

struct Pool::State {
  explicit State(std::size_t threads) : thread_count(std::max<std::size_t>(threads, 1)) {}

  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    {
      const std::scoped_lock hold(mutex);
      closing = true;
    }
    work_or_end.notify_all();
    workers.clear();  // joins
  }

  Result<> run(std::uint64_t count, const Body& body);
  void start_workers();
  void serve(std::size_t slot);

  const std::size_t thread_count;
  const pid_t owner = ::getpid();

  std::mutex mutex;  // guards all below
  std::condition_variable work_or_end;
  std::list<Job*> open;  // jobs with something left to hand out
  bool started = false;
  bool closing = false;
  std::vector<std::jthread> workers;
};

Result<> Pool::State::run(std::uint64_t count, const Body& body) {
  Job job(count, body);
  std::list<Job*> entry(1, &job);  // allocated before the lock is taken
  std::unique_lock hold(mutex);
  start_workers();
  const std::size_t wanted =
      static_cast<std::size_t>(std::min<std::uint64_t>(count - 1, workers.size()));
  open.splice(open.end(), entry);
  hold.unlock();
  for (std::size_t woken = 0; woken < wanted; ++woken) work_or_end.notify_one();

  {
    const Entered entered(this);
    job.work(0);
  }
  hold.lock();
  std::erase(open, &job);
  job.helper_left.wait(hold, [&job] { return job.helpers == 0; });
  hold.unlock();
  return job.outcome();
}

// Where the system gives fewer threads, those that came do the work.
void Pool::State::start_workers() {
  if (std::exchange(started, true)) return;
  const SignalsBlocked blocked;
  try {
    workers.reserve(thread_count - 1);
    while (workers.size() + 1 < thread_count) {
      workers.emplace_back([this, slot = workers.size() + 1] { serve(slot); });
    }
  } catch (const std::system_error&) {
    return;
  } catch (const std::bad_alloc&) {
    return;
  }
}

// A worker helps one job at a time, hence its slot runs one body at a time.
void Pool::State::serve(std::size_t slot) {
  const Entered entered(this);
  std::unique_lock hold(mutex);
  while (true) {
    work_or_end.wait(hold, [this] { return closing || !open.empty(); });
    if (closing) return;
    Job& job = *open.front();
    // The next worker helps the next caller.
    open.splice(open.end(), open, open.begin());
    ++job.helpers;
    hold.unlock();
    job.work(slot);
    hold.lock();
    std::erase(open, &job);
    if (--job.helpers == 0) job.helper_left.notify_one();
  }
}

Pool::Pool(std::size_t threads) : state_(std::make_unique<State>(threads)) {}

// A forked child has neither the workers nor a usable mutex: its copy is left as it is.
Pool::~Pool() {
  if (state_->owner != ::getpid()) [[maybe_unused]]
    const State* left = state_.release();
}

std::size_t Pool::threads() const { return state_->thread_count; }

Result<> Pool::for_each(std::uint64_t count, const Body& body) {
  if (count <= 1 || state_->thread_count == 1 || is_inside(state_.get()) ||
      state_->owner != ::getpid()) {
    return serially(count, body);
  }
  return state_->run(count, body);
}

Result<> for_each(Pool* pool, std::uint64_t count, const Body& body) {
  return pool != nullptr ? pool->for_each(count, body) : serially(count, body);
}

}  // namespace sillar::exec
