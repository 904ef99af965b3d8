// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "scenarios/loader_parts.hpp"
#include "scenarios/names.hpp"
#include "scenarios/wording.hpp"

namespace squall::scenarios {
namespace {

/// As many as a prompt can hold in a readable way, with room.
constexpr std::size_t kItemsMax = 1'000;
/// The only call of a scenario's connector.
constexpr std::uint64_t kRpcId = 1;

std::shared_ptr<const core::ChatRequest> read_request(const Node& node) {
  Json parameters = node.json();
  parameters.erase("messages");
  const std::string members = parameters.dump();
  std::vector<std::string> messages;
  for (const Json& message : node.json()["messages"]) {
    messages.push_back(message.dump());
  }
  return std::make_shared<const core::ChatRequest>(
      std::string_view(members).substr(1, members.size() - 2), messages);
}

core::llm::ExtractionTarget read_target(const Node& node) {
  core::llm::ExtractionTarget target;
  for (const auto& member : node.json().items()) {
    std::string_view kind = member.value().get_ref<const std::string&>();
    const bool required = !kind.ends_with('?');
    kind.remove_suffix(required ? 0 : 1);
    target.fields.push_back({.name = member.key(),
                             .kind = core::llm::json_kind_from_label(kind).value(),
                             .required = required});
  }
  return target;
}

core::llm::NumericRange read_validator(const Node& node,
                                       const core::llm::ExtractionTarget& target) {
  core::llm::NumericRange range{.field = node["field"].text(),
                                .min = node["min"].json().get<double>(),
                                .max = node["max"].json().get<double>()};
  std::vector<std::string> numeric;
  for (const core::llm::TargetField& field : target.fields) {
    if (field.kind == core::llm::JsonKind::kNumber || field.kind == core::llm::JsonKind::kInteger) {
      numeric.push_back(field.name);
    }
  }
  if (std::find(numeric.begin(), numeric.end(), range.field) == numeric.end()) {
    node["field"].refuse(found_allowed(
        in_quotes(range.field),
        (numeric.empty() ? "a number or integer of the target, which has none"
                         : "a number or integer of the target: " + on_one_line(join(numeric))) +
            did_you_mean(range.field, numeric)));
  }
  if (range.min > range.max) {
    node["max"].refuse(found_allowed(node["max"].json().dump(),
                                     "not less than \"min\", " + node["min"].json().dump()));
  }
  return range;
}

OperationWork read_agent_chat(const Node&) {
  return AgentChatWork{};
}

OperationWork read_extraction(const Node& node) {
  ExtractionWork work;
  work.target = read_target(node["target"]);
  if (node.has("validator")) {
    work.validator = read_validator(node["validator"], work.target);
  }
  return work;
}

OperationWork read_comment(const Node& node) {
  OperationWork work = read_extraction(node);
  std::get<ExtractionWork>(work).falls_back = true;
  return work;
}

OperationWork read_synthesis(const Node& node) {
  const Node items = node["items"];
  SynthesisWork work{.items = items.json().get<core::llm::ItemsByAgent>()};
  std::size_t count = 0;
  for (const std::vector<std::string>& of_agent : work.items) {
    count += of_agent.size();
  }
  if (count == 0) {
    items.refuse(found_allowed("no item of any agent", "at least one item in all"));
  }
  if (count > kItemsMax) {
    items.refuse(found_allowed(std::to_string(count) + " items",
                               "at most " + std::to_string(kItemsMax) + " in all"));
  }
  return work;
}

OperationWork read_research_synthesis(const Node&) {
  return ResearchSynthesisWork{};
}

OperationWork read_continuation(const Node& node) {
  return ContinuationWork{.reasoning = node["reasoning"].text()};
}

OperationWork read_tool_call(const Node& node) {
  const Node tool = node["tool"];
  ToolCallWork work{
      .connector_label = node["connector"]["label"].text(),
      .resource_uri = node["connector"]["uri"].text(),
      .tool = tool["name"].text(),
      .arguments = tool.has("arguments") ? tool["arguments"].json().dump() : "{}",
      .idempotency = kIdempotencies.value_of(tool.text_or("idempotency", "unspecified")),
      .request = nullptr};
  auto request = core::connector::ToolRequest::make(kRpcId, work.tool, work.arguments);
  if (!request) {
    tool.refuse(request.error().message);
    return work;
  }
  work.request = std::make_shared<const core::connector::ToolRequest>(*std::move(request));
  return work;
}

/// A member of the operation that not every kind has.
struct Member {
  const char* key = nullptr;
  bool required = true;
};

/// What is particular to a kind of operation.
struct KindRules {
  OperationKind kind;
  std::string_view policy;
  /// Those beside `kind`, `telemetry` and `metadata`; unused places have no key.
  std::array<Member, 3> members;
  OperationWork (*read)(const Node&);
};

constexpr std::array<KindRules, kOperationKinds> kRules{{
    {OperationKind::kAgentChat, "default", {{{"request"}}}, read_agent_chat},
    {OperationKind::kExtraction,
     "default",
     {{{"request"}, {"target"}, {"validator", false}}},
     read_extraction},
    {OperationKind::kComment,
     "comment",
     {{{"request"}, {"target"}, {"validator", false}}},
     read_comment},
    {OperationKind::kSynthesis, "synthesis", {{{"request"}, {"items"}}}, read_synthesis},
    {OperationKind::kResearchSynthesis, "synthesis", {{{"request"}}}, read_research_synthesis},
    {OperationKind::kContinuation,
     "continuation",
     {{{"request"}, {"reasoning"}}},
     read_continuation},
    {OperationKind::kToolCall, "connector", {{{"connector"}, {"tool"}}}, read_tool_call},
}};

const KindRules& rules_of(OperationKind kind) {
  const auto* const rules = std::find_if(kRules.begin(), kRules.end(),
                                         [kind](const KindRules& row) { return row.kind == kind; });
  SQUALL_CHECK(rules != kRules.end(), kind);
  return *rules;
}

/// Whether `node` has every member that its kind needs. Notes what is missing, and what belongs to
/// other kinds.
bool has_own_members(const Node& node, const KindRules& rules) {
  const std::string beside = R"( beside "kind": )" + in_quotes(label(rules.kind));
  std::vector<std::string> allowed;
  for (const Member& member : rules.members) {
    if (member.key != nullptr) {
      allowed.emplace_back(member.key);
    }
  }
  allowed.insert(allowed.end(), {"telemetry", "metadata"});
  for (const auto& member : node.json().items()) {
    const std::string& key = member.key();
    if (key != "kind" && std::find(allowed.begin(), allowed.end(), key) == allowed.end()) {
      node[key].refuse(found_allowed(in_quotes(key) + beside, join(allowed) + " beside it"));
    }
  }
  bool complete = true;
  for (const Member& member : rules.members) {
    if (member.key != nullptr && member.required && !node.has(member.key)) {
      node.refuse("missing key " + in_quotes(member.key) + beside);
      complete = false;
    }
  }
  return complete;
}

core::RequestMetadata read_metadata(const Node& node) {
  core::RequestMetadata metadata;
  for (const MetadataName& entry : kMetadataNames) {
    if (node.has(entry.name)) {
      metadata.*entry.member = node[entry.name].text();
    }
  }
  return metadata;
}

}  // namespace

OperationSpec read_operation(const Node& node) {
  const KindRules& rules = rules_of(kOperationKindNames.value_of(node["kind"].text()));
  OperationSpec operation;
  if (!has_own_members(node, rules)) {
    return operation;  // Of no use, but there is a finding.
  }
  operation.work = rules.read(node);
  if (node.has("request")) {
    operation.request = read_request(node["request"]);
    operation.model = node["request"]["model"].text();
  }
  operation.telemetry = !node.has("telemetry") || node["telemetry"].json().get<bool>();
  if (node.has("metadata")) {
    operation.metadata = read_metadata(node["metadata"]);
    if (!operation.telemetry) {
      node["metadata"].refuse(
          found_allowed(R"("metadata" beside "telemetry": false)", "only one of them"));
    }
  }
  return operation;
}

std::string_view default_policy_name(OperationKind kind) {
  return rules_of(kind).policy;
}

std::string for_kind(OperationKind kind) {
  return " for the kind " + in_quotes(label(kind));
}

std::size_t item_count(const OperationSpec& operation) {
  std::size_t count = 0;
  if (const auto* synthesis = std::get_if<SynthesisWork>(&operation.work)) {
    for (const std::vector<std::string>& of_agent : synthesis->items) {
      count += of_agent.size();
    }
  }
  return count;
}

}  // namespace squall::scenarios
