// SPDX-License-Identifier: MIT
#include "analysis/gate_config.hpp"

#include <algorithm>
#include <utility>

#include "scenarios/document.hpp"
#include "scenarios/json_locator.hpp"
#include "scenarios/node.hpp"
#include "scenarios/wording.hpp"

namespace squall::analysis {

using core::Error;
using core::Expected;
using core::Unexpected;
using scenarios::Node;

class GateConfigReader {
 public:
  GateConfigReader(std::string_view text, std::string display_name)
      : text_(text), display_name_(std::move(display_name)) {}

  Expected<GateConfig, Error> read() {
    const auto document = scenarios::parse_document(text_, display_name_);
    if (!document) {
      return Unexpected<Error>(document.error());
    }
    scenarios::Findings findings;
    walk(Node(*document, "", findings));
    if (findings.first()) {
      Error error = *findings.first();
      Error at = place(error.pointer);
      at.message = std::move(error.message);
      return Unexpected<Error>(std::move(at));
    }
    return std::move(config_);
  }

 private:
  [[nodiscard]] Error place(std::string_view pointer) const {
    return {.file = display_name_,
            .line = scenarios::line_of(text_, pointer),
            .pointer = scenarios::on_one_line(pointer),
            .message = {}};
  }

  static bool expect_object(const Node& node) {
    if (!node.is_object()) {
      node.refuse(scenarios::found_allowed(node.json().type_name(), "an object"));
    }
    return node.is_object();
  }

  void walk(const Node& root) {
    const std::vector<std::string> keys{"thresholds", "tags", "scenarios"};
    if (!expect_object(root)) {
      return;
    }
    for (const auto& [key, value] : root.json().items()) {
      const Node node = root[key];
      if (key == "thresholds") {
        config_.global_ = thresholds(node, /*of_policy=*/true);
      } else if (key == "tags") {
        config_.tags_ = overrides(node);
      } else if (key == "scenarios") {
        config_.scenarios_ = overrides(node);
      } else if (key != "$schema") {
        node.refuse("unknown key " + scenarios::in_quotes(key) +
                    scenarios::did_you_mean(key, keys) + ", allowed: " + scenarios::join(keys));
      }
    }
  }

  std::vector<GateConfig::Override> overrides(const Node& node) {
    std::vector<GateConfig::Override> found;
    if (!expect_object(node)) {
      return found;
    }
    for (const auto& [name, value] : node.json().items()) {
      const Node one = node[name];
      found.push_back(
          {.name = name, .place = place(one.pointer()), .thresholds = thresholds(one, false)});
    }
    return found;
  }

  static GateConfig::Thresholds thresholds(const Node& node, bool of_policy) {
    GateConfig::Thresholds found;
    if (!expect_object(node)) {
      return found;
    }
    for (const auto& [name, value] : node.json().items()) {
      const Node one = node[name];
      const std::optional<Metric> metric = metric_from_name(name);
      if (!metric) {
        one.refuse("unknown metric " + scenarios::in_quotes(name) +
                   scenarios::did_you_mean(name, metric_names()) +
                   ", allowed: " + scenarios::join(metric_names()));
      } else if (*metric == Metric::kWorstCase && !of_policy) {
        one.refuse(
            "the worst case belongs to the policy, not to a scenario, allowed: in \"thresholds\"");
      } else if (!one.is_text()) {
        one.refuse(scenarios::found_allowed(one.json().dump(), "a text such as \"+10%\""));
      } else if (auto threshold = parse_threshold(*metric, one.text())) {
        found[static_cast<std::size_t>(*metric)] = *std::move(threshold);
      } else {
        one.refuse(threshold.error().message);
      }
    }
    return found;
  }

  std::string_view text_;
  std::string display_name_;
  GateConfig config_;
};

std::array<Threshold, kMetricCount> GateConfig::defaults() {
  std::array<Threshold, kMetricCount> all;
  for (const MetricInfo& info : kMetrics) {
    all[static_cast<std::size_t>(info.metric)] = default_threshold(info.metric);
  }
  return all;
}

Expected<GateConfig, Error> GateConfig::parse(std::string_view text,
                                              const std::string& display_name) {
  return GateConfigReader(text, display_name).read();
}

const Threshold& GateConfig::threshold(Metric metric, std::string_view scenario,
                                       std::span<const std::string> tags) const {
  const auto index = static_cast<std::size_t>(metric);
  for (const Override& one : scenarios_) {
    if (one.name == scenario && one.thresholds[index]) {
      return *one.thresholds[index];
    }
  }
  for (auto one = tags_.rbegin(); one != tags_.rend(); ++one) {
    if (one->thresholds[index] && std::find(tags.begin(), tags.end(), one->name) != tags.end()) {
      return *one->thresholds[index];
    }
  }
  return global_[index] ? *global_[index] : defaults_[index];
}

bool GateConfig::asks_for(Metric metric) const {
  const std::optional<Threshold>& said = global_[static_cast<std::size_t>(metric)];
  return said && said->kind != Threshold::Kind::kOff;
}

std::optional<Error> GateConfig::unknown_name(const std::vector<std::string>& scenarios,
                                              const std::vector<std::string>& tags) const {
  const auto first = [](const std::vector<Override>& overrides,
                        const std::vector<std::string>& known,
                        std::string_view what) -> std::optional<Error> {
    for (const Override& one : overrides) {
      if (std::find(known.begin(), known.end(), one.name) == known.end()) {
        Error error = one.place;
        error.message = std::string(what) + " " + scenarios::in_quotes(one.name) +
                        scenarios::did_you_mean(one.name, known) +
                        ": nothing would be judged by these thresholds";
        return error;
      }
    }
    return std::nullopt;
  };
  if (auto error = first(scenarios_, scenarios, "no scenario that is played is called")) {
    return error;
  }
  return first(tags_, tags, "no scenario that is played has the tag");
}

}  // namespace squall::analysis
