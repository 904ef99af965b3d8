// SPDX-License-Identifier: MIT
#include "reports/policy_text.hpp"

#include <algorithm>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/figures.hpp"
#include "scenarios/quantities.hpp"

namespace squall::reports {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

/// "doubling", "x 3/2 each time".
std::string growth(core::Ratio multiplier) {
  return multiplier == core::Ratio{2, 1} ? "doubling"
                                         : "x " + scenarios::format_ratio(multiplier) + " each";
}

std::string backoff_line(const core::RetryPolicy& policy) {
  if (core::sleeps_max(policy) == 0) {
    return "no sleeps";
  }
  return std::visit(
      Overloaded{[](const core::ConstantBackoff& constant) {
                   return constant.delay_ms == 0 ? std::string("no waits")
                                                 : milliseconds_text(constant.delay_ms) + " each";
                 },
                 [](const core::ExponentialBackoff& grows) {
                   return grows.base_ms == 0 || grows.cap_ms == 0
                              ? std::string("no waits")
                              : fmt::format("{} {} to {}", milliseconds_text(grows.base_ms),
                                            growth(grows.multiplier),
                                            milliseconds_text(grows.cap_ms));
                 }},
      policy.backoff);
}

std::string backoff_words(const core::Backoff& backoff) {
  return std::visit(
      Overloaded{[](const core::ConstantBackoff& constant) {
                   return milliseconds_text(constant.delay_ms) + " every time";
                 },
                 [](const core::ExponentialBackoff& grows) {
                   return fmt::format(
                       "{}, then x {} each time, {} at most, never above {}",
                       milliseconds_text(grows.base_ms), scenarios::format_ratio(grows.multiplier),
                       count_of(grows.growth_steps_max, "time"), milliseconds_text(grows.cap_ms));
                 }},
      backoff);
}

std::string jitter_words(const core::Jitter& jitter) {
  return std::visit(
      Overloaded{
          [](const core::NoJitter&) { return std::string("none"); },
          [](const core::ProportionalJitter& part) {
            return fmt::format("proportional: {} of the wait taken off, up to {} of it added back",
                               scenarios::format_unit_fraction(part.below),
                               scenarios::format_unit_fraction(part.width));
          },
          [](const core::EqualJitter&) {
            return std::string("equal: half of the wait and a random part of the other half");
          },
          [](const core::FullJitter&) {
            return std::string("full: anything from nothing to the whole wait");
          }},
      jitter);
}

/// "jitter 75% to 125%" where that is exact.
std::string proportional_name(const core::ProportionalJitter& part) {
  if (100 % part.below != 0 || 100 % part.width != 0) {
    return fmt::format("jitter -1/{} then +1/{}", part.below, part.width);
  }
  const std::uint32_t least = 100 - 100 / part.below;
  return fmt::format("jitter {}% to {}%", least, least + 100 / part.width);
}

std::string jitter_name(const core::Jitter& jitter) {
  return std::visit(
      Overloaded{[](const core::NoJitter&) { return std::string("no jitter"); },
                 [](const core::ProportionalJitter& part) { return proportional_name(part); },
                 [](const core::EqualJitter&) { return std::string("equal jitter"); },
                 [](const core::FullJitter&) { return std::string("full jitter"); }},
      jitter);
}

std::string retry_after_words(const core::RetryAfterRule& rule) {
  if (!rule.is_honoured()) {
    return "ignored";
  }
  std::vector<std::string_view> sources;
  if (rule.milliseconds) {
    sources.push_back("retry-after-ms");
  }
  if (rule.seconds) {
    sources.push_back("seconds");
  }
  if (rule.http_date) {
    sources.push_back("HTTP dates");
  }
  std::string words =
      fmt::format("decides the next sleep alone, held within {} to {}; read from {}",
                  milliseconds_text(rule.clamp_min_ms), milliseconds_text(rule.clamp_max_ms),
                  fmt::join(sources, ", "));
  if (rule.ignore_above_ms) {
    words += "; ignored above " + milliseconds_text(*rule.ignore_above_ms);
  }
  return words;
}

std::string timeout_words(const core::Timeouts& timeouts) {
  return fmt::format("{} without headers or body bytes; {} for a whole attempt",
                     timeouts.idle ? seconds_text(*timeouts.idle) : "no limit",
                     timeouts.attempt ? seconds_text(*timeouts.attempt) : "no limit");
}

std::string retried_words(const core::RetryOn& retry_on) {
  std::vector<std::string_view> failures;
  if (retry_on.connection_failures) {
    failures.push_back("failed connections");
  }
  if (retry_on.cut_bodies) {
    failures.push_back("cut bodies");
  }
  if (retry_on.unusable_answers) {
    failures.push_back("unusable answers");
  }
  return fmt::format(
      "HTTP {}; {}", statuses_text(retry_on.statuses),
      failures.empty() ? "no other failure" : fmt::format("{}", fmt::join(failures, ", ")));
}

/// The slot from which on all slots are alike.
std::uint32_t last_new_slot(const core::RetryPolicy& policy) {
  const auto* grows = std::get_if<core::ExponentialBackoff>(&policy.backoff);
  return grows == nullptr ? 0 : grows->growth_steps_max;
}

/// The sum of what `pick` says of all slots, saturating.
core::Duration sum_of(const core::RetryPolicy& policy, std::uint32_t slots,
                      std::uint64_t (*pick)(const core::RetryPolicy&, std::uint32_t)) {
  core::Instant end{};
  const std::uint32_t last = std::min(slots - 1, last_new_slot(policy));
  for (std::uint32_t slot = 0; slot < last && end != core::kEndOfTime; ++slot) {
    end = core::saturating_add(end, core::from_milliseconds(pick(policy, slot)));
  }
  const core::Duration each = core::from_milliseconds(pick(policy, last));
  const std::uint32_t alike = slots - last;
  return core::saturating_add(
             end, each > core::Duration::max() / alike ? core::Duration::max() : each * alike)
      .time_since_epoch();
}

/// The longest sleep that a server can ask for.
std::uint64_t longest_asked_ms(const core::RetryAfterRule& rule) {
  return rule.ignore_above_ms
             ? std::min(rule.clamp_max_ms, std::max(rule.clamp_min_ms, *rule.ignore_above_ms))
             : rule.clamp_max_ms;
}

std::string sleeps_words(const core::RetryPolicy& policy) {
  const std::uint32_t slots = core::sleeps_max(policy);
  if (slots == 0) {
    return "none";
  }
  const auto least = sum_of(policy, slots, [](const core::RetryPolicy& p, std::uint32_t slot) {
    return core::sleep_interval(p, slot).min_ms;
  });
  const auto most = sum_of(policy, slots, [](const core::RetryPolicy& p, std::uint32_t slot) {
    return core::sleep_interval(p, slot).max_ms;
  });
  std::string words = fmt::format("{} at most: {} in all, with jitter {} to {}", count_text(slots),
                                  long_text(sum_of(policy, slots, core::scheduled_ms)),
                                  long_text(least), long_text(most));
  if (policy.retry_after.is_honoured()) {
    // The server chooses for each slot anew whether it says anything.
    const auto hurried = sum_of(policy, slots, [](const core::RetryPolicy& p, std::uint32_t slot) {
      return std::min(core::sleep_interval(p, slot).min_ms, p.retry_after.clamp_min_ms);
    });
    const auto delayed = sum_of(policy, slots, [](const core::RetryPolicy& p, std::uint32_t slot) {
      return std::max(core::sleep_interval(p, slot).max_ms, longest_asked_ms(p.retry_after));
    });
    words += fmt::format(", with Retry-After {} to {}", long_text(hurried), long_text(delayed));
  }
  return words;
}

/// One line of the schedule; slots that are alike share one.
std::string slot_line(const core::RetryPolicy& policy, std::uint32_t first, std::uint32_t last) {
  const std::string slots =
      first == last ? fmt::format("{}", first + 1) : fmt::format("{} to {}", first + 1, last + 1);
  return fmt::format("  {}  {}  {}\n", pad_left(slots, 9),
                     pad_left(milliseconds_text(core::scheduled_ms(policy, first)), 12),
                     interval_text(core::sleep_interval(policy, first)));
}

std::string schedule(const core::RetryPolicy& policy, const Style& style) {
  // More distinct waits than anybody reads; no shipped policy has more than five.
  constexpr int kLinesMax = 40;
  const std::uint32_t slots = core::sleeps_max(policy);
  if (slots == 0) {
    return {};
  }
  std::string text =
      "\n" + paint(style, Tone::kFaint, "       slot          wait  with jitter") + "\n";
  int lines = 0;
  for (std::uint32_t first = 0; first < slots;) {
    std::uint32_t last = first >= last_new_slot(policy) ? slots - 1 : first;
    while (last + 1 < slots &&
           core::scheduled_ms(policy, last + 1) == core::scheduled_ms(policy, first)) {
      ++last;
    }
    if (++lines > kLinesMax) {
      return text + fmt::format("  ... and on to slot {}\n", slots);
    }
    text += slot_line(policy, first, last);
    first = last + 1;
  }
  return text;
}

}  // namespace

