// SPDX-License-Identifier: MIT
//
// What an extraction wants, as data: the shape that an answer must have (the target) and the value
// that it must lie in (the validator). Both are plain values that a scenario file can state. They
// judge a JSON value and nothing else; what a rejection means is the operation's business.
//
//   const ExtractionTarget verdict{{{"score", JsonKind::kNumber}, {"reason", JsonKind::kString}}};
//   const Validator in_range = verdict_score();
//
// Both fail closed: what cannot be shown to be right is wrong.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace squall::core::llm {

/// What a field holds.
enum class JsonKind : std::uint8_t {
  kString,
  kNumber,   ///< integers included
  kInteger,  ///< written without fraction and exponent, and within 64 bits
  kBoolean,
  kArray,
  kObject,
};

/// All kinds, in the order of the enumeration.
inline constexpr std::array<JsonKind, 6> kAllJsonKinds = {JsonKind::kString,  JsonKind::kNumber,
                                                          JsonKind::kInteger, JsonKind::kBoolean,
                                                          JsonKind::kArray,   JsonKind::kObject};

/// The name in JSON Schema: "string", "number", "integer", "boolean", "array", "object".
[[nodiscard]] std::string_view label(JsonKind kind);
[[nodiscard]] std::optional<JsonKind> json_kind_from_label(std::string_view label);

struct TargetField {
  std::string name;
  JsonKind kind = JsonKind::kString;
  /// A field that is not required may be absent or null; present, it must be of its kind.
  bool required = true;

  friend bool operator==(const TargetField&, const TargetField&) = default;
};

/// The shape of an answer: an object with these fields. Fields it does not name are allowed.
struct ExtractionTarget {
  std::vector<TargetField> fields;

  friend bool operator==(const ExtractionTarget&, const ExtractionTarget&) = default;
};

/// Accepts every value.
struct NoValidation {
  friend bool operator==(const NoValidation&, const NoValidation&) = default;
};

/// Accepts objects whose field `field` is a number in [min, max], both ends included. A field that
/// is missing, null, NaN or no number is rejected, and so is everything when a bound is NaN.
struct NumericRange {
  std::string field;
  double min = 0;
  double max = 0;

  friend bool operator==(const NumericRange&, const NumericRange&) = default;
};

using Validator = std::variant<NoValidation, NumericRange>;

/// The validator of verdicts: "score" in [0, 10]. @source LLM retry policy: a verdict's score.
[[nodiscard]] NumericRange verdict_score();

/// @return the first thing in which `answer` misses the target, in the order of its fields:
///         `"score" is missing`; nothing when it has the shape.
[[nodiscard]] std::optional<std::string> target_defect(const ExtractionTarget& target,
                                                       const nlohmann::json& answer);

/// @return why `answer` is rejected: `"score" is 11, outside [0, 10]`; nothing when it is accepted.
[[nodiscard]] std::optional<std::string> rejection(const Validator& validator,
                                                   const nlohmann::json& answer);

}  // namespace squall::core::llm
