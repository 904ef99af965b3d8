// SPDX-License-Identifier: MIT
//
// squall call against a peer on a loopback socket that sends what it is told.
#include <atomic>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.hpp"
#include "cli/invocation_test_support.hpp"
#include "core/test_folder_test_support.hpp"
#include "live/scripted_peer_test_support.hpp"
#include "playback/scenarios_test_support.hpp"

namespace squall::cli {
namespace {

using core::TestFolder;
using live::answering;
using live::http_answer;
using live::Peer;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Sets an environment variable as long as it lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { unsetenv(name_); }

 private:
  const char* name_;
};

const std::string kGood = http_answer("200 OK", playback::completion("hello there"));

class CallCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder.write("quick.json", R"({ "name": "quick", "summary": "Three calls, 1 ms between.",
      "attempts": 3,
      "backoff": { "base": "1ms", "multiplier": 2, "cap": "1ms", "max_doublings": 0 },
      "jitter": { "kind": "none" },
      "retry_after": { "sources": [], "clamp": ["0ms", "1ms"] },
      "budgets": {}, "timeouts": { "idle": "20s" },
      "retry_on": { "statuses": ["5xx"], "failures": ["connection", "cut_body"] } })");
  }
  /// A chat under that policy.
  [[nodiscard]] std::vector<std::string> words(const std::string& url,
                                               const std::vector<std::string>& more = {}) {
    std::vector<std::string> all = {"call",      url,  "--model",  "m",
                                    "--message", "Hi", "--policy", folder.path("quick.json")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  TestFolder folder;
};

TEST_F(CallCommand, ShowsTheTimelineOfARealCall) {
  std::string request;
  Peer peer({answering(http_answer("503 Busy", "busy")), [&request](Peer::Talk& talk) {
               request = talk.read_request();
               talk.write(kGood);
             }});
  const Ended ended = squall(words(peer.url("/v1/chat/completions"), {"--seed", "7"}));
  peer.stop();
  EXPECT_EQ(ended.code, kFine) << ended.err;
  EXPECT_THAT(ended.err, IsEmpty());
  EXPECT_THAT(ended.out, HasSubstr("one chat with m at http://127.0.0.1:"));
  EXPECT_THAT(ended.out, HasSubstr("HTTP 503"));
  EXPECT_THAT(ended.out, HasSubstr("success after 2 calls"));
  EXPECT_THAT(ended.out, HasSubstr("hello there"));
  EXPECT_THAT(ended.out, HasSubstr("all hold"));
  EXPECT_THAT(ended.out, Not(HasSubstr("replay")));
  EXPECT_THAT(request, HasSubstr(R"({"model":"m","messages":[{"role":"user","content":"Hi"}]})"));
  EXPECT_THAT(request, Not(HasSubstr("Authorization")));
}

TEST_F(CallCommand, GivesJsonAndAFile) {
  Peer peer({answering(kGood)});
  const Ended ended =
      squall(words(peer.url("/v1?key=no"), {"--json", "--output", folder.path("out.json")}));
  EXPECT_EQ(ended.code, kFine) << ended.err;
  const auto document = nlohmann::json::parse(folder.read("out.json"));
  EXPECT_EQ(document["squall"]["kind"], "call");
  EXPECT_EQ(document["url"], "http://127.0.0.1:" + std::to_string(peer.port()) + "/v1");
  EXPECT_EQ(document["outcome"], "success");
  EXPECT_EQ(document["answer"]["text"], "hello there");
  EXPECT_TRUE(document["replay"].is_null());
}

TEST_F(CallCommand, SendsARequestFromAFile) {
  folder.write("request.json",
               R"({"messages":[{"role":"user","content":"A"}],"top_p":0.5,"model":"n"})");
  std::string request;
  Peer peer({[&request](Peer::Talk& talk) {
    request = talk.read_request();
    talk.write(kGood);
  }});
  const Ended ended = squall({"call", peer.url(), "--request", folder.path("request.json")});
  peer.stop();
  EXPECT_EQ(ended.code, kFine) << ended.err;
  EXPECT_THAT(
      request,
      testing::EndsWith("\r\n\r\n"
                        R"({"top_p":0.5,"model":"n","messages":[{"role":"user","content":"A"}]})"));
}

TEST_F(CallCommand, CallsATool) {
  std::string request;
  Peer peer({[&request](Peer::Talk& talk) {
    request = talk.read_request();
    talk.write(http_answer("200 OK",
                           "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"
                           "{\"content\":[{\"type\":\"text\",\"text\":\"42 degrees\"}]}}\n\n",
                           "Content-Type: text/event-stream\r\n"));
  }});
  const Ended ended =
      squall({"call", peer.url("/mcp"), "--tool", "weather", "--arguments", R"({"city":"Oslo"})"});
  peer.stop();
  EXPECT_EQ(ended.code, kFine) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("42 degrees"));
  EXPECT_THAT(request, HasSubstr("MCP-Protocol-Version: "));
  EXPECT_THAT(request, HasSubstr(R"("params":{"name":"weather","arguments":{"city":"Oslo"}})"));
}

