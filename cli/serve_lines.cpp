// SPDX-License-Identifier: MIT
#include "cli/serve_lines.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/event.hpp"
#include "core/json_text.hpp"
#include "live/request_routing.hpp"
#include "reports/figures.hpp"

namespace squall::cli {
namespace {

using core::Json;
using live::ExchangeEnd;
using reports::Tone;

struct EndWords {
  ExchangeEnd end;
  std::string_view counted;  ///< in the summary
};
constexpr std::array<EndWords, 6> kEnds{{
    {ExchangeEnd::kAnswered, "answered"},
    {ExchangeEnd::kCut, "cut"},
    {ExchangeEnd::kRefused, "refused"},
    {ExchangeEnd::kClientLeft, "left by the client"},
    {ExchangeEnd::kServerGaveUp, "given up"},
    {ExchangeEnd::kServerStopped, "stopped under way"},
}};

std::string line(const Json& event) {
  return core::to_text(event) + "\n";
}

/// What is safe on a line of text.
std::string shown(std::string_view text, std::size_t columns_max) {
  return reports::excerpt(text, columns_max);
}

std::string result_of(const live::LoggedExchange& exchange) {
  const std::string sent = exchange.status
                               ? fmt::format("{}, {} B", *exchange.status, exchange.answer_bytes)
                               : "nothing";
  const std::string after =
      " after " + reports::seconds_text(exchange.ended_at - exchange.arrived_at);
  switch (exchange.end) {
    case ExchangeEnd::kAnswered:
      return sent + after;
    case ExchangeEnd::kCut:
    case ExchangeEnd::kRefused:
      return (exchange.status ? sent + ", then " : std::string()) +
             std::string(exchange.fault ? core::describe(*exchange.fault) : "cut") + after;
    case ExchangeEnd::kClientLeft:
      return sent + ", then the client left" + after;
    case ExchangeEnd::kServerGaveUp:
      return sent + ", then given up: the client took nothing more or sent too much" + after;
    case ExchangeEnd::kServerStopped:
      return sent + ", then stopped" + after;
  }
  return {};
}

Tone tone_of(const live::LoggedExchange& exchange) {
  if (exchange.end == ExchangeEnd::kAnswered && exchange.status && *exchange.status < 400) {
    return Tone::kGood;
  }
  return exchange.end == ExchangeEnd::kServerStopped ? Tone::kFaint : Tone::kBad;
}

}  // namespace

std::string greeting_text(const scenarios::Scenario& scenario, const std::string& url,
                          std::uint64_t time_scale) {
  const std::string pace =
      time_scale == 1 ? "" : " (times " + reports::count_text(time_scale) + "x faster)";
  std::string text = "serving " + scenario.name + " on " + url + pace + "; Ctrl-C ends\n";
  const auto* call = std::get_if<scenarios::ToolCallWork>(&scenario.operation.work);
  const std::string path = call != nullptr ? live::RequestRouter(scenario.operation).tool_path()
                                           : std::string("/v1/chat/completions");
  const std::string body = call != nullptr
                               ? call->request->body()
                               : R"({"model":"m","messages":[{"role":"user","content":"hello"}]})";
  text += "  curl -sS -i " + reports::shell_word(url + path) +
          " -H 'content-type: application/json' -d " + reports::shell_word(body) + "\n";
  if (call != nullptr) {
    text += "  MCP over streamable HTTP: " + url + path + "\n";
  } else {
    text += "  export OPENAI_BASE_URL=" + url + "/v1 OPENAI_API_KEY=any\n";
    text += "  export ANTHROPIC_BASE_URL=" + url + " ANTHROPIC_API_KEY=any\n";
  }
  return text;
}

std::string greeting_json(const scenarios::Scenario& scenario, const std::string& url,
                          std::uint64_t time_scale, std::uint64_t seed) {
  return line({{"event", "listening"},
               {"scenario", scenario.name},
               {"url", url},
               {"time_scale", time_scale},
               {"seed", seed}});
}

std::string exchange_text(const live::LoggedExchange& exchange, const reports::Style& style) {
  const std::string request = exchange.method.empty() ? std::string("(connection)")
                                                      : exchange.method + " " + exchange.target;
  return fmt::format(
      "{}  {}  call {:<3} {}  {}\n", reports::clock_text(exchange.arrived_at.time_since_epoch()),
      reports::pad_right(shown(exchange.client, 24), 12), exchange.call, shown(request, 60),
      reports::paint(style, tone_of(exchange), result_of(exchange)));
}

std::string exchange_json(const live::LoggedExchange& exchange) {
  const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(nullptr); };
  return line({{"event", "exchange"},
               {"client", exchange.client},
               {"call", exchange.call},
               {"arrived_at_ns", exchange.arrived_at.time_since_epoch().count()},
               {"ended_at_ns", exchange.ended_at.time_since_epoch().count()},
               {"method", exchange.method},
               {"target", exchange.target},
               {"body_bytes", exchange.body_bytes},
               {"body_digest", reports::digest_text(exchange.body_digest)},
               {"status", or_null(exchange.status)},
               {"retry_after", or_null(exchange.retry_after)},
               {"retry_after_ms", or_null(exchange.retry_after_ms)},
               {"answer_bytes", exchange.answer_bytes},
               {"fault", exchange.fault ? Json(core::describe(*exchange.fault)) : Json(nullptr)},
               {"end", live::label(exchange.end)}});
}

std::string outside_text(const live::OutsideExchange& exchange, const reports::Style& style) {
  const std::string request = exchange.method.empty() ? std::string("(no request)")
                                                      : exchange.method + " " + exchange.target;
  std::string text = fmt::format("outside the script: {}  {}", shown(request, 60), exchange.status);
  if (!exchange.complaint.empty()) {
    text += ": " + shown(exchange.complaint, 200);
  }
  return reports::paint(style, exchange.complaint.empty() ? Tone::kFaint : Tone::kNotice, text) +
         "\n";
}

std::string outside_json(const live::OutsideExchange& exchange) {
  return line({{"event", "outside"},
               {"method", exchange.method},
               {"target", exchange.target},
               {"status", exchange.status},
               {"complaint", exchange.complaint}});
}

void ServeSummary::count(const live::LoggedExchange& exchange) {
  ++exchanges_;
  ++by_end_[exchange.end];
  // Each client has one first call.
  clients_ += exchange.call == 1 ? 1U : 0U;
}

std::string ServeSummary::text() const {
  std::string text = "served " + reports::count_of(exchanges_, "call");
  if (exchanges_ > 0) {
    text += " of " + reports::count_of(clients_, "client");
    std::string_view separator = ": ";
    for (const EndWords& words : kEnds) {
      if (const auto found = by_end_.find(words.end); found != by_end_.end()) {
        text += std::string(std::exchange(separator, ", ")) + reports::count_text(found->second) +
                " " + std::string(words.counted);
      }
    }
  }
  if (outside_ > 0) {
    text += "; " + reports::count_of(outside_, "request") + " outside the script";
  }
  return text + "\n";
}

std::string ServeSummary::json() const {
  Json event = {
      {"event", "ended"}, {"exchanges", exchanges_}, {"clients", clients_}, {"outside", outside_}};
  for (const EndWords& words : kEnds) {
    const auto found = by_end_.find(words.end);
    event[std::string(live::label(words.end))] = found == by_end_.end() ? 0 : found->second;
  }
  return line(event);
}

}  // namespace squall::cli
