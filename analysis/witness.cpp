// SPDX-License-Identifier: MIT
#include "analysis/witness.hpp"

#include <memory>
#include <utility>

#include "analysis/plan_server.hpp"
#include "core/check.hpp"
#include "core/llm/chat_message.hpp"

namespace squall::analysis {
namespace {

using core::Duration;
using scenarios::OperationKind;
using scenarios::OperationWork;
using scenarios::Scenario;

OperationWork work_of(OperationKind kind) {
  switch (kind) {
    case OperationKind::kAgentChat:
      return scenarios::AgentChatWork{};
    case OperationKind::kExtraction:
    case OperationKind::kComment:
      return scenarios::ExtractionWork{
          .target = {{{.name = "score", .kind = core::llm::JsonKind::kNumber, .required = true}}},
          .validator = core::llm::verdict_score(),
          .falls_back = kind == OperationKind::kComment};
    case OperationKind::kSynthesis:
      return scenarios::SynthesisWork{.items = {{"one finding"}, {"another finding"}}};
    case OperationKind::kResearchSynthesis:
      return scenarios::ResearchSynthesisWork{};
    case OperationKind::kContinuation:
      return scenarios::ContinuationWork{.reasoning = "Still thinking."};
    case OperationKind::kToolCall:
      break;
  }
  scenarios::ToolCallWork work;
  work.connector_label = "search";
  work.resource_uri = "https://tools.example/mcp";
  work.tool = "search";
  work.arguments = "{}";
  auto request = core::connector::ToolRequest::make(1, work.tool, work.arguments);
  SQUALL_CHECK(request.has_value());
  work.request = std::make_shared<const core::connector::ToolRequest>(*std::move(request));
  return work;
}

scenarios::OperationSpec operation_of(OperationKind kind) {
  scenarios::OperationSpec operation;
  operation.work = work_of(kind);
  if (kind != OperationKind::kToolCall) {
    operation.model = "any-model";
    operation.request = std::make_shared<const core::ChatRequest>(
        R"("model":"any-model")",
        std::vector<std::string>{core::llm::user_message("How long can this take?")});
  }
  return operation;
}

template <class T>
scenarios::Bounds<T> exactly(T value) {
  return {.min = value, .max = value};
}

class Collector {
 public:
  Collector(const WorstCase& worst, const core::RetryPolicy& policy, std::string_view policy_name,
            std::string_view title)
      : worst_(worst), policy_(policy), policy_name_(policy_name), title_(title) {}

  std::vector<Witness> collect() {
    add("fewest-calls", "As few calls as an operation can make.", worst_.fewest_calls);
    add("most-calls", "As many calls as the policy allows.", worst_.most_calls);
    add("longest-sleep", "The longest that all sleeps of an operation can last together.",
        worst_.sleep.plan);
    for (const LongestOperation& longest : worst_.longest) {
      add_longest(longest);
    }
    add_endless();
    add_outage();
    return std::move(witnesses_);
  }

 private:
  [[nodiscard]] Scenario bare(const std::string& figure, std::string summary) const {
    Scenario scenario;
    scenario.name = std::string(title_) + "-" + figure;
    scenario.summary = std::move(summary);
    scenario.source = std::string(kWitnessSource);
    scenario.tags = {"worst-case"};
    scenario.operation = operation_of(worst_.kind);
    scenario.policy_name = policy_name_;
    scenario.policy = policy_;
    return scenario;
  }

  /// A plan without calls has nothing to show.
  void add(const std::string& figure, std::string summary, const Plan& plan) {
    if (plan.steps.empty() || plan.elapsed() == kNoEnd) {
      return;
    }
    Scenario scenario = bare(figure, std::move(summary));
    scenario.server = server_of(plan, policy_, worst_.kind);
    scenario.client.jitter_words = jitter_words_of(plan, policy_);
    const Duration elapsed = plan.elapsed();
    if (elapsed >= scenario.horizon) {
      scenario.horizon = plus(elapsed, std::chrono::hours(24));
    }
    scenario.expect.attempts = exactly<std::uint64_t>(plan.calls());
    scenario.expect.elapsed = exactly(elapsed);
    scenario.expect.sleep_total = exactly(plan.slept());
    witnesses_.push_back({.figure = figure, .scenario = std::move(scenario)});
  }

