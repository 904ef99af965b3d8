// SPDX-License-Identifier: MIT
#include "property_tests/work_generators.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/connector/policy.hpp"
#include "property_tests/model_answers.hpp"
#include "property_tests/work_bodies.hpp"
#include "property_tests/works.hpp"

namespace squall::property_tests {
namespace {

using core::Duration;
using scenarios::OperationKind;
using scenarios::OperationWork;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// One answer of a schedule before the work is known.
struct WorkAnswer {
  AnswerSketch wire;
  std::optional<ProposalSketch> proposal;
  ModelAnswer around;  ///< the answer that holds the proposal

  [[nodiscard]] scenarios::Respond resolve(const core::Timeouts& timeouts,
                                           std::vector<bool>& grouped) const {
    AnswerSketch sketch = wire;
    auto* answer = std::get_if<scenarios::HttpAnswer>(&sketch.respond.what);
    if (proposal && answer != nullptr) {
      ModelAnswer held = around;
      held.text = proposal->resolve(grouped);
      answer->body = held.body();
    }
    return sketch.resolve(timeouts);
  }
};

// ---- what comes back -----------------------------------------------------------------------

rc::Gen<std::string> texts_for(OperationKind kind) {
  if (kind == OperationKind::kExtraction || kind == OperationKind::kComment) {
    // Good ones are the minority: most conversations would be over at once.
    return rc::gen::map(index_below(kExtractionTexts.size()), [](std::size_t index) {
      return std::string(kExtractionTexts[index].text);
    });
  }
  if (kind == OperationKind::kContinuation) {
    return weighted<std::string>({{2, "Done."}, {5, ""}, {3, " \n"}});
  }
  return weighted<std::string>(
      {{2, "A text."}, {1, "A text that was to be lon"}, {1, ""}, {1, "  \n"}, {1, "\t"}});
}

What http(int status, std::string body) {
  scenarios::HttpAnswer answer;
  answer.status = status;
  answer.body = std::move(body);
  return answer;
}

/// Answers of this operation, as a whole and soon.
rc::Gen<What> model_whats(OperationKind kind) {
  if (kind == OperationKind::kToolCall) {
    return one_of<What>(
        {rc::gen::map(
             index_below(kToolBodies.size()),
             [](std::size_t index) { return http(200, std::string(kToolBodies[index].bytes)); }),
         rc::gen::map(weighted<int>({{3, 503}, {2, 429}, {1, 401}, {1, 403}, {1, 404}, {1, 500}}),
                      [](int status) {
                        return http(status, "gateway dump of db7.internal: token t0ken expired");
                      })});
  }
  return rc::gen::map(model_answers(texts_for(kind)),
                      [](const ModelAnswer& answer) { return http(200, answer.body()); });
}

rc::Gen<WorkAnswer> work_answers(OperationKind kind) {
  const auto whats = model_whats(kind);
  // Tool calls have two seconds for everything: many answers at once, or they get one attempt.
  const auto soon = weighted<Duration>(
      {{3, Duration(0)}, {3, milliseconds(120)}, {1, seconds(1)}, {1, seconds(31)}});
  const auto calm = rc::gen::apply(
      [](const What& what, Duration latency) {
        AnswerSketch sketch;
        sketch.respond = {.what = what};
        sketch.latency = {.anchor = Moment::Anchor::kStart, .offset = latency};
        return sketch;
      },
      whats, soon);
  const auto sketched = [](AnswerSketch sketch) {
    return WorkAnswer{.wire = std::move(sketch), .proposal = std::nullopt, .around = {}};
  };
  const auto plain = rc::gen::map(calm, sketched);
  const auto rough = rc::gen::map(answers_around(whats), sketched);
  const auto faults = rc::gen::map(answers(), sketched);
  if (kind != OperationKind::kSynthesis) {
    return one_of<WorkAnswer>({plain, plain, plain, plain, rough, faults, faults});
  }
  const auto proposed = rc::gen::build<WorkAnswer>(
      rc::gen::set(&WorkAnswer::wire,
                   one_of<AnswerSketch>({calm, calm, calm, calm, calm, answers_around(whats)})),
      rc::gen::set(&WorkAnswer::proposal, rc::gen::map(proposals(),
                                                       [](ProposalSketch sketch) {
                                                         return std::optional(std::move(sketch));
                                                       })),
      rc::gen::set(&WorkAnswer::around, model_answers(rc::gen::just(std::string()))));
  return one_of<WorkAnswer>({proposed, proposed, proposed, proposed, proposed, proposed, proposed,
                             proposed, plain, faults, faults});
}

/// What an operation meets when nothing is scheduled: the simplest answer that ends it well.
What good_answer(OperationKind kind, std::size_t items) {
  switch (kind) {
    case OperationKind::kToolCall:
      return http(200, std::string(kToolBodies.front().bytes));
    case OperationKind::kExtraction:
    case OperationKind::kComment:
      return http(200, ModelAnswer{.text = std::string(kExtractionTexts.front().text)}.body());
    case OperationKind::kSynthesis: {
      ProposalSketch all{.summary = "A summary.", .groups = {{}}};
      for (std::size_t i = 0; i < items; ++i) {
        all.groups.front().members.push_back(i);
      }
      std::vector<bool> grouped(items, false);
      all.is_careful = false;
      return http(200, ModelAnswer{.text = all.resolve(grouped)}.body());
    }
    case OperationKind::kAgentChat:
    case OperationKind::kResearchSynthesis:
    case OperationKind::kContinuation:
      break;
  }
  return http(200, ModelAnswer{.text = "A text."}.body());
}

rc::Gen<scenarios::Scenario> scenarios_of(OperationKind kind, rc::Gen<core::RetryPolicy> policy) {
  return rc::gen::apply(
      [kind](const core::RetryPolicy& drawn, const OperationWork& work,
             const std::vector<WorkAnswer>& schedule) {
        const std::size_t items = item_count(work);
        std::vector<scenarios::Respond> resolved;
        std::vector<bool> grouped(items, false);
        for (const WorkAnswer& answer : schedule) {
          resolved.push_back(answer.resolve(drawn.timeouts, grouped));
        }
        if (resolved.empty()) {
          resolved.push_back({.what = good_answer(kind, items)});
        }
        scenarios::Scenario scenario = scenario_of(drawn, resolved);
        if (kind == OperationKind::kToolCall) {
          scenario.operation.request = nullptr;
        } else {
          scenario.operation.model = "m";
        }
        scenario.operation.work = work;
        return scenario;
      },
      std::move(policy), works(kind), list_of(work_answers(kind), 16));
}

}  // namespace

core::RetryPolicy shipped_policy(OperationKind kind) {
  switch (kind) {
    case OperationKind::kAgentChat:
    case OperationKind::kExtraction:
      return core::default_policy();
    case OperationKind::kComment:
      return core::comment_policy();
    case OperationKind::kSynthesis:
    case OperationKind::kResearchSynthesis:
      return core::synthesis_policy();
    case OperationKind::kContinuation:
      return core::continuation_policy();
    case OperationKind::kToolCall:
      break;
  }
  return core::connector::connector_policy();
}

rc::Gen<core::RetryPolicy> connector_policies() {
  using Limit = std::optional<Duration>;
  struct Waits {
    std::uint64_t base_ms;
    std::uint64_t cap_ms;
    Duration budget;
  };
  static const rc::Gen<core::RetryPolicy> generator = rc::gen::apply(
      [](core::RetryPolicy policy, const Waits& waits, Limit attempt) {
        policy.backoff = core::ExponentialBackoff{.base_ms = waits.base_ms,
                                                  .cap_ms = waits.cap_ms,
                                                  .multiplier = {.numerator = 2, .denominator = 1},
                                                  .growth_steps_max = 16};
        policy.budgets.time = waits.budget;
        policy.timeouts.attempt = attempt;
        return policy;
      },
      policies(),
      any_of<Waits>({{100, 500, seconds(2)},
                     {0, 0, Duration(0)},
                     {1, 1, milliseconds(3)},
                     {2'000, 2'000, seconds(2)},
                     {1'000, 8'000, seconds(60)}}),
      any_of<Limit>({seconds(30), seconds(10), seconds(60)}));
  return generator;
}

const rc::Gen<Case>& work_cases(OperationKind kind) {
  static std::map<OperationKind, rc::Gen<Case>> generators;
  const auto found = generators.find(kind);
  if (found != generators.end()) {
    return found->second;
  }
  const auto shipped = rc::gen::just(shipped_policy(kind));
  const auto any = kind == OperationKind::kToolCall ? connector_policies() : policies();
  return generators
      .emplace(kind, cases_of(scenarios_of(kind, one_of<core::RetryPolicy>({shipped, any, any}))))
      .first->second;
}

const rc::Gen<Case>& shipped_work_cases(OperationKind kind) {
  static std::map<OperationKind, rc::Gen<Case>> generators;
  const auto found = generators.find(kind);
  if (found != generators.end()) {
    return found->second;
  }
  return generators.emplace(kind, cases_of(scenarios_of(kind, rc::gen::just(shipped_policy(kind)))))
      .first->second;
}

rc::Gen<Case> any_work_cases() {
  static const rc::Gen<Case> generator = [] {
    std::vector<rc::Gen<Case>> all;
    for (const OperationKind kind : kWorkKinds) {
      all.push_back(work_cases(kind));
    }
    return one_of(std::move(all));
  }();
  return generator;
}

}  // namespace squall::property_tests
