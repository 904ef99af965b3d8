// SPDX-License-Identifier: MIT
#include "live/client_scripts.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/check.hpp"
#include "core/event.hpp"
#include "live/request_difference.hpp"
#include "playback/run_draws.hpp"
#include "playback/trace.hpp"

namespace squall::live {
namespace {

constexpr std::array<std::string_view, 3> kCredentials{"authorization", "x-api-key", "api-key"};
/// In the name of a header that can hold a secret.
constexpr std::array<std::string_view, 5> kSecretWords{"auth", "key", "token", "secret", "cookie"};
constexpr std::size_t kNameBytesMax = 64;

bool is_credential(std::string_view name) {
  return std::find(kCredentials.begin(), kCredentials.end(), name) != kCredentials.end();
}

bool can_be_secret(std::string_view name) {
  return !name.ends_with("idempotency-key") &&
         std::any_of(kSecretWords.begin(), kSecretWords.end(), [name](std::string_view word) {
           return name.find(word) != std::string_view::npos;
         });
}

std::string digest_text(std::string_view text) {
  return fmt::format("{:016x}", playback::digest_of(text));
}

/// A name that can stand in a line of a log.
std::string readable(std::string_view text) {
  std::string name(text.substr(0, kNameBytesMax));
  std::replace_if(
      name.begin(), name.end(), [](char character) { return character <= ' ' || character > '~'; },
      '?');
  return name;
}

/// Faults that come before there is a request.
bool precedes_request(const playback::PreparedRespond& prepared) {
  const auto* failure = std::get_if<scenarios::ConnectionFailure>(&prepared.respond.what);
  return failure != nullptr && (failure->fault == core::ConnectionFault::kRefused ||
                                failure->fault == core::ConnectionFault::kDns ||
                                failure->fault == core::ConnectionFault::kTls ||
                                failure->fault == core::ConnectionFault::kConnectTimeout);
}

}  // namespace

ScriptClock::ScriptClock(ClockInstant origin, std::uint64_t scale)
    : origin_(origin), scale_(scale) {
  SQUALL_CHECK(scale >= 1);
}

core::Instant ScriptClock::at(ClockInstant now) const {
  const auto elapsed = std::chrono::duration_cast<core::Duration>(now - origin_).count();
  if (elapsed <= 0) {
    return core::Instant{};
  }
  const auto count = static_cast<std::uint64_t>(elapsed);
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return count > kMax / scale_
             ? core::kEndOfTime
             : core::Instant(core::Duration(static_cast<std::int64_t>(count * scale_)));
}

ClockInstant ScriptClock::when(core::Instant instant, ClockInstant now) const {
  // Early enough for no sum to overflow.
  constexpr core::Duration kFarthest = std::chrono::hours(24 * 365 * 100);
  const auto script = static_cast<std::uint64_t>(instant.time_since_epoch().count());
  const core::Duration real(
      static_cast<std::int64_t>(script / scale_ + (script % scale_ == 0 ? 0 : 1)));
  if (real - (now - origin_) <= kFarthest) {
    return origin_ + real;
  }
  return kFarthest > ClockInstant::max() - now ? ClockInstant::max() : now + kFarthest;
}

ClientScript::ClientScript(const playback::Playbook& playbook, core::RandomStream draws,
                           ScriptClock clock, std::string name)
    : playbook_(playbook), clock_(clock), name_(std::move(name)) {
  playbook_.reset(state_, draws);
}

ScriptedAnswer ClientScript::next(core::Instant now) {
  ++calls_;
  const playback::PreparedRespond& respond = playbook_.answer(state_, now);
  return {.respond = &respond, .latency = respond.latency.sample(state_.draws)};
}

bool ClientScript::refuses(core::Instant now) const {
  playback::ProviderState glance = state_;
  return precedes_request(playbook_.answer(glance, now));
}

core::RandomStream provider_draws(std::uint64_t seed, std::uint64_t run) {
  return playback::run_draws(seed, run).split("provider");
}

std::string client_name(const std::vector<LoggedHeader>& headers) {
  std::string name;
  for (const LoggedHeader& header : headers) {
    const std::string lower = lower_case(header.name);
    if (lower == "x-squall-client" && !header.value.empty()) {
      return readable(header.value);
    }
    if (name.empty() && is_credential(lower)) {
      name = "key-" + digest_text(header.value);
    }
  }
  return name.empty() ? "default" : name;
}

std::vector<LoggedHeader> without_secrets(std::vector<LoggedHeader> headers) {
  for (LoggedHeader& header : headers) {
    if (can_be_secret(lower_case(header.name))) {
      header.value = "digest " + digest_text(header.value);
    }
  }
  return headers;
}

std::string without_query_values(const std::string& target) {
  const std::string_view text(target);
  const std::size_t end = std::min(text.find_first_of("?#"), text.size());
  std::string shown(text.substr(0, end));
  // "http://user:password@host/...", as a proxy is asked.
  const std::size_t authority = shown.find("://");
  const std::size_t path = authority == std::string::npos ? 0 : shown.find('/', authority + 3);
  const std::size_t at = shown.rfind('@', path);
  if (authority != std::string::npos && at != std::string::npos && at > authority) {
    shown.erase(authority + 3, at - authority - 2);
  }
  if (end == text.size() || text[end] == '#') {
    return shown;
  }
  // Of each "name=value" the name; what has no name may itself be the secret.
  std::string_view query = text.substr(end + 1, text.find('#', end) - end - 1);
  char separator = '?';
  while (!query.empty()) {
    const std::string_view item = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(item.size() + 1, query.size()));
    if (const std::size_t equals = item.find('='); equals != std::string_view::npos) {
      shown += separator;
      shown += item.substr(0, equals + 1);
      separator = '&';
    }
  }
  return shown;
}

}  // namespace squall::live
