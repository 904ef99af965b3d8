// SPDX-License-Identifier: MIT
#include <cstddef>
#include <sstream>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "reports/gate_report.hpp"
#include "reports/gate_words.hpp"

namespace squall::reports {
namespace {

using analysis::Change;

/// XML 1.0 has no way to write most control characters, and needs UTF-8.
std::string writable(std::string_view text) {
  constexpr std::size_t kColumnsMax = 2'000;
  return excerpt(text, kColumnsMax);
}

void set(pugi::xml_node node, const char* name, std::string_view value) {
  node.append_attribute(name).set_value(writable(value).c_str());
}

pugi::xml_node add_case(pugi::xml_node suite, const analysis::PolicyChange& policy,
                        std::string_view name) {
  pugi::xml_node test = suite.append_child("testcase");
  set(test, "classname", "squall.gate." + policy.name);
  set(test, "name", name);
  return test;
}

/// Adds one failure with everything that is wrong; @return whether there was anything.
bool add_failure(pugi::xml_node test, const std::vector<GateFinding>& findings) {
  if (findings.empty()) {
    return false;
  }
  pugi::xml_node failure = test.append_child("failure");
  set(failure, "type", "regression");
  set(failure, "message", sentence(findings.front()));
  std::string text;
  for (const GateFinding& finding : findings) {
    text += writable(fmt::format("{} ({})", sentence(finding), measure_words(finding))) + '\n';
  }
  failure.append_child(pugi::node_pcdata).set_value(text.c_str());
  return true;
}

void add_suite(pugi::xml_node root, const GateReport& report, std::size_t index,
               const std::vector<GateFinding>& worse) {
  const analysis::PolicyChange& policy = report.policies[index];
  pugi::xml_node suite = root.append_child("testsuite");
  set(suite, "name", "squall gate: " + policy.name);
  const std::size_t tests = policy.bounds.size() + policy.scenarios.size();
  std::size_t failures = 0;
  std::size_t skipped = 0;
  pugi::xml_attribute tests_attribute = suite.append_attribute("tests");
  pugi::xml_attribute failures_attribute = suite.append_attribute("failures");
  suite.append_attribute("errors").set_value(0);
  pugi::xml_attribute skipped_attribute = suite.append_attribute("skipped");
  const auto about = [&worse](const auto& matches) {
    std::vector<GateFinding> found;
    for (const GateFinding& finding : worse) {
      if (matches(finding)) {
        found.push_back(finding);
      }
    }
    return found;
  };
  for (const analysis::BoundChange& bound : policy.bounds) {
    pugi::xml_node test =
        add_case(suite, policy, fmt::format("worst case of every {}", label(bound.kind)));
    if (bound.metric.change == Change::kUnknown) {
      set(test.append_child("skipped"), "message", bound.not_computed);
      ++skipped;
    }
    failures +=
        add_failure(test,
                    about([&bound](const GateFinding& finding) { return finding.bound == &bound; }))
            ? 1U
            : 0U;
  }
  for (const analysis::ScenarioChange& scenario : policy.scenarios) {
    failures += add_failure(add_case(suite, policy, scenario.name),
                            about([&scenario](const GateFinding& finding) {
                              return finding.scenario == &scenario;
                            }))
                    ? 1U
                    : 0U;
  }
  tests_attribute.set_value(static_cast<unsigned long long>(tests));
  failures_attribute.set_value(static_cast<unsigned long long>(failures));
  skipped_attribute.set_value(static_cast<unsigned long long>(skipped));
}

}  // namespace

std::string gate_junit(const GateReport& report) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  set(declaration, "version", "1.0");
  set(declaration, "encoding", "UTF-8");
  pugi::xml_node root = document.append_child("testsuites");
  set(root, "name", "squall gate");
  const std::vector<GateFinding> worse = findings_of(report, Change::kRegressed);
  for (std::size_t i = 0; i < report.policies.size(); ++i) {
    add_suite(root, report, i, worse);
  }
  std::ostringstream text;
  document.save(text, "  ", pugi::format_indent, pugi::encoding_utf8);
  return text.str();
}

}  // namespace squall::reports
