// SPDX-License-Identifier: MIT
#include "playback/operation.hpp"

#include <utility>

#include "core/check.hpp"
#include "core/tool/failure_mapping.hpp"

namespace squall::playback {

using core::llm::ChatAnswer;
using core::llm::LlmExhausted;
using scenarios::Outcome;

namespace {

// ---- what each operation's result says: one overload an operation ----------------------------

const LlmExhausted* exhausted_of(const core::llm::AgentChatResult& result) {
  return std::get_if<LlmExhausted>(&result);
}
const LlmExhausted* exhausted_of(const core::llm::ExtractionResult& result) {
  const auto* degraded = std::get_if<core::llm::Degraded>(&result);
  return degraded != nullptr ? &degraded->exhausted : std::get_if<LlmExhausted>(&result);
}
const LlmExhausted* exhausted_of(const core::llm::SynthesisResult& result) {
  const auto* fallback = std::get_if<core::llm::SynthesisFallback>(&result);
  return fallback != nullptr ? &fallback->exhausted : nullptr;
}
const LlmExhausted* exhausted_of(const core::llm::ResearchSynthesisResult& result) {
  const auto* truncated = std::get_if<core::llm::TruncatedText>(&result);
  return truncated != nullptr ? &truncated->exhausted : std::get_if<LlmExhausted>(&result);
}

/// Whether the caller can go on with something, though it is not the full result.
bool is_degraded(const core::llm::AgentChatResult&) {
  return false;  // Continuations have the same type.
}
bool is_degraded(const core::llm::ExtractionResult& result) {
  return std::holds_alternative<core::llm::Degraded>(result);
}
bool is_degraded(const core::llm::SynthesisResult& result) {
  return std::holds_alternative<core::llm::SynthesisFallback>(result);
}
bool is_degraded(const core::llm::ResearchSynthesisResult& result) {
  return std::holds_alternative<core::llm::TruncatedText>(result);
}

const ChatAnswer* chat_answer_of(const core::llm::AgentChatResult& result) {
  return std::get_if<ChatAnswer>(&result);
}
const ChatAnswer* chat_answer_of(const core::llm::ExtractionResult& result) {
  const auto* extracted = std::get_if<core::llm::Extracted>(&result);
  return extracted != nullptr ? &extracted->answer : nullptr;
}
const ChatAnswer* chat_answer_of(const core::llm::SynthesisResult&) {
  return nullptr;  // Its result is made of several.
}
const ChatAnswer* chat_answer_of(const core::llm::ResearchSynthesisResult& result) {
  return std::get_if<ChatAnswer>(&result);
}

using Text = std::optional<std::string>;

Text text_of(const core::llm::AgentChatResult& result) {
  const auto* answer = std::get_if<ChatAnswer>(&result);
  return answer != nullptr ? Text(answer->text) : std::nullopt;
}
Text text_of(const core::llm::ExtractionResult& result) {
  if (const auto* extracted = std::get_if<core::llm::Extracted>(&result)) {
    return extracted->json;
  }
  const auto* degraded = std::get_if<core::llm::Degraded>(&result);
  return degraded != nullptr ? degraded->exhausted.last_raw : std::nullopt;
}
Text text_of(const core::llm::SynthesisResult& result) {
  if (const auto* repaired = std::get_if<core::llm::SynthesisRepaired>(&result)) {
    return repaired->summary;
  }
  const auto* fallback = std::get_if<core::llm::SynthesisFallback>(&result);
  return fallback != nullptr ? Text(fallback->text) : std::nullopt;
}
Text text_of(const core::llm::ResearchSynthesisResult& result) {
  if (const auto* answer = std::get_if<ChatAnswer>(&result)) {
    return answer->text;
  }
  const auto* truncated = std::get_if<core::llm::TruncatedText>(&result);
  return truncated != nullptr ? Text(truncated->text) : std::nullopt;
}

template <class Result>
Outcome outcome_of(const Result& result) {
  const LlmExhausted* exhausted = exhausted_of(result);
  if (exhausted == nullptr) {
    return Outcome::kSuccess;
  }
  // A shutdown ends the caller too: nobody goes on with what there is.
  if (exhausted->final_class == core::llm::FailureClass::kShutdown) {
    return Outcome::kShutdown;
  }
  if (is_degraded(result)) {
    return Outcome::kDegraded;
  }
  return exhausted->final_class == core::llm::FailureClass::kNonRetryable ? Outcome::kNonRetryable
                                                                          : Outcome::kExhausted;
}

Outcome outcome_of(const core::connector::ToolCallResult& result) {
  const auto* failure = std::get_if<core::connector::ToolCallFailure>(&result);
  if (failure == nullptr) {
    return Outcome::kSuccess;
  }
  switch (failure->ending) {
    case core::connector::CallEnding::kStopped:
      return Outcome::kShutdown;
    case core::connector::CallEnding::kFinal:
      return Outcome::kNonRetryable;
    case core::connector::CallEnding::kBudgetSpent:
      break;
  }
  return Outcome::kExhausted;
}

template <class Class>
FailureView view_of_failure(const core::FailureRecord<Class>& failure) {
  FailureView view{.failure_class = failure.failure_class,
                   .error_chain = failure.error_chain,
                   .finish_reason = std::nullopt,
                   .retry_after_ms = failure.retry_after_ms};
  if (failure.finish_reason) {
    view.finish_reason = *failure.finish_reason;
  }
  return view;
}

template <class Machine>
bool has_finished(const Machine& machine) {
  return machine.state() == Machine::State::kFinished;
}

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace

RequestView view_of(const core::ChatRequest& request) {
  const std::size_t begin = request.parameters().size();
  return {.body = request.body(),
          .messages_begin = begin,
          .messages_end = begin + request.messages().size()};
}

RequestView view_of(const core::connector::ToolRequest& request) {
  const std::size_t end = request.body().size();
  return {.body = request.body(), .messages_begin = end, .messages_end = end};
}

FailureView TrailView::operator[](std::size_t index) const {
  SQUALL_CHECK(index < size(), index, size());
  return llm_ != nullptr ? view_of_failure((*llm_)[index]) : view_of_failure((*connector_)[index]);
}

Operation::Operation(const scenarios::Scenario& scenario, core::RandomStream jitter)
    : machine_(make(scenario, jitter)) {
  if (const auto* work = std::get_if<scenarios::ToolCallWork>(&scenario.operation.work)) {
    idempotency_ = work->idempotency;
  }
}

Operation::Machine Operation::make(const scenarios::Scenario& scenario, core::RandomStream jitter) {
  const core::RetryPolicy& policy = scenario.policy;
  const auto& request = scenario.operation.request;
  const bool metadata = scenario.operation.telemetry;
  return std::visit(
      Overloaded{
          [&](const scenarios::AgentChatWork&) {
            return Machine(std::in_place_type<core::llm::AgentChat>, policy, request, jitter,
                           metadata);
          },
          [&](const scenarios::ExtractionWork& work) {
            return Machine(std::in_place_type<core::llm::Extraction>, policy,
                           core::llm::ExtractionInput{.request = request,
                                                      .target = work.target,
                                                      .validator = work.validator,
                                                      .falls_back = work.falls_back},
                           jitter, metadata);
          },
          [&](const scenarios::SynthesisWork& work) {
            return Machine(std::in_place_type<core::llm::Synthesis>, policy, request, work.items,
                           jitter, metadata);
          },
          [&](const scenarios::ResearchSynthesisWork&) {
            return Machine(std::in_place_type<core::llm::ResearchSynthesis>, policy, request,
                           jitter, metadata);
          },
          [&](const scenarios::ContinuationWork& work) {
            return Machine(
                std::in_place_type<core::llm::Continuation>, policy,
                core::llm::ContinuationInput{.request = request, .reasoning = work.reasoning},
                jitter, metadata);
          },
          [&](const scenarios::ToolCallWork& work) {
            return Machine(std::in_place_type<core::connector::ToolCall>, policy,
                           core::connector::ToolCallInput{
                               .request = work.request,
                               .settings = core::connector::ConnectorSettings{work.connector_label,
                                                                              work.resource_uri}},
                           jitter, metadata);
          },
      },
      scenario.operation.work);
}

namespace {

/// The most usual machine is reached without a call through a table.
template <class Function, class Machines>
decltype(auto) dispatch(const Function& function, Machines& machines) {
  if (auto* chat = std::get_if<core::llm::AgentChat>(&machines)) {
    return function(*chat);
  }
  return std::visit(function, machines);
}

}  // namespace

core::Actions Operation::handle(const core::Event& event, core::Instant now) {
  return dispatch([&](auto& machine) { return machine.handle(event, now); }, machine_);
}

std::optional<core::Instant> Operation::next_wakeup() const {
  return dispatch([](const auto& machine) { return machine.next_wakeup(); }, machine_);
}

bool Operation::is_finished() const {
  return dispatch([](const auto& machine) { return has_finished(machine); }, machine_);
}

core::AttemptId Operation::attempt() const {
  return dispatch([](const auto& machine) { return machine.attempt(); }, machine_);
}

RequestView Operation::request() const {
  return dispatch([](const auto& machine) { return view_of(machine.request()); }, machine_);
}

TrailView Operation::trail() const {
  return dispatch([](const auto& machine) { return TrailView(machine.trail()); }, machine_);
}

const std::optional<core::OrderedSleep>& Operation::ordered_sleep() const {
  return dispatch(
      [](const auto& machine) -> const std::optional<core::OrderedSleep>& {
        return machine.ordered_sleep();
      },
      machine_);
}

Outcome Operation::outcome() const {
  if (!is_finished()) {
    return Outcome::kUnfinished;
  }
  return std::visit([](const auto& machine) { return outcome_of(machine.result()); }, machine_);
}

const ChatAnswer* Operation::chat_answer() const {
  return std::visit(
      Overloaded{[](const core::connector::ToolCall&) -> const ChatAnswer* { return nullptr; },
                 [](const auto& machine) { return chat_answer_of(machine.result()); }},
      machine_);
}

std::optional<std::string> Operation::answer() const {
  return std::visit(Overloaded{[](const core::connector::ToolCall& call) {
                                 return has_finished(call)
                                            ? Text(core::connector::model_json(call.result()))
                                            : std::nullopt;
                               },
                               [](const auto& machine) { return text_of(machine.result()); }},
                    machine_);
}

std::optional<ShortfallView> Operation::shortfall() const {
  if (const core::connector::ToolCallFailure* failure = tool_failure()) {
    return ShortfallView{
        .final_class = failure->kind, .detail = failure->message, .last_raw = std::nullopt};
  }
  const LlmExhausted* exhausted = std::visit(
      Overloaded{[](const core::connector::ToolCall&) -> const LlmExhausted* { return nullptr; },
                 [](const auto& machine) { return exhausted_of(machine.result()); }},
      machine_);
  if (exhausted == nullptr) {
    return std::nullopt;
  }
  ShortfallView view{
      .final_class = exhausted->final_class, .detail = exhausted->detail, .last_raw = std::nullopt};
  if (exhausted->last_raw) {
    view.last_raw = *exhausted->last_raw;
  }
  return view;
}

const core::llm::AcceptedRound* Operation::accepted_round() const {
  const auto* synthesis = std::get_if<core::llm::Synthesis>(&machine_);
  return synthesis != nullptr ? &synthesis->accepted_round() : nullptr;
}

const core::llm::SynthesisRepaired* Operation::synthesis() const {
  const auto* synthesis = std::get_if<core::llm::Synthesis>(&machine_);
  return synthesis != nullptr ? std::get_if<core::llm::SynthesisRepaired>(&synthesis->result())
                              : nullptr;
}

std::optional<core::tool::Failure> Operation::as_tool_failure() const {
  const core::connector::ToolCallFailure* failure = tool_failure();
  return failure != nullptr ? std::optional(core::tool::failure_of(*failure, idempotency_))
                            : std::nullopt;
}

const core::connector::ToolCallFailure* Operation::tool_failure() const {
  const auto* call = std::get_if<core::connector::ToolCall>(&machine_);
  return call != nullptr ? std::get_if<core::connector::ToolCallFailure>(&call->result()) : nullptr;
}

}  // namespace squall::playback
