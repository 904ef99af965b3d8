// SPDX-License-Identifier: MIT
//
// The only source that includes the schema library: it is heavy to compile.
#include <memory>

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "scenarios/schema_check.hpp"

namespace squall::scenarios {
namespace {

std::unique_ptr<const valijson::Schema> parse_schema(SchemaKind kind) {
  const nlohmann::json text(bundled_schema(kind));
  auto schema = std::make_unique<valijson::Schema>();
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(valijson::adapters::NlohmannJsonAdapter(text), *schema);
  return schema;
}

const valijson::Schema& parsed_schema(SchemaKind kind) {
  if (kind == SchemaKind::kScenario) {
    static const auto schema = parse_schema(SchemaKind::kScenario);
    return *schema;
  }
  static const auto schema = parse_schema(SchemaKind::kPolicy);
  return *schema;
}

}  // namespace

bool is_accepted(SchemaKind kind, const Json& document) {
  const nlohmann::json value(document);
  // Strong types: a number is no text that looks like one.
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  return validator.validate(parsed_schema(kind), valijson::adapters::NlohmannJsonAdapter(value),
                            nullptr);
}

}  // namespace squall::scenarios
