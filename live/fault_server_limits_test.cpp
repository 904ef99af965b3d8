// SPDX-License-Identifier: MIT
//
// The fault server among clients that are many, slow, rude or gone.
#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "live/clock.hpp"
#include "live/fault_server.hpp"
#include "live/served_test_support.hpp"
#include "playback/scenarios_test_support.hpp"
#include "scenarios/loader.hpp"

namespace squall::live {
namespace {

using playback::answer;
using playback::scenario;
using playback::sequence;
using playback::silent;
using playback::step;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using namespace std::chrono_literals;

FaultServerOptions fast() {
  return {.time_scale = 1'000'000};
}

scenarios::Scenario good() {
  return scenario(sequence({step(1, answer(200, "{}", 0ms))}));
}
scenarios::Scenario stalled() {
  return scenario(sequence({step(1, silent())}));
}
scenarios::Scenario library(const std::string& name) {
  const std::string path = std::string(SQUALL_SOURCE_DIR) + "/scenarios/library/" + name + ".json";
  auto loaded = scenarios::load_scenario_file(path);
  EXPECT_TRUE(loaded) << path;
  return *loaded;
}

std::string status_line(const std::string& answer) {
  return answer.substr(0, answer.find("\r\n"));
}

/// That a healthy client is served all the same.
void expect_alive(const Served& served) {
  EXPECT_THAT(heard(served.port(), "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n").bytes,
              StartsWith("HTTP/1.1 200 OK"));
}

// ---- wrong requests ------------------------------------------------------------------------

TEST(FaultServerLimits, MistakesAreToldAndTakeNothingFromTheScript) {
  Served served(scenario(sequence({step(1, answer(503, "", 0ms)), step(1, answer(200, "", 0ms))})),
                fast());
  const RawClient client(served.port());
  for (const auto& [request, status] : std::vector<std::pair<std::string, std::string>>{
           {"GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 404 Not Found"},
           {"GET /v1/chat/completions HTTP/1.1\r\n\r\n", "HTTP/1.1 405 Method Not Allowed"},
           {"PUT /v1/messages HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 405 Method Not Allowed"},
           {chat_request({}, "not json"), "HTTP/1.1 400 Bad Request"}}) {
    client.send(request);
    const std::string answer = client.read_answer();
    EXPECT_EQ(status_line(answer), status);
    EXPECT_EQ(answer.find("allow: POST\r\n") != std::string::npos,
              status.find("405") != std::string::npos);
    EXPECT_THAT(body_of(answer), StartsWith(R"({"error":{"message":")"));
  }
  client.send(chat_request());
  EXPECT_EQ(status_line(client.read_answer()), "HTTP/1.1 503 Service Unavailable");
  EXPECT_EQ(served.exchanges(1).size(), 1U);
  const auto outside = served.outside(4);
  EXPECT_EQ(outside[0].status, 404);
  EXPECT_THAT(outside[0].complaint, HasSubstr("/v1/chat/completions"));
}

TEST(FaultServerLimits, GarbageIsAnsweredAndTheConnectionClosed) {
  Served served(good(), fast());
  for (const std::string& garbage : std::vector<std::string>{
           "hello\r\n\r\n", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc", 9),
           std::string(200, '\0'), std::string(100'000, '\n') + "\x01",
           "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
           "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
           "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n"}) {
    const Heard all = heard(served.port(), garbage);
    EXPECT_THAT(all.bytes, StartsWith("HTTP/1.1 400 Bad Request\r\n")) << garbage.substr(0, 40);
    EXPECT_EQ(all.end, SocketEnd::kClosed) << garbage.substr(0, 40);
  }
  expect_alive(served);
}

TEST(FaultServerLimits, TooMuchIsRefusedAlsoWhileItIsStillBeingSent) {
  FaultServerOptions options = fast();
  options.limits = {.head_bytes = 1'000, .body_bytes = 100};
  Served served(good(), options);
  EXPECT_THAT(heard(served.port(), chat_request({}, std::string(5'000'000, ' '))).bytes,
              StartsWith("HTTP/1.1 413 Payload Too Large\r\n"));
  EXPECT_THAT(heard(served.port(), chat_request("X: " + std::string(100'000, 'x') + "\r\n")).bytes,
              StartsWith("HTTP/1.1 431 Request Header Fields Too Large\r\n"));
  EXPECT_THAT(
      heard(served.port(), chat_request("Connection: close\r\n", "{" + std::string(98, ' ') + "}"))
          .bytes,
      StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST(FaultServerLimits, RequestsMayComeAllAtOnceOrByteByByte) {
  Served served(scenario(sequence({step(1, answer(503, "a", 0ms)), step(1, answer(200, "b", 1s))})),
                fast());
  const RawClient client(served.port());
  client.send(chat_request() + "GET /healthz HTTP/1.1\r\n\r\n" + chat_request());
  EXPECT_EQ(body_of(client.read_answer()), "a");
  EXPECT_EQ(body_of(client.read_answer()), R"({"status":"ok"})");
  EXPECT_EQ(body_of(client.read_answer()), "b");
  for (const char byte : chat_request()) {
    client.send({&byte, 1});
  }
  EXPECT_EQ(body_of(client.read_answer()), "b");
}

TEST(FaultServerLimits, WordToGoOnIsGiven) {
  Served served(good(), fast());
  const RawClient client(served.port());
  client.send(
      "POST /v1/chat/completions HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n").bytes, "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("{}");
  EXPECT_EQ(body_of(client.read_answer()), "{}");
}

TEST(FaultServerLimits, HeadOfHealthHasNoBody) {
  Served served(good(), fast());
  EXPECT_EQ(heard(served.port(), "HEAD /healthz HTTP/1.1\r\nConnection: close\r\n\r\n").bytes,
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 15\r\n"
            "connection: close\r\n\r\n");
}

// ---- slow, many, gone ----------------------------------------------------------------------

TEST(FaultServerLimits, RequestThatDoesNotEndIsEnded) {
  FaultServerOptions options = fast();
  options.request_deadline = 20ms;
  Served served(good(), options);
  EXPECT_THAT(heard(served.port(), "POST /v1/chat/completions HTTP/1.1\r\nX: ").bytes,
              StartsWith("HTTP/1.1 408 Request Timeout\r\n"));
  EXPECT_THAT(heard(served.port(), "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nx").bytes,
              StartsWith("HTTP/1.1 408 Request Timeout\r\n"));
  EXPECT_EQ(heard(served.port(), ""), (Heard{"", SocketEnd::kClosed}));
  const RawClient idle(served.port());
  idle.send("GET /healthz HTTP/1.1\r\n\r\n");
  EXPECT_THAT(idle.read_all(), testing::Field(&Heard::end, SocketEnd::kClosed));
}

TEST(FaultServerLimits, ClientThatTakesNothingOfItsAnswerIsGivenUp) {
  FaultServerOptions options = fast();
  options.request_deadline = 50ms;
  Served served(scenario(sequence(
                    {step(1, answer(200, std::string(std::size_t{64} * 1024 * 1024, 'x'), 0ms))})),
                options);
  const RawClient client(served.port());
  client.send(chat_request());
  EXPECT_EQ(served.exchanges(1).front().end, ExchangeEnd::kServerGaveUp);
  served.wait_for_connections(0);
}

TEST(FaultServerLimits, SlowReaderIsBorneAsLongAsItReads) {
  constexpr std::size_t kTaken = 8'000;  // A step; many of them to a write of the server.
  SteppedTime steps;
  boost::asio::io_context io;
  FaultServer server(
      io, scenario(sequence({step(1, answer(200, std::string(16'000'000, 'x'), 0ms))})), {});
  ASSERT_TRUE(server.start());
  const RawClient client(server.port(), 4'096);
  client.send(chat_request());
  const auto until = [&](const auto& holds) {
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    while (!holds() && std::chrono::steady_clock::now() < deadline) {
      io.poll();
    }
    ASSERT_TRUE(holds());
  };
  until([&] { return server.connections() == 1; });
  for (int taken = 0; taken < 50; ++taken) {
    std::string heard;
    until([&] {
      heard += client.read_some(kTaken - heard.size());
      return heard.size() == kTaken;
    });
    steps.advance(Clock::now() + 20s);
    io.poll();
    ASSERT_TRUE(server.exchanges().empty()) << "after " << taken << " times " << kTaken;
  }
  until([&] {
    steps.advance(Clock::now() + 20s);
    return !server.exchanges().empty();
  });
  EXPECT_EQ(server.exchanges().front().end, ExchangeEnd::kServerGaveUp);
}

TEST(FaultServerLimits, ClientThatSendsTooMuchAheadIsGivenUp) {
  Served served(stalled(), fast());
  const RawClient client(served.port());
  client.send(chat_request() + std::string(1'000'000, 'x'));
  EXPECT_EQ(served.exchanges(1).front().end, ExchangeEnd::kServerGaveUp);
  served.wait_for_connections(0);
}

TEST(FaultServerLimits, BodiesOfAllRequestsHaveOneBudget) {
  FaultServerOptions options = fast();
  options.bodies_bytes_max = 1'000;
  Served served(good(), options);
  const std::string large = "{" + std::string(1'000, ' ') + "}";
  const std::string close = "Connection: close\r\n";
  EXPECT_THAT(heard(served.port(), chat_request(close, large)).bytes,
              StartsWith("HTTP/1.1 503 Service Unavailable\r\n"));
  EXPECT_EQ(served.outside(1).front().status, 503);
  // Nothing of it is held, nor of those that were answered.
  const std::string fitting = "{" + std::string(800, ' ') + "}";
  for (int call = 0; call < 3; ++call) {
    EXPECT_THAT(heard(served.port(), chat_request(close, fitting)).bytes,
                StartsWith("HTTP/1.1 200 OK\r\n"));
  }
  RawClient gone(served.port());
  gone.send("POST /v1/messages HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 900\r\n\r\n");
  EXPECT_THAT(gone.read_until("\r\n\r\n").bytes, HasSubstr("100 Continue"));
  gone.send(std::string(800, ' '));
  gone.close();
  served.wait_for_connections(0);
  EXPECT_THAT(heard(served.port(), chat_request(close, fitting)).bytes,
              StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST(FaultServerLimits, OneConnectionTooManyIsReset) {
  FaultServerOptions options = fast();
  options.connections_max = 2;
  Served served(stalled(), options);
  RawClient first(served.port());
  const RawClient second(served.port());
  served.wait_for_connections(2);
  EXPECT_EQ(RawClient(served.port()).read_all(), (Heard{"", SocketEnd::kReset}));
  first.close();
  served.wait_for_connections(1);
  expect_alive(served);
}

TEST(FaultServerLimits, OneClientTooManyIsToldSo) {
  FaultServerOptions options = fast();
  options.clients_max = 1;
  Served served(good(), options);
  const auto status = [&](std::string_view more) {
    return status_line(
        heard(served.port(), chat_request("Connection: close\r\n" + std::string(more))).bytes);
  };
  EXPECT_EQ(status("x-squall-client: a\r\n"), "HTTP/1.1 200 OK");
  EXPECT_EQ(status("x-squall-client: b\r\n"), "HTTP/1.1 503 Service Unavailable");
  EXPECT_EQ(status("x-squall-client: a\r\n"), "HTTP/1.1 200 OK");
}

std::uint64_t resident_kilobytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word == "VmRSS:") {
      std::uint64_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes;
    }
  }
  ADD_FAILURE() << "/proc/self/status says nothing of memory";
  return 0;
}

TEST(FaultServerLimits, ThousandStalledConnectionsAreHeldInLittleMemory) {
  allow_many_connections();
  constexpr std::size_t kConnections = 1'000;
  scenarios::HttpAnswer half;
  half.body = std::string(1'000, 'x');
  half.ending = scenarios::Stalls{{500}};
  Served served(scenario(sequence({step(1, {.what = half, .latency = 0ms})})), fast());
  const std::uint64_t before = resident_kilobytes();
  std::vector<std::unique_ptr<RawClient>> clients;
  const std::string request = chat_request({}, R"({"x":")" + std::string(5'000, 'x') + "\"}");
  for (std::size_t index = 0; index < kConnections; ++index) {
    clients.push_back(std::make_unique<RawClient>(served.port()));
    clients.back()->send(request);
  }
  for (const auto& client : clients) {
    EXPECT_EQ(client->read_until(std::string(500, 'x')).end, SocketEnd::kOpen);
  }
  served.wait_for_connections(kConnections);
  const std::uint64_t grown = resident_kilobytes() - before;
  RecordProperty("kilobytes", std::to_string(grown));
  EXPECT_LT(grown, 200U * 1024U);
  expect_alive(served);
  clients.clear();
  served.wait_for_connections(0);
  for (const LoggedExchange& exchange : served.exchanges(kConnections)) {
    EXPECT_EQ(exchange.end, ExchangeEnd::kClientLeft);
  }
}

TEST(FaultServerLimits, StopEndsEverythingThatIsUnderWay) {
  scenarios::HttpAnswer trickling;
  trickling.body = std::string(1'000, 'x');
  trickling.delivery = scenarios::Trickle{.bytes = 1, .every = 1h};
  scenarios::HttpAnswer stalling;
  stalling.body = "abc";
  stalling.ending = scenarios::Stalls{{1}};
  Served served(scenario(
      sequence({step(1, silent()), step(1, {.what = trickling}), step(1, {.what = stalling}),
                step(1, answer(200, "", 24h)), step(1, answer(200, "", 0ms))})));
  std::vector<std::unique_ptr<RawClient>> clients;
  const auto connect = [&](const std::string& bytes) {
    clients.push_back(std::make_unique<RawClient>(served.port()));
    clients.back()->send(bytes);
    // In order: each call is counted before the next one comes.
    served.wait_for_connections(clients.size());
    (void)heard(served.port(), "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n");
    served.wait_for_connections(clients.size());
  };
  for (int call = 0; call < 4; ++call) {
    connect(chat_request());
  }
  connect("");
  connect("POST / HT");
  connect("POST /v1/messages HTTP/1.1\r\nContent-Length: 100\r\n\r\nhalf");
  connect(chat_request());
  EXPECT_THAT(clients.back()->read_answer(), StartsWith("HTTP/1.1 200"));
  served.stop();
  served.wait_for_connections(0);
  for (const auto& client : clients) {
    EXPECT_NE(client->read_all().end, SocketEnd::kOpen);
  }
  std::vector<ExchangeEnd> ends;
  for (const LoggedExchange& exchange : served.exchanges(5)) {
    ends.push_back(exchange.end);
  }
  EXPECT_THAT(ends, ElementsAre(ExchangeEnd::kServerStopped, ExchangeEnd::kServerStopped,
                                ExchangeEnd::kServerStopped, ExchangeEnd::kServerStopped,
                                ExchangeEnd::kAnswered));
  served.stop();
  EXPECT_THROW(RawClient(served.port()), std::runtime_error) << "nobody listens";
}

TEST(FaultServerLimits, ListenerMayStopTheServerAtAnyTime) {
  // Whatever ends first ends everything, from within.
  for (const std::string& request :
       {chat_request(), std::string("GET / HTTP/1.1\r\n\r\n"), std::string("garbage\r\n\r\n")}) {
    for (const auto& respond :
         {answer(200, "{}", 0ms), playback::broken(core::ConnectionFault::kReset, 0ms)}) {
      boost::asio::io_context io;
      FaultServer* running = nullptr;
      int heard_of = 0;
      const auto stop = [&] {
        ++heard_of;
        running->stop();
      };
      FaultServer server(io, scenario(sequence({step(1, respond)})), fast(),
                         {.on_exchange = [&](const LoggedExchange&) { stop(); },
                          .on_outside = [&](const OutsideExchange&) { stop(); }});
      running = &server;
      ASSERT_TRUE(server.start());
      const RawClient client(server.port());
      client.send(request);
      io.run();  // Ends: nothing is left to do.
      EXPECT_EQ(heard_of, 1);
      EXPECT_EQ(server.connections(), 0U);
    }
  }
}

TEST(FaultServerLimits, ServerMayGoBeforeItsConnectionsAreThrough) {
  boost::asio::io_context io;
  auto server = std::make_unique<FaultServer>(io, stalled(), fast());
  ASSERT_TRUE(server->start());
  const RawClient waiting(server->port());
  waiting.send(chat_request());
  io.run_one();
  io.run_one();
  const RawClient not_yet_accepted(server->port());
  server.reset();
  io.run();
  EXPECT_NE(waiting.read_all().end, SocketEnd::kOpen);
}

TEST(FaultServerLimits, WhereItCannotListenIsSaid) {
  boost::asio::io_context io;
  FaultServer first(io, good(), {});
  ASSERT_TRUE(first.start());
  FaultServer second(io, good(), {.port = first.port()});
  EXPECT_EQ(
      core::to_string(second.start().error()),
      "cannot listen on 127.0.0.1:" + std::to_string(first.port()) + ": Address already in use");
  FaultServer nowhere(io, good(), {.address = "example.org"});
  EXPECT_EQ(core::to_string(nowhere.start().error()),
            "cannot listen on example.org:0: this is no IP address");
  EXPECT_EQ(first.url(), "http://127.0.0.1:" + std::to_string(first.port()));
  EXPECT_EQ(is_loopback("127.0.0.1"), true);
  EXPECT_EQ(is_loopback("::1"), true);
  EXPECT_EQ(is_loopback("localhost"), true);
  EXPECT_EQ(is_loopback("0.0.0.0"), false);
  EXPECT_EQ(is_loopback("nowhere"), std::nullopt);
}

// ---- the other shapes, on the wire ---------------------------------------------------------

TEST(FaultServerShapes, StreamCutByResetEndsWithinTheStream) {
  auto half = library("healthy-answer").server;
  auto& http = std::get<scenarios::HttpAnswer>(half.phases[0].sequence[0].mix[0].respond.what);
  http.ending = scenarios::Breaks{.after = {-14}, .by_reset = true};
  Served served(scenario(half), fast());
  const Heard all = heard(served.port(), chat_request({}, R"({"stream":true})"));
  EXPECT_THAT(all.bytes, HasSubstr("content-type: text/event-stream\r\n"));
  EXPECT_THAT(all.bytes, HasSubstr("transfer-encoding: chunked\r\n"));
  EXPECT_THAT(all.bytes, HasSubstr("data: {"));
  EXPECT_THAT(all.bytes, testing::Not(HasSubstr("[DONE]")));
  EXPECT_EQ(all.end, SocketEnd::kReset);
}

TEST(FaultServerShapes, StalledStreamWaitsForTheClientToLeave) {
  auto server = library("healthy-answer").server;
  auto& http = std::get<scenarios::HttpAnswer>(server.phases[0].sequence[0].mix[0].respond.what);
  http.ending = scenarios::Stalls{{-14}};
  http.delivery = scenarios::Trickle{.bytes = 40, .every = 3s};
  Served served(scenario(server), fast());
  RawClient client(served.port());
  client.send(post("/v1/messages", R"({"stream":true})"));
  // The last 14 bytes of the stream are missing: {"message_stop"}.
  EXPECT_THAT(client.read_until("data: {\"type\":\"mes").bytes, HasSubstr("event: message_start"));
  client.close();
  EXPECT_EQ(served.exchanges(1).front().end, ExchangeEnd::kClientLeft);
}

TEST(FaultServerShapes, ToolSessionCountsCallsAlone) {
  Served served(library("tool-503-then-rate-limited"), fast());
  const RawClient client(served.port());
  const auto ask = [&](const std::string& body) {
    client.send(post("/mcp", body));
    return client.read_answer();
  };
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{}})"),
              HasSubstr("serverInfo"));
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"),
              StartsWith("HTTP/1.1 202 Accepted\r\n"));
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"), HasSubstr("inputSchema"));
  const std::string call =
      R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x"}})";
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","method":"tools/call"})"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(ask(call), StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(ask(call), StartsWith("HTTP/1.1 429 "));
  EXPECT_EQ(served.exchanges(2).size(), 2U);
}

TEST(FaultServerShapes, ToolAnswersWithTheCallersIdInAStreamOfOneEvent) {
  Served served(library("tool-event-stream"), fast());
  const RawClient client(served.port());
  client.send(post("/mcp", R"({"jsonrpc":"2.0","id":"call-9","method":"tools/call"})"));
  EXPECT_THAT(
      client.read_until("0\r\n\r\n").bytes,
      testing::AllOf(HasSubstr("content-type: text/event-stream\r\n"),
                     HasSubstr("event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"call-9\"")));
}

}  // namespace
}  // namespace squall::live
