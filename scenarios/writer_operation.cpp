// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdint>

#include "scenarios/names.hpp"
#include "scenarios/writer_parts.hpp"

namespace squall::scenarios {
namespace {

/// Whole numbers without the fraction, as people write them.
Json number_json(double value) {
  constexpr double kExact =
      9'007'199'254'740'992.0;  // 2^53: beyond, not every integer is a double.
  const bool is_negative_zero = value == 0 && std::signbit(value);
  if (value == std::trunc(value) && std::abs(value) <= kExact && !is_negative_zero) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

/// Adds the members that only this kind of operation has.
void add_work(const AgentChatWork&, Json&) {}
void add_work(const ResearchSynthesisWork&, Json&) {}
void add_work(const ExtractionWork& work, Json& object) {
  for (const core::llm::TargetField& field : work.target.fields) {
    object["target"][field.name] =
        std::string(core::llm::label(field.kind)) + (field.required ? "" : "?");
  }
  if (const auto* range = std::get_if<core::llm::NumericRange>(&work.validator)) {
    object["validator"] = {{"field", range->field},
                           {"min", number_json(range->min)},
                           {"max", number_json(range->max)}};
  }
}
void add_work(const SynthesisWork& work, Json& object) {
  object["items"] = work.items;
}
void add_work(const ContinuationWork& work, Json& object) {
  object["reasoning"] = work.reasoning;
}
void add_work(const ToolCallWork& work, Json& object) {
  object["connector"] = {{"label", work.connector_label}, {"uri", work.resource_uri}};
  object["tool"]["name"] = work.tool;
  if (work.arguments != "{}") {
    object["tool"]["arguments"] = Json::parse(work.arguments);
  }
  if (work.idempotency != core::tool::Idempotency::kUnspecified) {
    object["tool"]["idempotency"] = kIdempotencies.name_of(work.idempotency);
  }
}

}  // namespace

Json operation_json(const OperationSpec& operation) {
  Json object = {{"kind", label(operation.kind())}};
  if (operation.request) {
    object["request"] = Json::parse(operation.request->body());
  }
  std::visit([&object](const auto& work) { add_work(work, object); }, operation.work);
  if (!operation.telemetry) {
    object["telemetry"] = false;
  }
  for (const MetadataName& entry : kMetadataNames) {
    const std::string& value = operation.metadata.*entry.member;
    if (value != core::RequestMetadata{}.*entry.member) {
      object["metadata"][entry.name] = value;
    }
  }
  return object;
}

}  // namespace squall::scenarios