std::string statuses_text(const core::StatusSet& statuses) {
  std::vector<std::string> parts;
  for (int hundreds = 0; hundreds < core::StatusSet::kCodes / 100; ++hundreds) {
    std::vector<std::string> codes;
    for (int status = hundreds * 100; status < hundreds * 100 + 100; ++status) {
      if (statuses.contains(status)) {
        codes.push_back(fmt::format("{:03}", status));
      }
    }
    if (codes.size() == 100) {
      parts.push_back(fmt::format("{}xx", hundreds));
    } else {
      parts.insert(parts.end(), codes.begin(), codes.end());
    }
  }
  return parts.empty() ? "no status" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string policy_line(const core::RetryPolicy& policy) {
  std::string line =
      fmt::format("{}, {}", count_of(policy.budgets.attempts_max, "call"), backoff_line(policy));
  if (core::sleeps_max(policy) > 0) {
    line += ", " + jitter_name(policy.jitter);
    const core::RetryAfterRule& rule = policy.retry_after;
    line += rule.is_honoured() ? fmt::format(", Retry-After within {}",
                                             interval_text({rule.clamp_min_ms, rule.clamp_max_ms}))
                               : ", Retry-After ignored";
  }
  if (policy.budgets.time) {
    line += ", time budget " + seconds_text(*policy.budgets.time);
  }
  line += policy.timeouts.idle ? ", idle timeout " + seconds_text(*policy.timeouts.idle)
                               : ", no idle timeout";
  if (policy.timeouts.attempt) {
    line += ", attempt timeout " + seconds_text(*policy.timeouts.attempt);
  }
  return line;
}

std::string policy_page(const core::RetryPolicy& policy, std::string_view name,
                        std::string_view summary, const Style& style) {
  std::string text = paint(style, Tone::kStrong, name);
  if (!summary.empty()) {
    text += fmt::format(": {}", summary);
  }
  text += "\n\n";
  const auto line = [&](std::string_view what, std::string_view words) {
    text += fmt::format("  {}  {}\n", paint(style, Tone::kFaint, pad_right(what, 11)),
                        wrapped(style, 15, words));
  };
  line("calls", count_text(policy.budgets.attempts_max) + " at most, the first one included");
  line("sleeps", sleeps_words(policy));
  line("schedule", backoff_words(policy.backoff));
  line("jitter", jitter_words(policy.jitter));
  line("Retry-After", retry_after_words(policy.retry_after));
  line("timeouts", timeout_words(policy.timeouts));
  line("time budget", policy.budgets.time ? seconds_text(*policy.budgets.time) +
                                                ": no sleep that ends later is begun"
                                          : std::string("none"));
  line("retried", retried_words(policy.retry_on));
  return text + schedule(policy, style);
}

}  // namespace squall::reports
