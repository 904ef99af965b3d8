// SPDX-License-Identifier: MIT
//
// What each fault of the language is on the wire: bytes on real sockets, expected byte by byte.
#include "live/fault_server.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "live/served_test_support.hpp"
#include "playback/scenarios_test_support.hpp"
#include "playback/trace.hpp"

namespace squall::live {
namespace {

using core::ConnectionFault;
using playback::answer;
using playback::broken;
using playback::scenario;
using playback::sequence;
using playback::silent;
using playback::step;
using scenarios::Framing;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

/// A second of the script is a microsecond here.
FaultServerOptions fast() {
  return {.time_scale = 1'000'000};
}
FaultServerOptions fast(Per per) {
  FaultServerOptions options = fast();
  options.per = per;
  return options;
}

scenarios::HttpAnswer text(std::string body) {
  scenarios::HttpAnswer http;
  http.body = std::move(body);
  return http;
}
scenarios::HttpAnswer text(std::string body, Framing framing) {
  scenarios::HttpAnswer http = text(std::move(body));
  http.framing = framing;
  return http;
}
scenarios::Scenario answering(scenarios::HttpAnswer http, core::Duration latency = 5ms) {
  return scenario(sequence({step(1, {.what = std::move(http), .latency = latency})}));
}

const std::string kPlainHead = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

// ---- framing and endings -----------------------------------------------------------------------

TEST(FaultServerWire, PlainAnswerKeepsTheConnection) {
  Served served(answering(text("abc")), fast());
  const RawClient client(served.port());
  for (int call = 0; call < 3; ++call) {
    client.send(chat_request());
    EXPECT_EQ(client.read_answer(), kPlainHead + "content-length: 3\r\n\r\nabc");
  }
}

TEST(FaultServerWire, ClientThatWantsItGetsTheConnectionClosed) {
  Served served(answering(text("abc")), fast());
  EXPECT_EQ(heard(served.port(), chat_request("Connection: close\r\n")),
            (Heard{kPlainHead + "content-length: 3\r\nconnection: close\r\n\r\nabc",
                   SocketEnd::kClosed}));
}

TEST(FaultServerWire, ChunkedBodyEndsWithTheLastChunk) {
  Served served(answering(text("abc", Framing::kChunked)), fast());
  const RawClient client(served.port());
  client.send(chat_request());
  EXPECT_EQ(client.read_until("0\r\n\r\n").bytes,
            kPlainHead + "transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
}

TEST(FaultServerWire, ClientWithoutChunksGetsTheBodyUpToTheEnd) {
  Served served(answering(text("abc", Framing::kChunked)), fast());
  EXPECT_EQ(
      heard(served.port(), "POST /v1/chat/completions HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}"),
      (Heard{kPlainHead + "connection: close\r\n\r\nabc", SocketEnd::kClosed}));
}

TEST(FaultServerWire, BodyUntilCloseEndsWithTheConnection) {
  Served served(answering(text("abc", Framing::kUntilClose)), fast());
  EXPECT_EQ(heard(served.port(), chat_request()),
            (Heard{kPlainHead + "connection: close\r\n\r\nabc", SocketEnd::kClosed}));
}

TEST(FaultServerWire, StatusHeadersAndDatesAreThoseOfTheScenario) {
  scenarios::HttpAnswer http = text("{}");
  http.status = 529;
  http.headers = {{.name = "Retry-After", .value = scenarios::RelativeDate{.offset = 30s}},
                  {.name = "retry-after-ms", .value = "1500"},
                  {.name = "Content-Type", .value = "text/plain"}};
  FaultServerOptions options = fast();
  options.wall_clock = core::WallInstant(std::chrono::seconds(784'111'777));
  Served served(answering(http, 0ms), options);
  const RawClient client(served.port());
  client.send(chat_request());
  // RFC 9110's own example of a date is 784111777; what passes until the request is read, a million
  // times faster, can be days: only a clock that stands still would make the whole head known.
  const std::string head = client.read_answer();
  EXPECT_THAT(head, testing::StartsWith("HTTP/1.1 529 \r\nRetry-After: "));
  EXPECT_THAT(head, HasSubstr(" GMT\r\nretry-after-ms: 1500\r\nContent-Type: text/plain\r\n"
                              "content-length: 2\r\n\r\n{}"));
  const LoggedExchange logged = served.exchanges(1).front();
  EXPECT_EQ(logged.status, 529);
  EXPECT_EQ(logged.retry_after_ms, "1500");
  EXPECT_THAT(head, HasSubstr("Retry-After: " + logged.retry_after.value_or("none") + "\r\n"));
}

TEST(FaultServerWire, StatusWithoutBodySaysNothingOfItsLength) {
  scenarios::HttpAnswer http = text("");
  http.status = 204;
  Served served(answering(http), fast());
  EXPECT_EQ(heard(served.port(), chat_request("Connection: close\r\n")),
            (Heard{"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n", SocketEnd::kClosed}));
}

struct Case {
  std::string name;
  scenarios::HttpAnswer http;
  Heard heard;  ///< after the plain head
  std::optional<ConnectionFault> fault;
};
void PrintTo(const Case& one, std::ostream* out) {
  *out << one.name;
}

scenarios::HttpAnswer cut(Framing framing, std::int64_t after, bool by_reset) {
  scenarios::HttpAnswer http = text("abcdef", framing);
  http.ending = scenarios::Breaks{.after = {after}, .by_reset = by_reset};
  return http;
}
scenarios::HttpAnswer announced(std::int64_t error) {
  scenarios::HttpAnswer http = text("abcdef");
  http.content_length_error = error;
  return http;
}

class FaultServerEnding : public testing::TestWithParam<Case> {};

TEST_P(FaultServerEnding, IsExactlyThisOnTheWire) {
  Served served(answering(GetParam().http), fast());
  Heard expected = GetParam().heard;
  expected.bytes = kPlainHead + expected.bytes;
  EXPECT_EQ(heard(served.port(), chat_request()), expected);
  const LoggedExchange logged = served.exchanges(1).front();
  EXPECT_EQ(logged.fault, GetParam().fault);
  EXPECT_EQ(logged.end, logged.fault ? ExchangeEnd::kCut : ExchangeEnd::kAnswered);
  EXPECT_EQ(logged.status, 200);
}

INSTANTIATE_TEST_SUITE_P(
    All, FaultServerEnding,
    testing::Values(Case{"LengthCutByClose",
                         cut(Framing::kContentLength, 2, false),
                         {"content-length: 6\r\n\r\nab", SocketEnd::kClosed},
                         ConnectionFault::kBodyClosed},
                    Case{"LengthCutByReset",
                         cut(Framing::kContentLength, 2, true),
                         {"content-length: 6\r\n\r\nab", SocketEnd::kReset},
                         ConnectionFault::kBodyReset},
                    Case{"CutBeforeTheFirstByte",
                         cut(Framing::kContentLength, 0, false),
                         {"content-length: 6\r\n\r\n", SocketEnd::kClosed},
                         ConnectionFault::kBodyClosed},
                    Case{"CutBeforeTheLastByte",
                         cut(Framing::kContentLength, -1, true),
                         {"content-length: 6\r\n\r\nabcde", SocketEnd::kReset},
                         ConnectionFault::kBodyReset},
                    Case{"ChunksCutByClose",
                         cut(Framing::kChunked, 2, false),
                         {"transfer-encoding: chunked\r\n\r\n2\r\nab\r\n", SocketEnd::kClosed},
                         ConnectionFault::kBodyClosed},
                    Case{"ChunksCutByReset",
                         cut(Framing::kChunked, 2, true),
                         {"transfer-encoding: chunked\r\n\r\n2\r\nab\r\n", SocketEnd::kReset},
                         ConnectionFault::kBodyReset},
                    Case{"ChunksWithoutTheLastOne",
                         cut(Framing::kChunked, 6, false),
                         {"transfer-encoding: chunked\r\n\r\n6\r\nabcdef\r\n", SocketEnd::kClosed},
                         ConnectionFault::kBodyClosed},
                    Case{"UntilCloseCutIsShortAndNobodyCanTell",
                         cut(Framing::kUntilClose, 2, false),
                         {"connection: close\r\n\r\nab", SocketEnd::kClosed},
                         std::nullopt},
                    Case{"UntilCloseCutByReset",
                         cut(Framing::kUntilClose, 2, true),
                         {"\r\nab", SocketEnd::kReset},
                         ConnectionFault::kBodyReset},
                    Case{"LengthTooLong",
                         announced(+4),
                         {"content-length: 10\r\n\r\nabcdef", SocketEnd::kClosed},
                         ConnectionFault::kBodyClosed},
                    Case{"LengthTooShortAndTheRestComesToo",
                         announced(-2),
                         {"content-length: 4\r\nconnection: close\r\n\r\nabcdef",
                          SocketEnd::kClosed},
                         std::nullopt}),
    [](const auto& instance) { return instance.param.name; });

// ---- before the head -----------------------------------------------------------------------

TEST(FaultServerWire, ResetComesWithoutAByte) {
  Served served(scenario(sequence({step(1, broken(ConnectionFault::kReset))})), fast());
  EXPECT_EQ(heard(served.port(), chat_request()), (Heard{"", SocketEnd::kReset}));
  const LoggedExchange logged = served.exchanges(1).front();
  EXPECT_EQ(logged.fault, ConnectionFault::kReset);
  EXPECT_EQ(logged.end, ExchangeEnd::kCut);
  EXPECT_EQ(logged.status, std::nullopt);
}

TEST(FaultServerWire, FaultsThatPrecedeTheRequestAreResetOnAcceptWhenAllShareTheScript) {
  for (const ConnectionFault fault : {ConnectionFault::kRefused, ConnectionFault::kDns,
                                      ConnectionFault::kTls, ConnectionFault::kConnectTimeout}) {
    Served served(scenario(sequence({step(2, broken(fault)), step(1, playback::good())})),
                  fast(Per::kServer));
    for (int call = 0; call < 2; ++call) {
      // Nothing is sent, and yet it is reset.
      EXPECT_EQ(RawClient(served.port()).read_all(), (Heard{"", SocketEnd::kReset}));
    }
    EXPECT_THAT(heard(served.port(), chat_request("Connection: close\r\n")).bytes,
                HasSubstr("200 OK"));
    const std::vector<LoggedExchange> logged = served.exchanges(3);
    EXPECT_EQ(logged[1].fault, fault);
    EXPECT_EQ(logged[1].end, ExchangeEnd::kRefused);
    EXPECT_EQ(logged[1].method, "");
    EXPECT_EQ(logged[2].method, "POST");
  }
}

TEST(FaultServerWire, RefusalThatOnlyTheRequestCanTellIsResetAfterIt) {
  Served served(scenario(sequence(
                    {step(1, broken(ConnectionFault::kRefused)), step(1, answer(200, "{}", 0ms))})),
                fast());
  EXPECT_EQ(heard(served.port(), chat_request()), (Heard{"", SocketEnd::kReset}));
  EXPECT_THAT(heard(served.port(), chat_request("Connection: close\r\n")).bytes, HasSubstr("200"));
}

TEST(FaultServerWire, ConnectionIsGivenUpWhenTheNextCallIsToBeRefused) {
  Served served(scenario(sequence({step(1, answer(200, "{}", 0ms)),
                                   step(1, broken(ConnectionFault::kRefused)),
                                   step(1, answer(200, "{}", 0ms))})),
                fast(Per::kServer));
  EXPECT_THAT(heard(served.port(), chat_request()).bytes, HasSubstr("connection: close"));
  EXPECT_EQ(RawClient(served.port()).read_all().end, SocketEnd::kReset);
  EXPECT_THAT(heard(served.port(), chat_request("Connection: close\r\n")).bytes, HasSubstr("200"));
}

// ---- stalls and trickles -----------------------------------------------------------------------

TEST(FaultServerWire, HeadersThatNeverComeLeaveTheConnectionOpen) {
  Served served(scenario(sequence({step(1, silent())})), fast());
  RawClient client(served.port());
  client.send(chat_request());
  served.wait_for_connections(1);
  client.close();
  const LoggedExchange logged = served.exchanges(1).front();
  EXPECT_EQ(logged.end, ExchangeEnd::kClientLeft);
  EXPECT_EQ(logged.status, std::nullopt);
  EXPECT_EQ(logged.answer_bytes, 0U);
  served.wait_for_connections(0);
}

TEST(FaultServerWire, StalledBodyStopsAfterItsBytesAndStaysOpen) {
  scenarios::HttpAnswer http = text("abcdef");
  http.ending = scenarios::Stalls{{2}};
  Served served(answering(http), fast());
  RawClient client(served.port());
  client.send(chat_request());
  const std::string expected = kPlainHead + "content-length: 6\r\n\r\nab";
  EXPECT_EQ(client.read(expected.size()), (Heard{expected, SocketEnd::kOpen}));
  served.wait_for_connections(1);
  client.close();
  const LoggedExchange logged = served.exchanges(1).front();
  EXPECT_EQ(logged.end, ExchangeEnd::kClientLeft);
  EXPECT_EQ(logged.answer, "ab");
}

TEST(FaultServerWire, HeadersHeldBackForADayAreNotSentToAClientThatLeaves) {
  Served served(answering(text("abc"), 24h));
  RawClient client(served.port());
  client.send(chat_request());
  served.wait_for_connections(1);
  client.close();
  EXPECT_EQ(served.exchanges(1).front().end, ExchangeEnd::kClientLeft);
}

TEST(FaultServerWire, TrickledPiecesAreChunksOfTheirSize) {
  scenarios::HttpAnswer http = text("abcde", Framing::kChunked);
  http.delivery = scenarios::Trickle{.bytes = 2, .every = 10s};
  Served served(answering(http), fast());
  const RawClient client(served.port());
  client.send(chat_request());
  EXPECT_EQ(
      client.read_until("0\r\n\r\n").bytes,
      kPlainHead + "transfer-encoding: chunked\r\n\r\n2\r\nab\r\n2\r\ncd\r\n1\r\ne\r\n0\r\n\r\n");
}

TEST(FaultServerWire, PiecesWaitForTheirTimes) {
  // The second piece is a day away: what comes before it is all there is.
  scenarios::HttpAnswer http = text("abcdef");
  http.delivery = scenarios::Chunks{{{.bytes = 3, .after = 0s}, {.bytes = 2, .after = 24h}}};
  Served served(answering(http, 0s));
  RawClient client(served.port());
  client.send(chat_request());
  const std::string expected = kPlainHead + "content-length: 6\r\n\r\nabc";
  EXPECT_EQ(client.read(expected.size()).bytes, expected);
  client.close();
  EXPECT_EQ(served.exchanges(1).front().answer, "abc");
}

TEST(FaultServerWire, LargeBodyArrivesWholeAlsoToASlowReader) {
  std::string body(std::size_t{8} * 1024 * 1024, 'x');
  for (std::size_t at = 0; at < body.size(); at += 1000) {
    body[at] = static_cast<char>('a' + at / 1000 % 26);
  }
  Served served(answering(text(body)), fast());
  const RawClient client(served.port());
  client.send(chat_request());
  EXPECT_EQ(playback::digest_of(body_of(client.read_answer())), playback::digest_of(body));
  EXPECT_EQ(served.exchanges(1).front().answer_bytes, body.size());
}

TEST(FaultServerWire, BodyCutByResetReachesASlowReaderUpToTheCut) {
  scenarios::HttpAnswer http = text(std::string(std::size_t{300} * 1024, 'x'));
  http.ending = scenarios::Breaks{.after = {-1}, .by_reset = true};
  Served served(answering(http), fast());
  constexpr int kHardlyAny = 2'048;
  const RawClient client(served.port(), kHardlyAny);
  client.send(chat_request());
  // The server has done all it can by then, and most bytes are still on its side.
  for (int round = 0; round < 10; ++round) {
    (void)heard(served.port(), "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n");
  }
  const Heard all = client.read_all();
  EXPECT_EQ(body_of(all.bytes).size(), http.body.size() - 1);
  EXPECT_EQ(all.end, SocketEnd::kReset);
}

// ---- the script ----------------------------------------------------------------------------

std::string status_of(const std::string& answer) {
  return answer.substr(0, std::min<std::size_t>(answer.size(), 12)).substr(9);
}
std::string status_for(const Served& served, std::string_view more) {
  const RawClient client(served.port());
  client.send(chat_request(more));
  return status_of(client.read_answer());
}

scenarios::Scenario counting() {
  return scenario(sequence({step(2, answer(503, "", 0ms)), step(1, answer(429, "", 0ms)),
                            step(1, answer(200, "", 0ms))}));
}

TEST(FaultServerScript, CountsCallsOfEachClientByItself) {
  Served served(counting(), fast());
  const std::string secret = "Authorization: Bearer sk-secret-1\r\n";
  std::vector<std::string> seen;
  for (const std::string_view more :
       {"", "x-squall-client: a\r\n", "", "X-Squall-Client: a\r\n", "x-squall-client: b\r\n", "",
        "x-squall-client: a\r\nAuthorization: Bearer sk-secret-1\r\n"}) {
    seen.push_back(status_for(served, more));
  }
  EXPECT_THAT(seen, ElementsAre("503", "503", "503", "503", "503", "429", "429"));
  EXPECT_EQ(status_for(served, secret), "503");
  EXPECT_EQ(status_for(served, "x-api-key: sk-secret-2\r\n"), "503");
  EXPECT_EQ(status_for(served, secret), "503");
  EXPECT_EQ(status_for(served, secret), "429");
  std::vector<std::string> clients;
  for (const LoggedExchange& exchange : served.exchanges(11)) {
    clients.push_back(exchange.client);
    for (const LoggedHeader& header : exchange.headers) {
      EXPECT_THAT(header.value, testing::Not(HasSubstr("secret"))) << header.name;
    }
  }
  EXPECT_THAT(clients[0], "default");
  EXPECT_THAT(clients[1], "a");
  EXPECT_THAT(clients[7], testing::MatchesRegex("key-[0-9a-f]{16}"));
  EXPECT_NE(clients[7], clients[8]);
  EXPECT_EQ(clients[7], clients[9]);
}

TEST(FaultServerScript, OneScriptForAllOrOneForEachConnection) {
  Served together(counting(), fast(Per::kServer));
  EXPECT_EQ(status_for(together, "x-squall-client: a\r\n"), "503");
  EXPECT_EQ(status_for(together, "x-squall-client: b\r\n"), "503");
  EXPECT_EQ(status_for(together, ""), "429");
  EXPECT_EQ(together.exchanges(3).front().client, "default");

  Served apart(counting(), fast(Per::kConnection));
  EXPECT_EQ(status_for(apart, ""), "503");
  const RawClient client(apart.port());
  std::vector<std::string> seen;
  for (int call = 0; call < 4; ++call) {
    client.send(chat_request());
    seen.push_back(status_of(client.read_answer()));
  }
  EXPECT_THAT(seen, ElementsAre("503", "503", "429", "200"));
  EXPECT_EQ(apart.exchanges(5)[1].client, "connection-2");
}

TEST(FaultServerScript, PhasesFollowTheClientsOwnClock) {
  // The first phase is an hour of script time, that is a second of real time and over when its
  // first answer has come, which takes an hour of script time too.
  const scenarios::Server server{
      .phases = {{.until = 1h, .sequence = {step(1, answer(503, "", 1h))}},
                 {.until = std::nullopt, .sequence = {step(1, answer(200, "", 0ms))}}}};
  FaultServerOptions options;
  options.time_scale = 3'600;
  Served served(scenario(server), options);
  EXPECT_EQ(status_for(served, ""), "503");
  EXPECT_EQ(status_for(served, ""), "200");
  EXPECT_EQ(status_for(served, "x-squall-client: late\r\n"), "503") << "its clock starts now";
  const std::vector<LoggedExchange> logged = served.exchanges(3);
  EXPECT_GE(logged[0].ended_at - logged[0].arrived_at, core::Duration(1h));
  EXPECT_GE(logged[1].arrived_at, core::Instant(1h));
  EXPECT_LT(logged[2].arrived_at, core::Instant(1h));
}

TEST(FaultServerScript, LogsWhatWasAskedAndAnswered) {
  Served served(answering(text("abc")), fast());
  const std::string body = R"({"model":"m","n":1})";
  (void)heard(served.port(), post("/v1/chat/completions?key=secret&x=1", body,
                                  "Connection: close\r\nX-Thing: Seven\r\n"));
  const LoggedExchange logged = served.exchanges(1).front();
  EXPECT_EQ(logged.method, "POST");
  EXPECT_EQ(logged.target, "/v1/chat/completions?key=&x=");
  EXPECT_THAT(logged.headers, testing::Contains(LoggedHeader{"X-Thing", "Seven"}));
  EXPECT_EQ(logged.body, body);
  EXPECT_EQ(logged.body_bytes, body.size());
  EXPECT_EQ(logged.body_digest, playback::digest_of(body));
  EXPECT_EQ(logged.answer, "abc");
  EXPECT_EQ(logged.answer_bytes, 3U);
  EXPECT_EQ(logged.end, ExchangeEnd::kAnswered);
  EXPECT_EQ(logged.call, 1U);
  EXPECT_EQ(logged.form, WireForm::kChat);
}

TEST(FaultServerScript, LogKnowsTheKindOfACallWhoseBodyItDoesNotKeep) {
  Served served(answering(text("abc")), fast());
  const std::string body = R"({"stream":true,"x":")" + std::string(100'000, 'x') + "\"}";
  (void)heard(served.port(), chat_request("Connection: close\r\n", body));
  const LoggedExchange logged = served.exchanges(1).front();
  EXPECT_EQ(logged.body, "");
  EXPECT_EQ(logged.form, WireForm::kChatStream);
}

TEST(FaultServerScript, CallsAreCountedWhenTheyAreMade) {
  scenarios::HttpAnswer stalling;
  stalling.body = "abc";
  stalling.ending = scenarios::Stalls{{1}};
  Served served(scenario(sequence({step(1, {.what = stalling}), step(1, answer(200, "", 0ms))})),
                fast());
  RawClient first(served.port());
  first.send(chat_request());
  EXPECT_EQ(first.read_until("\r\n\r\na").end, SocketEnd::kOpen);
  EXPECT_EQ(status_for(served, ""), "200");
  EXPECT_EQ(served.exchanges(1).front().call, 2U) << "it ended first";
  first.close();
  EXPECT_EQ(served.exchanges(2).front().call, 1U);
}

TEST(FaultServerScript, SecretsOfAnyNameAreDigestsInTheLog) {
  Served served(answering(text("abc")), fast());
  (void)heard(served.port(),
              chat_request("Connection: close\r\nX-Amz-Security-Token: hidden\r\n"
                           "Ocp-Apim-Subscription-Key: hidden\r\nX-Client-Secret: hidden\r\n"
                           "X-Auth: hidden\r\nCookie: hidden\r\nIdempotency-Key: shown\r\n"));
  const LoggedExchange logged = served.exchanges(1).front();
  for (const LoggedHeader& header : logged.headers) {
    EXPECT_THAT(header.value, testing::Not(HasSubstr("hidden"))) << header.name;
  }
  EXPECT_THAT(logged.headers, testing::Contains(LoggedHeader{"Idempotency-Key", "shown"}));
}

}  // namespace
}  // namespace squall::live
