// SPDX-License-Identifier: MIT
#include "analysis/gate_results.hpp"

#include <charconv>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "playback/trace.hpp"
#include "scenarios/golden.hpp"
#include "scenarios/loader.hpp"
#include "scenarios/wording.hpp"
#include "scenarios/writer.hpp"

namespace squall::analysis {
namespace {

using core::Error;
using core::Expected;
using Json = nlohmann::ordered_json;

constexpr std::string_view kKind = "gate-results";
constexpr std::uint64_t kMax64 = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMax32 = std::numeric_limits<std::uint32_t>::max();

Json parsed(std::string_view text) {
  return Json::parse(text, nullptr, /*allow_exceptions=*/false, /*ignore_comments=*/true);
}

/// 16 lower-case hex digits.
std::optional<std::uint64_t> parse_digest(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return fault == std::errc() && text.size() == 16 && end == text.data() + text.size()
             ? std::optional(value)
             : std::nullopt;
}

Json scenario_json(const StoredScenario& scenario) {
  Json object;
  object["name"] = scenario.name;
  object["digest"] = scenarios::format_digest(scenario.digest);
  Json success = Json::array();
  Json calls = Json::array();
  Json wasted = Json::array();
  Json elapsed = Json::array();
  for (const RunFacts& run : scenario.runs) {
    success.push_back(run.success ? 1 : 0);
    calls.push_back(run.calls);
    wasted.push_back(run.wasted);
    elapsed.push_back(run.elapsed.count());
  }
  object["success"] = std::move(success);
  object["calls"] = std::move(calls);
  object["wasted"] = std::move(wasted);
  object["elapsed_ns"] = std::move(elapsed);
  return object;
}

/// Reads members one after the other and keeps the first defect.
class Reader {
 public:
  Reader(std::string_view text, std::string display_name)
      : root_(parsed(text)), display_name_(std::move(display_name)) {}

  Expected<StoredResults, Error> read() {
    StoredResults results;
    if (root_.is_discarded()) {
      refuse("", "is no JSON document");
    } else if (head_fits()) {
      results.seed = number(root_, "seed", "", std::numeric_limits<std::uint64_t>::max());
      results.runs = number(root_, "runs", "", kMax32);
      if (results.runs == 0) {
        refuse("/runs", "no runs: nothing to compare with");
      }
      each(root_, "policies", "",
           [&](const Json& one, const std::string& pointer) { policy(one, pointer, results); });
    }
    if (error_) {
      return core::Unexpected<Error>(*error_);
    }
    return results;
  }

 private:
  void refuse(std::string pointer, std::string message) {
    if (!error_) {
      error_ = Error{.file = display_name_,
                     .line = 0,
                     .pointer = std::move(pointer),
                     .message = std::move(message)};
    }
  }

  bool head_fits() {
    const Json* head = member(root_, "squall", "", Json::value_t::object);
    if (head == nullptr) {
      return false;
    }
    const Json* kind = member(*head, "kind", "/squall", Json::value_t::string);
    if (kind != nullptr && kind->get_ref<const std::string&>() != kKind) {
      refuse("/squall/kind",
             scenarios::found_allowed(
                 scenarios::in_quotes(kind->get_ref<const std::string&>()),
                 scenarios::in_quotes(kKind) + ", which squall gate --save writes"));
    }
    const std::uint64_t schema =
        error_ ? 0 : number(*head, "schema", "/squall", std::numeric_limits<std::uint64_t>::max());
    if (!error_ && schema != kResultsSchema) {
      refuse("/squall/schema",
             scenarios::found_allowed(
                 fmt::format("schema version {}", schema),
                 fmt::format("{}; save the baseline again with this squall", kResultsSchema)));
    }
    return !error_;
  }

  const Json* member(const Json& object, const char* key, const std::string& pointer,
                     Json::value_t type) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    if (!object.is_object() || found == object.end()) {
      refuse(pointer, fmt::format("missing key \"{}\"", key));
      return nullptr;
    }
    // Numbers are judged with their range, by `number`.
    if (found->type() != type && type != Json::value_t::number_unsigned) {
      refuse(pointer + "/" + key,
             scenarios::found_allowed(found->type_name(), Json(type).type_name()));
      return nullptr;
    }
    return &*found;
  }

