// SPDX-License-Identifier: MIT
//
// From bytes to what is done with a request, without sockets.
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "live/request_facts.hpp"
#include "live/request_reader.hpp"
#include "live/request_routing.hpp"
#include "live/try_request_test_support.hpp"
#include "scenarios/files.hpp"

namespace squall::live {
namespace {

using testing::HasSubstr;
using State = RequestReader::State;

std::string request(const std::string& head, const std::string& body = {}) {
  return head + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

TEST(RequestReader, ReadsOneRequestAndLeavesTheNext) {
  RequestReader reader(RequestLimits{});
  std::string input = "\r\n" + request("POST /a?b=c HTTP/1.1\r\nX-A: 1\r\nx-a: 2", "body") + "GET";
  ASSERT_EQ(reader.feed(input), State::kComplete);
  EXPECT_EQ(input, "GET");
  const ReceivedRequest received = reader.take();
  EXPECT_EQ(received.method, "POST");
  EXPECT_EQ(received.target, "/a?b=c");
  EXPECT_EQ(received.body, "body");
  EXPECT_EQ(received.headers,
            (std::vector<LoggedHeader>{{"X-A", "1"}, {"x-a", "2"}, {"Content-Length", "4"}}));
  ASSERT_NE(received.header("x-A"), nullptr);
  EXPECT_EQ(*received.header("x-A"), "1");
  EXPECT_EQ(received.header("other"), nullptr);
  EXPECT_TRUE(received.keep_alive);
  EXPECT_EQ(reader.feed(input), State::kReading);
}

TEST(RequestReader, ReadsChunks) {
  RequestReader reader(RequestLimits{});
  std::string input =
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
  ASSERT_EQ(reader.feed(input), State::kComplete);
  EXPECT_EQ(reader.take().body, "abcde");
  EXPECT_EQ(input, "");
}

TEST(RequestReader, SaysWhenTheClientWaitsForAWord) {
  RequestReader reader(RequestLimits{});
  std::string input = "POST / HTTP/1.1\r\nExpect: 100-Continue\r\n";
  EXPECT_EQ(reader.feed(input), State::kReading);
  EXPECT_FALSE(reader.take_continue_wish()) << "the head is not there yet";
  input += "Content-Length: 2\r\n\r\n";
  EXPECT_EQ(reader.feed(input), State::kReading);
  EXPECT_TRUE(reader.take_continue_wish());
  EXPECT_FALSE(reader.take_continue_wish());
}

struct Refused {
  std::string bytes;
  int status;
};

TEST(RequestReader, RefusesWhatIsNoRequestOrTooMuch) {
  const std::string long_line(70'000, 'x');
  for (const Refused& one : std::vector<Refused>{
           {"hello\r\n\r\n", 400},
           {std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc", 9), 400},
           {std::string("\0\0\0\0\r\n\r\n", 8), 400},
           {"GET / HTTP/3.0\r\n\r\n", 400},
           {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400},
           {"GET  / HTTP/1.1\r\n\r\n", 400},
           {"GET / HTTP/1.1\r\nbad header\r\n\r\n", 400},
           {"GET / HTTP/1.1\r\na: b\nc: d\r\n\r\n", 400},
           {"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400},
           {"POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n", 400},
           {"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400},
           {"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
           {"POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
           {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400},
           {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n", 400},
           {"POST / HTTP/1.1\r\nContent-Length: 16777217\r\n\r\n", 413},
           {"POST / HTTP/1.1\r\nContent-Length: 18446744073709551615\r\n\r\n", 413},
           {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1000001\r\n", 413},
           {"GET /" + long_line, 431},
           {"GET / HTTP/1.1\r\nX: " + long_line + "\r\n\r\n", 431},
           {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;" + long_line, 400},
       }) {
    RequestReader reader(RequestLimits{});
    std::string input = one.bytes;
    EXPECT_EQ(reader.feed(input), State::kRefused) << one.bytes.substr(0, 80);
    EXPECT_EQ(reader.refusal().status, one.status) << one.bytes.substr(0, 80);
  }
}

TEST(RequestFacts, AreReadFromTheOuterObjectOnly) {
  const auto facts = facts_of(
      R"({"messages":[{"stream":true,"id":9,"method":"x"}],"stream":true,"id":"a\"b",
          "stream_options":{"include_usage":true},"method":"tools/call",
          "params":{"protocolVersion":"2025-03-26","arguments":{"protocolVersion":"x"}}})");
  ASSERT_TRUE(facts);
  EXPECT_TRUE(facts->stream);
  EXPECT_TRUE(facts->include_usage);
  EXPECT_EQ(facts->rpc_method, "tools/call");
  EXPECT_EQ(facts->rpc_id, R"("a\"b")");
  EXPECT_EQ(facts->protocol_version, "2025-03-26");
  const auto nested =
      facts_of(R"({"x":{"stream":true},"y":[{"method":"m"}],"stream_options":[true]})");
  ASSERT_TRUE(nested);
  EXPECT_FALSE(nested->stream);
  EXPECT_FALSE(nested->include_usage);
  EXPECT_EQ(nested->rpc_method, "");
  EXPECT_EQ(facts_of(R"({"id":-7})")->rpc_id, "-7");
  EXPECT_EQ(facts_of(R"({"id":1.50})")->rpc_id, "1.50");
  EXPECT_EQ(facts_of(R"({"id":{"a":1}})")->rpc_id, "");
}

TEST(RequestFacts, NeedOneObject) {
  for (const std::string& body :
       {std::string(), std::string("1"), std::string("[{}]"), std::string("{}{}"),
        std::string("{\"a\":"), std::string("null"), std::string("\"x\""),
        std::string("{\"a\":\xff}"), std::string(1'000'000, '['),
        std::string("{\"a\":") + std::string(1'000'000, '[')}) {
    EXPECT_FALSE(facts_of(body)) << body.substr(0, 20);
  }
  EXPECT_TRUE(facts_of("{}"));
  EXPECT_TRUE(facts_of("{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}"))
      << "depth costs nothing";
}

scenarios::OperationSpec tool_at(const std::string& uri) {
  scenarios::OperationSpec operation;
  scenarios::ToolCallWork work;
  work.resource_uri = uri;
  work.tool = "web_search";
  operation.work = work;
  return operation;
}

ReceivedRequest received(std::string method, std::string target, std::string body = "{}") {
  ReceivedRequest request;
  request.method = std::move(method);
  request.target = std::move(target);
  request.body = std::move(body);
  return request;
}

/// "call <form>" or "<status>".
std::string routed(const RequestRouter& router, const ReceivedRequest& request) {
  const auto route = router.route(request);
  if (const auto* call = std::get_if<ScriptedCall>(&route)) {
    return "call " + std::to_string(static_cast<int>(call->form));
  }
  return std::to_string(std::get<ReadyAnswer>(route).status);
}

TEST(RequestRouter, KnowsChatsByTheEndOfThePath) {
  const RequestRouter router{scenarios::OperationSpec{}};
  const std::string stream = R"({"stream":true})";
  EXPECT_EQ(routed(router, received("POST", "/v1/chat/completions")), "call 0");
  EXPECT_EQ(routed(router, received("POST", "/api/v1/chat/completions?x=/messages")), "call 0");
  EXPECT_EQ(routed(router, received("POST", "http://h/v1/chat/completions")), "call 0");
  EXPECT_EQ(routed(router, received("POST", "/v1/chat/completions", stream)), "call 1");
  EXPECT_EQ(routed(router, received("POST", "/v1/messages")), "call 2");
  EXPECT_EQ(routed(router, received("POST", "/v1/messages", stream)), "call 3");
  EXPECT_EQ(routed(router, received("POST", "/v1/messages", "[]")), "400");
  EXPECT_EQ(routed(router, received("GET", "/v1/messages")), "405");
  EXPECT_EQ(routed(router, received("DELETE", "/v1/chat/completions")), "405");
  EXPECT_EQ(routed(router, received("POST", "/v1/embeddings")), "404");
  EXPECT_EQ(routed(router, received("POST", "/mcp")), "404");
  EXPECT_EQ(routed(router, received("POST", "")), "404");
  EXPECT_EQ(routed(router, received("GET", "/healthz")), "200");
  EXPECT_EQ(routed(router, received("POST", "/healthz")), "405");
}

TEST(RequestRouter, ServesAToolWhereTheConnectorIs) {
  EXPECT_EQ(RequestRouter(tool_at("https://h.example/a/b?c#d")).tool_path(), "/a/b");
  EXPECT_EQ(RequestRouter(tool_at("https://h.example")).tool_path(), "/mcp");
  EXPECT_EQ(RequestRouter(tool_at("not a uri")).tool_path(), "/mcp");
  const RequestRouter router(tool_at("https://h.example/rpc"));
  const std::string call = R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})";
  EXPECT_EQ(routed(router, received("POST", "/rpc", call)), "call 4");
  EXPECT_EQ(routed(router, received("POST", "/mcp", call)), "call 4");
  EXPECT_EQ(routed(router, received("GET", "/rpc")), "405");
  EXPECT_EQ(routed(router, received("DELETE", "/rpc")), "405");
  EXPECT_EQ(routed(router, received("POST", "/rpc", "[1]")), "400");
  EXPECT_EQ(routed(router, received("POST", "/v1/messages")), "404");
}

std::string rpc(const std::string& body) {
  const RequestRouter router(tool_at("https://h.example/rpc"));
  const auto route = router.route(received("POST", "/rpc", body));
  const auto& answer = std::get<ReadyAnswer>(route);
  return std::to_string(answer.status) + " " + answer.body;
}

TEST(RequestRouter, SpeaksTheHandshakeOfTools) {
  EXPECT_EQ(rpc(R"({"jsonrpc":"2.0","id":"i","method":"initialize",)"
                R"("params":{"protocolVersion":"2025-03-26","capabilities":{}}})"),
            R"(200 {"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2025-03-26",)"
            R"("capabilities":{"tools":{}},"serverInfo":{"name":"squall","version":"1"}}})");
  EXPECT_THAT(rpc(R"({"id":1,"method":"initialize","params":{"protocolVersion":"1999-01-01"}})"),
              HasSubstr(R"("protocolVersion":"2025-06-18")"));
  EXPECT_EQ(rpc(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"), "202 ");
  EXPECT_EQ(rpc(R"({"jsonrpc":"2.0","id":3,"result":{}})"), "202 ");
  EXPECT_EQ(rpc(R"({"id":2,"method":"ping"})"), R"(200 {"jsonrpc":"2.0","id":2,"result":{}})");
  EXPECT_EQ(rpc(R"({"id":2,"method":"tools/list"})"),
            R"(200 {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"web_search",)"
            R"("description":"The tool of the scenario.","inputSchema":{"type":"object"}}]}})");
  EXPECT_EQ(rpc(R"({"id":2,"method":"resources/list"})"),
            R"(200 {"jsonrpc":"2.0","id":2,"error":{"code":-32601,)"
            R"("message":"no such method: resources/list"}})");
  EXPECT_EQ(rpc("{"), R"(400 {"jsonrpc":"2.0","id":null,"error":{"code":-32700,)"
                      R"("message":"the body is not one JSON object"}})");
  for (const char* call : {R"({"jsonrpc":"2.0","method":"tools/call"})",
                           R"({"jsonrpc":"2.0","id":null,"method":"tools/call"})"}) {
    EXPECT_EQ(rpc(call), R"(400 {"jsonrpc":"2.0","id":null,"error":{"code":-32600,)"
                         R"("message":"tools/call without an id that is a number or a text"}})");
  }
}

TEST(RequestCorpus, HoldsWhateverItsBytesAre) {
  const std::filesystem::path folder =
      std::filesystem::path(SQUALL_SOURCE_DIR) / "fuzz/corpus/server_request";
  std::size_t files = 0;
  std::set<int> refusals;
  std::size_t requests = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().filename().string());
    const auto bytes = scenarios::read_file(entry.path().string());
    ASSERT_TRUE(bytes);
    const TriedRequests tried = try_request(*bytes);
    ++files;
    requests += tried.requests.size();
    refusals.insert(tried.refused_with);
  }
  EXPECT_GE(files, 10U);
  EXPECT_GE(requests, 8U);
  EXPECT_THAT(refusals, testing::IsSupersetOf({0, 400, 413, 431}));
}

}  // namespace
}  // namespace squall::live
