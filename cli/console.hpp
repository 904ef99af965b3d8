// SPDX-License-Identifier: MIT
//
// Where the command prints, what the reader's terminal can show, and how a command ends. Everything
// that `main` learns from the process's surroundings is gathered here, so that a test can call the
// command with streams of its own.
#pragma once

#include <atomic>
#include <ostream>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "reports/style.hpp"

namespace squall::cli {

/// What the command tells the shell.
enum ExitCode : int {
  kFine = 0,
  kUnexpected = 1,    ///< an expectation is not met
  kBadInput = 2,      ///< bad input, bad usage, or the output could not be written
  kBroken = 3,        ///< an invariant or an internal check broke: a bug
  kInterrupted = 130  ///< Ctrl-C; what was done so far has been printed
};

/// The surroundings of one invocation.
struct Console {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool color_wanted = true;  ///< false when the environment says so (NO_COLOR, TERM=dumb)
  bool unicode = true;
  std::size_t width = 100;
  /// Set by a signal handler; null when nothing interrupts.
  const std::atomic<bool>* interrupted = nullptr;

  [[nodiscard]] bool is_interrupted() const {
    return interrupted != nullptr && interrupted->load(std::memory_order_relaxed);
  }
};

/// How the output of a command is wanted.
struct OutputOptions {
  bool json = false;
  bool no_color = false;
  bool quiet = false;
  std::string file;  ///< empty: standard output
};

/// The dress of text that goes to where `options` says.
[[nodiscard]] reports::Style style_for(const Console& console, const OutputOptions& options);

/// Prints `text` to standard output, or makes it the content of the file asked for and prints one
/// line that says so (none when `options.quiet`).
///
/// @return `code`, or kBadInput after one line on standard error when the text could not be
///         written. A reader that has gone away (`squall run | head`) is no error.
[[nodiscard]] int emit(const Console& console, const OutputOptions& options, std::string_view text,
                       int code);

/// Prints one line about bad usage and returns kBadInput.
[[nodiscard]] int usage_error(const Console& console, std::string_view message);
/// Prints one line about bad input and returns kBadInput.
[[nodiscard]] int input_error(const Console& console, const core::Error& error);

}  // namespace squall::cli
