// SPDX-License-Identifier: MIT
#include "live/endpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "live/http_request.hpp"

namespace squall::live {
namespace {

using testing::HasSubstr;
using testing::Not;

Endpoint endpoint(const std::string& url) {
  const auto parsed = parse_endpoint(url);
  EXPECT_TRUE(parsed) << to_string(parsed.error());
  return parsed ? *parsed : Endpoint();
}

TEST(Endpoint, ReadsWhatAUrlSays) {
  const Endpoint plain = endpoint("http://api.example:8080/v1/chat?tenant=a%20b");
  EXPECT_FALSE(plain.tls);
  EXPECT_EQ(plain.host, "api.example");
  EXPECT_EQ(plain.port, 8080);
  EXPECT_EQ(plain.target, "/v1/chat?tenant=a%20b");
  EXPECT_EQ(plain.authority(), "api.example:8080");
  EXPECT_EQ(plain.display(), "http://api.example:8080/v1/chat");

  const Endpoint secure = endpoint("HTTPS://[::1]");
  EXPECT_TRUE(secure.tls);
  EXPECT_TRUE(secure.host_is_address);
  EXPECT_EQ(secure.host, "::1");
  EXPECT_EQ(secure.port, 443);
  EXPECT_EQ(secure.target, "/");
  EXPECT_EQ(secure.authority(), "[::1]");
  EXPECT_TRUE(endpoint("http://127.0.0.1:1/").host_is_address);
}

TEST(Endpoint, RefusesWhatItCannotCall) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "cannot be read"},
      {"api.example/v1", "cannot be read"},
      {"ftp://api.example/", "allowed: http, https"},
      {"http:///v1", "has no host"},
      {"http://api.example:65536/", "port"},
      {"http://api.example:0/", "port"},
      // 34463 and 80 for those who compute in 16 bits or read on.
      {"http://127.0.0.1:99999/v1", "port"},
      {"http://127.0.0.1:-1/v1", "cannot be read"},
      {"http://127.0.0.1:8080abc/v1", "cannot be read"},
      {"http://127.0.0.1:8080:9/v1", "cannot be read"},
      {"http://127.0.0.1:+80/v1", "cannot be read"},
      {"http://user:pass/w@127.0.0.1:1/", "cannot be read"},
      {"http://api.example/#part", "fragment"},
      {"http://a%0d%0ab/", "neither a plain host name"},
      {"http://a b/", "cannot be read"},
      {"http://api.example/\r\nX: y", "cannot be read"},
      {"https://user:hunter22@api.example/", "user information"},
      {"https://user:hunter22@api example/", "cannot be read"},
      {"https://api example/v1?key=hunter22", "\"https://api example/v1...\" cannot be read"},
      {"https://api example/v1#hunter22", "\"https://api example/v1...\" cannot be read"},
  };
  for (const auto& [url, part] : cases) {
    const auto parsed = parse_endpoint(url);
    ASSERT_FALSE(parsed) << url;
    EXPECT_THAT(to_string(parsed.error()), HasSubstr(part)) << url;
    EXPECT_THAT(to_string(parsed.error()), Not(HasSubstr("hunter22")));
    EXPECT_THAT(to_string(parsed.error()), Not(HasSubstr("\n")));
  }
}

TEST(HttpRequest, SaysWhatAChatIs) {
  const Secret key = *Secret::make("sk-test-key", "TEST_KEY");
  EXPECT_EQ(HttpRequest(endpoint("https://api.example/v1/chat/completions"),
                        scenarios::OperationKind::kAgentChat, key)
                .head(17),
            "POST /v1/chat/completions HTTP/1.1\r\n"
            "Host: api.example\r\n"
            "User-Agent: squall\r\n"
            "Content-Type: application/json\r\n"
            "Accept: application/json\r\n"
            "Accept-Encoding: identity\r\n"
            "Connection: close\r\n"
            "Authorization: Bearer sk-test-key\r\n"
            "Content-Length: 17\r\n\r\n");
}

TEST(HttpRequest, SaysWhatAToolCallIs) {
  EXPECT_EQ(HttpRequest(endpoint("http://tools.example:81/mcp"),
                        scenarios::OperationKind::kToolCall, Secret())
                .head(0),
            "POST /mcp HTTP/1.1\r\n"
            "Host: tools.example:81\r\n"
            "User-Agent: squall\r\n"
            "Content-Type: application/json\r\n"
            "Accept: application/json, text/event-stream\r\n"
            "MCP-Protocol-Version: 2025-06-18\r\n"
            "Accept-Encoding: identity\r\n"
            "Connection: close\r\n"
            "Content-Length: 0\r\n\r\n");
}

}  // namespace
}  // namespace squall::live
