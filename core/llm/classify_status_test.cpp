// SPDX-License-Identifier: MIT
#include "core/llm/classify_status.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "core/check.hpp"
#include "core/vectors_test_support.hpp"

namespace squall::core::llm {
namespace {

FailureClass classify(int status, std::string_view body, bool body_cut = false) {
  return classify_status(status, body, body_cut, StatusSet::llm_default());
}

TEST(ClassifyStatusVectors, ClassifyJson) {
  const nlohmann::json vectors = load_vectors("classify.json");
  for (const nlohmann::json& vector : vectors) {
    const FailureClass observed =
        classify(vector.at("status").get<int>(), vector.at("body").get<std::string>(),
                 vector.at("body_cut").get<bool>());
    EXPECT_EQ(label(observed), vector.at("class").get<std::string>()) << vector;
  }
}

TEST(ClassifyStatus, EachSpentQuotaMarkerEndsA429) {
  for (const std::string_view marker : {"insufficient balance", "insufficient_quota",
                                        "quota exhausted", "quota exceeded", "error code 1113"}) {
    const std::string body = "{\"error\": \"" + std::string(marker) + "\"}";
    EXPECT_EQ(classify(429, body), FailureClass::kNonRetryable) << marker;
    EXPECT_EQ(classify(429, marker), FailureClass::kNonRetryable) << marker;
    EXPECT_EQ(classify(429, body, true), FailureClass::kNonRetryable) << marker;
    EXPECT_EQ(classify(429, marker.substr(1)), FailureClass::kTransport) << marker;
    EXPECT_EQ(classify(429, marker.substr(0, marker.size() - 1)), FailureClass::kTransport)
        << marker;
  }
}

TEST(ClassifyStatus, APassingLimitOutweighsAQuota) {
  for (const std::string_view marker :
       {"temporarily rate-limited", "upstream_provider_shared_pool"}) {
    const std::string before = std::string(marker) + " insufficient_quota";
    const std::string after = "insufficient_quota " + std::string(marker);
    EXPECT_EQ(classify(429, before), FailureClass::kTransport) << marker;
    EXPECT_EQ(classify(429, after), FailureClass::kTransport) << marker;
    EXPECT_EQ(classify(429, after, true), FailureClass::kTruncatedEnvelope) << marker;
  }
}

TEST(ClassifyStatus, MarkersIgnoreAsciiCaseAndNothingElse) {
  EXPECT_EQ(classify(429, "QuOtA eXcEeDeD"), FailureClass::kNonRetryable);
  EXPECT_EQ(classify(429, "quota  exceeded"), FailureClass::kTransport);
  EXPECT_EQ(classify(429, "quota\texceeded"), FailureClass::kTransport);
  // '_' and DEL differ in the one bit that tells the cases of letters apart.
  EXPECT_EQ(classify(429, "insufficient\x7fquota"), FailureClass::kTransport);
  EXPECT_EQ(classify(429, "quota exceeded\xc3\xa9"), FailureClass::kNonRetryable);
  EXPECT_EQ(classify(429, std::string_view("\0quota exceeded", 15)), FailureClass::kNonRetryable);
}

TEST(ClassifyStatus, OnlyA429BodyIsRead) {
  for (const int status : {100, 302, 408, 500, 503, 529}) {
    EXPECT_EQ(classify(status, "insufficient_quota"), FailureClass::kTransport) << status;
  }
  EXPECT_EQ(classify(402, "temporarily rate-limited"), FailureClass::kNonRetryable);
}

TEST(ClassifyStatus, ThePolicyDecidesWhichStatusesAreRetried) {
  const StatusSet retried = StatusSet().add(409).add(429);
  EXPECT_EQ(classify_status(409, "", false, retried), FailureClass::kTransport);
  EXPECT_EQ(classify_status(409, "", true, retried), FailureClass::kTruncatedEnvelope);
  EXPECT_EQ(classify_status(503, "", false, retried), FailureClass::kNonRetryable);
  EXPECT_EQ(classify_status(503, "", true, retried), FailureClass::kNonRetryable);
  EXPECT_EQ(classify_status(429, "quota exceeded", false, retried), FailureClass::kNonRetryable);
  EXPECT_EQ(classify_status(429, "temporarily rate-limited", false, StatusSet()),
            FailureClass::kNonRetryable);
}

TEST(ClassifyStatus, ASuccessIsNoFailure) {
  EXPECT_THROW((void)classify(200, ""), CheckFailed);
  EXPECT_THROW((void)classify(299, ""), CheckFailed);
  EXPECT_EQ(classify(199, ""), FailureClass::kTransport);
  EXPECT_EQ(classify(300, ""), FailureClass::kTransport);
}

}  // namespace
}  // namespace squall::core::llm
