// SPDX-License-Identifier: MIT
#include "core/llm/validators.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace squall::core::llm {
namespace {

using Json = nlohmann::json;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(JsonKinds, LabelsReadBack) {
  std::vector<std::string_view> labels;
  for (const JsonKind kind : kAllJsonKinds) {
    labels.push_back(label(kind));
    EXPECT_EQ(json_kind_from_label(label(kind)), kind);
  }
  EXPECT_EQ(labels, (std::vector<std::string_view>{"string", "number", "integer", "boolean",
                                                   "array", "object"}));
  EXPECT_EQ(json_kind_from_label("String"), std::nullopt);
  EXPECT_EQ(json_kind_from_label(""), std::nullopt);
  EXPECT_EQ(json_kind_from_label("null"), std::nullopt);
}

struct Row {
  std::string json;
  /// Empty when there is none.
  std::string defect;
};

void expect_scores(const std::vector<Row>& table) {
  for (const Row& row : table) {
    EXPECT_EQ(rejection(verdict_score(), Json::parse(row.json)).value_or(""), row.defect)
        << row.json;
  }
}

TEST(VerdictScore, InRange) {
  for (const char* score : {"0", "-0", "-0.0", "0.0", "1e-300", "4.9e-324", "7", "7.5", "9.9999999",
                            "10", "10.0", "1e1", "1.0E+1"}) {
    EXPECT_EQ(rejection(verdict_score(), Json::parse(R"({"score":)" + std::string(score) + "}")),
              std::nullopt)
        << score;
  }
  EXPECT_EQ(rejection(verdict_score(), Json::parse(R"({"score":1,"other":99})")), std::nullopt);
}

TEST(VerdictScore, OutOfRange) {
  expect_scores({
      {R"({"score":11})", R"("score" is 11, outside [0, 10])"},
      {R"({"score":10.0000001})", R"("score" is 10.0000001, outside [0, 10])"},
      {R"({"score":10.000000000000002})", R"("score" is 10.000000000000002, outside [0, 10])"},
      {R"({"score":-1})", R"("score" is -1, outside [0, 10])"},
      {R"({"score":-4.9e-324})", R"("score" is -5e-324, outside [0, 10])"},
      {R"({"score":1e308})", R"("score" is 1e+308, outside [0, 10])"},
      {R"({"score":18446744073709551615})", R"("score" is 18446744073709551615, outside [0, 10])"},
      {R"({"score":-9223372036854775808})", R"("score" is -9223372036854775808, outside [0, 10])"},
      {R"({"score":99999999999999999999})", R"("score" is 1e+20, outside [0, 10])"},
  });
}

TEST(VerdictScore, WhatIsNoNumberIsRejected) {
  expect_scores({
      {R"({"score":"7"})", R"("score" is no number: string)"},
      {R"({"score":null})", R"("score" is no number: null)"},
      {R"({"score":true})", R"("score" is no number: boolean)"},
      {R"({"score":[7]})", R"("score" is no number: array)"},
      {R"({"score":{"score":7}})", R"("score" is no number: object)"},
      {"{}", R"("score" is missing)"},
      {R"({"Score":7})", R"("score" is missing)"},
      {R"({"verdict":{"score":7}})", R"("score" is missing)"},
      {"7", R"("score" is missing)"},
      {"[7]", R"("score" is missing)"},
      {"null", R"("score" is missing)"},
  });
}

TEST(VerdictScore, WhatJsonCannotWriteIsRejected) {
  EXPECT_EQ(rejection(verdict_score(), Json{{"score", kNaN}}),
            R"("score" is null, outside [0, 10])");
  EXPECT_NE(rejection(verdict_score(), Json{{"score", kInfinity}}), std::nullopt);
  EXPECT_NE(rejection(verdict_score(), Json{{"score", -kInfinity}}), std::nullopt);
}

TEST(NumericRange, OfAnyField) {
  const Validator range = NumericRange{.field = "p \"q\"", .min = -0.5, .max = 0.25};
  const auto judged = [&](const Json& value) {
    return rejection(range, Json{{"p \"q\"", value}}).value_or("");
  };
  EXPECT_EQ(judged(-0.5), "");
  EXPECT_EQ(judged(0.25), "");
  EXPECT_EQ(judged(0.5), R"("p \"q\"" is 0.5, outside [-0.5, 0.25])");
  EXPECT_EQ(judged(-1), R"("p \"q\"" is -1, outside [-0.5, 0.25])");
}

TEST(NumericRange, WithoutAMeaningRejectsEverything) {
  const Json seven{{"n", 7}};
  EXPECT_NE(rejection(NumericRange{.field = "n", .min = kNaN, .max = 10}, seven), std::nullopt);
  EXPECT_NE(rejection(NumericRange{.field = "n", .min = 0, .max = kNaN}, seven), std::nullopt);
  EXPECT_NE(rejection(NumericRange{.field = "n", .min = 10, .max = 0}, seven), std::nullopt);
  EXPECT_EQ(rejection(NumericRange{.field = "n", .min = 7, .max = 7}, seven), std::nullopt);
}

TEST(NoValidationRule, AcceptsEverything) {
  for (const char* json : {"{}", "null", R"({"score":99})"}) {
    EXPECT_EQ(rejection(NoValidation{}, Json::parse(json)), std::nullopt);
  }
}

TEST(ExtractionTargetShape, IsAnObject) {
  const ExtractionTarget anything;
  EXPECT_EQ(target_defect(anything, Json::parse("{}")), std::nullopt);
  EXPECT_EQ(target_defect(anything, Json::parse(R"({"a":1})")), std::nullopt);
  EXPECT_EQ(target_defect(anything, Json::parse("[]")), "it is no object: array");
  EXPECT_EQ(target_defect(anything, Json::parse("7")), "it is no object: number");
  EXPECT_EQ(target_defect(anything, Json::parse("null")), "it is no object: null");
}

// One value of each sort against each kind.
TEST(ExtractionTargetShape, EveryKindAgainstEverySortOfValue) {
  const std::vector<std::string> values{
      R"("")", "1.5", "7",  "7.0", "18446744073709551615", "18446744073709551616",
      "true",  "[]",  "{}", "null"};
  const std::vector<std::string> fits{
      "1000000000",  // string
      "0111110000",  // number
      "0010100000",  // integer
      "0000001000",  // boolean
      "0000000100",  // array
      "0000000010",  // object
  };
  for (std::size_t k = 0; k < kAllJsonKinds.size(); ++k) {
    const JsonKind kind = kAllJsonKinds[k];
    for (std::size_t v = 0; v < values.size(); ++v) {
      const Json answer{{"f", Json::parse(values[v])}};
      EXPECT_EQ(!target_defect({{{"f", kind}}}, answer), fits[k][v] == '1')
          << label(kind) << " " << values[v];
      const bool is_null = values[v] == "null";
      EXPECT_EQ(!target_defect({{{"f", kind, false}}}, answer), fits[k][v] == '1' || is_null)
          << "optional " << label(kind) << " " << values[v];
    }
  }
}

TEST(ExtractionTargetShape, TheFirstDefectIsTold) {
  const ExtractionTarget target{{{"score", JsonKind::kNumber},
                                 {"note", JsonKind::kString, false},
                                 {"tags", JsonKind::kArray}}};
  const auto defect = [&](std::string_view json) {
    return target_defect(target, Json::parse(json)).value_or("");
  };
  EXPECT_EQ(defect(R"({"score":1,"tags":[]})"), "");
  EXPECT_EQ(defect(R"({"score":1,"tags":[],"note":null,"more":{}})"), "");
  EXPECT_EQ(defect(R"({"tags":3,"note":3})"), R"("score" is missing)");
  EXPECT_EQ(defect(R"({"score":"7","note":3})"), R"("score" is no number: string)");
  EXPECT_EQ(defect(R"({"score":null})"), R"("score" is no number: null)");
  EXPECT_EQ(defect(R"({"score":1,"note":3})"), R"("note" is no string: number)");
  EXPECT_EQ(defect(R"({"score":1,"tags":{}})"), R"("tags" is no array: object)");
  EXPECT_EQ(defect(R"({"score":1,"Tags":[]})"), R"("tags" is missing)");
}

}  // namespace
}  // namespace squall::core::llm
