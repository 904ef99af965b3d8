// SPDX-License-Identifier: MIT
#include "property_tests/watched.hpp"

#include <memory>
#include <utility>

#include "playback/saboteur.hpp"

namespace squall::property_tests {
namespace {

using playback::TraceKind;
using playback::TraceRecord;

/// Where the witness writes. A saboteur is made by a plain function, which knows nothing of who
/// wants it.
thread_local std::vector<Call>* witnessed = nullptr;

class Witness final : public playback::Saboteur {
 public:
  bool lets_through(const core::Event& event) override {
    if (calls_.empty()) {
      return true;
    }
    Call& call = calls_.back();
    if (const auto* headers = std::get_if<core::HeadersReceived>(&event)) {
      call.status = headers->head.status;
    } else if (const auto* bytes = std::get_if<core::BytesReceived>(&event)) {
      call.body += bytes->bytes;
    } else if (std::holds_alternative<core::BodyEnded>(event)) {
      call.complete = true;
    } else if (const auto* failed = std::get_if<core::AttemptFailed>(&event)) {
      call.fault = failed->fault;
    }
    return true;
  }

  playback::RequestView request(core::AttemptId, const playback::RequestView& request) override {
    Call call;
    call.head = request.head();
    call.messages = request.messages();
    call.tail = request.tail();
    calls_.push_back(std::move(call));
    return request;
  }

 private:
  std::vector<Call>& calls_ = *witnessed;
};

std::unique_ptr<playback::Saboteur> make_witness(std::string_view) {
  return std::make_unique<Witness>();
}

scenarios::Scenario with_witness(scenarios::Scenario scenario) {
  scenario.defect = "witness";
  return scenario;
}

std::optional<Reply> read_reply(const Call& call) {
  if (!call.complete || !call.is_success_status()) {
    return std::nullopt;
  }
  const nlohmann::json envelope = nlohmann::json::parse(call.body, nullptr, false);
  if (!envelope.is_object() || !envelope.contains("choices") || !envelope["choices"].is_array() ||
      envelope["choices"].empty()) {
    return std::nullopt;
  }
  const nlohmann::json& choice = envelope["choices"][0];
  if (!choice.is_object() || !choice.contains("message") || !choice["message"].is_object()) {
    return std::nullopt;
  }
  const nlohmann::json& message = choice["message"];
  Reply reply;
  if (message.contains("content") && !message["content"].is_null()) {
    if (!message["content"].is_string()) {
      return std::nullopt;
    }
    reply.text = message["content"];
  }
  reply.reasoning = message.value("reasoning", "");
  reply.calls_tool = message.contains("tool_calls") && !message["tool_calls"].empty();
  if (choice.contains("finish_reason") && choice["finish_reason"].is_string()) {
    reply.finish_reason = choice["finish_reason"];
  }
  return reply;
}

}  // namespace

bool Reply::is_blank() const {
  return text.find_first_not_of(" \t\n\r\v\f") == std::string::npos;
}

Watched::Watched(const Case& drawn)
    : prepared_(with_witness(drawn.scenario), make_witness),
      simulation_(prepared_),
      result_((witnessed = &calls_, simulation_.run(drawn.seed, 0))) {
  witnessed = nullptr;
  for (const TraceRecord& record : result_.trace->records()) {
    const core::Duration at(record.at_ns);
    if (record.kind() == TraceKind::kAttemptSent) {
      calls_.at(record.detail - 1).sent = at;
    } else if (record.kind() == TraceKind::kBodyEnded ||
               record.kind() == TraceKind::kConnectionBroke ||
               record.kind() == TraceKind::kAttemptAbandoned) {
      calls_.at(record.detail - 1).ended = at;
    }
  }
  for (Call& call : calls_) {
    call.reply = read_reply(call);
  }
}

}  // namespace squall::property_tests
