// Ctrl-C and its relatives: the first asks the work to stop, the second ends the process.
#pragma once

#include <stop_token>

namespace sillar::cli {

/// SIGPIPE is ignored, so that a closed pipe is an error of `write`; and descriptors 0 to 2 are
/// open, so that no file of ours gets the number of a closed standard stream.
void prepare_process();

/// From the first call on SIGINT, SIGTERM and SIGHUP request a stop, unless the process was started
/// with them ignored. Work that can take long calls it and hands the token on.
[[nodiscard]] std::stop_token stop_on_signals();

/// The signal that asked for a stop, or 0.
[[nodiscard]] int caught_signal();

}  // namespace sillar::cli
