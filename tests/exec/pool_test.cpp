// Every index once, in rising order, and no way to hang.
#include <sillar/exec/pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace sillar::exec {
namespace {

using namespace std::chrono_literals;

// Runs `body` in a forked child, which must return true within 10 seconds.
template <class Body>
::testing::AssertionResult child_succeeds(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(10);
    ::_exit(body() ? 0 : 1);
  }
  int status = -1;
  if (::waitpid(child, &status, 0) != child) return ::testing::AssertionFailure() << "waitpid";
  if (status == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "wait status " << status;
}

std::uint64_t sum_over(Pool* pool, std::uint64_t count) {
  std::atomic<std::uint64_t> sum = 0;
  const auto result = for_each(pool, count, [&](std::uint64_t index, std::size_t) -> Result<> {
    sum += index;
    return {};
  });
  return result ? sum.load() : ~std::uint64_t{0};
}

TEST(Pool, runs_every_index_once_whatever_its_size) {
  for (const std::size_t threads : {0U, 1U, 2U, 3U, 8U}) {
    Pool pool(threads);
    EXPECT_EQ(pool.threads(), std::max<std::size_t>(threads, 1));
    for (const std::uint64_t count : {0U, 1U, 2U, 3U, 7U, 8U, 9U, 1000U}) {
      std::vector<std::atomic<int>> seen(count);
      ASSERT_TRUE(pool.for_each(count, [&](std::uint64_t index, std::size_t worker) -> Result<> {
        EXPECT_LT(worker, pool.threads());
        ++seen.at(index);
        return {};
      }));
      EXPECT_TRUE(std::ranges::all_of(seen, [](const auto& times) { return times == 1; }));
    }
  }
}

TEST(Pool, without_a_pool_the_caller_runs_all_in_order_as_worker_0) {
  std::vector<std::uint64_t> order;
  ASSERT_TRUE(for_each(nullptr, 5, [&](std::uint64_t index, std::size_t worker) -> Result<> {
    EXPECT_EQ(worker, 0u);
    order.push_back(index);
    return {};
  }));
  EXPECT_EQ(order, (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
}

TEST(Pool, hands_indices_out_in_rising_order) {
  Pool pool(4);
  // A worker sees its own indices rise, and of the indices below one that runs only those that
  // the other workers hold are unfinished.
  std::vector<std::int64_t> last(pool.threads(), -1);
  std::atomic<std::uint64_t> finished = 0;
  ASSERT_TRUE(pool.for_each(5000, [&](std::uint64_t index, std::size_t worker) -> Result<> {
    EXPECT_GT(static_cast<std::int64_t>(index), last[worker]);
    last[worker] = static_cast<std::int64_t>(index);
    EXPECT_GE(finished + pool.threads(), index + 1);
    ++finished;
    return {};
  }));
}

TEST(Pool, runs_one_body_at_a_time_in_a_slot) {
  Pool pool(4);
  std::vector<std::atomic<int>> inside(pool.threads());
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(pool.for_each(200, [&](std::uint64_t, std::size_t worker) -> Result<> {
      EXPECT_EQ(++inside[worker], 1);
      std::this_thread::yield();
      --inside[worker];
      return {};
    }));
  }
}

TEST(Pool, uses_as_many_threads_as_it_counts_the_caller_among_them) {
  Pool pool(3);
  // Three bodies that wait for one another need three threads.
  std::atomic<int> here = 0;
  std::atomic<bool> caller_took_part = false;
  const auto caller = std::this_thread::get_id();
  ASSERT_TRUE(pool.for_each(3, [&](std::uint64_t, std::size_t worker) -> Result<> {
    if (std::this_thread::get_id() == caller) {
      EXPECT_EQ(worker, 0u);
      caller_took_part = true;
    }
    ++here;
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (here < 3 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    EXPECT_EQ(here, 3);
    return {};
  }));
  EXPECT_TRUE(caller_took_part);
}

TEST(Pool, stops_at_a_failure) {
  for (const std::size_t threads : {1U, 2U, 4U}) {
    Pool pool(threads);
    std::atomic<std::uint64_t> highest = 0;
    const auto result =
        pool.for_each(1'000'000'000, [&](std::uint64_t index, std::size_t) -> Result<> {
          std::uint64_t before = highest;
          while (before < index && !highest.compare_exchange_weak(before, index)) {
          }
          if (index == 100) return fail(Errc::codec, "frame 100");
          std::this_thread::sleep_for(10us);
          return {};
        });
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, Errc::codec);
    EXPECT_EQ(result.error().detail, "frame 100");
    EXPECT_LT(highest, 1'000'000u);
  }
}

TEST(Pool, returns_the_failure_that_a_single_thread_would_meet) {
  Pool pool(4);
  for (int round = 0; round < 100; ++round) {
    // The lower an index, the later it fails.
    const auto result = pool.for_each(1000, [&](std::uint64_t index, std::size_t) -> Result<> {
      if (index < 17) return {};
      if (index < 20) std::this_thread::sleep_for(std::chrono::microseconds(200 * (20 - index)));
      return fail(Errc::codec, std::to_string(index));
    });
    ASSERT_FALSE(result.has_value());
    ASSERT_EQ(result.error().detail, "17");
  }
}

TEST(Pool, passes_bad_alloc_on_to_the_caller_and_works_on) {
  for (const std::size_t threads : {1U, 3U}) {
    Pool pool(threads);
    for (int round = 0; round < 20; ++round) {
      EXPECT_THROW(
          static_cast<void>(pool.for_each(100,
                                          [](std::uint64_t index, std::size_t) -> Result<> {
                                            if (index == 50) throw std::bad_alloc();
                                            return {};
                                          })),
          std::bad_alloc);
      EXPECT_EQ(sum_over(&pool, 100), 4950u);
    }
  }
}

TEST(Pool, runs_a_nested_call_in_the_thread_that_makes_it) {
  Pool pool(3);
  std::atomic<std::uint64_t> sum = 0;
  ASSERT_TRUE(pool.for_each(50, [&](std::uint64_t, std::size_t) -> Result<> {
    const auto here = std::this_thread::get_id();
    return pool.for_each(20, [&, here](std::uint64_t inner, std::size_t worker) -> Result<> {
      EXPECT_EQ(std::this_thread::get_id(), here);
      EXPECT_EQ(worker, 0u);
      sum += inner;
      return {};
    });
  }));
  EXPECT_EQ(sum, 50u * 190u);
}

TEST(Pool, does_not_hang_when_two_pools_call_each_other) {
  Pool one(3);
  Pool two(3);
  std::atomic<std::uint64_t> sum = 0;
  ASSERT_TRUE(one.for_each(20, [&](std::uint64_t, std::size_t) -> Result<> {
    return two.for_each(20, [&](std::uint64_t, std::size_t) -> Result<> {
      return one.for_each(5, [&](std::uint64_t inner, std::size_t) -> Result<> {
        sum += inner;
        return {};
      });
    });
  }));
  EXPECT_EQ(sum, 20u * 20u * 10u);
}

TEST(Pool, serves_many_callers_at_once) {
  Pool pool(4);
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> callers;
    for (std::uint64_t caller = 0; caller < 6; ++caller) {
      callers.emplace_back([&, caller] {
        for (std::uint64_t round = 0; round < 300; ++round) {
          const std::uint64_t count = 2 + (caller * 31 + round * 7) % 60;
          if (sum_over(&pool, count) != count * (count - 1) / 2) ++wrong;
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Pool, a_caller_does_not_wait_for_the_body_of_another) {
  Pool pool(2);
  std::atomic<bool> release = false;
  std::atomic<int> held = 0;
  // Both the first caller and the only worker are held by its bodies.
  std::jthread first([&] {
    EXPECT_TRUE(pool.for_each(2, [&](std::uint64_t, std::size_t) -> Result<> {
      ++held;
      while (!release) std::this_thread::sleep_for(100us);
      return {};
    }));
  });
  while (held < 2) std::this_thread::sleep_for(100us);
  EXPECT_EQ(sum_over(&pool, 100), 4950u);
  release = true;
}

TEST(Pool, is_made_used_and_destroyed_many_times) {
  for (int round = 0; round < 200; ++round) {
    Pool pool(3);
    if (round % 3 == 0) continue;  // its workers never start
    ASSERT_EQ(sum_over(&pool, 10), 45u);
  }
}

TEST(Pool, leaves_signals_to_the_callers_threads) {
  Pool pool(3);
  std::atomic<int> unblocked = 0;
  std::atomic<int> here = 0;
  const auto caller = std::this_thread::get_id();
  ASSERT_TRUE(pool.for_each(3, [&](std::uint64_t, std::size_t) -> Result<> {
    ++here;
    while (here < 3) std::this_thread::yield();
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    const bool takes_interrupts = sigismember(&blocked, SIGINT) == 0;
    EXPECT_EQ(takes_interrupts, std::this_thread::get_id() == caller);
    EXPECT_EQ(sigismember(&blocked, SIGSEGV), 0);
    if (takes_interrupts) ++unblocked;
    return {};
  }));
  EXPECT_EQ(unblocked, 1);
}

TEST(Pool, works_serially_in_a_forked_child_and_is_destroyed_there) {
  auto pool = std::make_unique<Pool>(4);
  ASSERT_EQ(sum_over(pool.get(), 100), 4950u);
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(child_succeeds([&] {
      const auto caller = std::this_thread::get_id();
      const auto result = pool->for_each(100, [&](std::uint64_t, std::size_t worker) -> Result<> {
        if (std::this_thread::get_id() != caller || worker != 0)
          return fail(Errc::io, "not serial");
        return {};
      });
      pool.reset();
      return result.has_value();
    }));
  }
  EXPECT_EQ(sum_over(pool.get(), 100), 4950u);
}

TEST(Pool, may_be_forked_while_it_works) {
  // Not on the heap: AddressSanitizer's allocator may hang in a child that was forked while
  // another thread allocated.
  std::optional<Pool> pool(std::in_place, 3);
  std::atomic<bool> enough = false;
  std::jthread busy([&] {
    while (!enough) EXPECT_EQ(sum_over(&*pool, 30), 435u);
  });
  for (int round = 0; round < 50; ++round) {
    EXPECT_TRUE(child_succeeds([&] {
      const bool right = sum_over(&*pool, 100) == 4950;
      pool.reset();
      return right;
    }));
  }
  enough = true;
}

TEST(Pool, of_a_forked_child_has_workers_of_its_own_where_a_sanitizer_lets_it_start_them) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer ends a forked child that starts a thread";
#endif
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer's allocator may be locked by a worker when the child is forked";
#endif
  Pool pool(3);
  ASSERT_EQ(sum_over(&pool, 100), 4950u);
  EXPECT_TRUE(child_succeeds([] {
    Pool own(2);
    std::atomic<int> here = 0;  // each of the two bodies waits for the other
    const auto result = own.for_each(2, [&](std::uint64_t, std::size_t) -> Result<> {
      ++here;
      while (here < 2) std::this_thread::yield();
      return {};
    });
    return result && sum_over(&own, 100) == 4950;
  }));
}

}  // namespace
}  // namespace sillar::exec
