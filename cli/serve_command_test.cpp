// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <sstream>
#include <streambuf>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/invocation_test_support.hpp"
#include "cli/serve_lines.hpp"
#include "core/test_folder_test_support.hpp"

namespace squall::cli {
namespace {

using live::ExchangeEnd;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;
using namespace std::chrono_literals;

const std::string kHealthy = SQUALL_SOURCE_DIR "/scenarios/library/healthy-answer.json";

/// Output that another thread waits for.
class WatchedOutput final : public std::streambuf {
 public:
  /// What was written once it holds `part`.
  std::string wait_for(const std::string& part) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, 60s, [&] { return text_.find(part) != std::string::npos; }))
        << part;
    return text_;
  }
  std::string text() {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 protected:
  int_type overflow(int_type character) override {
    const char byte = traits_type::to_char_type(character);
    return xsputn(&byte, 1) == 1 ? character : traits_type::eof();
  }
  std::streamsize xsputn(const char* bytes, std::streamsize size) override {
    const std::lock_guard lock(mutex_);
    text_.append(bytes, static_cast<std::size_t>(size));
    changed_.notify_all();
    return size;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
};

/// `squall serve` on a thread of its own.
class RunningServe {
 public:
  explicit RunningServe(std::vector<std::string> arguments)
      : thread_([this, words = std::move(arguments)] {
          std::ostream out(&out_);
          std::ostream err(&err_);
          const Console console{.out = out, .err = err, .interrupted = &interrupted_};
          std::vector<const char*> pointers{"serve"};
          for (const std::string& word : words) {
            pointers.push_back(word.c_str());
          }
          code_ = run(pointers, console);
        }) {}
  RunningServe(const RunningServe&) = delete;
  RunningServe& operator=(const RunningServe&) = delete;
  ~RunningServe() {
    interrupt();
    if (thread_.joinable()) {
      thread_.join();
    }
  }

  void interrupt() { interrupted_.store(true); }
  int join() {
    thread_.join();
    return code_;
  }
  std::uint16_t port() {
    const std::string begin = "http://127.0.0.1:";
    const std::string text = out_.wait_for(begin);
    return static_cast<std::uint16_t>(
        std::strtoul(text.c_str() + text.find(begin) + begin.size(), nullptr, 10));
  }
  WatchedOutput& out() { return out_; }
  WatchedOutput& err() { return err_; }

 private:
  WatchedOutput out_, err_;
  std::atomic<bool> interrupted_{false};
  int code_ = -1;
  std::thread thread_;
};

/// Everything that a new connection hears after it sent `request`.
std::string asked(std::uint16_t port, const std::string& request) {
  const int client = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval deadline{.tv_sec = 60, .tv_usec = 0};
  ::setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &deadline, sizeof deadline);
  EXPECT_EQ(::connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ::send(client, request.data(), request.size(), MSG_NOSIGNAL);
  std::string heard;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::recv(client, buffer, sizeof buffer, 0)) > 0;) {
    heard.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(client);
  return heard;
}

std::string chat(const std::string& more = {}) {
  return "POST /v1/chat/completions HTTP/1.1\r\nConnection: close\r\nContent-Length: 2\r\n" + more +
         "\r\n{}";
}

TEST(ServeCommand, BadUsageIsOneLine) {
  expect_one_line(squall({"serve"}), "SCENARIO");
  expect_one_line(squall({"serve", "healthy-answr"}), R"((did you mean "healthy-answer"?))");
  const std::string folder = SQUALL_SOURCE_DIR "/scenarios/library";
  expect_one_line(squall({"serve", folder}), "one scenario, not a folder");
  const auto serve = [](const std::string& option, const std::string& value) {
    return squall({"serve", "healthy-answer", option, value});
  };
  expect_one_line(serve("--listen", "8080"), R"(found "8080", allowed: an IP address and a port)");
  expect_one_line(serve("--listen", "example.org:80"), "allowed: an IP address and a port");
  expect_one_line(serve("--listen", "127.0.0.1:65536"), "allowed: a whole number from 0 to 65535");
  expect_one_line(serve("--listen", "127.0.0.1:"), "allowed: a whole number from 0 to 65535");
  expect_one_line(serve("--listen", "0.0.0.0:0"), "add --public if that is wanted");
  expect_one_line(serve("--listen", "[::]:0"), "add --public if that is wanted");
  expect_one_line(serve("--time-scale", "0"), "--time-scale");
  expect_one_line(serve("--time-scale", "1000001"), "--time-scale");
  expect_one_line(serve("--requests", "0"), "--requests");
  expect_one_line(serve("--per", "user"), "allowed: client, connection or server");
  expect_one_line(serve("--log", kHealthy), "is a scenario, which is not replaced");
  expect_one_line(serve("--log", "/no/such/folder/log"),
                  "--log: /no/such/folder/log cannot be written: there is no folder");
}

