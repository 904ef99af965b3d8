// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/invocation_test_support.hpp"

namespace squall::cli {
namespace {

using testing::HasSubstr;

TEST(FidelityCommand, TwoWorldsAgree) {
  const Ended ended = squall({"fidelity", "four-kinds-of-failure", "tool-401-bare", "--json"});
  EXPECT_EQ(ended.code, kFine) << ended.err;
  const auto json = nlohmann::json::parse(ended.out);
  EXPECT_EQ(json["agrees"], true);
  ASSERT_EQ(json["scenarios"].size(), 2U);
  const auto& one = json["scenarios"][0];
  EXPECT_EQ(one["pace"], "stepped");
  EXPECT_EQ(one["calls"].size(), 5U);
  // The times of its page: 1 min 22.918 s in all.
  EXPECT_EQ(one["real_elapsed_ns"], one["simulated_elapsed_ns"]);
  EXPECT_EQ(one["real_elapsed_ns"].get<std::int64_t>() / 1'000'000, 82'918);
}

TEST(FidelityCommand, RefusesWhatItCannotPlay) {
  expect_one_line(squall({"fidelity", "no-such-scenario"}), "no-such-scenario");
  expect_one_line(squall({"fidelity", "--time-scale", "0"}), "--time-scale: found \"0\"");
  expect_one_line(squall({"fidelity", "--time-scale", "100001"}), "--time-scale");
  expect_one_line(squall({"fidelity", "--tolerance", "5"}), "--tolerance: found \"5\"");
  expect_one_line(squall({"fidelity", "--seed", "-1"}), "--seed");
}

TEST(FidelityCommand, AnInterruptionEndsItWithWhatIsDone) {
  const std::atomic<bool> interrupted{true};
  const Ended ended = squall({"fidelity", "four-kinds-of-failure"}, &interrupted);
  EXPECT_EQ(ended.code, kInterrupted);
  EXPECT_THAT(ended.out, HasSubstr("interrupted: 0 of 1 scenario played"));
}

}  // namespace
}  // namespace squall::cli
