// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/client_audit_report.hpp"
#include "reports/compare_table.hpp"
#include "reports/figures.hpp"
#include "reports/policy_text.hpp"

namespace squall::reports {
namespace {

using live::ClientAttempt;
using live::ClientEnding;
using live::ClientOperation;

/// More than anybody reads on a terminal: then only what is broken is shown, and not all of it.
constexpr std::size_t kOperationsMax = 40;
constexpr std::size_t kValueColumns = 40;
constexpr std::size_t kNameColumns = 60;

class Page {
 public:
  Page(const ClientAuditReport& report, const Style& style) : report_(report), style_(style) {}

  std::string draw() {
    header();
    std::size_t shown = 0;
    std::size_t hidden = 0;
    const std::vector<ClientOperation>& operations = report_.audit.operations;
    for (std::size_t at = 0; at < operations.size(); ++at) {
      const bool wanted = operations.size() <= kOperationsMax || is_broken(at);
      if (wanted && shown < kOperationsMax) {
        ++shown;
        operation(at);
      } else {
        ++hidden;
      }
    }
    if (hidden > 0) {
      text_ +=
          fmt::format("\n  ... and {} more (--json lists all)\n", count_of(hidden, "operation"));
    }
    verdict();
    return std::move(text_);
  }

 private:
  void header() {
    text_ += fmt::format("audit by {}\n",
                         paint(style_, Tone::kStrong, excerpt(report_.policy_name, kNameColumns)));
    text_ += field(style_, "policy", policy_line(report_.policy));
    std::size_t requests = 0;
    std::set<std::string_view> clients;
    for (const ClientOperation& operation : report_.audit.operations) {
      requests += operation.attempts.size();
      clients.insert(operation.client);
    }
    text_ += field(style_, "heard",
                   fmt::format("{} of {} by {}", count_of(requests, "attempt"),
                               count_of(report_.audit.operations.size(), "operation"),
                               count_of(clients.size(), "client")));
    if (report_.left_out > 0) {
      text_ +=
          field(style_, "partial",
                count_of(report_.left_out, "exchange") + " at the end left out for their size");
    }
    text_ += field(style_, "tolerated",
                   fmt::format("{} on top of each wait{}", seconds_text(report_.tolerance),
                               report_.time_scale == 1
                                   ? std::string()
                                   : fmt::format(", times {}: the script's time ran so much faster",
                                                 count_text(report_.time_scale))));
  }

  [[nodiscard]] bool is_broken(std::size_t at) const {
    // They are sorted by operation.
    const std::vector<live::ClientViolation>& broken = report_.audit.violations;
    const auto found =
        std::partition_point(broken.begin(), broken.end(),
                             [&](const live::ClientViolation& one) { return one.operation < at; });
    return found != broken.end() && found->operation == at;
  }