TEST_F(CallCommand, SaysThatTheOperationFailed) {
  Peer peer({answering(http_answer("503 Busy", "busy"))});
  const Ended ended = squall(words(peer.url()));
  EXPECT_EQ(ended.code, kUnexpected);
  EXPECT_THAT(ended.out, HasSubstr("exhausted after 3 calls"));
  EXPECT_EQ(peer.connections(), 3U);

  Peer refusing({answering("")});
  refusing.stop();
  const Ended refused = squall(words(refusing.url()));
  EXPECT_EQ(refused.code, kUnexpected);
  EXPECT_THAT(refused.out, HasSubstr("connection refused"));
}

TEST_F(CallCommand, SpeaksTlsToTheAuthorityItIsGiven) {
  const live::Identity identity("DNS:localhost,IP:127.0.0.1");
  const live::Identity stranger("DNS:localhost,IP:127.0.0.1");
  folder.write("right.pem", identity.certificate_pem());
  folder.write("wrong.pem", stranger.certificate_pem());
  Peer peer({answering(kGood)}, &identity);
  EXPECT_EQ(squall(words(peer.url(), {"--cacert", folder.path("right.pem")})).code, kFine);
  const Ended refused = squall(words(peer.url(), {"--cacert", folder.path("wrong.pem")}));
  EXPECT_EQ(refused.code, kUnexpected);
  EXPECT_THAT(refused.out, HasSubstr("TLS handshake failed"));
}

TEST_F(CallCommand, RefusesBadInputInOneLine) {
  const std::string url = "http://127.0.0.1:1/";
  expect_one_line(squall({"call"}), "URL");
  expect_one_line(squall({"call", "127.0.0.1/v1", "--tool", "t"}), "cannot be read");
  expect_one_line(squall({"call", "ftp://127.0.0.1/", "--tool", "t"}), "allowed: http, https");
  expect_one_line(squall({"call", "http://u:hunter22@h/", "--tool", "t"}), "user information");
  expect_one_line(squall({"call", url}), "what is to be sent");
  expect_one_line(squall({"call", url, "--message", "a", "--tool", "t"}), "Give one of");
  expect_one_line(squall({"call", url, "--message", "a"}), "--model");
  expect_one_line(squall({"call", url, "--message", "\xff", "--model", "m"}), "UTF-8");
  expect_one_line(squall({"call", url, "--tool", "t", "--arguments", "[1]"}), "JSON object");
  expect_one_line(squall({"call", url, "--tool", "t", "--policy", "default"}), "does not fit");
  expect_one_line(squall({"call", url, "--tool", "t", "--policy", "none-such"}), "none-such");
  expect_one_line(squall(words(url, {"--seed", "x"})), "--seed");
  expect_one_line(squall(words(url, {"--cacert", folder.path("missing.pem")})), "missing.pem");
  expect_one_line(squall(words(url, {"--cacert", folder.path("quick.json")})), "no certificate");
  expect_one_line(squall(words(url, {"--api-key-env", "SQUALL_TEST_UNSET"})), "is not set");
  const Ended key_as_name = squall(words(url, {"--api-key-env", "sk-proj-0123456789"}));
  expect_one_line(key_as_name, "takes the NAME of a variable");
  EXPECT_THAT(key_as_name.err, Not(HasSubstr("0123456789")));
  const Ended key_in_url = squall({"call", "http://a b/?key=hunter22", "--tool", "t"});
  expect_one_line(key_in_url, "cannot be read");
  EXPECT_THAT(key_in_url.err, Not(HasSubstr("hunter22")));
  const std::pair<std::string, std::string> requests[] = {
      {"[]", "is a JSON object"},
      {R"({"messages":[{}]})", "/model"},
      {R"({"model":"m","messages":[]})", "/messages"},
      {R"({"model":"m","messages":["a"]})", "/messages/0"},
      {R"({"model":"m","messages":[{}],"stream":true})", "/stream"},
      {R"({"model":)", "request.json:1"},
  };
  for (const auto& [text, part] : requests) {
    folder.write("request.json", text);
    expect_one_line(squall({"call", url, "--request", folder.path("request.json")}), part);
  }
}