TEST(ServeCommand, ServesUntilTheCallsAreMadeAndSaysSo) {
  const core::TestFolder folder;
  const std::string log = folder.path("log.jsonl");
  RunningServe serve({kHealthy, "--time-scale", "1000000", "--requests", "2", "--log", log});
  const std::uint16_t port = serve.port();
  EXPECT_THAT(asked(port, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n"),
              StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(asked(port, chat()), StartsWith("HTTP/1.1 200 OK"));
  EXPECT_THAT(asked(port, chat("Authorization: Bearer sk-secret\r\n")), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(serve.join(), kFine);

  const std::string url = "http://127.0.0.1:" + std::to_string(port);
  const std::string out = serve.out().text();
  EXPECT_THAT(out, StartsWith("serving healthy-answer on " + url +
                              " (times 1 000 000x faster); Ctrl-C ends\n"));
  EXPECT_THAT(out, HasSubstr("curl -sS -i " + url + "/v1/chat/completions "));
  EXPECT_THAT(out, HasSubstr("export OPENAI_BASE_URL=" + url + "/v1 "));
  EXPECT_THAT(out, HasSubstr("export ANTHROPIC_BASE_URL=" + url + " "));
  EXPECT_THAT(out, HasSubstr("outside the script: GET /  404: nothing here"));
  EXPECT_THAT(out, testing::EndsWith("served 2 calls of 2 clients: 2 answered; 1 request outside "
                                     "the script\n"));
  EXPECT_THAT(serve.err().text(), IsEmpty());

  const std::string logged = folder.read("log.jsonl");
  EXPECT_THAT(out + logged, Not(HasSubstr("secret")));
  std::istringstream lines(logged);
  std::vector<std::string> events;
  for (std::string line; std::getline(lines, line);) {
    events.push_back(nlohmann::json::parse(line).at("event"));
  }
  EXPECT_THAT(events, ElementsAre("listening", "outside", "exchange", "exchange", "ended"));
}

TEST(ServeCommand, ServesOnWithoutALog) {
  RunningServe serve({kHealthy, "--time-scale", "1000000", "--requests", "3"});
  const std::uint16_t port = serve.port();
  for (int call = 0; call < 3; ++call) {
    EXPECT_THAT(asked(port, chat()), StartsWith("HTTP/1.1 200 OK"));
  }
  EXPECT_EQ(serve.join(), kFine);
}

TEST(ServeCommand, InterruptEndsItAsItIsMeantToEnd) {
  RunningServe serve({"headers-never-come", "--json"});
  const std::uint16_t port = serve.port();
  std::thread client([port] { EXPECT_EQ(asked(port, chat()), ""); });
  EXPECT_THAT(asked(port, "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n"), HasSubstr("200"));
  serve.interrupt();
  EXPECT_EQ(serve.join(), kFine);
  client.join();
  EXPECT_THAT(serve.out().text(),
              AllOf(StartsWith(R"({"event":"listening",)"), HasSubstr(R"({"event":"ended",)")));
}

TEST(ServeCommand, TellsWhatCannotBeShownAndWhoCanCall) {
  const std::atomic<bool> interrupted{true};
  const Ended refused = squall({"serve", "connection-refused"}, &interrupted);
  EXPECT_EQ(refused.code, kFine);
  EXPECT_EQ(refused.err,
            "squall: note: refused of this scenario can only be shown as a reset connection, after "
            "the request; with --per server before it\n");
  EXPECT_EQ(squall({"serve", "healthy-answer", "--public"}, &interrupted).err, "");
  const Ended open =
      squall({"serve", "healthy-answer", "--listen", "0.0.0.0:0", "--public"}, &interrupted);
  EXPECT_EQ(open.code, kFine);
  EXPECT_THAT(open.err, MatchesRegex("squall: warning: whoever reaches http://0.0.0.0:[0-9]+ can "
                                     "call this server\n"));
}

TEST(ServeCommand, AddressInUseIsOneLine) {
  RunningServe first({kHealthy});
  const std::string address = "127.0.0.1:" + std::to_string(first.port());
  expect_one_line(squall({"serve", "healthy-answer", "--listen", address}),
                  "cannot listen on " + address + ": Address already in use");
}

TEST(ServeCommand, LogOfBeforeIsKeptWhenItCannotListen) {
  const core::TestFolder folder;
  const std::string log = folder.path("log.jsonl");
  folder.write("log.jsonl", "of before\n");
  RunningServe first({kHealthy});
  const std::string address = "127.0.0.1:" + std::to_string(first.port());
  expect_one_line(squall({"serve", "healthy-answer", "--listen", address, "--log", log}),
                  "Address already in use");
  EXPECT_EQ(folder.read("log.jsonl"), "of before\n");
}

live::LoggedExchange exchange() {
  live::LoggedExchange one;
  one.arrived_at = core::Instant(61s);
  one.ended_at = core::Instant(61s + 120ms);
  one.client = "default";
  one.call = 7;
  one.method = "POST";
  one.target = "/v1/messages";
  one.status = 503;
  one.answer_bytes = 29;
  return one;
}

TEST(ServeLines, SayHowEachExchangeEnded) {
  const auto text = [](const live::LoggedExchange& one) { return exchange_text(one, {}); };
  live::LoggedExchange one = exchange();
  EXPECT_EQ(text(one),
            "0:01:01.000  default       call 7   POST /v1/messages  503, 29 B after 120 ms\n");
  one.end = ExchangeEnd::kClientLeft;
  EXPECT_THAT(text(one), HasSubstr("503, 29 B, then the client left after 120 ms"));
  one.end = ExchangeEnd::kServerGaveUp;
  EXPECT_THAT(text(one), HasSubstr("503, 29 B, then given up"));
  one.end = ExchangeEnd::kCut;
  one.fault = core::ConnectionFault::kBodyReset;
  EXPECT_THAT(text(one), HasSubstr("29 B, then connection reset while reading the response body"));
  one.end = ExchangeEnd::kRefused;
  one.fault = core::ConnectionFault::kRefused;
  one.status.reset();
  one.method.clear();
  EXPECT_THAT(text(one), HasSubstr("(connection)  connection refused after 120 ms"));
  one = exchange();
  one.client = "\x1b[31m";
  one.target = "/\x1b[31m" + std::string(500, 'x');
  EXPECT_THAT(text(one), AllOf(Not(HasSubstr("\x1b")), testing::SizeIs(testing::Lt(200U))));
}

TEST(ServeLines, JsonHasEverything) {
  live::LoggedExchange one = exchange();
  one.retry_after = "7";
  const auto event = nlohmann::json::parse(exchange_json(one));
  EXPECT_EQ(event.at("call"), 7);
  EXPECT_EQ(event.at("arrived_at_ns"), 61'000'000'000);
  EXPECT_EQ(event.at("ended_at_ns"), 61'120'000'000);
  EXPECT_EQ(event.at("status"), 503);
  EXPECT_EQ(event.at("retry_after"), "7");
  EXPECT_EQ(event.at("retry_after_ms"), nullptr);
  EXPECT_EQ(event.at("end"), "answered");
}

TEST(ServeLines, SummaryCountsClientsAndEnds) {
  ServeSummary summary;
  EXPECT_EQ(summary.text(), "served 0 calls\n");
  live::LoggedExchange one = exchange();
  one.call = 2;  // Ends first.
  summary.count(one);
  one.call = 1;
  summary.count(one);
  one.client = "other";
  one.end = ExchangeEnd::kClientLeft;
  summary.count(one);
  EXPECT_EQ(summary.text(), "served 3 calls of 2 clients: 2 answered, 1 left by the client\n");
  EXPECT_EQ(nlohmann::json::parse(summary.json()).at("client_left"), 1);
}

}  // namespace
}  // namespace squall::cli
