// Runs a piece of a test in a forked child.
#pragma once

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

namespace sillar::testing {

/// Success where `body` returns true in a forked child within `seconds`.
template <class Body>
::testing::AssertionResult child_succeeds(Body body, unsigned seconds = 30) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(seconds);
    ::_exit(body() ? 0 : 1);
  }
  int status = -1;
  if (::waitpid(child, &status, 0) != child) return ::testing::AssertionFailure() << "waitpid";
  if (status == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "wait status " << status;
}

}  // namespace sillar::testing
