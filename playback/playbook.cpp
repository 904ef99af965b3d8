// SPDX-License-Identifier: MIT
#include "playback/playbook.hpp"

#include <algorithm>
#include <limits>

#include "core/check.hpp"

namespace squall::playback {
namespace {

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

/// A field that occurs more than once counts by its first occurrence.
const scenarios::Header* find_header(const scenarios::HttpAnswer& answer, std::string_view lower) {
  const auto found = std::find_if(
      answer.headers.begin(), answer.headers.end(),
      [&](const scenarios::Header& header) { return equals_ignoring_case(header.name, lower); });
  return found == answer.headers.end() ? nullptr : &*found;
}

std::uint64_t resolve(scenarios::BodyOffset offset, std::uint64_t size) {
  const auto signed_size = static_cast<std::int64_t>(size);
  const std::int64_t position = offset.bytes < 0 ? signed_size + offset.bytes : offset.bytes;
  SQUALL_CHECK(position >= 0 && position <= signed_size, offset.bytes, size);
  return static_cast<std::uint64_t>(position);
}

/// What HTTP makes of a body of which `sent` bytes are sent before `ending`.
void prepare_body(const scenarios::HttpAnswer& answer, PreparedRespond& prepared) {
  const std::uint64_t size = answer.body.size();
  std::uint64_t sent = size;
  BodyEnd end = BodyEnd::kComplete;
  if (const auto* stalls = std::get_if<scenarios::Stalls>(&answer.ending)) {
    sent = resolve(stalls->after, size);
    end = BodyEnd::kNever;
  } else if (const auto* breaks = std::get_if<scenarios::Breaks>(&answer.ending)) {
    sent = resolve(breaks->after, size);
    end = breaks->by_reset ? BodyEnd::kReset : BodyEnd::kClosed;
  }

  switch (answer.framing) {
    case scenarios::Framing::kContentLength: {
      const auto announced =
          static_cast<std::uint64_t>(static_cast<std::int64_t>(size) + answer.content_length_error);
      prepared.announced_length = announced;
      if (sent >= announced) {
        // The announced bytes are all there: the client stops reading, whatever comes after.
        sent = announced;
        end = BodyEnd::kComplete;
      } else if (end == BodyEnd::kComplete) {
        end = BodyEnd::kClosed;  // The server has no more to send and closes.
      }
      break;
    }
    case scenarios::Framing::kChunked:
      break;
    case scenarios::Framing::kUntilClose:
      if (end == BodyEnd::kClosed) {
        end = BodyEnd::kComplete;  // An orderly close is the end of the body: nobody can tell.
      }
      break;
  }
  prepared.visible_bytes = sent;
  prepared.body_end = end;
}

}  // namespace

PreparedRespond::PreparedRespond(const scenarios::Respond& source)
    : respond(source), latency(source.latency) {
  if (const auto* answer = std::get_if<scenarios::HttpAnswer>(&respond.what)) {
    prepare_body(*answer, *this);
    retry_after = find_header(*answer, "retry-after");
    retry_after_ms = find_header(*answer, "retry-after-ms");
  }
}

Playbook::Playbook(const scenarios::Server& server) {
  for (const scenarios::Phase& source : server.phases) {
    Phase phase;
    if (source.until) {
      phase.until = core::Instant(*source.until);
    }
    std::uint64_t calls = 0;
    for (const scenarios::Step& step : source.sequence) {
      calls += step.times;
      Step prepared{.calls_until = calls, .choices = {}};
      std::uint64_t weights = 0;
      for (const scenarios::WeightedRespond& entry : step.mix) {
        weights += entry.weight;
        responds_.push_back(std::make_unique<const PreparedRespond>(entry.respond));
        prepared.choices.push_back({.weight_until = weights, .respond = responds_.back().get()});
      }
      phase.steps.push_back(std::move(prepared));
    }
    SQUALL_CHECK(!phase.steps.empty());
    phase.steps.back().calls_until = std::numeric_limits<std::uint64_t>::max();  // It stays.
    phases_.push_back(std::move(phase));
  }
  SQUALL_CHECK(!phases_.empty());
}

void Playbook::reset(ProviderState& state, core::RandomStream draws) const {
  state.draws = draws;
  state.calls_in_phase.assign(phases_.size(), 0);
}

const PreparedRespond& Playbook::answer(ProviderState& state, core::Instant now) const {
  // All three lists are sorted by where their entries end, and the last entry has no end.
  const auto phase = std::upper_bound(
      phases_.begin(), phases_.end() - 1, now,
      [](core::Instant instant, const Phase& window) { return instant < window.until; });
  const std::uint64_t call =
      state.calls_in_phase[static_cast<std::size_t>(phase - phases_.begin())]++;
  const auto step = std::upper_bound(
      phase->steps.begin(), phase->steps.end() - 1, call,
      [](std::uint64_t number, const Step& entry) { return number < entry.calls_until; });
  if (step->choices.size() == 1) {
    return *step->choices.front().respond;
  }
  const std::uint64_t drawn = state.draws.next_below(step->choices.back().weight_until);
  const auto choice = std::upper_bound(
      step->choices.begin(), step->choices.end() - 1, drawn,
      [](std::uint64_t word, const Choice& entry) { return word < entry.weight_until; });
  return *choice->respond;
}

}  // namespace squall::playback
