// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>
#include <vector>

#include "scenarios/document.hpp"
#include "scenarios/names.hpp"
#include "scenarios/quantities.hpp"
#include "scenarios/writer_parts.hpp"

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

}  // namespace

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

}  // namespace squall::scenarios
