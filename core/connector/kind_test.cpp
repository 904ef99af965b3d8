// SPDX-License-Identifier: MIT
#include "core/connector/kind.hpp"

#include <gtest/gtest.h>

#include "core/trail.hpp"

namespace squall::core::connector {
namespace {

static_assert(FailureTaxonomy<Kind>);

TEST(ConnectorKind, TokensAreTheContractWithTheModel) {
  EXPECT_EQ(token(Kind::kTransport), "transport_unreachable");
  EXPECT_EQ(token(Kind::kAuth), "auth_rejected");
  EXPECT_EQ(token(Kind::kApplication), "application_error");
  EXPECT_EQ(token(Kind::kConfig), "config_error");
}

TEST(ConnectorKind, OnlyTransportIsSentAgain) {
  EXPECT_TRUE(is_retryable(Kind::kTransport));
  EXPECT_FALSE(is_retryable(Kind::kAuth));
  EXPECT_FALSE(is_retryable(Kind::kApplication));
  EXPECT_FALSE(is_retryable(Kind::kConfig));
}

TEST(ConnectorKind, TokensAreReadBackExactly) {
  for (const Kind kind : kAllKinds) {
    EXPECT_EQ(kind_from_token(token(kind)), kind);
    EXPECT_EQ(kind_from_token(label(kind)), std::nullopt) << label(kind);
  }
  EXPECT_EQ(kind_from_token("Config_error"), std::nullopt);
  EXPECT_EQ(kind_from_token(""), std::nullopt);
}

}  // namespace
}  // namespace squall::core::connector
