// SPDX-License-Identifier: MIT
#include "reports/verdict.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "playback/expectations.hpp"
#include "reports/figures.hpp"
#include "reports/style.hpp"
#include "scenarios/quantities.hpp"

namespace squall::reports {
namespace {

template <class T, class Show>
std::string bounds_text(const scenarios::Bounds<T>& bounds, const Show& show) {
  if (bounds.min && bounds.max) {
    return *bounds.min == *bounds.max
               ? std::string(show(*bounds.min))
               : fmt::format("{} to {}", show(*bounds.min), show(*bounds.max));
  }
  return bounds.min ? fmt::format("at least {}", show(*bounds.min))
                    : fmt::format("at most {}", show(*bounds.max));
}

template <class T>
bool binds(const scenarios::Bounds<T>& bounds) {
  return bounds.min || bounds.max;
}

class Judge {
 public:
  explicit Judge(const std::vector<std::string>& unmet) : unmet_(unmet) {}

  void add(std::string_view name, std::string wanted) {
    Expectation expectation{
        .name = std::string(name), .wanted = std::move(wanted), .met = true, .finding = {}};
    for (const std::string& sentence : unmet_) {
      if (sentence.starts_with(expectation.name + ":")) {
        expectation.met = false;
        expectation.finding += expectation.finding.empty() ? sentence : "; " + sentence;
      }
    }
    verdict.expectations.push_back(std::move(expectation));
  }

  Verdict verdict;

 private:
  const std::vector<std::string>& unmet_;
};

}  // namespace

bool Verdict::as_expected() const {
  return std::all_of(expectations.begin(), expectations.end(),
                     [](const Expectation& expectation) { return expectation.met; });
}

Verdict judge(const scenarios::Expectations& expected, const std::vector<std::string>& unmet,
              bool many) {
  Judge judge(unmet);
  const auto duration = [](core::Duration value) { return scenarios::format_duration(value); };
  if (expected.outcome) {
    judge.add("outcome", std::string(label(*expected.outcome)));
  }
  if (binds(expected.attempts)) {
    judge.add("attempts", bounds_text(expected.attempts, count_text));
  }
  if (binds(expected.elapsed)) {
    judge.add("elapsed", bounds_text(expected.elapsed, duration));
  }
  if (binds(expected.sleep_total)) {
    judge.add("sleep_total", bounds_text(expected.sleep_total, duration));
  }
  if (expected.final_class) {
    judge.add("final_class", std::string(label(*expected.final_class)));
  }
  if (expected.trail) {
    judge.add("trail", playback::show_classes(*expected.trail));
  }
  if (expected.retry_after_ms) {
    judge.add("retry_after", playback::show_retry_after(*expected.retry_after_ms));
  }
  if (expected.breaks) {
    judge.add("breaks", *expected.breaks + " once");
  }
  if (expected.answer) {
    judge.add("answer", fmt::format("\"{}\"", excerpt(*expected.answer, 60)));
  }
  if (expected.last_raw) {
    judge.add("last_raw", *expected.last_raw
                              ? fmt::format("\"{}\"", excerpt(**expected.last_raw, 60))
                              : "none");
  }
  if (binds(expected.groups)) {
    judge.add("groups", bounds_text(expected.groups, count_text));
  }
  if (expected.remainder) {
    judge.add("remainder", fmt::format("[{}]", fmt::join(*expected.remainder, ", ")));
  }
  if (binds(expected.prefix_reuse_ppm)) {
    judge.add("prefix_reuse", bounds_text(expected.prefix_reuse_ppm, scenarios::format_share));
  }
  if (expected.tool_class) {
    judge.add("tool_class", std::string(label(*expected.tool_class)));
  }
  if (expected.verdict) {
    judge.add("verdict", std::string(label(*expected.verdict)));
  }
  if (binds(expected.success_rate_ppm)) {
    if (many) {
      judge.add("success_rate", bounds_text(expected.success_rate_ppm, scenarios::format_share));
    } else {
      judge.verdict.success_rate_left_out = true;
    }
  }
  return std::move(judge.verdict);
}

void judge_digest(Verdict& verdict, std::uint64_t golden, std::uint64_t found,
                  std::string_view source) {
  Expectation expectation{.name = "digest",
                          .wanted = digest_text(golden) + " (golden)",
                          .met = golden == found,
                          .finding = {}};
  if (!expectation.met) {
    expectation.finding =
        fmt::format("digest: {}, golden {} (squall run --bless {} after a wanted change)",
                    digest_text(found), digest_text(golden), shell_word(source));
  }
  verdict.expectations.push_back(std::move(expectation));
}

}  // namespace squall::reports
