// Ctrl-C and its relatives: the first asks the work to stop, the second ends the process.
#include "cli/signals.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>

namespace sillar::cli {
namespace {

// A signal handler reaches nothing but globals.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<int> caught{0};
std::atomic<int> bell{-1};  // an eventfd that the handler rings
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)
static_assert(std::atomic<int>::is_always_lock_free);

// A stop may run callbacks that take locks, so the handler only rings a bell for a thread that
// requests it. EINTR then brings blocked calls of the main thread back.
void on_signal(int number) {
  const int saved = errno;
  caught = number;
  static_cast<void>(std::signal(number, SIG_DFL));
  const std::uint64_t one = 1;
  static_cast<void>(!::write(bell, &one, sizeof one));
  errno = saved;
}

void wait_for_bell(std::stop_source& source) {
  std::uint64_t rings = 0;
  while (::read(bell, &rings, sizeof rings) < 0 && errno == EINTR) {
  }
  source.request_stop();
}

std::stop_source& start_watching() {
  // Never destroyed: the watching thread may outlive `main`.
  auto& source = *new std::stop_source;
  bell = ::eventfd(0, EFD_CLOEXEC);
  std::thread([&source] {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    wait_for_bell(source);
  }).detach();
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old{};
    ::sigaction(number, nullptr, &old);
    if (old.sa_handler == SIG_IGN) continue;
    struct sigaction ours{};
    ours.sa_handler = on_signal;
    ::sigaction(number, &ours, nullptr);
  }
  return source;
}

}  // namespace

void prepare_process() {
  static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) >= 0) continue;
    // Opened the wrong way round, so that using the stream still fails; the lowest free number is
    // this one.
    const int mode = number == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    static_cast<void>(::open("/dev/null", mode));
  }
}

std::stop_token stop_on_signals() {
  static std::stop_source& source = start_watching();
  return source.get_token();
}

int caught_signal() { return caught; }

}  // namespace sillar::cli
