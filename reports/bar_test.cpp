// SPDX-License-Identifier: MIT
#include "reports/bar.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace squall::reports {
namespace {

using namespace std::chrono_literals;
using core::Duration;

const Style kPlain{.color = false, .unicode = false, .width = 100};

TEST(Bar, FollowingSpansAddUpToTheWhole) {
  core::RandomStream draws(1);
  for (int round = 0; round < 200; ++round) {
    const Scale scale(Duration(static_cast<std::int64_t>(1 + draws.next_below(1'000'000'000'000))),
                      1 + draws.next_below(120));
    std::vector<Duration> cuts{0ns, scale.total()};
    for (int i = 0; i < 10; ++i) {
      cuts.emplace_back(static_cast<std::int64_t>(
          draws.next_below(static_cast<std::uint64_t>(scale.total().count()))));
    }
    std::sort(cuts.begin(), cuts.end());
    std::size_t cells = 0;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      // Without the cells that short spans are given beyond their due.
      cells += scale.boundary(cuts[i + 1]) - scale.boundary(cuts[i]);
      const Scale::Span span = scale.span(cuts[i], cuts[i + 1]);
      EXPECT_GE(span.size(), 1U);
      EXPECT_LE(span.end, scale.cells());
    }
    EXPECT_EQ(cells, scale.cells());
  }
}

TEST(Bar, LaterInstantsNeverLieFurtherLeft) {
  const Scale scale(997ns, 31);
  for (std::int64_t at = 0; at < 997; ++at) {
    EXPECT_LE(scale.boundary(Duration(at)), scale.boundary(Duration(at + 1)));
  }
  EXPECT_EQ(scale.boundary(0ns), 0U);
  EXPECT_EQ(scale.boundary(997ns), 31U);
}

TEST(Bar, LengthsAreToScale) {
  const Scale scale(600s, 60);
  EXPECT_EQ(scale.span(0s, 300s), (Scale::Span{0, 30}));
  EXPECT_EQ(scale.span(300s, 600s), (Scale::Span{30, 60}));
  EXPECT_EQ(scale.span(100s, 110s), (Scale::Span{10, 11}));
}

TEST(Bar, EvenTheShortestSpanIsSeen) {
  const Scale scale(600s, 60);
  EXPECT_EQ(scale.span(0s, 120ms), (Scale::Span{0, 1}));
  EXPECT_EQ(scale.span(600s, 600s), (Scale::Span{59, 60}));
  EXPECT_EQ(Scale(0s, 5).span(0s, 0s), (Scale::Span{0, 1}));
}

TEST(Bar, ScalesReachTheEndOfTime) {
  const Scale scale(Duration::max(), 80);
  EXPECT_EQ(scale.boundary(Duration::max()), 80U);
  EXPECT_EQ(scale.boundary(Duration::max() / 2), 40U);
}

TEST(Bar, AnAttemptShowsItsTwoPhases) {
  const Scale scale(10s, 10);
  EXPECT_EQ(Bar(scale).attempt(2s, 4s, 7s).draw(kPlain, Tone::kPlain), "  ==###   ");
  EXPECT_EQ(Bar(scale).attempt(2s, 7s, 7s).draw(kPlain, Tone::kPlain), "  =====   ");
  EXPECT_EQ(Bar(scale).sleep(7s, 10s).draw(kPlain, Tone::kPlain), "       ...");
  EXPECT_EQ(Bar(scale).shutdown(10s).draw(kPlain, Tone::kPlain), "         !");
}

TEST(Bar, TheLongerPhaseWinsASharedCell) {
  const Scale scale(100s, 10);
  EXPECT_EQ(Bar(scale).attempt(0s, 1s, 4s).draw(kPlain, Tone::kPlain), "#         ");
  EXPECT_EQ(Bar(scale).attempt(0s, 3s, 4s).draw(kPlain, Tone::kPlain), "=         ");
}

TEST(Bar, AxisMarksAreRoundAndWhereTheyBelong) {
  const Axis axis = draw_axis(Scale(10min, 40), kPlain);
  EXPECT_EQ(axis.labels, "0 s     2 min   4 min   6 min   8 min   ");
  EXPECT_EQ(axis.line, "+-------+-------+-------+-------+-------");
  EXPECT_EQ(draw_axis(Scale(0s, 12), kPlain).labels, "0 s         ");
}

TEST(Bar, AmountsAreToScale) {
  EXPECT_EQ(amount_bar(0, 10, 10, kPlain), "");
  EXPECT_EQ(amount_bar(1, 1'000, 10, kPlain), "#");
  EXPECT_EQ(amount_bar(5, 10, 10, kPlain), "#####");
  EXPECT_EQ(amount_bar(10, 10, 10, kPlain), "##########");
}

}  // namespace
}  // namespace squall::reports