  std::uint64_t number(const Json& object, const char* key, const std::string& pointer,
                       std::uint64_t max) {
    const Json* value = member(object, key, pointer, Json::value_t::number_unsigned);
    return value == nullptr ? 0 : number(*value, pointer + "/" + key, max);
  }
  std::uint64_t number(const Json& value, const std::string& pointer, std::uint64_t max) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > max) {
      refuse(pointer, scenarios::found_allowed(value.is_number() ? value.dump() : value.type_name(),
                                               fmt::format("a whole number from 0 to {}", max)));
      return 0;
    }
    return value.get<std::uint64_t>();
  }

  template <class Read>
  void each(const Json& object, const char* key, const std::string& pointer, Read read) {
    const Json* list = member(object, key, pointer, Json::value_t::array);
    if (list == nullptr) {
      return;
    }
    const std::string at = pointer + "/" + key;
    if (list->empty()) {
      refuse(at, "is empty: nothing to compare with");
    }
    for (std::size_t i = 0; i < list->size() && !error_; ++i) {
      read((*list)[i], fmt::format("{}/{}", at, i));
    }
  }

  void policy(const Json& object, const std::string& pointer, StoredResults& results) {
    const Json* name = member(object, "name", pointer, Json::value_t::string);
    const Json* policy = member(object, "policy", pointer, Json::value_t::object);
    if (name == nullptr || policy == nullptr) {
      return;
    }
    auto loaded = scenarios::load_policy(policy->dump(), display_name_);
    if (!loaded) {
      refuse(pointer + "/policy" + loaded.error().pointer, loaded.error().message);
      return;
    }
    StoredPolicy& stored =
        results.policies.emplace_back(StoredPolicy{name->get<std::string>(), *loaded, {}});
    each(object, "scenarios", pointer,
         [&](const Json& one, const std::string& at) { scenario(one, at, results.runs, stored); });
  }

  void scenario(const Json& object, const std::string& pointer, std::uint64_t runs,
                StoredPolicy& stored) {
    const Json* name = member(object, "name", pointer, Json::value_t::string);
    const Json* digest = member(object, "digest", pointer, Json::value_t::string);
    const auto value =
        digest == nullptr ? std::nullopt : parse_digest(digest->get_ref<const std::string&>());
    if (digest != nullptr && !value) {
      refuse(pointer + "/digest", "allowed: 16 hex digits");
    }
    const std::vector<std::uint64_t> success = column(object, "success", pointer, runs, 1);
    const std::vector<std::uint64_t> calls = column(object, "calls", pointer, runs, kMax32);
    const std::vector<std::uint64_t> wasted = column(object, "wasted", pointer, runs, kMax32);
    const std::vector<std::uint64_t> elapsed = column(object, "elapsed_ns", pointer, runs, kMax64);
    if (error_) {
      return;
    }
    StoredScenario one{.name = name->get<std::string>(), .digest = *value, .runs = {}};
    one.runs.reserve(runs);
    for (std::size_t i = 0; i < runs; ++i) {
      one.runs.push_back({.elapsed = core::Duration{static_cast<std::int64_t>(elapsed[i])},
                          .calls = static_cast<std::uint32_t>(calls[i]),
                          .wasted = static_cast<std::uint32_t>(wasted[i]),
                          .success = success[i] == 1});
    }
    stored.scenarios.push_back(std::move(one));
  }

  std::vector<std::uint64_t> column(const Json& object, const char* key, const std::string& pointer,
                                    std::uint64_t runs, std::uint64_t max) {
    std::vector<std::uint64_t> values;
    const Json* list = member(object, key, pointer, Json::value_t::array);
    if (list == nullptr) {
      return values;
    }
    if (list->size() != runs) {
      refuse(pointer + "/" + key, scenarios::found_allowed(fmt::format("{} values", list->size()),
                                                           fmt::format("{}, one a run", runs)));
      return values;
    }
    values.reserve(list->size());
    for (std::size_t i = 0; i < list->size() && !error_; ++i) {
      values.push_back(number((*list)[i], fmt::format("{}/{}/{}", pointer, key, i), max));
    }
    return values;
  }

  Json root_;
  std::string display_name_;
  std::optional<Error> error_;
};

}  // namespace

std::uint64_t scenario_digest(const scenarios::Scenario& scenario) {
  scenarios::Scenario bare = scenario;
  bare.policy = {};
  bare.policy_name = "inline";
  bare.audit_policy.reset();
  bare.expect = {};
  bare.summary.clear();
  bare.source.clear();
  bare.tags.clear();
  return playback::digest_of(scenarios::write_scenario(bare));
}

std::string write_results(const StoredResults& results) {
  std::string text = fmt::format(
      "{{\"squall\": {{\"schema\": {}, \"kind\": \"{}\"}}, \"seed\": {}, \"runs\": {}, "
      "\"policies\": [\n",
      kResultsSchema, kKind, results.seed, results.runs);
  const char* before_policy = "";
  for (const StoredPolicy& policy : results.policies) {
    const Json written = parsed(scenarios::write_policy(policy.policy, "stored", "As it was."));
    text += fmt::format("{}{{\"name\": {}, \"policy\": {}, \"scenarios\": [\n", before_policy,
                        Json(policy.name).dump(), written.dump());
    before_policy = ",\n";
    const char* before_scenario = "";
    for (const StoredScenario& scenario : policy.scenarios) {
      text += before_scenario + scenario_json(scenario).dump();
      before_scenario = ",\n";
    }
    text += "\n]}";
  }
  return text + "\n]}\n";
}

bool is_squall_document(std::string_view text) {
  const Json document = parsed(text);
  return document.is_object() && document.contains("squall");
}

Expected<StoredResults, Error> read_results(std::string_view text,
                                            const std::string& display_name) {
  return Reader(text, display_name).read();
}

}  // namespace squall::analysis
