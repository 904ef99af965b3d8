// SPDX-License-Identifier: MIT
//
// The production client's response path over the seeds of its fuzzer.
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "live/try_answer_test_support.hpp"
#include "scenarios/files.hpp"

namespace squall::live {
namespace {

using testing::IsSupersetOf;

std::string seed(const std::string& name) {
  const auto bytes =
      scenarios::read_file(std::string(SQUALL_SOURCE_DIR) + "/fuzz/corpus/client_response/" + name);
  EXPECT_TRUE(bytes.has_value()) << name;
  return bytes.value_or("");
}

/// "success", or the class a chat (`call` 0) or a tool call (1) makes of the seed.
std::string verdict(const std::string& name, std::size_t call) {
  const TriedAnswer tried = try_answer(seed(name)).at(call);
  return tried.classes.empty() ? std::string(label(tried.outcome)) : tried.classes.front();
}

TEST(ResponsePath, ChatsAreJudgedAsTheyShould) {
  EXPECT_EQ(verdict("chat", 0), "success");
  EXPECT_EQ(verdict("chunked", 0), "success");
  EXPECT_EQ(verdict("until-close", 0), "success");
  EXPECT_EQ(verdict("interim-then-chat", 0), "success");
  // Announced and not sent: the bytes are what they are.
  EXPECT_EQ(verdict("gzip-announced", 0), "success");
  EXPECT_EQ(verdict("truncated", 0), "truncated_envelope");
  EXPECT_EQ(verdict("chunked-cut", 0), "truncated_envelope");
  EXPECT_EQ(verdict("html", 0), "parse");
  EXPECT_EQ(verdict("nul-bytes", 0), "parse");
  EXPECT_EQ(verdict("empty-choices", 0), "no_response");
  for (const char* broken :
       {"http-0.9", "garbage", "interim-endless", "negative-length", "empty"}) {
    EXPECT_EQ(verdict(broken, 0), "transport") << broken;
  }
}

TEST(ResponsePath, ToolCallsAreJudgedAsTheyShould) {
  EXPECT_EQ(verdict("tool-result", 1), "success");
  EXPECT_EQ(verdict("tool-event-stream", 1), "success");
  EXPECT_EQ(verdict("auth", 1), "auth");
  EXPECT_EQ(verdict("garbage", 1), "transport");
}

TEST(ResponsePath, MasksTheKeyInTheBytesAsTheyCome) {
  const std::string echoed = try_answer(seed("key-echoed")).front().body;
  EXPECT_EQ(echoed, "key " + std::string(19, '*') + " sk-sk-tried/ " + std::string(22, '*') +
                        " is not known: " + std::string(14, '*'));
  const std::optional<std::string> decoded = try_answer(seed("key-in-escapes")).front().answer;
  EXPECT_EQ(masked(tried_key(), decoded.value()),
            std::string(19, '*') + " and " + std::string(22, '*'));
}

TEST(ResponsePath, HoldsWhateverTheSeedsAre) {
  std::size_t seeds = 0;
  std::set<std::string> classes;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(SQUALL_SOURCE_DIR) +
                                                               "/fuzz/corpus/client_response")) {
    const std::string bytes = seed(entry.path().filename().string());
    for (const ConnectionEnd end : {ConnectionEnd::kClosed, ConnectionEnd::kCut,
                                    ConnectionEnd::kReset, ConnectionEnd::kBroken}) {
      for (const TriedAnswer& tried : try_answer(bytes, end)) {
        classes.insert(tried.classes.begin(), tried.classes.end());
      }
    }
    ++seeds;
  }
  EXPECT_GE(seeds, 30U);
  EXPECT_THAT(classes, IsSupersetOf({"transport", "truncated_envelope", "parse", "no_response",
                                     "auth", "application", "non_retryable"}));
}

}  // namespace
}  // namespace squall::live
