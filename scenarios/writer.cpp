// SPDX-License-Identifier: MIT
#include "scenarios/writer.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "scenarios/document.hpp"
#include "scenarios/names.hpp"
#include "scenarios/pretty.hpp"
#include "scenarios/quantities.hpp"
#include "scenarios/writer_policy.hpp"

namespace squall::scenarios {
namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

Json time_json(const Time& time) {
  return std::visit(
      Overloaded{
          [](core::Duration fixed) { return Json(format_duration(fixed)); },
          [](const UniformTime& uniform) {
            return Json{{"uniform", Json::array({format_duration(uniform.min),
                                                 format_duration(uniform.max)})}};
          },
          [](const ExponentialTime& exponential) {
            return Json{{"exponential", {{"mean", format_duration(exponential.mean)}}}};
          },
          [](const LognormalTime& lognormal) {
            return Json{{"lognormal",
                         {{"median", format_duration(lognormal.median)},
                          {"p99", format_duration(lognormal.p99)}}}};
          },
          [](const EmpiricalTime& empirical) {
            Json values = Json::array();
            for (const core::Duration value : empirical.values) {
              values.push_back(format_duration(value));
            }
            return Json{{"empirical", std::move(values)}};
          },
      },
      time);
}

std::size_t nesting(const Json& value) {
  std::size_t deepest = 0;
  if (value.is_structured()) {
    for (const Json& inner : value) {
      deepest = std::max(deepest, nesting(inner));
    }
    ++deepest;
  }
  return deepest;
}

/// A body as JSON when that reads back to the same bytes, else as text.
Json body_json(const std::string& body) {
  if (body.starts_with('{') || body.starts_with('[')) {
    const auto document = parse_document(body, "body");
    // The answer itself stands up to ten levels deep.
    if (document && nesting(*document) <= kNestingMax / 2 && document->dump() == body) {
      return *document;
    }
  }
  return body;
}

Json headers_json(const std::vector<Header>& headers) {
  Json object = Json::object();
  for (const Header& header : headers) {
    if (const auto* text = std::get_if<std::string>(&header.value)) {
      object[header.name] = *text;
    } else {
      const auto& date = std::get<RelativeDate>(header.value);
      object[header.name] = {{"date", format_signed_duration(date.offset)},
                             {"form", kDateForms.name_of(date.form)}};
    }
  }
  return object;
}

void add_delivery(const Delivery& delivery, Json& object) {
  if (const auto* trickle = std::get_if<Trickle>(&delivery)) {
    object["trickle"] = {{"bytes", format_bytes(trickle->bytes)},
                         {"every", format_duration(trickle->every)}};
  } else if (const auto* chunks = std::get_if<Chunks>(&delivery)) {
    object["chunks"] = Json::array();
    for (const Chunk& piece : chunks->pieces) {
      object["chunks"].push_back(
          {{"bytes", format_bytes(piece.bytes)}, {"after", format_duration(piece.after)}});
    }
  }
}

void add_ending(const Ending& ending, Json& object) {
  if (const auto* stalls = std::get_if<Stalls>(&ending)) {
    object["stall"] = {{"after", format_signed_bytes(stalls->after.bytes)}};
  } else if (const auto* breaks = std::get_if<Breaks>(&ending)) {
    object["truncate"] = {{"after", format_signed_bytes(breaks->after.bytes)},
                          {"by", breaks->by_reset ? "reset" : "close"}};
  }
}

void add_answer(const HttpAnswer& answer, Json& object) {
  object["status"] = answer.status;
  if (!answer.headers.empty()) {
    object["headers"] = headers_json(answer.headers);
  }
  if (!answer.body.empty()) {
    object["body"] = body_json(answer.body);
  }
  if (answer.framing != Framing::kContentLength) {
    object["framing"] = kFramings.name_of(answer.framing);
  }
  if (answer.content_length_error != 0) {
    object["content_length"] = format_signed_bytes(answer.content_length_error, true);
  }
  add_delivery(answer.delivery, object);
  add_ending(answer.ending, object);
}

Json respond_json(const Respond& respond) {
  Json object = Json::object();
  if (std::holds_alternative<SilentHeaders>(respond.what)) {
    object["stall"] = "headers";
    return object;
  }
  if (const auto* failure = std::get_if<ConnectionFailure>(&respond.what)) {
    object["connection"] = kConnectionFaults.name_of(failure->fault);
  } else {
    add_answer(std::get<HttpAnswer>(respond.what), object);
  }
  if (respond.latency != Time(core::Duration{0})) {
    object["latency"] = time_json(respond.latency);
  }
  return object;
}

/// Adds `mix`, or `respond` for a mix of one.
void add_mix(const Mix& mix, Json& object) {
  if (mix.size() == 1 && mix[0].weight == 1) {
    object["respond"] = respond_json(mix[0].respond);
    return;
  }
  object["mix"] = Json::array();
  for (const WeightedRespond& entry : mix) {
    object["mix"].push_back({{"weight", entry.weight}, {"respond", respond_json(entry.respond)}});
  }
}

/// Adds `sequence`, or what its only step holds.
void add_sequence(const std::vector<Step>& steps, Json& object) {
  if (steps.size() == 1 && steps[0].times == 1) {
    add_mix(steps[0].mix, object);
    return;
  }
  object["sequence"] = Json::array();
  for (const Step& step : steps) {
    Json entry = Json::object();
    if (step.times != 1) {
      entry["times"] = step.times;
    }
    add_mix(step.mix, entry);
    object["sequence"].push_back(std::move(entry));
  }
}

Json server_json(const Server& server) {
  Json object = Json::object();
  if (server.phases.size() == 1) {
    add_sequence(server.phases[0].sequence, object);
    return object;
  }
  object["phases"] = Json::array();
  for (const Phase& phase : server.phases) {
    Json entry = Json::object();
    if (phase.until) {
      entry["until"] = format_duration(*phase.until);
    }
    add_sequence(phase.sequence, entry);
    object["phases"].push_back(std::move(entry));
  }
  return object;
}

Json operation_json(const OperationSpec& operation) {
  Json object = {{"kind", "agent_chat"}, {"request", Json::parse(operation.request->body())}};
  if (!operation.telemetry) {
    object["telemetry"] = false;
  }
  return object;
}

Json client_json(const ClientSpec& client) {
  Json object = Json::object();
  if (client.shutdown_at) {
    object["shutdown_at"] = format_duration(*client.shutdown_at);
  }
  if (client.wall_clock != ClientSpec{}.wall_clock) {
    object["wall_clock"] = format_instant(client.wall_clock);
  }
  return object;
}

/// Adds nothing when no bound binds, one value for "exactly", else an object of the bounds.
template <class T, class Format>
void add_bounds(const Bounds<T>& bounds, bool exactly, const char* key, Format format,
                Json& object) {
  if (!bounds.min && !bounds.max) {
    return;
  }
  if (exactly && bounds.min && bounds.min == bounds.max) {
    object[key] = format(*bounds.min);
    return;
  }
  if (bounds.min) {
    object[key]["min"] = format(*bounds.min);
  }
  if (bounds.max) {
    object[key]["max"] = format(*bounds.max);
  }
}

Json trail_json(const std::vector<core::llm::FailureClass>& trail) {
  Json list = Json::array();
  for (std::size_t begin = 0; begin < trail.size();) {
    std::size_t end = begin + 1;
    while (end < trail.size() && trail[end] == trail[begin]) {
      ++end;
    }
    std::string entry(core::llm::label(trail[begin]));
    if (end - begin > 1) {
      entry += " x" + std::to_string(end - begin);
    }
    list.push_back(std::move(entry));
    begin = end;
  }
  return list;
}

Json expect_json(const Expectations& expect) {
  const auto as_number = [](std::uint64_t value) { return Json(value); };
  const auto as_duration = [](core::Duration value) { return Json(format_duration(value)); };
  const auto as_share = [](std::uint32_t ppm) { return Json(format_share(ppm)); };
  Json object = Json::object();
  if (expect.outcome) {
    object["outcome"] = label(*expect.outcome);
  }
  add_bounds(expect.attempts, true, "attempts", as_number, object);
  add_bounds(expect.elapsed, true, "elapsed", as_duration, object);
  add_bounds(expect.sleep_total, true, "sleep_total", as_duration, object);
  if (expect.final_class) {
    object["final_class"] = core::llm::label(*expect.final_class);
  }
  if (expect.trail) {
    object["trail"] = trail_json(*expect.trail);
  }
  if (expect.retry_after_ms) {
    object["retry_after"] = Json::array();
    for (const std::optional<std::uint64_t>& value : *expect.retry_after_ms) {
      object["retry_after"].push_back(value ? Json(format_milliseconds(*value)) : Json(nullptr));
    }
  }
  if (expect.answer) {
    object["answer"] = *expect.answer;
  }
  add_bounds(expect.success_rate_ppm, false, "success_rate", as_share, object);
  if (expect.breaks) {
    object["breaks"] = *expect.breaks;
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
