// SPDX-License-Identifier: MIT
#include "cli/bless.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include <fmt/format.h>

#include "cli/runner.hpp"
#include "reports/figures.hpp"
#include "scenarios/golden.hpp"
#include "scenarios/wording.hpp"
#include "simulator/simulation.hpp"

namespace squall::cli {
namespace {

using scenarios::GoldenDigests;

/// The file of golden digests as it will be.
struct GoldenFile {
  std::string path;  ///< as the user named it
  GoldenDigests before, after;
};

/// One key for every spelling of a path and every link to it.
std::string key_of(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, ignored);
  return resolved.empty() ? path : resolved.string();
}

/// Scenarios that are blessed with the whole folder leave no digest of a vanished file behind.
bool is_whole_folder(const std::vector<LoadedScenario>& loaded, const std::string& key) {
  return std::any_of(loaded.begin(), loaded.end(), [&key](const LoadedScenario& one) {
    return one.golden_file && one.whole_folder && key_of(*one.golden_file) == key;
  });
}

/// Digests that are new, different or gone.
std::size_t changes(const GoldenFile& file) {
  std::size_t count = 0;
  for (const auto& [name, digest] : file.after) {
    const auto old = file.before.find(name);
    count += old == file.before.end() || old->second != digest ? 1U : 0U;
  }
  for (const auto& [name, digest] : file.before) {
    count += file.after.contains(name) ? 0U : 1U;
  }
  return count;
}

core::Expected<GoldenDigests, core::Error> digests_in(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::symlink_status(path, ignored))
             ? scenarios::load_golden(path)
             : GoldenDigests{};
}

}  // namespace

int bless(std::vector<LoadedScenario>& loaded, const Console& console) {
  std::map<std::string, GoldenFile> files;
  int code = kFine;
  for (LoadedScenario& one : loaded) {
    if (!one.golden_file) {
      return usage_error(console, fmt::format("--bless: {} is built into squall, allowed: files "
                                              "and folders",
                                              scenarios::in_quotes(one.reference)));
    }
    const std::string key = key_of(*one.golden_file);
    auto [file, is_new] = files.try_emplace(key);
    if (is_new) {
      file->second.path = *one.golden_file;
      const auto before = digests_in(*one.golden_file);
      if (!before) {
        return input_error(console, before.error());
      }
      file->second.before = *before;
      if (!is_whole_folder(loaded, key)) {
        file->second.after = *before;
      }
    }
    const playback::PreparedScenario prepared(one.scenario);
    simulator::Simulation simulation(prepared);
    simulation.run(reports::kGoldenSeed, 0);
    const playback::RunResult& result = simulation.verify_determinism();
    if (!result.sound()) {
      sound_alarms(reports::make_run_report(subject_for(one, std::nullopt), one.scenario, result),
                   console);
      code = kBroken;
    }
    one.golden = result.digest;
    file->second.after[one.scenario.name] = result.digest;
  }
  if (code != kFine) {
    console.err << "squall: --bless: nothing was written\n";
    return code;
  }
  for (const auto& [key, file] : files) {
    if (const auto saved = scenarios::save_golden(file.path, file.after); !saved) {
      return input_error(console, saved.error());
    }
    console.err << fmt::format("wrote {}: {}, {}\n", file.path,
                               reports::count_of(file.after.size(), "digest"),
                               reports::count_of(changes(file), "change"));
  }
  return kFine;
}

}  // namespace squall::cli
