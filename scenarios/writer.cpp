// SPDX-License-Identifier: MIT
#include "scenarios/writer.hpp"

#include <utility>

#include "scenarios/pretty.hpp"
#include "scenarios/quantities.hpp"
#include "scenarios/writer_parts.hpp"

namespace squall::scenarios {
namespace {

Json client_json(const ClientSpec& client) {
  Json object = Json::object();
  if (client.shutdown_at) {
    object["shutdown_at"] = format_duration(*client.shutdown_at);
  }
  if (client.wall_clock != ClientSpec{}.wall_clock) {
    object["wall_clock"] = format_instant(client.wall_clock);
  }
  for (const std::uint64_t word : client.jitter_words) {
    object["jitter_words"].push_back(std::to_string(word));
  }
  return object;
}

}  // namespace

std::string write_scenario(const Scenario& scenario) {
  Json object = Json::object();
  object["name"] = scenario.name;
  object["summary"] = scenario.summary;
  object["source"] = scenario.source;
  if (!scenario.tags.empty()) {
    object["tags"] = scenario.tags;
  }
  object["operation"] = operation_json(scenario.operation);
  object["policy"] = scenario.policy_name == "inline" ? policy_members(scenario.policy)
                                                      : Json(scenario.policy_name);
  object["server"] = server_json(scenario.server);
  if (Json client = client_json(scenario.client); !client.empty()) {
    object["client"] = std::move(client);
  }
  if (scenario.horizon != Scenario{}.horizon) {
    object["horizon"] = format_duration(scenario.horizon);
  }
  object["expect"] = expect_json(scenario.expect);
  if (scenario.audit_policy) {
    object["audit_policy"] = policy_members(*scenario.audit_policy);
  }
  if (scenario.defect) {
    object["defect"] = *scenario.defect;
  }
  return pretty(object) + "\n";
}

}  // namespace squall::scenarios
