// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "analysis/worst_case.hpp"
#include "reports/compare_report.hpp"
#include "reports/compare_table.hpp"
#include "reports/figures.hpp"
#include "reports/policy_text.hpp"

namespace squall::reports {
namespace {

using analysis::Bound;
using analysis::ComparedPolicy;
using analysis::ComparedScenario;
using analysis::Comparison;
using analysis::Dominance;
using analysis::Figures;
using core::Duration;

/// With more scenarios than this each has one line: a page of figures is not read.
constexpr std::size_t kScenariosInFull = 8;
constexpr std::size_t kNameColumns = 40;

/// A cell: what it says, and how good it is (less is better). Absent: not to be ranked.
struct Cell {
  std::string text;
  std::optional<std::int64_t> cost = {};
};

/// The cells of a row with the best marked, unless all are alike or only one is ranked.
std::vector<std::string> marked(std::string head, const std::vector<Cell>& cells,
                                const Style& style) {
  std::optional<std::int64_t> best;
  std::optional<std::int64_t> worst;
  for (const Cell& cell : cells) {
    if (cell.cost) {
      best = best ? std::min(*best, *cell.cost) : *cell.cost;
      worst = worst ? std::max(*worst, *cell.cost) : *cell.cost;
    }
  }
  std::vector<std::string> row{std::move(head)};
  for (const Cell& cell : cells) {
    const bool is_best = cell.cost && cell.cost == best && best != worst;
    row.push_back(is_best ? paint(style, Tone::kGood, cell.text + " *") : cell.text + "  ");
  }
  return row;
}

std::int64_t as_cost(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

Cell success_cell(std::uint64_t successes, std::uint64_t runs) {
  return {share_text(successes, runs), -as_cost(successes)};
}
Cell average_cell(std::uint64_t sum, std::uint64_t runs) {
  return {average_text(sum, runs), as_cost(sum)};
}
Cell time_cell(Duration time) {
  return {long_text(time), time.count()};
}
Cell time_cell(const std::optional<Duration>& time) {
  return time ? time_cell(*time) : Cell{"-"};
}
Cell bound_cell(const Bound& bound) {
  if (!bound.longest) {
    return {"not computed"};
  }
  return *bound.longest == analysis::kNoEnd ? Cell{"no end", bound.longest->count()}
                                            : time_cell(*bound.longest);
}

class Page {
 public:
  Page(const CompareReport& report, const Style& style)
      : report_(report), comparison_(report.comparison), style_(style) {}

  std::string draw() {
    header();
    if (comparison_.scenarios.size() <= kScenariosInFull) {
      for (const ComparedScenario& scenario : comparison_.scenarios) {
        in_full(scenario);
      }
    } else {
      one_line_each();
    }
    totals();
    pareto();
    return std::move(text_);
  }

 private:
  void header() {
    text_ = fmt::format("{} in {}, {} each, the same seeds for every policy (seed {})\n",
                        count_of_policies(), count_of(comparison_.scenarios.size(), "scenario"),
                        count_of(comparison_.runs, "run"), comparison_.seed);
    for (const ComparedPolicy& policy : comparison_.policies) {
      text_ += name_field(style_, excerpt(policy.name, kNameColumns), policy_line(policy.policy));
    }
    for (const std::string& note : report_.notes) {
      text_ += field(style_, "note", note);
    }
  }

  [[nodiscard]] std::string count_of_policies() const {
    const std::size_t count = comparison_.policies.size();
    return count == 1 ? "1 policy" : count_text(count) + " policies";
  }

  [[nodiscard]] TableRow head(std::string title) const {
    TableRow row{.cells = {std::move(title)}};
    for (const ComparedPolicy& policy : comparison_.policies) {
      row.cells.push_back(excerpt(policy.name, kNameColumns) + "  ");
    }
    return row;
  }

  /// One row: `make` gives the cell of each policy.
  template <class Make>
  void add(std::vector<TableRow>& rows, std::string title, Make make) const {
    std::vector<Cell> cells;
    for (std::size_t i = 0; i < comparison_.policies.size(); ++i) {
      cells.push_back(make(i));
    }
    rows.push_back({.cells = marked(std::move(title), cells, style_)});
  }

  [[nodiscard]] std::vector<Align> aligns() const {
    std::vector<Align> aligns(comparison_.policies.size() + 1, Align::kRight);
    aligns.front() = Align::kLeft;
    return aligns;
  }

  void in_full(const ComparedScenario& scenario) {
    std::vector<TableRow> rows{head(scenario.name)};
    const auto cell = [&scenario](std::size_t i) -> const Figures& { return scenario.cells[i]; };
    add(rows, "  success",
        [&](std::size_t i) { return success_cell(cell(i).successes, cell(i).runs); });
    add(rows, "  calls an operation",
        [&](std::size_t i) { return average_cell(cell(i).calls, cell(i).runs); });
    add(rows, "  of these wasted",
        [&](std::size_t i) { return average_cell(cell(i).wasted, cell(i).runs); });
    add(rows, "  elapsed p50", [&](std::size_t i) { return time_cell(cell(i).p50); });
    add(rows, "  elapsed p99", [&](std::size_t i) { return time_cell(cell(i).p99); });
    add(rows, "  elapsed max", [&](std::size_t i) { return time_cell(cell(i).max); });
    if (scenario.heals_at) {
      add(rows, "  recovery p50", [&](std::size_t i) { return time_cell(cell(i).recovery_p50); });
      add(rows, "  recovery max", [&](std::size_t i) { return time_cell(cell(i).recovery_max); });
    }
    text_ += '\n' + aligned_table(style_, aligns(), rows);
  }

  void one_line_each() {
    std::vector<TableRow> rows{head("success, p99 elapsed")};
    for (const ComparedScenario& scenario : comparison_.scenarios) {
      std::vector<Cell> cells;
      for (const Figures& figures : scenario.cells) {
        cells.push_back({fmt::format("{}, {}", share_text(figures.successes, figures.runs),
                                     long_text(figures.p99)),
                         std::nullopt});
      }
      rank(scenario, cells);
      rows.push_back({.cells = marked(scenario.name, cells, style_)});
    }
    text_ += '\n' + aligned_table(style_, aligns(), rows);
  }

  /// Cells of two figures: the larger success first, then the shorter p99.
  static void rank(const ComparedScenario& scenario, std::vector<Cell>& cells) {
    std::vector<std::pair<std::int64_t, std::int64_t>> keys;
    for (const Figures& figures : scenario.cells) {
      keys.emplace_back(-as_cost(figures.successes), figures.p99.count());
    }
    std::vector<std::pair<std::int64_t, std::int64_t>> order = keys;
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      cells[i].cost = std::lower_bound(order.begin(), order.end(), keys[i]) - order.begin();
    }
  }

  void totals() {
    if (comparison_.scenarios.empty()) {
      return;
    }
    const bool several = comparison_.scenarios.size() > 1;
    std::vector<TableRow> rows{head(several ? "all scenarios" : "in any scenario")};
    if (several) {
      sums(rows);
    }
    const std::vector<Bound>& bounds = comparison_.policies.front().bounds;
    for (std::size_t kind = 0; kind < bounds.size(); ++kind) {
      add(rows, fmt::format("  worst case, {}", label(bounds[kind].kind)),
          [&](std::size_t i) { return bound_cell(comparison_.policies[i].bounds[kind]); });
    }
    text_ += '\n' + aligned_table(style_, aligns(), rows);
  }

  void sums(std::vector<TableRow>& rows) const {
    const auto total = [this](std::size_t i) -> const analysis::Totals& {
      return comparison_.policies[i].totals;
    };
    add(rows, "  success",
        [&](std::size_t i) { return success_cell(total(i).successes, total(i).runs); });
    add(rows, "  calls an operation",
        [&](std::size_t i) { return average_cell(total(i).calls, total(i).runs); });
    add(rows, "  of these wasted",
        [&](std::size_t i) { return average_cell(total(i).wasted, total(i).runs); });
    add(rows, "  elapsed p99", [&](std::size_t i) { return time_cell(total(i).p99()); });
  }

  void pareto() {
    if (comparison_.policies.size() < 2) {
      return;
    }
    std::vector<std::string> dominated;
    std::vector<std::string> free;
    for (std::size_t i = 0; i < comparison_.policies.size(); ++i) {
      const auto found = std::find_if(comparison_.dominance.begin(), comparison_.dominance.end(),
                                      [i](const Dominance& one) { return one.dominated == i; });
      if (found == comparison_.dominance.end()) {
        free.push_back(comparison_.policies[i].name);
      } else {
        dominated.push_back(fmt::format("{} is dominated by {}", comparison_.policies[i].name,
                                        comparison_.policies[found->by].name));
      }
    }
    std::string words;
    for (const std::string& one : dominated) {
      words += (words.empty() ? "" : "; ") + one;
    }
    words += dominated.empty() ? "no policy is dominated by another"
                               : fmt::format("; not dominated: {}", fmt::join(free, ", "));
    text_ += '\n' + field(style_, "Pareto", words + " (on success, p99 elapsed and calls)");
  }

  const CompareReport& report_;
  const Comparison& comparison_;
  const Style& style_;
  std::string text_;
};

}  // namespace

std::string compare_text(const CompareReport& report, const Style& style) {
  return Page(report, style).draw();
}

}  // namespace squall::reports
