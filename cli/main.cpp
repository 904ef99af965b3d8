// SPDX-License-Identifier: MIT
//
// The `squall` program: asks the process what its surroundings are, calls the command, catches
// once.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/command_line.hpp"

namespace {

std::atomic<bool> g_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void note_interrupt(int) {
  g_interrupted.store(true, std::memory_order_relaxed);
}

void install_signal_handlers() {
  struct sigaction interrupt {};
  interrupt.sa_handler = note_interrupt;
  // The first Ctrl-C asks to end, the second one ends.
  interrupt.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &interrupt, nullptr);
  sigaction(SIGTERM, &interrupt, nullptr);
  // A reader that goes away shows as a failed write.
  struct sigaction ignored {};
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignored, nullptr);
  // So does a file that may not grow any more.
  sigaction(SIGXFSZ, &ignored, nullptr);
}

std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

/// Whether block characters can be shown: what the locale says, and without one UTF-8 for whatever
/// is no terminal. @source POSIX, "Environment Variables", 8.2: the first that is set decides.
bool unicode_is_readable(bool is_terminal) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = environment(name);
    if (!value.empty()) {
      const auto says = [value](std::string_view charset) {
        return value.find(charset) != std::string_view::npos;
      };
      return says("UTF-8") || says("utf-8") || says("UTF8") || says("utf8");
    }
  }
  return !is_terminal;
}

/// Columns of the terminal on standard output, within what reports look good in.
std::size_t output_width(bool is_terminal) {
  constexpr std::size_t kUsual = 100;
  winsize size{};
  if (!is_terminal || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return kUsual;
  }
  return std::clamp<std::size_t>(size.ws_col, 80, 160);
}

}  // namespace

int main(int argc, char** argv) {
  install_signal_handlers();
  const bool out_is_terminal = isatty(STDOUT_FILENO) == 1;
  const squall::cli::Console console{
      .out = std::cout,
      .err = std::cerr,
      .out_is_terminal = out_is_terminal,
      .err_is_terminal = isatty(STDERR_FILENO) == 1,
      .color_wanted = environment("NO_COLOR").empty() && environment("TERM") != "dumb",
      .unicode = unicode_is_readable(out_is_terminal),
      .width = output_width(out_is_terminal),
      .interrupted = &g_interrupted,
  };
  const std::span<const char* const> words(argv, static_cast<std::size_t>(argc));
  try {
    return squall::cli::run(words.subspan(words.empty() ? 0 : 1), console);
  } catch (const std::bad_alloc&) {
    std::cerr << "squall: out of memory: fewer attempts or smaller bodies need less\n";
    return squall::cli::kBadInput;
  } catch (const std::exception& failed) {
    std::cerr << "squall: internal error: " << failed.what() << '\n';
  } catch (...) {
    std::cerr << "squall: internal error\n";
  }
  return squall::cli::kBroken;
}
