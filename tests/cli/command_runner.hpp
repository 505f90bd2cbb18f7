// Runs the command with an argument vector and catches all that it says.
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace sillar::cli::testing {

struct Outcome {
  int code = -1;    ///< the exit code, or -1
  int signal = 0;   ///< what ended it, or 0
  std::string out;  ///< standard output
  std::string err;  ///< standard error
};

/// Who is at the other end of standard output.
enum class Reader {
  reads_all,
  is_gone,  ///< the pipe is closed before the command starts
  waits,    ///< nothing is read before the command has ended
};

struct Call {
  std::vector<std::string> arguments;         ///< without the name of the command
  std::string input = {};                     ///< all of standard input
  bool keep_input_open = false;               ///< standard input never ends
  std::vector<std::string> environment = {};  ///< NAME=VALUE, all there is but PATH
  Reader reader = Reader::reads_all;
  std::string stdout_path = {};  ///< standard output goes to this device instead
  std::optional<std::chrono::microseconds> killed_after = {};  ///< by SIGKILL, after its start
  std::vector<int> signals = {};  ///< sent one after another, each once the command handles it
};

/// Returns when the process has a handler for `signal`, and has had time to go on; after 20 s at
/// most.
inline void wait_until_caught(pid_t process, int signal) {
  using namespace std::chrono_literals;
  for (int tries = 0; tries < 2000; ++tries) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (!line.starts_with("SigCgt:")) continue;
      const auto caught = std::strtoull(line.c_str() + 7, nullptr, 16);
      if ((caught >> (signal - 1) & 1) == 0) continue;
      std::this_thread::sleep_for(100ms);
      return;
    }
    std::this_thread::sleep_for(10ms);
  }
}

/// A call that runs for more than a minute is killed.
[[nodiscard]] inline Outcome run(const Call& call) {
  using namespace std::chrono_literals;
  std::array<int, 2> in{}, out{}, err{};
  if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0 ||
      ::pipe2(err.data(), O_CLOEXEC) != 0)
    std::abort();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  if (call.stdout_path.empty()) {
    ::posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  } else {
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, call.stdout_path.c_str(), O_WRONLY,
                                       0);
  }
  ::posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);

  std::vector<std::string> words = call.arguments;
  words.insert(words.begin(), SILLAR_CLI);
  std::vector<std::string> settings = call.environment;
  settings.emplace_back("PATH=/usr/bin:/bin");
  const auto pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (std::string& text : texts) list.push_back(text.data());
    list.push_back(nullptr);
    return list;
  };
  if (call.reader == Reader::is_gone) ::close(std::exchange(out[0], -1));
  pid_t child = 0;
  if (::posix_spawn(&child, SILLAR_CLI, &actions, nullptr, pointers(words).data(),
                    pointers(settings).data()) != 0)
    std::abort();
  ::posix_spawn_file_actions_destroy(&actions);
  for (const int end : {in[0], out[1], err[1]}) ::close(end);
  // Inputs of tests fit into a pipe.
  if (::write(in[1], call.input.data(), call.input.size()) !=
      static_cast<ssize_t>(call.input.size()))
    std::abort();
  if (!call.keep_input_open) ::close(std::exchange(in[1], -1));
  if (call.killed_after) {
    std::this_thread::sleep_for(*call.killed_after);
    ::kill(child, SIGKILL);
  }
  for (const int signal : call.signals) {
    wait_until_caught(child, signal);
    ::kill(child, signal);
  }

  Outcome outcome;
  int status = 0;
  const auto drain = [](int& end, std::string& text) {
    std::array<char, 4096> buffer{};
    const auto count = ::read(end, buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    if (count == 0) ::close(std::exchange(end, -1));
  };
  if (call.reader == Reader::waits) ::waitpid(child, &status, 0);
  const auto deadline = std::chrono::steady_clock::now() + 60s;
  while (out[0] >= 0 || err[0] >= 0) {
    std::array<pollfd, 2> ends{pollfd{out[0], POLLIN, 0}, pollfd{err[0], POLLIN, 0}};
    if (::poll(ends.data(), ends.size(), 1000) < 0 && errno != EINTR) break;
    if (std::chrono::steady_clock::now() > deadline) ::kill(child, SIGKILL);
    if (ends[0].revents != 0) drain(out[0], outcome.out);
    if (ends[1].revents != 0) drain(err[0], outcome.err);
  }
  if (call.reader != Reader::waits) ::waitpid(child, &status, 0);
  if (in[1] >= 0) ::close(in[1]);
  if (WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  return outcome;
}

/// A plain call.
[[nodiscard]] inline Outcome run(std::vector<std::string> arguments) {
  return run(Call{.arguments = std::move(arguments)});
}

}  // namespace sillar::cli::testing
