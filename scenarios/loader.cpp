// SPDX-License-Identifier: MIT
#include "scenarios/loader.hpp"

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "core/shipped_policies.hpp"
#include "scenarios/document.hpp"
#include "scenarios/files.hpp"
#include "scenarios/json_locator.hpp"
#include "scenarios/loader_parts.hpp"
#include "scenarios/node.hpp"
#include "scenarios/quantities.hpp"
#include "scenarios/schema_check.hpp"
#include "scenarios/wording.hpp"

namespace squall::scenarios {
namespace {

using core::Error;
using core::Expected;
using core::RetryPolicy;
using core::Unexpected;

struct Source {
  std::string_view text;
  std::string display_name;
  /// What `name` must be; nothing when the text is not from a file.
  std::optional<std::string> stem;
};

Source file_source(std::string_view text, const std::string& path) {
  return Source{
      .text = text, .display_name = path, .stem = std::filesystem::path(path).stem().string()};
}

/// Gives a defect its place in `source`.
Error placed(const Source& source, std::string_view pointer, std::string message) {
  return Error{.file = source.display_name,
               .line = line_of(source.text, pointer),
               .pointer = on_one_line(pointer),
               .message = std::move(message)};
}

/// Parses and checks the structure, then has `read` walk the document.
template <class T, class Read>
Expected<T, Error> load(const Source& source, SchemaKind kind, Read read) {
  const Expected<Json, Error> document = parse_document(source.text, source.display_name);
  if (!document) {
    return Unexpected<Error>(document.error());
  }
  if (const std::optional<Defect> defect = check_schema(kind, *document)) {
    return Unexpected<Error>(placed(source, defect->pointer, defect->message));
  }
  Findings findings;
  const Node root(*document, "", findings);
  if (source.stem && root["name"].text() != *source.stem) {
    root["name"].refuse(found_allowed(in_quotes(root["name"].text()),
                                      in_quotes(*source.stem) + ", the name of the file"));
  }
  T value = read(root);
  if (const std::optional<Error>& error = findings.first()) {
    return Unexpected<Error>(error->file.empty() ? placed(source, error->pointer, error->message)
                                                 : *error);
  }
  return value;
}

/// A policy in full, or the one that a name or path stands for.
RetryPolicy read_policy_reference(const Node& node, const PolicyResolver& resolver) {
  if (!node.is_text()) {
    return read_policy(node);
  }
  Expected<RetryPolicy, Error> policy = resolver(node.text());
  if (!policy) {
    Error error = policy.error();
    if (error.line == 0 && !error.file.empty()) {
      // There is no such file, or nothing in it: the reference is what must be mended.
      error = error_of(on_one_line(error.file) + ": " + error.message);
    }
    node.refuse(std::move(error));
    return {};
  }
  return *policy;
}

ClientSpec read_client(const Node& node) {
  ClientSpec client;
  client.shutdown_at = node.read_optional("shutdown_at", parse_duration);
  if (node.has("wall_clock")) {
    client.wall_clock = node["wall_clock"].read(parse_instant);
  }
  if (node.has("jitter_words")) {
    for (const Node& word : node["jitter_words"].elements()) {
      client.jitter_words.push_back(word.read(parse_word));
    }
  }
  return client;
}

void read_policy_of(const Node& root, const PolicyResolver& resolver, Scenario& scenario) {
  const OperationKind kind = scenario.operation.kind();
  if (!root.has("policy")) {
    scenario.policy_name = default_policy_name(kind);
    scenario.policy = shipped_policies()(scenario.policy_name).value();
    return;
  }
  const Node policy = root["policy"];
  scenario.policy_name = policy.is_text() ? policy.text() : "inline";
  scenario.policy = read_policy_reference(policy, resolver);
  if (kind == OperationKind::kToolCall) {
    const auto verdict = core::connector::validate_connector_policy(scenario.policy);
    if (!verdict) {
      policy.refuse(verdict.error().message);
    }
  }
}

Scenario read_scenario(const Node& root, const PolicyResolver& resolver) {
  Scenario scenario;
  scenario.name = root["name"].text();
  scenario.summary = root["summary"].text();
  scenario.source = root["source"].text();
  if (root.has("tags")) {
    for (const Node& tag : root["tags"].elements()) {
      scenario.tags.push_back(tag.text());
    }
  }
  scenario.operation = read_operation(root["operation"]);
  read_policy_of(root, resolver, scenario);
  scenario.server = read_server(root["server"], scenario.operation);
  if (root.has("client")) {
    scenario.client = read_client(root["client"]);
  }
  if (root.has("horizon")) {
    scenario.horizon = root["horizon"].read(parse_duration);
    if (scenario.horizon.count() == 0) {
      root["horizon"].refuse(found_allowed(in_quotes(root["horizon"].text()), "more than \"0s\""));
    }
  }
  scenario.expect = read_expectations(root["expect"], scenario.operation);
  for (const char* const key : {"audit_policy", "defect"}) {
    if (root.has(key) && !scenario.expect.breaks) {
      root[key].refuse(
          found_allowed(in_quotes(key) + R"( without "breaks" in "expect")", "both or neither"));
    }
  }
  if (root.has("audit_policy")) {
    scenario.audit_policy = read_policy_reference(root["audit_policy"], resolver);
  }
  if (root.has("defect")) {
    scenario.defect = root["defect"].text();
  }
  return scenario;
}

Expected<RetryPolicy, Error> load_policy_from(const Source& source) {
  return load<RetryPolicy>(source, SchemaKind::kPolicy, read_policy);
}

Expected<Scenario, Error> load_scenario_from(const Source& source, const PolicyResolver& resolver) {
  return load<Scenario>(source, SchemaKind::kScenario,
                        [&resolver](const Node& root) { return read_scenario(root, resolver); });
}

}  // namespace

PolicyResolver shipped_policies() {
  return [](std::string_view reference) -> Expected<RetryPolicy, Error> {
    std::vector<std::string> names;
    for (const core::NamedPolicy& policy : core::kShippedPolicies) {
      if (policy.name == reference) {
        return policy.make();
      }
      names.emplace_back(policy.name);
    }
    return Unexpected<Error>(error_of("unknown policy " + in_quotes(reference) +
                                      ", allowed: " + join(names) + ", or a path ending in .json" +
                                      did_you_mean(reference, names)));
  };
}

PolicyResolver policies_from(std::string folder) {
  return [folder = std::move(folder), shipped = shipped_policies()](
             std::string_view reference) -> Expected<RetryPolicy, Error> {
    if (!reference.ends_with(".json")) {
      return shipped(reference);
    }
    return load_policy_file((std::filesystem::path(folder) / reference).string());
  };
}

Expected<Scenario, Error> load_scenario_file(const std::string& path) {
  const Expected<std::string, Error> text = read_file(path);
  if (!text) {
    return Unexpected<Error>(text.error());
  }
  return load_scenario_from(file_source(*text, path),
                            policies_from(std::filesystem::path(path).parent_path().string()));
}

Expected<Scenario, Error> load_scenario(std::string_view text, const std::string& display_name,
                                        const PolicyResolver& resolver) {
  return load_scenario_from(
      Source{.text = text, .display_name = display_name, .stem = std::nullopt}, resolver);
}

Expected<RetryPolicy, Error> load_policy_file(const std::string& path) {
  const Expected<std::string, Error> text = read_file(path);
  if (!text) {
    return Unexpected<Error>(text.error());
  }
  return load_policy_from(file_source(*text, path));
}

Expected<RetryPolicy, Error> load_policy(std::string_view text, const std::string& display_name) {
  return load_policy_from(Source{.text = text, .display_name = display_name, .stem = std::nullopt});
}

}  // namespace squall::scenarios
