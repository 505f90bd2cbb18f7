// The command `sillar`.
#include "cli/command.hpp"

#include <span>

int main(int argc, char** argv) {
  return sillar::cli::run(std::span(argv, static_cast<std::size_t>(argc)));
}
