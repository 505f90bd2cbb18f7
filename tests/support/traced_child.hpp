// Runs a piece of a test in a forked child that is killed at a system call of choice.
#pragma once

#include <csignal>
#include <cstdint>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sillar::testing {

struct TracedLife {
  bool traced = false;      ///< false where this machine lets nobody be traced: nothing was tried
  bool killed = false;      ///< at the stop that was asked for
  int exit_code = -1;       ///< 0 where `body` returned true
  std::uint64_t stops = 0;  ///< entries into system calls and returns from them, until its end
};

/// Runs `body` in a child of one thread, which dies by SIGKILL at stop number `deadly` (from 1 on):
/// before a system call, or behind it. With 0 it lives, and its stops are counted.
template <class Body>
TracedLife run_traced(Body body, std::uint64_t deadly) {
  constexpr int untraceable = 77;
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(untraceable);
    ::raise(SIGSTOP);
    ::_exit(body() ? 0 : 1);
  }
  TracedLife life;
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return life;
  life.traced = true;
  ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  long signal = 0;
  while (true) {
    ::ptrace(PTRACE_SYSCALL, child, nullptr, signal);
    if (::waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) break;
    const bool at_call = WSTOPSIG(status) == (SIGTRAP | 0x80);
    signal = at_call ? 0 : WSTOPSIG(status);
    if (at_call && ++life.stops == deadly) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      life.killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
      break;
    }
  }
  if (WIFEXITED(status)) life.exit_code = WEXITSTATUS(status);
  return life;
}

}  // namespace sillar::testing
