// SPDX-License-Identifier: MIT
#include "analysis/failure_times.hpp"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/connector/kind.hpp"

namespace squall::analysis {
namespace {

using namespace std::chrono_literals;
using LlmClass = core::llm::FailureClass;
using testing::IsEmpty;
using testing::SizeIs;

TEST(FailureTimes, NoneGivesNoClasses) {
  EXPECT_THAT(FailureTimes().binned().classes, IsEmpty());
}

// 119.999 s is in the last of 120 bins of a second; a hundred bins more would be needed by halves.
TEST(FailureTimes, TheSmallestWidthThatHoldsAllButOneOfAHundred) {
  FailureTimes times;
  times.add(LlmClass::kTransport, 0s);
  times.add(LlmClass::kTransport, 999ms);
  times.add(LlmClass::kParse, 1s);
  times.add(LlmClass::kTransport, 119'999ms);
  const BinnedFailures binned = times.binned();
  EXPECT_EQ(binned.width, 1s);
  ASSERT_THAT(binned.classes, SizeIs(2));
  const FailureBins& transport = binned.classes[0];
  EXPECT_EQ(transport.failure_class, scenarios::FailureClass(LlmClass::kTransport));
  ASSERT_THAT(transport.counts, SizeIs(120));
  EXPECT_EQ(transport.counts[0], 2U);
  EXPECT_EQ(transport.counts[119], 1U);
  EXPECT_EQ(transport.later, 0U);
  EXPECT_EQ(binned.classes[1].counts[1], 1U);
}

TEST(FailureTimes, OneOfAHundredMayComeLater) {
  FailureTimes times;
  for (int i = 0; i < 199; ++i) {
    times.add(LlmClass::kTransport, 5ms);
  }
  times.add(core::connector::Kind::kTransport, 24h);
  const BinnedFailures binned = times.binned();
  EXPECT_EQ(binned.width, 1ms);
  ASSERT_THAT(binned.classes, SizeIs(2));
  EXPECT_THAT(binned.classes[0].counts, SizeIs(6));  // Empty bins at the end are left out.
  EXPECT_EQ(binned.classes[0].counts[5], 199U);
  EXPECT_EQ(binned.classes[1].later, 1U);
  times.add(core::connector::Kind::kTransport, 24h);
  times.add(core::connector::Kind::kTransport, 24h);
  EXPECT_EQ(times.binned().width, 1800s);  // 24 h are 48 half hours.
}

TEST(FailureTimes, CenturiesAreCounted) {
  FailureTimes times;
  times.add(LlmClass::kTransport, core::Duration::max());
  const BinnedFailures binned = times.binned();
  ASSERT_THAT(binned.classes, SizeIs(1));
  EXPECT_THAT(binned.classes[0].counts, IsEmpty());
  EXPECT_EQ(binned.classes[0].later, 1U);
}

TEST(FailureTimes, MergingIsAddition) {
  FailureTimes left;
  left.add(LlmClass::kParse, 3s);
  FailureTimes right;
  right.add(LlmClass::kTransport, 1s);
  right.add(LlmClass::kParse, 3s);
  FailureTimes whole;
  whole.add(LlmClass::kTransport, 1s);
  whole.add(LlmClass::kParse, 3s);
  whole.add(LlmClass::kParse, 3s);
  left.merge(right);
  EXPECT_EQ(left.binned(), whole.binned());
}

}  // namespace
}  // namespace squall::analysis