  void add_longest(const LongestOperation& longest) {
    switch (longest.body_waits) {
      case 0:
        add("no-body-wait", "The longest operation when no attempt ever waits for a body.",
            longest.plan);
        break;
      case 1:
        add("silent-body",
            "The longest operation without a byte of a body: late headers, then silence.",
            longest.plan);
        break;
      default:
        add("trickling-body",
            "The longest operation with " + std::to_string(longest.body_waits) +
                " waits for the body in every attempt.",
            longest.plan);
    }
  }

  void add_endless() {
    if (!worst_.keepalive) {
      return;
    }
    Scenario scenario =
        bare("endless-trickle", worst_.keepalive->gap
                                    ? "A body that trickles just fast enough is never cut."
                                    : "Without a timeout, silence is never cut.");
    if (const std::optional<Duration> gap = worst_.keepalive->gap) {
      // A month of it, or four thousand bytes where those take less.
      constexpr std::uint64_t kBytes = 4'000;
      scenario.horizon = std::min(scenario.horizon, times(*gap, kBytes));
      scenario.server = endless_trickle(*gap, scenario.horizon);
    } else {
      scenario.server.phases.push_back(
          {.until = std::nullopt,
           .sequence = {{.times = 1,
                         .mix = {{.weight = 1,
                                  .respond = {.what = scenarios::SilentHeaders{},
                                              .latency = Duration{0}}}}}}});
    }
    scenario.expect.outcome = scenarios::Outcome::kUnfinished;
    scenario.expect.attempts = exactly<std::uint64_t>(1);
    scenario.expect.elapsed = exactly(scenario.horizon);
    witnesses_.push_back({.figure = "endless-trickle", .scenario = std::move(scenario)});
  }

  void add_outage() {
    const Outage& outage = worst_.outage;
    if (outage.fewest_calls.steps.empty()) {
      return;
    }
    if (outage.mean && *outage.mean != kNoEnd) {
      Scenario scenario = bare(
          "outage", "An outage without end, every call failing at once: what chance leaves open.");
      scenario.server = server_of(outage.most_calls, policy_, worst_.kind);
      if (outage.calls_max > 1) {
        // It fails as it did before, as often as the client comes.
        scenario.server.phases[0].sequence.resize(1);
        scenario.server.phases[0].sequence[0].times = 1;
      }
      scenario.expect.attempts = {.min = outage.calls_min, .max = outage.calls_max};
      if (outage.most_calls.elapsed() >= scenario.horizon ||
          outage.fewest_calls.elapsed() >= scenario.horizon) {
        scenario.horizon =
            plus(std::max(outage.fewest_calls.elapsed(), outage.most_calls.elapsed()),
                 std::chrono::hours(24));
      }
      witnesses_.push_back({.figure = "outage", .scenario = std::move(scenario)});
    }
    if (outage.calls_min != outage.calls_max) {
      add("outage-fewest-calls", "An outage with the longest sleeps: as few calls as it can take.",
          outage.fewest_calls);
      add("outage-most-calls", "An outage with the shortest sleeps: as many calls as it can take.",
          outage.most_calls);
    }
  }

  const WorstCase& worst_;
  const core::RetryPolicy& policy_;
  std::string policy_name_;
  std::string_view title_;
  std::vector<Witness> witnesses_;
};

}  // namespace

std::vector<Witness> witnesses(const WorstCase& worst, const core::RetryPolicy& policy,
                               std::string_view policy_name, std::string_view title) {
  return Collector(worst, policy, policy_name, title).collect();
}

}  // namespace squall::analysis
