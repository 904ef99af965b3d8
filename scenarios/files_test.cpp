// SPDX-License-Identifier: MIT
#include "scenarios/files.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace squall::scenarios {
namespace {

namespace fs = std::filesystem;

/// Writes more than this process may; the message of the failure.
std::string write_beyond_a_limit(const std::string& path) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  limit.rlim_cur = limit.rlim_max = 4096;
  setrlimit(RLIMIT_FSIZE, &limit);
  const auto result = write_file(path, std::string(100'000, 'y'));
  return result ? "written" : result.error().message;
}

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "squall-files-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static std::string content(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::string folder_;
};

TEST_F(Files, WrittenContentReadsBackByteForByte) {
  const std::string bytes("a\0b\r\n\xff", 6);
  ASSERT_TRUE(write_file(path("x"), bytes));
  EXPECT_EQ(read_file(path("x")).value(), bytes);
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, NewFileHasTheUsualPermissions) {
  const mode_t mask = umask(022);
  ASSERT_TRUE(write_file(path("x"), "1"));
  umask(mask);
  struct stat status {};
  ASSERT_EQ(stat(path("x").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0644U);
}

TEST_F(Files, ReplacingKeepsPermissionsAndFollowsLinks) {
  ASSERT_TRUE(write_file(path("x"), "old"));
  fs::permissions(path("x"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("x", path("link"));
  ASSERT_TRUE(write_file(path("link"), "new"));
  EXPECT_EQ(content(path("x")), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  struct stat status {};
  ASSERT_EQ(stat(path("x").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(Files, MissingFileIsNamed) {
  EXPECT_EQ(core::to_string(read_file("nowhere/x.json").error()), "nowhere/x.json: no such file");
}

TEST_F(Files, FolderIsNoFile) {
  EXPECT_EQ(read_file(folder_).error().message, "is a folder, not a file");
  EXPECT_EQ(write_file(folder_, "x").error().message, "is a folder, not a file");
}

TEST_F(Files, LimitIsInclusive) {
  ASSERT_TRUE(write_file(path("x"), "12345"));
  EXPECT_EQ(read_file(path("x"), 5).value(), "12345");
  EXPECT_EQ(read_file(path("x"), 4).error().message, "too large, allowed: at most 4 bytes");
}

TEST_F(Files, EndlessDeviceStopsAtTheLimit) {
  EXPECT_EQ(read_file("/dev/zero", 1000).error().message, "too large, allowed: at most 1000 bytes");
}

TEST_F(Files, MissingFolderLeavesNothingBehind) {
  EXPECT_EQ(core::to_string(write_file("nowhere/x.json", "1").error()),
            "nowhere/x.json: cannot be written: No such file or directory");
}

TEST_F(Files, FullDiskIsReported) {
  EXPECT_EQ(core::to_string(write_file("/dev/full", "1").error()),
            "/dev/full: cannot be written: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(Files, FailedReplacementKeepsTheOldFileAndNoTemporary) {
  ASSERT_TRUE(write_file(path("x"), "old"));
  // A file-size limit stands in for a full disk: the temporary file cannot be completed.
  EXPECT_EXIT(
      std::_Exit(write_beyond_a_limit(path("x")) == "cannot be written: File too large" ? 0 : 1),
      testing::ExitedWithCode(0), "");
  EXPECT_EQ(content(path("x")), "old");
  EXPECT_EQ(entries(), 1U);
}

}  // namespace
}  // namespace squall::scenarios
