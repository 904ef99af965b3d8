// SPDX-License-Identifier: MIT
#include "core/connector/classify.hpp"

#include <gtest/gtest.h>

#include "core/check.hpp"

namespace squall::core::connector {
namespace {

constexpr std::string_view kLabel = "search";
constexpr std::string_view kUri = "https://tools.example/mcp";

TEST(ConnectorClassify, OfAllStatusesOnlyTwoRefuseTheCredentials) {
  for (int status = 100; status <= 999; ++status) {
    if (status >= 200 && status <= 299) {
      EXPECT_THROW(static_cast<void>(classify_status(status)), CheckFailed) << status;
      continue;
    }
    const bool refused = status == 401 || status == 403;
    EXPECT_EQ(classify_status(status), refused ? Kind::kAuth : Kind::kTransport) << status;
  }
}

TEST(ConnectorClassify, EveryFaultAndTimeoutIsTransport) {
  for (const ConnectionFault fault :
       {ConnectionFault::kRefused, ConnectionFault::kReset, ConnectionFault::kDns,
        ConnectionFault::kTls, ConnectionFault::kConnectTimeout, ConnectionFault::kSend,
        ConnectionFault::kBodyReset, ConnectionFault::kBodyClosed}) {
    EXPECT_EQ(classify_fault(fault), Kind::kTransport) << describe(fault);
  }
  EXPECT_EQ(kTimeoutKind, Kind::kTransport);
  EXPECT_EQ(kClosedKind, Kind::kTransport);
}

TEST(ConnectorClassify, AnAuthStatusCountsWhereverItStandsInTheChain) {
  for (const int status : {401, 403}) {
    for (std::size_t place = 0; place < 4; ++place) {
      CauseChain chain{{"call", {}}, {"send", 502}, {"handshake", {}}, {"http", {}}};
      chain[place].http_status = status;
      EXPECT_EQ(classify_chain(chain), Kind::kAuth) << status << " at " << place;
    }
  }
}

TEST(ConnectorClassify, AChainWithoutAnAuthStatusIsTransport) {
  EXPECT_EQ(classify_chain({}), Kind::kTransport);
  EXPECT_EQ(classify_chain({{"call", {}}, {"bad gateway", 502}}), Kind::kTransport);
  EXPECT_EQ(classify_chain({{"payment", 402}, {"missing", 404}, {"proxy", 407}}), Kind::kTransport);
}

TEST(ConnectorClassify, ProseIsNeverSearchedForAMeaning) {
  EXPECT_EQ(classify_chain({{"HTTP 401 Unauthorized", {}}, {"403 Forbidden", {}}}),
            Kind::kTransport);
}

TEST(ConnectorClassify, ALongChainIsWalkedToItsEnd) {
  CauseChain chain(200'000, Cause{"wrapped", {}});
  EXPECT_EQ(classify_chain(chain), Kind::kTransport);
  chain.back().http_status = 403;
  EXPECT_EQ(classify_chain(chain), Kind::kAuth);
}

TEST(ConnectorClassify, Answers) {
  EXPECT_EQ(classify_answer(ToolResult{}), std::nullopt);
  EXPECT_EQ(classify_answer(ToolResult{.structured = {}, .texts = {}, .is_error = true}),
            Kind::kApplication);
  EXPECT_EQ(classify_answer(RpcError{-32602, "bad"}), Kind::kApplication);
  EXPECT_EQ(classify_answer(AnswerDefect{"it is empty"}), Kind::kTransport);
}

TEST(ConnectorClassify, InputMayBeAskedForAsOftenAsAllowed) {
  EXPECT_EQ(classify_answer(InputRequired{}), Kind::kApplication);
  EXPECT_EQ(classify_answer(InputRequired{}, 3, 3), std::nullopt);
  EXPECT_EQ(classify_answer(InputRequired{}, 4, 3), Kind::kApplication);
}

TEST(ConnectorClassify, SettingsThatCannotBeUsedAreConfig) {
  EXPECT_EQ(classify_settings(kLabel, kUri), std::nullopt);
  EXPECT_EQ(classify_settings("My Search", kUri), Kind::kConfig);
  EXPECT_EQ(classify_settings(kLabel, "tools.example/mcp"), Kind::kConfig);
}

TEST(ConnectorClassify, ADialIsConfigThenAuthThenTransport) {
  const CauseChain refused{{"handshake", {}}, {"http", 401}};
  EXPECT_EQ(classify_dial("", kUri, refused), Kind::kConfig);
  EXPECT_EQ(classify_dial(kLabel, "", refused), Kind::kConfig);
  EXPECT_EQ(classify_dial(kLabel, kUri, refused), Kind::kAuth);
  EXPECT_EQ(classify_dial(kLabel, kUri, {{"connection refused", {}}}), Kind::kTransport);
}

}  // namespace
}  // namespace squall::core::connector
