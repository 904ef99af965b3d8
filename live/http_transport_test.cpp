// SPDX-License-Identifier: MIT
//
// The transport on real loopback sockets, against a peer that sends what it is told byte by byte.
#include "live/http_transport.hpp"

#include <chrono>
#include <future>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/test_folder_test_support.hpp"
#include "live/name_lookup.hpp"
#include "live/scripted_peer_test_support.hpp"

namespace squall::live {
namespace {

using core::ConnectionFault;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr auto kDeadline = std::chrono::seconds(30);

/// What one attempt was told, bytes of the body joined.
struct Told {
  std::vector<std::string> facts;  ///< "headers 200", "bytes ok", "ended", "failed"
  std::optional<ConnectionFault> fault;
  std::string detail;
  bool request_reached = false;

  void add(const core::Event& fact) {
    if (const auto* headers = std::get_if<core::HeadersReceived>(&fact)) {
      facts.push_back("headers " + std::to_string(headers->head.status));
    } else if (const auto* bytes = std::get_if<core::BytesReceived>(&fact)) {
      if (!facts.back().starts_with("bytes ")) {
        facts.emplace_back("bytes ");
      }
      facts.back() += bytes->bytes;
    } else if (std::holds_alternative<core::BodyEnded>(fact)) {
      facts.emplace_back("ended");
    } else if (const auto* failed = std::get_if<core::AttemptFailed>(&fact)) {
      facts.emplace_back("failed");
      fault = failed->fault;
      detail = failed->detail;
    }
  }
};

Secret test_key() {
  return *Secret::make("sk-test-0123456789", "TEST_KEY");
}

/// One attempt against `url`, to its end.
Told attempt(const std::string& url, std::optional<TlsSettings> tls = std::nullopt,
             const std::string& body = R"({"model":"m"})") {
  Told told;
  boost::asio::io_context context;
  const auto endpoint = parse_endpoint(url);
  EXPECT_TRUE(endpoint) << url;
  HttpTransport transport(context, *endpoint,
                          HttpRequest(*endpoint, scenarios::OperationKind::kAgentChat, test_key()),
                          test_key(), std::move(tls));
  transport.send(1, body, [&told](const core::Event& fact) { told.add(fact); });
  EXPECT_THAT(told.facts, IsEmpty()) << "facts follow from handlers";
  context.run_for(kDeadline);
  EXPECT_TRUE(context.stopped()) << "nothing is left to do after the end";
  told.request_reached = transport.request_reached();
  return told;
}

TEST(HttpTransport, SendsTheRequestAndTellsTheAnswer) {
  std::string request;
  Peer peer({[&request](Peer::Talk& talk) {
    request = talk.read_request();
    talk.write("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 Busy\r\nRetry-After: 7\r\n");
    talk.write("Content-Length: 4\r\n\r\nbu");
    talk.write("sy");
  }});
  const Told told = attempt(peer.url("/v1/chat/completions"));
  peer.stop();
  EXPECT_THAT(told.facts, ElementsAre("headers 503", "bytes busy", "ended"));
  EXPECT_TRUE(told.request_reached);
  EXPECT_THAT(request, testing::StartsWith("POST /v1/chat/completions HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("Authorization: Bearer sk-test-0123456789\r\n"));
  EXPECT_THAT(request, testing::EndsWith("Content-Length: 13\r\n\r\n{\"model\":\"m\"}"));
}

TEST(HttpTransport, TakesTheEndOfTheConnectionForTheEndOfABodyWithoutALength) {
  Peer peer({answering("HTTP/1.1 200 OK\r\n\r\nhello")});
  EXPECT_THAT(attempt(peer.url()).facts, ElementsAre("headers 200", "bytes hello", "ended"));
}

TEST(HttpTransport, TellsHowAConnectionBroke) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n";
  const struct {
    Peer::Step step;
    ConnectionFault fault;
    std::vector<std::string> facts;
  } cases[] = {
      {[](Peer::Talk& talk) { talk.read_request(); }, ConnectionFault::kSend, {"failed"}},
      {answering("HTTP/1.1 200 OK\r\nContent-"), ConnectionFault::kSend, {"failed"}},
      {answering("SSH-2.0-OpenSSH_9.2\r\n"), ConnectionFault::kSend, {"failed"}},
      {[](Peer::Talk& talk) {
         talk.read_request();
         talk.reset();
       },
       ConnectionFault::kReset,
       {"failed"}},
      {answering(head), ConnectionFault::kBodyClosed, {"headers 200", "failed"}},
      {answering(head + "hello"),
       ConnectionFault::kBodyClosed,
       {"headers 200", "bytes hello", "failed"}},
  };
  for (const auto& one : cases) {
    Peer peer({one.step});
    const Told told = attempt(peer.url());
    EXPECT_EQ(told.fault, one.fault) << told.detail;
    EXPECT_EQ(told.facts, one.facts);
    EXPECT_TRUE(told.request_reached);
  }
}

// The peer resets only after the client has read what came before: a reset may overtake bytes.
TEST(HttpTransport, TellsAResetInTheBody) {
  std::promise<void> headers_seen;
  Peer peer({[&headers_seen](Peer::Talk& talk) {
    talk.read_request();
    talk.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello");
    headers_seen.get_future().wait_for(kDeadline);
    talk.reset();
  }});
  Told told;
  boost::asio::io_context context;
  const auto endpoint = *parse_endpoint(peer.url());
  HttpTransport transport(context, endpoint,
                          HttpRequest(endpoint, scenarios::OperationKind::kAgentChat, Secret()),
                          Secret(), std::nullopt);
  transport.send(1, "{}", [&](const core::Event& fact) {
    told.add(fact);
    if (told.facts.back() == "bytes hello") {
      headers_seen.set_value();
    }
  });
  context.run_for(kDeadline);
  EXPECT_THAT(told.facts, ElementsAre("headers 200", "bytes hello", "failed"));
  EXPECT_EQ(told.fault, ConnectionFault::kBodyReset);
}

TEST(HttpTransport, TellsThatNothingListens) {
  Peer peer({answering("")});
  const std::string url = peer.url();
  peer.stop();
  const Told told = attempt(url);
  EXPECT_EQ(told.fault, ConnectionFault::kRefused);
  EXPECT_EQ(told.detail, "127.0.0.1:" + std::to_string(peer.port()));
  EXPECT_FALSE(told.request_reached);
}

TEST(HttpTransport, TellsThatANameDoesNotResolve) {
  // The top-level domain that never exists (RFC 2606, section 2).
  const Told told = attempt("http://squall.invalid/");
  EXPECT_EQ(told.fault, ConnectionFault::kDns);
  EXPECT_THAT(told.detail, HasSubstr("squall.invalid"));
  EXPECT_FALSE(told.request_reached);
}

TEST(HttpTransport, ReadsAnAnswerThatComesBeforeTheRequestWasRead) {
  std::promise<void> answered;
  Peer peer({[&answered](Peer::Talk& talk) {
    talk.write(http_answer("413 Too Large", "no"));
    answered.get_future().wait_for(kDeadline);
  }});
  // More than the buffers of a loopback connection hold.
  const Told told = attempt(peer.url(), std::nullopt, std::string(std::size_t{16} << 20, 'x'));
  answered.set_value();
  EXPECT_THAT(told.facts, ElementsAre("headers 413", "bytes no", "ended"));
}

TEST(HttpTransport, MasksTheKeyThatAServerEchoes) {
  std::vector<std::string> answers = {
      http_answer("401 No", R"({"error":"sk-test-0123456789 is not known"})"),
      "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nkey sk-test-012345678",
      "sk-test-0123456789 sk-test-0123456789\r\n\r\n",
  };
  for (const std::string& answer : answers) {
    Peer peer({[&answer](Peer::Talk& talk) {
      talk.read_request();
      for (const char byte : answer) {
        talk.write(std::string(1, byte));
      }
    }});
    const Told told = attempt(peer.url());
    EXPECT_THAT(told.detail, Not(HasSubstr("sk-test")));
    for (const std::string& fact : told.facts) {
      EXPECT_THAT(fact, Not(HasSubstr("sk-test-0"))) << fact;
    }
  }
}

// A server that sends an echo of the key byte by byte is not idle.
TEST(HttpTransport, TellsThatMoreCameWhileItHoldsBytesBack) {
  std::promise<void> told_of_headers;
  std::promise<void> told_of_half;
  Peer peer({[&](Peer::Talk& talk) {
    talk.read_request();
    talk.write("HTTP/1.1 200 OK\r\nContent-Length: 18\r\n\r\n");
    told_of_headers.get_future().wait_for(kDeadline);
    talk.write("sk-test-0");
    told_of_half.get_future().wait_for(kDeadline);
    talk.write("123456789");
  }});
  std::vector<std::string> bytes;
  boost::asio::io_context context;
  const auto endpoint = *parse_endpoint(peer.url());
  HttpTransport transport(context, endpoint,
                          HttpRequest(endpoint, scenarios::OperationKind::kAgentChat, test_key()),
                          test_key(), std::nullopt);
  transport.send(1, "{}", [&](const core::Event& fact) {
    if (std::holds_alternative<core::HeadersReceived>(fact)) {
      told_of_headers.set_value();
    } else if (const auto* arrived = std::get_if<core::BytesReceived>(&fact)) {
      if (bytes.empty()) {
        told_of_half.set_value();
      }
      bytes.emplace_back(arrived->bytes);
    }
  });
  context.run_for(kDeadline);
  // Without a word at half of it, the second half is never sent.
  ASSERT_GE(bytes.size(), 2U);
  EXPECT_EQ(bytes.front(), "");
  EXPECT_EQ(bytes.back(), std::string(18, '*'));
}

TEST(HttpTransport, TellsNothingOnceItIsClosed) {
  std::promise<bool> left;
  Peer peer({[&left](Peer::Talk& talk) {
    talk.read_request();
    talk.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello");
    talk.wait_until_left();
    left.set_value(true);
  }});
  Told told;
  boost::asio::io_context context;
  const auto endpoint = *parse_endpoint(peer.url());
  HttpTransport transport(context, endpoint,
                          HttpRequest(endpoint, scenarios::OperationKind::kAgentChat, Secret()),
                          Secret(), std::nullopt);
  transport.send(1, "{}", [&](const core::Event& fact) {
    told.add(fact);
    transport.close();  // From within: at the headers, with the body already there.
  });
  context.run_for(kDeadline);
  EXPECT_TRUE(context.stopped());
  EXPECT_THAT(told.facts, ElementsAre("headers 200"));
  EXPECT_EQ(left.get_future().wait_for(kDeadline), std::future_status::ready);
}

/// The settings that trust `identity` alone.
TlsSettings trusting(const Identity& identity) {
  const core::TestFolder folder;
  folder.write("ca.pem", identity.certificate_pem());
  auto settings = TlsSettings::trusting(folder.path("ca.pem"));
  EXPECT_TRUE(settings) << to_string(settings.error());
  return *settings;
}

TEST(HttpTransportTls, SpeaksToAServerWhoseNameAndAuthorityAreRight) {
  const Identity identity("DNS:localhost,IP:127.0.0.1");
  std::vector<std::string> names;
  Peer peer({[&names](Peer::Talk& talk) {
              names.push_back(talk.server_name());
              talk.read_request();
              talk.write("HTTP/1.1 200 OK\r\n\r\nhello");
            }},
            &identity);
  for (const std::string host : {"localhost", "127.0.0.1"}) {
    const Told told = attempt(peer.url("/", host), trusting(identity));
    EXPECT_THAT(told.facts, ElementsAre("headers 200", "bytes hello", "ended")) << told.detail;
    EXPECT_TRUE(told.request_reached);
  }
  peer.stop();
  EXPECT_THAT(names, ElementsAre("localhost", "")) << "an address is not sent as a name";
}

TEST(HttpTransportTls, SendsMoreThanBuffersHoldAndReadsMeanwhile) {
  const Identity identity("IP:127.0.0.1");
  const std::string request(std::size_t{8} << 20, 'x');
  std::size_t received = 0;
  Peer peer({[&received](Peer::Talk& talk) {
              talk.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nfir");
              received = talk.read_request().size();
              talk.write("st!");
            }},
            &identity);
  const Told told = attempt(peer.url(), trusting(identity), request);
  peer.stop();
  EXPECT_THAT(told.facts, ElementsAre("headers 200", "bytes first!", "ended")) << told.detail;
  EXPECT_GT(received, request.size());
}

TEST(HttpTransportTls, RefusesAWrongNameAndAnUnknownAuthority) {
  const Identity elsewhere("DNS:elsewhere.example,IP:10.0.0.1");
  const Identity stranger("DNS:localhost,IP:127.0.0.1");
  const struct {
    const Identity& serves;
    const Identity& trusted;
    std::string host;
    std::string words;
  } cases[] = {
      {elsewhere, elsewhere, "localhost", "hostname mismatch"},
      {elsewhere, elsewhere, "127.0.0.1", "IP address mismatch"},
      {stranger, elsewhere, "localhost", "self-signed certificate"},
  };
  for (const auto& one : cases) {
    Peer peer({answering(http_answer("200 OK", "never"))}, &one.serves);
    const Told told = attempt(peer.url("/", one.host), trusting(one.trusted));
    EXPECT_EQ(told.fault, ConnectionFault::kTls);
    EXPECT_THAT(told.detail, HasSubstr(one.words));
    EXPECT_FALSE(told.request_reached) << "nothing was sent";
  }
  Peer peer({answering(http_answer("200 OK", "never"))}, &stranger);
  EXPECT_EQ(attempt(peer.url()).fault, ConnectionFault::kTls) << "the system does not know it";
}

TEST(HttpTransportTls, TellsAHandshakeThatNeverWas) {
  Peer plain(
      {[](Peer::Talk& talk) { talk.write("HTTP/1.1 400 Bad\r\n\r\n"); }, [](Peer::Talk&) {}});
  const std::string url = "https://127.0.0.1:" + std::to_string(plain.port());
  for (int i = 0; i < 2; ++i) {
    const Told told = attempt(url);
    EXPECT_EQ(told.fault, ConnectionFault::kTls);
    EXPECT_THAT(told.detail, Not(IsEmpty()));
  }
}

TEST(HttpTransportTls, DoesNotTakeACutForTheEndOfABody) {
  const Identity identity("IP:127.0.0.1");
  Peer peer({[](Peer::Talk& talk) {
              talk.read_request();
              talk.write("HTTP/1.1 200 OK\r\n\r\nhello");
              talk.cut();
            }},
            &identity);
  const Told told = attempt(peer.url(), trusting(identity));
  EXPECT_THAT(told.facts, ElementsAre("headers 200", "bytes hello", "failed"));
  EXPECT_EQ(told.fault, ConnectionFault::kBodyClosed);
}

TEST(TlsSettings, RefusesAFileWithoutACertificate) {
  const core::TestFolder folder;
  folder.write("none.pem", "-----BEGIN NOTHING-----\n");
  const auto settings = TlsSettings::trusting(folder.path("none.pem"));
  ASSERT_FALSE(settings);
  EXPECT_THAT(to_string(settings.error()), HasSubstr("none.pem: holds no certificate"));
  EXPECT_FALSE(TlsSettings::trusting(folder.path("missing.pem")));
}

TEST(NameLookup, SaysThatThereIsNoThreadForIt) {
  boost::asio::io_context context;
  NameLookup lookup;
  std::vector<boost::system::error_code> told;
  lookup.start(
      context, "any.example", 80,
      [&told](const auto& error, const auto& found) {
        told.push_back(error);
        EXPECT_THAT(found, IsEmpty());
      },
      NameLookup::ask_system,
      [](const std::function<void()>&) {
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
      });
  EXPECT_THAT(told, IsEmpty()) << "from a handler only";
  context.run_for(kDeadline);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(told.front() == std::errc::resource_unavailable_try_again) << told.front().message();
}

TEST(NameLookup, IsNotWaitedForOnceItIsCancelled) {
  std::promise<void> release;
  auto released = std::make_shared<std::shared_future<void>>(release.get_future());
  {
    boost::asio::io_context context;
    NameLookup lookup;
    lookup.start(
        context, "slow.example", 80,
        [](const auto&, const auto&) { ADD_FAILURE() << "called after it was cancelled"; },
        [released](const std::string&, std::uint16_t, boost::system::error_code&) {
          released->wait();
          return NameLookup::Endpoints{};
        });
    boost::asio::post(context, [&lookup] { lookup.cancel(); });
    context.run_for(kDeadline);
    EXPECT_TRUE(context.stopped());
  }
  release.set_value();  // Only now does the system answer; nobody is there any more.
}

}  // namespace
}  // namespace squall::live
