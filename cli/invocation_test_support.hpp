// SPDX-License-Identifier: MIT
//
// The command as a test calls it, without a process.
#pragma once

#include <algorithm>
#include <atomic>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_line.hpp"
#include "cli/console.hpp"

namespace squall::cli {

/// What an invocation left behind.
struct Ended {
  int code = 0;
  std::string out, err;
};

inline Ended squall(const std::vector<std::string>& arguments,
                    const std::atomic<bool>* interrupted = nullptr) {
  std::ostringstream out;
  std::ostringstream err;
  const Console console{.out = out, .err = err, .interrupted = interrupted};
  std::vector<const char*> words;
  for (const std::string& argument : arguments) {
    words.push_back(argument.c_str());
  }
  const int code = run(words, console);
  return {.code = code, .out = out.str(), .err = err.str()};
}

/// Bad input or usage: nothing printed, exactly one line on standard error.
inline void expect_one_line(const Ended& ended, const std::string& part) {
  EXPECT_EQ(ended.code, kBadInput) << part;
  EXPECT_THAT(ended.out, testing::IsEmpty());
  EXPECT_THAT(ended.err, testing::HasSubstr(part));
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
}

}  // namespace squall::cli
