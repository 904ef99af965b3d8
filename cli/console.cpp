// SPDX-License-Identifier: MIT
#include "cli/console.hpp"

#include <cerrno>
#include <cstring>

#include "cli/outputs.hpp"
#include "scenarios/files.hpp"

namespace squall::cli {
namespace {

int print(const Console& console, std::string_view text, int code) {
  errno = 0;
  console.out << text << std::flush;
  if (console.out) {
    return code;
  }
  if (errno == EPIPE) {
    return code;
  }
  console.err << "squall: cannot write to standard output"
              << (errno == 0 ? "" : std::string(": ") + std::strerror(errno)) << '\n';
  return kBadInput;
}

}  // namespace

reports::Style style_for(const Console& console, const OutputOptions& options) {
  return {.color = console.out_is_terminal && console.color_wanted && !options.no_color &&
                   options.file.empty(),
          .unicode = console.unicode,
          .width = console.width};
}

int emit(const Console& console, const OutputOptions& options, std::string_view text, int code) {
  if (options.file.empty()) {
    return print(console, text, code);
  }
  if (const auto refusal = refusal_to_replace(options.file, text)) {
    return input_error(console, *refusal);
  }
  if (const auto written = scenarios::write_file(options.file, text); !written) {
    return input_error(console, written.error());
  }
  return options.quiet ? code : print(console, "wrote " + options.file + "\n", code);
}

int usage_error(const Console& console, std::string_view message) {
  console.err << "squall: " << message << '\n';
  return kBadInput;
}

int input_error(const Console& console, const core::Error& error) {
  console.err << (error.file.empty() ? "squall: " : "") << core::to_string(error) << '\n';
  return kBadInput;
}

}  // namespace squall::cli
