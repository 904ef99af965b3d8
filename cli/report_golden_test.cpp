// SPDX-License-Identifier: MIT
//
// The report byte by byte, as JSON and as Markdown. After a wanted change both files are written
// anew by
//
//   SQUALL_BLESS=1 build/dev/cli_test --gtest_filter='ReportGolden.*'
//
// and nothing else writes them.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/invocation_test_support.hpp"
#include "scenarios/files.hpp"

namespace squall::cli {
namespace {

/// Commands of the report name files as its reader would: from the repository's root.
class ReportGolden : public testing::Test {
 protected:
  ReportGolden() : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(SQUALL_SOURCE_DIR);
  }
  ReportGolden(const ReportGolden&) = delete;
  ReportGolden& operator=(const ReportGolden&) = delete;
  ~ReportGolden() override { std::filesystem::current_path(before_); }

  static void expect_golden(const std::string& format, const std::string& file) {
    const Ended ended =
        squall({"report", "four-kinds-of-failure", "503-storm-nine-minutes", "shutdown-in-body",
                "429-retry-after-decimals", "--policy", "docs/examples/patient.json", "--baseline",
                "default", "--runs", "100", "--format", format});
    ASSERT_EQ(ended.code, kFine) << ended.err;
    if (std::getenv("SQUALL_BLESS") != nullptr) {
      ASSERT_TRUE(scenarios::write_file(file, ended.out));
      return;
    }
    const auto golden = scenarios::read_file(file);
    ASSERT_TRUE(golden) << to_string(golden.error());
    EXPECT_EQ(ended.out, *golden) << "a wanted change is blessed: see the head of this test";
  }

 private:
  std::filesystem::path before_;
};

TEST_F(ReportGolden, Json) {
  expect_golden("json", "reports/golden/report.json");
}

TEST_F(ReportGolden, Markdown) {
  expect_golden("markdown", "reports/golden/report.md");
}

}  // namespace
}  // namespace squall::cli
