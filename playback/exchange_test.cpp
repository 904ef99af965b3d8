// SPDX-License-Identifier: MIT
#include "playback/exchange.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/check.hpp"
#include "playback/scenarios_test_support.hpp"

namespace squall::playback {
namespace {

using core::ConnectionFault;
using core::Duration;
using core::Instant;
using namespace std::chrono_literals;

/// Plays a respond to its end and writes down what reaches the client, one line an event:
/// "<milliseconds> <what>".
std::vector<std::string> played(const scenarios::Respond& respond) {
  const PreparedRespond prepared(respond);
  Exchange exchange;
  exchange.open(7, prepared, Instant(10s), std::get<Duration>(respond.latency));
  std::vector<std::string> seen;
  while (const auto next = exchange.next()) {
    const core::Event event = exchange.take(core::WallInstant(next->time_since_epoch()));
    std::string line = std::to_string((*next - Instant(10s)) / 1ms) + ' ';
    if (const auto* headers = std::get_if<core::HeadersReceived>(&event)) {
      EXPECT_EQ(headers->attempt, 7U);
      line += "headers " + std::to_string(headers->head.status);
      if (headers->head.content_length) {
        line += " length " + std::to_string(*headers->head.content_length);
      }
      if (headers->head.retry_after) {
        line += " retry-after " + std::string(*headers->head.retry_after);
      }
    } else if (const auto* bytes = std::get_if<core::BytesReceived>(&event)) {
      line += std::string(bytes->bytes);
    } else if (std::holds_alternative<core::BodyEnded>(event)) {
      line += "end";
    } else if (const auto* failed = std::get_if<core::AttemptFailed>(&event)) {
      line += describe(failed->fault);
    }
    seen.push_back(line);
  }
  return seen;
}

scenarios::HttpAnswer text(std::string body) {
  scenarios::HttpAnswer http;
  http.body = std::move(body);
  return http;
}
using Lines = std::vector<std::string>;

TEST(Exchange, PlainAnswerComesWholeAfterItsLatency) {
  EXPECT_EQ(played({.what = text("abc"), .latency = 120ms}),
            (Lines{"120 headers 200 length 3", "120 abc", "120 end"}));
}

TEST(Exchange, EmptyBodyEndsWithTheHeaders) {
  EXPECT_EQ(played({.what = text(""), .latency = 1ms}), (Lines{"1 headers 200 length 0", "1 end"}));
}

TEST(Exchange, ConnectionFailureComesInsteadOfHeaders) {
  EXPECT_EQ(played(broken(ConnectionFault::kRefused, 3ms)), (Lines{"3 connection refused"}));
}

TEST(Exchange, SilentHeadersNeverComeToAnEnd) {
  EXPECT_EQ(played(silent()), Lines{});
}

TEST(Exchange, TrickleSpacesPiecesAndTheFirstOneWaitsToo) {
  auto http = text("abcde");
  http.delivery = scenarios::Trickle{.bytes = 2, .every = 1s};
  EXPECT_EQ(played({.what = http, .latency = 10ms}),
            (Lines{"10 headers 200 length 5", "1010 ab", "2010 cd", "3010 e", "3010 end"}));
}

TEST(Exchange, ChunksLeaveTheRestToComeAtOnceAndDropWhatIsTooMuch) {
  auto http = text("abcde");
  http.delivery = scenarios::Chunks{{{.bytes = 1, .after = 5ms}, {.bytes = 2, .after = 0ms}}};
  EXPECT_EQ(played({.what = http, .latency = 0ms}),
            (Lines{"0 headers 200 length 5", "5 a", "5 bc", "5 de", "5 end"}));
  http.delivery = scenarios::Chunks{{{.bytes = 9, .after = 5ms}, {.bytes = 9, .after = 5ms}}};
  EXPECT_EQ(played({.what = http, .latency = 0ms}),
            (Lines{"0 headers 200 length 5", "5 abcde", "5 end"}));
}

TEST(Exchange, StallSendsNothingAfterItsOffset) {
  auto http = text("abcde");
  http.ending = scenarios::Stalls{.after = {-1}};
  EXPECT_EQ(played({.what = http, .latency = 0ms}), (Lines{"0 headers 200 length 5", "0 abcd"}));
  http.ending = scenarios::Stalls{.after = {0}};
  EXPECT_EQ(played({.what = http, .latency = 0ms}), (Lines{"0 headers 200 length 5"}));
}

TEST(Exchange, BreakIsSeenAsCloseOrResetUnderAnAnnouncedLength) {
  auto http = text("abcde");
  http.ending = scenarios::Breaks{.after = {2}, .by_reset = false};
  EXPECT_EQ(played({.what = http, .latency = 0ms}).back(),
            "0 connection closed before the response body was complete");
  http.ending = scenarios::Breaks{.after = {2}, .by_reset = true};
  EXPECT_EQ(played({.what = http, .latency = 0ms}).back(),
            "0 connection reset while reading the response body");
}

TEST(Exchange, CloseEndsAnUnframedBodyUnnoticedButAResetDoesNot) {
  auto http = text("abcde");
  http.framing = scenarios::Framing::kUntilClose;
  http.ending = scenarios::Breaks{.after = {2}, .by_reset = false};
  EXPECT_EQ(played({.what = http, .latency = 0ms}), (Lines{"0 headers 200", "0 ab", "0 end"}));
  http.ending = scenarios::Breaks{.after = {2}, .by_reset = true};
  EXPECT_EQ(played({.what = http, .latency = 0ms}).back(),
            "0 connection reset while reading the response body");
}

TEST(Exchange, ChunkedBodyThatIsCutIsNoticed) {
  auto http = text("abcde");
  http.framing = scenarios::Framing::kChunked;
  http.ending = scenarios::Breaks{.after = {5}, .by_reset = false};
  EXPECT_EQ(played({.what = http, .latency = 0ms}),
            (Lines{"0 headers 200", "0 abcde",
                   "0 connection closed before the response body was complete"}));
}

TEST(Exchange, AnnouncedLengthShorterThanTheBodyHidesTheRest) {
  auto http = text("abcde");
  http.content_length_error = -2;
  EXPECT_EQ(played({.what = http, .latency = 0ms}),
            (Lines{"0 headers 200 length 3", "0 abc", "0 end"}));
  // Even a reset after the announced bytes goes unseen: the client has stopped reading.
  http.ending = scenarios::Breaks{.after = {4}, .by_reset = true};
  EXPECT_EQ(played({.what = http, .latency = 0ms}).back(), "0 end");
}

TEST(Exchange, AnnouncedLengthLongerThanTheBodyEndsInAClose) {
  auto http = text("abcde");
  http.content_length_error = 10;
  EXPECT_EQ(played({.what = http, .latency = 0ms}),
            (Lines{"0 headers 200 length 15", "0 abcde",
                   "0 connection closed before the response body was complete"}));
}

TEST(Exchange, RetryAfterDateIsRenderedAgainstTheMomentOfTheHeaders) {
  auto http = text("");
  http.status = 429;
  http.headers = {{"Retry-After", scenarios::RelativeDate{.offset = 30s, .form = {}}}};
  // Headers leave at 10 s + 2 s after the epoch of calendar time; the date lies 30 s later.
  EXPECT_EQ(played({.what = http, .latency = 2s}).front(),
            "2000 headers 429 length 0 retry-after Thu, 01 Jan 1970 00:00:42 GMT");
}

TEST(Exchange, OffsetOutsideTheBodyIsABrokenCheck) {
  auto http = text("abc");
  http.ending = scenarios::Stalls{.after = {4}};
  EXPECT_THROW(PreparedRespond({.what = http, .latency = 0ms}), core::CheckFailed);
}

}  // namespace
}  // namespace squall::playback