  void operation(std::size_t at) {
    const ClientOperation& operation = report_.audit.operations[at];
    text_ += fmt::format(
        "\n  {}  {}{}{}\n", paint(style_, Tone::kStrong, fmt::format("operation {}", at + 1)),
        operation.method.empty() ? std::string("never got through")
                                 : excerpt(operation.method + ' ' + operation.target, kNameColumns),
        "  of ", excerpt(operation.client, kValueColumns));
    std::vector<TableRow> rows{
        {.cells = {"time", "call", "took", "gap", "allowed", "what came back"}}};
    for (const ClientAttempt& attempt : operation.attempts) {
      rows.push_back(row(attempt));
    }
    text_ += aligned_table(
        style_,
        {Align::kLeft, Align::kLeft, Align::kRight, Align::kRight, Align::kLeft, Align::kLeft},
        rows);
    for (const ClientAttempt& attempt : operation.attempts) {
      for (const live::HeaderDifference& header : attempt.headers) {
        text_ += field(style_, fmt::format("call {}", attempt.number), words(header));
      }
    }
    text_ += field(style_, "end", words(operation.ending));
    for (const live::ClientViolation& violation : report_.audit.violations) {
      if (violation.operation == at) {
        text_ += field(style_, "",
                       fmt::format("{}  {}: {}", paint(style_, Tone::kBad, "BROKEN"),
                                   live::label(violation.rule), excerpt(violation.message, 1'000)));
      }
    }
  }

  [[nodiscard]] TableRow row(const ClientAttempt& attempt) const {
    std::string gap;
    std::string allowed;
    if (attempt.gap) {
      gap = paint(style_, attempt.gap->kept ? Tone::kPlain : Tone::kBad,
                  seconds_text(attempt.gap->measured));
      if (attempt.gap->allowed) {
        allowed = interval_text(*attempt.gap->allowed);
        if (attempt.gap->retry_after_ms) {
          allowed += " (Retry-After)";
        }
      } else {
        allowed = attempt.gap->kept ? "by a date" : "none";
      }
    }
    return {.cells = {clock_text(attempt.arrived_at.time_since_epoch()),
                      fmt::format("{}/{}", attempt.number, report_.policy.budgets.attempts_max),
                      seconds_text(attempt.ended_at - attempt.arrived_at), gap, allowed,
                      came_back(attempt.answer)},
            .below = {}};
  }

  [[nodiscard]] std::string came_back(const live::LoggedAnswer& answer) const {
    if (answer.follow == live::Follow::kNothing) {
      return paint(style_, Tone::kGood, fmt::format("HTTP {}", answer.status.value_or(0)));
    }
    if (answer.follow == live::Follow::kUnknown) {
      return paint(style_, Tone::kNotice, "the server stopped");
    }
    return paint(
        style_, Tone::kBad,
        fmt::format("{}: {}", answer.failure_class, excerpt(answer.error_chain, kNameColumns)));
  }

  static std::string words(const live::HeaderDifference& header) {
    const std::string name = excerpt(header.name, kValueColumns);
    const auto value = [](const std::optional<std::string>& text) {
      return '"' + excerpt(*text, kValueColumns) + '"';
    };
    if (!header.before) {
      return fmt::format("header {} is new: {}", name, value(header.after));
    }
    if (!header.after) {
      return fmt::format("header {} is gone, was {}", name, value(header.before));
    }
    return fmt::format("header {} is {}, was {}", name, value(header.after), value(header.before));
  }

  static std::string_view words(ClientEnding ending) {
    switch (ending) {
      case ClientEnding::kAnswered:
        return "answered";
      case ClientEnding::kFinal:
        return "a final failure";
      case ClientEnding::kSpent:
        return "failed, the budget is spent";
      case ClientEnding::kGivenUp:
        return "given up";
      case ClientEnding::kLeft:
        return "the client left or kept what it had; nothing more was due";
      case ClientEnding::kOpen:
        return "not known: the record ends before the next attempt was overdue";
    }
    return {};
  }

  void verdict() {
    const auto& checks = report_.audit.checks;
    const std::uint64_t total = std::accumulate(checks.begin(), checks.end(), std::uint64_t{0});
    text_ += '\n';
    if (total == 0) {
      text_ += fmt::format("{}: nothing was heard that could be judged\n",
                           paint(style_, Tone::kNotice, "kept"));
    } else if (report_.audit.kept()) {
      text_ += fmt::format("{}: {}, all as the policy says\n", paint(style_, Tone::kGood, "kept"),
                           count_of(total, "check"));
    } else {
      text_ += fmt::format("{}: {} of {} failed\n", paint(style_, Tone::kBad, "broken"),
                           report_.audit.violations.size(), count_of(total, "check"));
    }
  }

  const ClientAuditReport& report_;
  const Style& style_;
  std::string text_;
};

}  // namespace

std::string client_audit_text(const ClientAuditReport& report, const Style& style) {
  return Page(report, style).draw();
}

}  // namespace squall::reports
