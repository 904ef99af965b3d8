// SPDX-License-Identifier: MIT
#include "scenarios/golden.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/files.hpp"

namespace squall::scenarios {
namespace {

TEST(Golden, SavedDigestsLoadBack) {
  const std::string path = testing::TempDir() + "squall-golden.json";
  const GoldenDigests digests = {{"b", 0xfedcba9876543210U}, {"a", 0}};
  ASSERT_TRUE(save_golden(path, digests));
  EXPECT_EQ(load_golden(path).value(), digests);
  EXPECT_EQ(read_file(path).value(),
            "{\n  \"a\": \"0000000000000000\",\n  \"b\": \"fedcba9876543210\"\n}\n");
  std::filesystem::remove(path);
}

TEST(Golden, RefusesWhatIsNoDigest) {
  for (const char* value : {"\"fedcba987654321\"", "\"FEDCBA9876543210\"", "\"fedcba98765432100\"",
                            "\"0x00000000000000\"", "7", "null", "\"\""}) {
    const auto digests =
        parse_golden("{\n\"a\": " + std::string(value) + "}", "scenarios/library/golden.json");
    ASSERT_FALSE(digests) << value;
    EXPECT_EQ(core::to_string(digests.error()), "scenarios/library/golden.json:2: /a: found " +
                                                    std::string(value) +
                                                    ", allowed: 16 lower-case hex digits");
  }
  EXPECT_EQ(core::to_string(parse_golden("[]", "g").error()),
            "g:1: allowed: an object of names and digests");
  EXPECT_TRUE(parse_golden("{}", "g").value().empty());
}

}  // namespace
}  // namespace squall::scenarios