TEST_F(CallCommand, AnInterruptionEndsItAndShowsWhatThereIs) {
  std::atomic<bool> interrupted{false};
  Peer peer({[&interrupted](Peer::Talk& talk) {
    talk.read_request();
    interrupted = true;
    talk.wait_until_left();
  }});
  folder.write("out.txt", "precious");
  const Ended ended = squall(words(peer.url(), {"--output", folder.path("out.txt")}), &interrupted);
  EXPECT_EQ(ended.code, kInterrupted);
  EXPECT_THAT(ended.out, HasSubstr("shutdown requested"));
  EXPECT_THAT(ended.err, HasSubstr("is left as it was"));
  EXPECT_EQ(folder.read("out.txt"), "precious");
}

TEST_F(CallCommand, LooksAtItsOutputsBeforeItSendsAnything) {
  folder.write("request.json", R"({"model":"m","messages":[{"role":"user","content":"A"}]})");
  Peer peer({answering(kGood)});
  const auto refused = [&](std::vector<std::string> more, const char* part) {
    expect_one_line(squall(words(peer.url(), more)), part);
  };
  refused({"--output", folder.path("none/out.txt")}, "there is no folder");
  refused({"--output", folder.path("")}, "is a folder");
  refused({"--output", folder.path("quick.json")}, "is a policy");
  refused({"--output", folder.path("a.db"), "--db", folder.path("a.db")}, "is what --db names");
  refused({"--db", folder.path("none/a.db")}, "none/a.db");
  expect_one_line(squall({"call", peer.url(), "--request", folder.path("request.json"), "--output",
                          folder.path("request.json")}),
                  "is what --request names");
  peer.stop();
  EXPECT_EQ(peer.connections(), 0U);
}

