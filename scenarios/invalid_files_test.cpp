// SPDX-License-Identifier: MIT
//
// Every file in scenarios/invalid is refused with exactly the line in
// scenarios/invalid/expected.json.
#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/document.hpp"
#include "scenarios/files.hpp"
#include "scenarios/loader.hpp"

namespace squall::scenarios {
namespace {

const std::string kFolder = SQUALL_SOURCE_DIR "/scenarios/invalid/";

std::string without_folder(std::string line) {
  for (std::size_t i = line.find(kFolder); i != std::string::npos; i = line.find(kFolder)) {
    line.erase(i, kFolder.size());
  }
  return line;
}

Json expected_lines() {
  return parse_document(read_file(kFolder + "expected.json").value(), "expected.json").value();
}

TEST(InvalidFiles, AreRefusedWithTheExpectedLine) {
  const Json expected = expected_lines();
  EXPECT_GE(expected.size(), 30U);
  for (const auto& entry : expected.items()) {
    const auto scenario = load_scenario_file(kFolder + entry.key() + ".json");
    ASSERT_FALSE(scenario) << entry.key() << " was accepted";
    const std::string line = without_folder(core::to_string(scenario.error()));
    EXPECT_EQ(line, entry.value().get<std::string>());
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
}

TEST(InvalidFiles, AllHaveAnExpectedLine) {
  const Json expected = expected_lines();
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const std::string name = entry.path().stem().string();
    EXPECT_TRUE(name == "expected" || expected.contains(name)) << name;
  }
}

TEST(InvalidFiles, EachHasALineOfItsOwnKind) {
  // Two files with the same message would prove the same thing twice, except for "missing key" and
  // the shared words of a quantity, which the pointer tells apart.
  std::set<std::string> tails;
  const Json expected = expected_lines();
  for (const auto& entry : expected.items()) {
    const auto line = entry.value().get<std::string>();
    EXPECT_TRUE(tails.insert(line.substr(line.find(": ") + 2)).second) << line;
  }
}

}  // namespace
}  // namespace squall::scenarios
