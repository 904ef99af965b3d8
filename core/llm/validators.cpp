// SPDX-License-Identifier: MIT
#include "core/llm/validators.hpp"

#include <nlohmann/json.hpp>

namespace squall::core::llm {
namespace {

using Json = nlohmann::json;

bool is_of(JsonKind kind, const Json& value) {
  switch (kind) {
    case JsonKind::kString:
      return value.is_string();
    case JsonKind::kNumber:
      return value.is_number();
    case JsonKind::kInteger:
      return value.is_number_integer();
    case JsonKind::kBoolean:
      return value.is_boolean();
    case JsonKind::kArray:
      return value.is_array();
    case JsonKind::kObject:
      return value.is_object();
  }
  return false;
}

std::string in_quotes(std::string_view name) {
  return Json(name).dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

/// The shortest text that reads back as `value`, whole numbers without ".0".
std::string digits_of(double value) {
  std::string text = Json(value).dump();
  if (text.ends_with(".0")) {
    text.resize(text.size() - 2);
  }
  return text;
}

const Json* field_of(const Json& answer, const std::string& name) {
  if (!answer.is_object()) {
    return nullptr;
  }
  const auto found = answer.find(name);
  return found == answer.end() ? nullptr : &*found;
}

std::optional<std::string> rejection_by(const NoValidation&, const Json&) {
  return std::nullopt;
}

std::optional<std::string> rejection_by(const NumericRange& range, const Json& answer) {
  const Json* value = field_of(answer, range.field);
  if (value == nullptr) {
    return in_quotes(range.field) + " is missing";
  }
  if (!value->is_number()) {
    return in_quotes(range.field) + " is no number: " + value->type_name();
  }
  // Written so that NaN, which compares with nothing, is outside.
  if (const auto number = value->get<double>(); number >= range.min && number <= range.max) {
    return std::nullopt;
  }
  return in_quotes(range.field) + " is " + value->dump() + ", outside [" + digits_of(range.min) +
         ", " + digits_of(range.max) + "]";
}

}  // namespace

std::string_view label(JsonKind kind) {
  switch (kind) {
    case JsonKind::kString:
      return "string";
    case JsonKind::kNumber:
      return "number";
    case JsonKind::kInteger:
      return "integer";
    case JsonKind::kBoolean:
      return "boolean";
    case JsonKind::kArray:
      return "array";
    case JsonKind::kObject:
      return "object";
  }
  return {};
}

std::optional<JsonKind> json_kind_from_label(std::string_view text) {
  for (const JsonKind kind : kAllJsonKinds) {
    if (label(kind) == text) {
      return kind;
    }
  }
  return std::nullopt;
}

NumericRange verdict_score() {
  return {.field = "score", .min = 0, .max = 10};
}

std::optional<std::string> target_defect(const ExtractionTarget& target, const Json& answer) {
  if (!answer.is_object()) {
    return std::string("it is no object: ") + answer.type_name();
  }
  for (const TargetField& field : target.fields) {
    const Json* value = field_of(answer, field.name);
    if (value == nullptr && field.required) {
      return in_quotes(field.name) + " is missing";
    }
    const bool left_out = !field.required && (value == nullptr || value->is_null());
    if (!left_out && !is_of(field.kind, *value)) {
      std::string defect = in_quotes(field.name);
      defect += " is no ";
      defect += label(field.kind);
      defect += ": ";
      defect += value->type_name();
      return defect;
    }
  }
  return std::nullopt;
}

std::optional<std::string> rejection(const Validator& validator, const Json& answer) {
  return std::visit([&](const auto& rule) { return rejection_by(rule, answer); }, validator);
}

}  // namespace squall::core::llm
