// SPDX-License-Identifier: MIT
#include "cli/scenario_source.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "scenarios/catalogue.hpp"
#include "scenarios/golden.hpp"
#include "scenarios/loader.hpp"
#include "scenarios/wording.hpp"

namespace squall::cli {
namespace {

namespace fs = std::filesystem;

bool looks_like_a_path(const std::string& word) {
  return word.find('/') != std::string::npos || word.ends_with(".json");
}

std::vector<std::string> names_of(std::span<const scenarios::StoredFile> files) {
  std::vector<std::string> names;
  names.reserve(files.size());
  for (const scenarios::StoredFile& file : files) {
    names.emplace_back(file.name);
  }
  return names;
}

/// A scenario to be, known as `reference`.
LoadedScenario placed(std::string reference) {
  LoadedScenario loaded;
  loaded.reference = std::move(reference);
  return loaded;
}

class Loader {
 public:
  LoadedScenarios load(std::span<const std::string> words) {
    if (words.empty()) {
      for (const scenarios::StoredFile& file : scenarios::library_files()) {
        shipped(file, /*whole_folder=*/true);
      }
    }
    for (const std::string& word : words) {
      one_word(word);
    }
    return std::move(found_);
  }

 private:
  void one_word(const std::string& word) {
    if (!looks_like_a_path(word)) {
      if (const auto file = scenarios::find_library_file(word)) {
        shipped(*file, /*whole_folder=*/false);
        return;
      }
    }
    std::error_code ignored;
    if (fs::is_directory(word, ignored)) {
      folder(word);
    } else if (looks_like_a_path(word) || fs::exists(word, ignored)) {
      file(word, /*whole_folder=*/false);
    } else {
      found_.errors.push_back(scenarios::error_of(fmt::format(
          "no scenario is called {}{}; squall scenarios lists them all, a file or folder also does",
          scenarios::in_quotes(word),
          scenarios::did_you_mean(word, names_of(scenarios::library_files())))));
    }
  }

  void shipped(const scenarios::StoredFile& file, bool whole_folder) {
    LoadedScenario loaded = placed(std::string(file.name));
    loaded.whole_folder = whole_folder;
    keep(scenarios::load_scenario(file.text, std::string(file.path)), std::move(loaded), file.path);
  }

  void folder(const std::string& path) {
    std::vector<std::string> files;
    std::error_code fault;
    std::error_code ignored;
    for (fs::directory_iterator at(path, fault), end; !fault && at != end; at.increment(fault)) {
      const std::string name = at->path().filename().string();
      // A pipe in a folder would wait for a writer; one that is named on purpose may.
      if (at->is_regular_file(ignored) && name.ends_with(".json") &&
          !name.ends_with(".schema.json") && name != kGoldenFile) {
        files.push_back(at->path().string());
      }
    }
    if (fault || files.empty()) {
      core::Error error = scenarios::error_of(fault ? "cannot be read: " + fault.message()
                                                    : "no scenario files (*.json) in this folder");
      error.file = path;
      found_.errors.push_back(std::move(error));
    }
    std::sort(files.begin(), files.end());
    for (const std::string& one : files) {
      file(one, /*whole_folder=*/true);
    }
  }

  void file(const std::string& path, bool whole_folder) {
    LoadedScenario loaded = placed(path);
    loaded.golden_file = (fs::path(path).parent_path() / kGoldenFile).string();
    loaded.whole_folder = whole_folder;
    keep(scenarios::load_scenario_file(path), std::move(loaded), path);
  }

  void keep(core::Expected<scenarios::Scenario, core::Error> scenario, LoadedScenario loaded,
            std::string_view path) {
    if (!scenario) {
      // A folder may hold the policies that its scenarios name.
      if (!loaded.whole_folder || !scenarios::load_policy_file(std::string(path))) {
        found_.errors.push_back(scenario.error());
      }
      return;
    }
    if (scenario->defect) {
      found_.errors.push_back({.file = std::string(path),
                               .line = 0,
                               .pointer = "/defect",
                               .message = fmt::format("the defect {} exists in test builds only",
                                                      scenarios::in_quotes(*scenario->defect))});
      return;
    }
    loaded.scenario = *std::move(scenario);
    const scenarios::GoldenDigests& golden = digests(loaded.golden_file);
    if (const auto digest = golden.find(loaded.scenario.name); digest != golden.end()) {
      loaded.golden = digest->second;
    }
    found_.scenarios.push_back(std::move(loaded));
  }

  /// The golden digests of a folder (of the library without one); each is read once.
  const scenarios::GoldenDigests& digests(const std::optional<std::string>& path) {
    const std::string key = path.value_or("");
    if (const auto known = digests_.find(key); known != digests_.end()) {
      return known->second;
    }
    scenarios::GoldenDigests& digests = digests_[key];
    std::error_code ignored;
    // A link that leads nowhere is there, and an error: it must not switch the comparison off.
    if (path && !fs::exists(fs::symlink_status(*path, ignored))) {
      return digests;
    }
    auto read = path ? scenarios::load_golden(*path)
                     : scenarios::parse_golden(scenarios::golden_text(), kGoldenFile);
    if (read) {
      digests = *std::move(read);
    } else {
      found_.errors.push_back(read.error());
    }
    return digests;
  }

  LoadedScenarios found_;
  std::map<std::string, scenarios::GoldenDigests> digests_;
};

}  // namespace

LoadedScenarios load_scenarios(std::span<const std::string> words) {
  return Loader().load(words);
}

core::Expected<core::RetryPolicy, core::Error> load_policy(const std::string& word) {
  if (!looks_like_a_path(word)) {
    if (const auto file = scenarios::find_policy_file(word)) {
      return scenarios::load_policy(file->text, std::string(file->path));
    }
    std::error_code ignored;
    if (!fs::exists(word, ignored)) {
      return tl::unexpected(scenarios::error_of(fmt::format(
          "no policy is called {}{}, allowed: {} or a policy file", scenarios::in_quotes(word),
          scenarios::did_you_mean(word, names_of(scenarios::policy_files())),
          scenarios::join(names_of(scenarios::policy_files())))));
    }
  }
  return scenarios::load_policy_file(word);
}

}  // namespace squall::cli
