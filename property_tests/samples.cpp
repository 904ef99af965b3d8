// SPDX-License-Identifier: MIT
//
// How many samples each property draws: a case takes a fraction of a millisecond, so that ten times
// RapidCheck's usual hundred are affordable. `max_success` in RC_PARAMS wins.
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace squall::property_tests {
namespace {

class Samples : public testing::Environment {
 public:
  // Before the first property, which is when RapidCheck reads its parameters.
  void SetUp() override {
    const char* const given = std::getenv("RC_PARAMS");
    const std::string parameters = given != nullptr ? given : "";
    // "reproduce" replays one sample and takes no number.
    if (parameters.find("max_success") == std::string::npos) {
      setenv("RC_PARAMS", (parameters + " max_success=1000").c_str(), 1);
    }
  }
};

[[maybe_unused]] const testing::Environment* const kSamples =
    testing::AddGlobalTestEnvironment(new Samples);

}  // namespace
}  // namespace squall::property_tests
