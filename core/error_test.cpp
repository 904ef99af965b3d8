// SPDX-License-Identifier: MIT
#include "core/error.hpp"

#include <string>

#include <gtest/gtest.h>

namespace squall::core {
namespace {

TEST(Error, PrintsEverythingItKnowsOnOneLine) {
  EXPECT_EQ(to_string({"storm.json", 12, "/server/phases/0/until", "\"9\" has no unit"}),
            "storm.json:12: /server/phases/0/until: \"9\" has no unit");
}

TEST(Error, LeavesOutWhatIsUnknown) {
  EXPECT_EQ(to_string({"", 0, "", "no scenario given"}), "no scenario given");
  EXPECT_EQ(to_string({"storm.json", 0, "", "cannot be read"}), "storm.json: cannot be read");
  EXPECT_EQ(to_string({"storm.json", 3, "", "not JSON"}), "storm.json:3: not JSON");
  EXPECT_EQ(to_string({"", 0, "/policy", "unknown policy"}), "/policy: unknown policy");
}

TEST(Error, ALineWithoutAFileIsNotPrinted) {
  EXPECT_EQ(to_string({"", 3, "", "not JSON"}), "not JSON");
}

TEST(Error, ForeignNamesStayOnTheLineAndAreCut) {
  EXPECT_EQ(to_string({"a\nb\x1b.json", 0, "", "no such file"}), "a b .json: no such file");
  EXPECT_EQ(to_string({"", 0, "/" + std::string(5'000, 'k'), "unknown key"}),
            "/" + std::string(999, 'k') + "...: unknown key");
}

}  // namespace
}  // namespace squall::core