// The key is looked for in all that is printed or stored, as it is and as JSON may spell it.
TEST_F(CallCommand, NeverShowsTheKey) {
  const std::string key = "sk-test/0123456789";
  const std::string spelled = R"(\u0073k-test\/0123456789)";
  const Variable variable("SQUALL_TEST_KEY", key.c_str());
  std::string request;
  std::vector<Peer::Step> steps = {
      [&](Peer::Talk& talk) {
        request = talk.read_request();
        talk.write(
            http_answer("503 Busy", "the key " + key + " is busy", "X-Key: " + key + "\r\n"));
      },
      answering("HTTP/1.1 503 Busy\r\nContent-Length: 99\r\n\r\nkey " + key.substr(0, 15)),
      answering(http_answer("200 OK", R"({"system_fingerprint":")" + spelled + R"(","provider":")" +
                                          spelled + R"(","choices":[{"message":{"role":)" +
                                          R"("assistant","content":"your key is )" + spelled +
                                          R"( and )" + key + R"("},"finish_reason":"stop"}]})"))};
  for (const std::string format : {"", "--json"}) {
    Peer peer(steps);
    std::ostringstream out;
    std::ostringstream err;
    const Console console{.out = out, .err = err, .err_is_terminal = true};
    std::vector<std::string> all =
        words(peer.url(), {"--api-key-env", "SQUALL_TEST_KEY", "--db", folder.path("calls.db")});
    if (!format.empty()) {
      all.push_back(format);
    }
    std::vector<const char*> raw;
    for (const std::string& word : all) {
      raw.push_back(word.c_str());
    }
    EXPECT_EQ(run(raw, console), kFine) << err.str();
    peer.stop();
    EXPECT_THAT(request, HasSubstr("Authorization: Bearer " + key + "\r\n"));
    EXPECT_THAT(err.str(), HasSubstr("call 3 sent")) << "the lines while it happens";
    EXPECT_THAT(out.str(), HasSubstr("your key is ***"));
    for (const std::string& text : {out.str(), err.str(), folder.read("calls.db")}) {
      EXPECT_THAT(text, Not(HasSubstr("sk-test")));
      EXPECT_THAT(text, Not(HasSubstr("0123456789")));
    }
  }
  const Variable bad("SQUALL_TEST_KEY", "sk-test-0123456789\n");
  const Ended refused = squall(words("http://127.0.0.1:1/", {"--api-key-env", "SQUALL_TEST_KEY"}));
  expect_one_line(refused, "not visible ASCII");
  EXPECT_THAT(refused.err, Not(HasSubstr("0123456789")));
}

// JSON's escapes hide the key on the way in; what the core decodes and then cuts is a part of it.
TEST_F(CallCommand, NeverShowsAPartOfTheKey) {
  std::string key = "sk-proj-";
  std::string spelled;
  for (int i = 0; key.size() < 128; ++i) {
    key += static_cast<char>('A' + i % 26);
  }
  for (const char c : key) {
    spelled += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  }
  const Variable variable("SQUALL_TEST_KEY", key.c_str());
  const auto failed_after = [&spelled](std::size_t bytes) {
    return R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":")" +
           std::string(bytes, 'x') + spelled + R"("}})";
  };
  const std::pair<std::vector<std::string>, std::string> calls[] = {
      {{"--model", "m", "--message", "Hi"},
       R"({"choices":[{"message":{"role":"assistant","content":")" + spelled +
           R"("},"finish_reason":"stop"}]})"},
      {{"--tool", "t"}, failed_after(0)},
      {{"--tool", "t", "--json"}, failed_after(460)},
      {{"--tool", "t", "--output", folder.path("out.txt")}, failed_after(20)}};
  for (const auto& [what, answer] : calls) {
    Peer peer({answering(http_answer("200 OK", answer))});
    std::vector<std::string> all = {
        "call", peer.url(), "--api-key-env", "SQUALL_TEST_KEY", "--db", folder.path("calls.db")};
    all.insert(all.end(), what.begin(), what.end());
    std::vector<const char*> raw;
    for (const std::string& word : all) {
      raw.push_back(word.c_str());
    }
    std::ostringstream out;
    std::ostringstream err;
    (void)run(raw, {.out = out, .err = err, .err_is_terminal = true});
    const bool has_file = what.size() > 2 && what[2] == "--output";
    const std::string shown = has_file ? folder.read("out.txt") : out.str();
    EXPECT_THAT(shown, HasSubstr("********"));
    for (const std::string& text : {shown, err.str(), folder.read("calls.db")}) {
      EXPECT_THAT(text, Not(HasSubstr("sk-proj-")));
      EXPECT_THAT(text, Not(HasSubstr("ABCDEFGH")));
    }
  }
}

TEST_F(CallCommand, StoresTheRowsOfACall) {
  Peer peer({answering(http_answer("503 Busy", "busy")), answering(kGood)});
  ASSERT_EQ(squall(words(peer.url(), {"--db", folder.path("calls.db")})).code, kFine);
  const Ended summary = squall({"db", folder.path("calls.db")});
  EXPECT_EQ(summary.code, kFine) << summary.err;
  EXPECT_THAT(summary.out, HasSubstr("squall call"));
}

}  // namespace
}  // namespace squall::cli
