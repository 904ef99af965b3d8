// SPDX-License-Identifier: MIT
//
// The rules of the Trace Event format, as its readers need them kept, held against a document from
// the outside: whoever makes documents shares nothing with this. Judges the phases M, X and i; any
// other is a finding.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace squall::reports {

/// What is wrong with a document, in words; nothing when it keeps every rule.
class TraceEventRules {
 public:
  static std::vector<std::string> findings(const std::string& text) {
    TraceEventRules rules;
    rules.judge(text);
    return std::move(rules.findings_);
  }

  /// Nanoseconds as a reader of doubles gets them. @source Perfetto's importer.
  static std::int64_t nanoseconds(const nlohmann::json& microseconds) {
    return std::llround(microseconds.get<double>() * 1000.0);
  }

 private:
  using Track = std::pair<std::int64_t, std::int64_t>;

  void judge(const std::string& text) {
    const nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
    if (!document.is_object() || !document.contains("traceEvents") ||
        !document["traceEvents"].is_array()) {
      findings_.emplace_back("no JSON object with an array traceEvents");
      return;
    }
    std::size_t times = 0;
    for (const nlohmann::json& event : document["traceEvents"]) {
      if (!event.is_object()) {
        findings_.emplace_back("an event that is no object");
        continue;
      }
      judge_event(event);
      times += event.count("ts") + event.count("dur");
    }
    judge_names();
    judge_numbers();
    // Only the text shows how a number is spelt.
    static const std::regex kExact(R"re("(ts|dur)":(0|[1-9][0-9]*)\.[0-9]{3}[,}])re");
    const auto exact = static_cast<std::size_t>(
        std::distance(std::sregex_iterator(text.begin(), text.end(), kExact), {}));
    if (exact != times) {
      findings_.emplace_back("a time without exactly three decimals");
    }
  }

  void find(const nlohmann::json& event, const std::string& words) {
    findings_.push_back(words + ": " + event.dump());
  }

  void judge_event(const nlohmann::json& event) {
    const auto is_text = [&event](const char* member) {
      return event.contains(member) && event[member].is_string();
    };
    const auto is_whole = [&event](const char* member) {
      return event.contains(member) && event[member].is_number_integer() && event[member] >= 0;
    };
    if (!is_text("name") || !is_text("ph")) {
      find(event, "name or phase is no string");
      return;
    }
    if (!is_whole("pid") || !is_whole("tid")) {
      find(event, "pid or tid is no whole number");
      return;
    }
    if (event.contains("args") && !event["args"].is_object()) {
      find(event, "args is no object");
    }
    const Track track{event["pid"], event["tid"]};
    const std::string phase = event["ph"];
    if (phase == "M") {
      judge_metadata(event, track);
      return;
    }
    begun_.insert(track.first);
    used_.insert(track);
    if (!is_time(event, "ts")) {
      find(event, "ts is no time");
      return;
    }
    const std::int64_t at = nanoseconds(event["ts"]);
    if (last_.contains(track.first) && at < last_[track.first]) {
      find(event, "time goes back");
    }
    last_[track.first] = at;
    if (phase == "X") {
      judge_slice(event, track, at);
    } else if (phase == "i") {
      if (!is_text("s") || (event["s"] != "g" && event["s"] != "p" && event["s"] != "t")) {
        find(event, "an instant without a scope");
      }
    } else {
      find(event, "unknown phase");
    }
  }

  static bool is_time(const nlohmann::json& event, const char* member) {
    return event.contains(member) && event[member].is_number() && event[member] >= 0;
  }

  void judge_metadata(const nlohmann::json& event, const Track& track) {
    if (begun_.contains(track.first)) {
      find(event, "metadata after other events of its process");
    }
    const std::string name = event["name"];
    const nlohmann::json args = event.value("args", nlohmann::json::object());
    const bool is_name = name == "process_name" || name == "thread_name";
    const bool is_order = name == "process_sort_index" || name == "thread_sort_index";
    if (!is_name && !is_order) {
      find(event, "unknown metadata");
    } else if (is_name ? !args.contains("name") || !args["name"].is_string()
                       : !args.contains("sort_index") || !args["sort_index"].is_number_integer()) {
      find(event, "metadata without its value");
    }
    if (name == "process_name" && !processes_.insert(track.first).second) {
      find(event, "a second name");
    }
    if (name == "thread_name" && !threads_.insert(track).second) {
      find(event, "a second name");
    }
  }

  /// Slices of a track lie in each other or apart.
  void judge_slice(const nlohmann::json& event, const Track& track, std::int64_t from) {
    if (!is_time(event, "dur")) {
      find(event, "dur is no duration");
      return;
    }
    const std::int64_t to = from + nanoseconds(event["dur"]);
    std::vector<std::int64_t>& open = open_[track];
    while (!open.empty() && open.back() <= from) {
      open.pop_back();
    }
    if (!open.empty() && open.back() < to) {
      find(event, "overlaps a slice that it does not lie in");
    }
    open.push_back(to);
  }

  void judge_names() {
    for (const Track& track : used_) {
      if (!processes_.contains(track.first) || !threads_.contains(track)) {
        findings_.emplace_back("a process or thread without a name");
      }
    }
  }

  /// One number is one thing: see the importer that knows threads by their number alone.
  void judge_numbers() {
    std::set<std::int64_t> numbers(processes_.begin(), processes_.end());
    for (const Track& track : threads_) {
      if (!numbers.insert(track.second).second) {
        findings_.push_back("the number " + std::to_string(track.second) + " names two things");
      }
    }
  }

  std::set<std::int64_t> processes_, begun_;
  std::set<Track> threads_, used_;
  std::map<std::int64_t, std::int64_t> last_;
  std::map<Track, std::vector<std::int64_t>> open_;
  std::vector<std::string> findings_;
};

}  // namespace squall::reports
