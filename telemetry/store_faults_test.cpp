// SPDX-License-Identifier: MIT
//
// Files that are not ours and a world that does not let us write.
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "telemetry/store.hpp"
#include "telemetry/store_test_support.hpp"

namespace squall::telemetry {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

/// Opening is refused in one line that names the file and has `part`; the file keeps every byte and
/// gets no companions.
void expect_refused(const TestFolder& folder, const std::string& name, const std::string& part) {
  const std::string before = folder.read(name);
  const auto names = folder.names();
  const std::string error = open_error(folder.path(name));
  EXPECT_THAT(error,
              AllOf(StartsWith(folder.path(name) + ": "), HasSubstr(part), Not(HasSubstr("\n"))));
  EXPECT_EQ(folder.read(name), before);
  EXPECT_EQ(folder.names(), names);
}

/// The store opens, warns once with `part` and takes rows that it counts as dropped.
void expect_closed(const std::string& path, const std::string& part) {
  std::vector<std::string> warnings;
  const auto store = open_store(path, [&](const std::string& text) { warnings.push_back(text); });
  EXPECT_THAT(warnings, ElementsAre(AllOf(HasSubstr("cannot write to " + path), HasSubstr(part),
                                          EndsWith("; no row is stored"))));
  EXPECT_EQ(store->recording(), 0);
  store->record(request_row("lost"));
  store->record(failure_row("lost", "transport"));
  EXPECT_FALSE(store->flush());
  EXPECT_EQ(store->dropped(), 2U);
  EXPECT_EQ(warnings.size(), 1U);
}

/// Makes a database by hand.
void make_database(const TestFolder& folder, const std::string& name, const std::string& sql) {
  SQLite::Database database(folder.path(name), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  database.exec(sql);
}

TEST(StoreFaults, WhatIsNoDatabaseIsRefusedAndKept) {
  const TestFolder folder;
  folder.write("short", "x");
  folder.write("long", std::string(8'192, '#'));
  folder.write("almost", "SQLite format 3");
  for (const char* name : {"short", "long", "almost"}) {
    expect_refused(folder, name, "found a file that is no SQLite database, allowed: ");
  }
}

TEST(StoreFaults, ForeignDatabasesAreRefusedAndKept) {
  const TestFolder folder;
  make_database(folder, "plain.db", "CREATE TABLE t (x)");
  make_database(folder, "named.db", "PRAGMA application_id = 7; CREATE TABLE t (x)");
  make_database(folder, "wal.db", "PRAGMA journal_mode = WAL; CREATE TABLE t (x)");
  for (const char* name : {"plain.db", "named.db", "wal.db"}) {
    expect_refused(folder, name, "found a database of another application, allowed: ");
  }
  // Also while its owner has it open and has not yet written everything into the file itself.
  SQLite::Database owner(folder.path("wal.db"), SQLite::OPEN_READWRITE);
  owner.exec("INSERT INTO t VALUES (1)");
  expect_refused(folder, "wal.db", "another application");
  EXPECT_EQ(owner.execAndGet("SELECT x FROM t").getInt(), 1);
}

TEST(StoreFaults, OtherVersionsAreRefusedAndKept) {
  const TestFolder folder;
  open_store(folder.path("t.db"));
  make_database(folder, "t.db", "PRAGMA user_version = 2");
  expect_refused(folder, "t.db", "found version 2 of the tables, allowed: 1");
}

TEST(StoreFaults, TablesThatLackAColumnAreRefused) {
  const TestFolder folder;
  open_store(folder.path("t.db"));
  make_database(folder, "t.db", "ALTER TABLE llm_failures DROP COLUMN retry_after_ms");
  EXPECT_THAT(open_error(folder.path("t.db")), HasSubstr("retry_after_ms"));
  EXPECT_EQ(count_of(folder.path("t.db"), "recordings"), 1) << "nothing was begun";
}

TEST(StoreFaults, PlacesWhereNoFileCanBe) {
  const TestFolder folder;
  std::filesystem::create_directory(folder.path("sub"));
  folder.write("file", "");
  EXPECT_THAT(open_error(folder.path("sub")), HasSubstr("found a folder, allowed: "));
  EXPECT_THAT(open_error(folder.path("no/such/t.db")),
              HasSubstr("there is no folder " + folder.path("no/such")));
  EXPECT_THAT(open_error(folder.path("file/t.db")), HasSubstr("there is no folder"));
  EXPECT_THAT(open_error(""), HasSubstr("the name of the telemetry database is empty"));
  ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(open_error(folder.path("pipe")), HasSubstr("found something that is no file"));
}

TEST(StoreFaults, AnEmptyFileIsANewDatabase) {
  const TestFolder folder;
  folder.write("t.db", "");
  EXPECT_EQ(open_store(folder.path("t.db"))->recording(), 1);
  EXPECT_EQ(count_of(folder.path("t.db"), "llm_requests"), 0);
}

TEST(StoreFaults, ReadOnlyFoldersAndFiles) {
  const TestFolder folder;
  open_store(folder.path("t.db"));
  ASSERT_EQ(chmod(folder.path("t.db").c_str(), 0444), 0);
  ASSERT_EQ(chmod(folder.path("").c_str(), 0555), 0);
  {
    const AsNobody nobody;
    expect_closed(folder.path("new.db"), "unable to open database file");
    expect_closed(folder.path("t.db"), "");
  }
  ASSERT_EQ(chmod(folder.path("").c_str(), 0755), 0);
  EXPECT_THAT(folder.names(), ElementsAre("t.db"));
  EXPECT_EQ(count_of(folder.path("t.db"), "recordings"), 1);
}

TEST(StoreFaults, AReadOnlyFileInAnOpenFolder) {
  const TestFolder folder;
  open_store(folder.path("t.db"));
  ASSERT_EQ(chmod(folder.path("t.db").c_str(), 0444), 0);
  ASSERT_EQ(chmod(folder.path("").c_str(), 0777), 0);
  const AsNobody nobody;
  expect_closed(folder.path("t.db"), "readonly");
}

TEST(StoreFaults, ALockAtOpeningWarnsOnceAndStoresNothing) {
  const TestFolder folder;
  open_store(folder.path("t.db"));
  SQLite::Database other(folder.path("t.db"), SQLite::OPEN_READWRITE);
  const SQLite::Transaction lock(other, SQLite::TransactionBehavior::IMMEDIATE);
  expect_closed(folder.path("t.db"), "database is locked");
}

TEST(StoreFaults, ALockWhileRecordingWarnsOnceAndLosesOnlyWhatItMet) {
  const TestFolder folder;
  std::vector<std::string> warnings;
  const auto store =
      open_store(folder.path("t.db"), [&](const std::string& text) { warnings.push_back(text); });
  SQLite::Database other(folder.path("t.db"), SQLite::OPEN_READWRITE);
  {
    const SQLite::Transaction lock(other, SQLite::TransactionBehavior::EXCLUSIVE);
    store->record(request_row("lost"));
    EXPECT_FALSE(store->flush());
    for (std::size_t i = 0; i < 3 * Store::kBatchRows; ++i) {
      store->record(failure_row("lost", "transport"));
    }
  }
  EXPECT_THAT(warnings, ElementsAre("telemetry: cannot write to " + folder.path("t.db") +
                                    ": database is locked; rows are dropped until it works again"));
  EXPECT_EQ(store->dropped(), 3 * Store::kBatchRows + 1);
  store->record(request_row("kept"));
  EXPECT_FALSE(store->flush()) << "what was lost stays lost";
  EXPECT_EQ(store->dropped(), 3 * Store::kBatchRows + 1);
  EXPECT_THAT(rows_of(folder.path("t.db"), "SELECT operation_id FROM llm_requests"),
              ElementsAre(ElementsAre("text:kept")));
  EXPECT_EQ(warnings.size(), 1U);
}

/// No file of this process may grow beyond `bytes`: writing more fails as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : signal_before_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    static_cast<void>(std::signal(SIGXFSZ, signal_before_));
  }

 private:
  rlimit before_{};
  void (*signal_before_)(int);
};

TEST(StoreFaults, AFullDiskWarnsOnceAndLeavesAWholeDatabase) {
  const TestFolder folder;
  int warnings = 0;
  const auto store = open_store(folder.path("t.db"), [&](const std::string&) { ++warnings; });
  store->record(request_row("before"));
  ASSERT_TRUE(store->flush());
  core::FailureRow large = failure_row("lost", "transport");
  large.error_chain.assign(100'000, 'x');
  {
    const FullDisk full(64 * 1'024);
    for (int i = 0; i < 3; ++i) {
      store->record(large);
      EXPECT_FALSE(store->flush());
    }
    EXPECT_EQ(integrity_of(folder.path("t.db")), "ok");
  }
  EXPECT_EQ(warnings, 1);
  EXPECT_EQ(store->dropped(), 3U);
  large.operation_id = "after";
  store->record(large);
  store->flush();
  EXPECT_EQ(store->dropped(), 3U) << "there is room again";
  EXPECT_EQ(integrity_of(folder.path("t.db")), "ok");
  EXPECT_THAT(rows_of(folder.path("t.db"), "SELECT operation_id FROM llm_failures"),
              ElementsAre(ElementsAre("text:after")));
  EXPECT_EQ(count_of(folder.path("t.db"), "llm_requests"), 1);
}

TEST(StoreFaults, AFullDiskAtOpeningWarnsOnceAndStoresNothing) {
  const TestFolder folder;
  const FullDisk full(1'024);
  expect_closed(folder.path("t.db"), "");
}

TEST(StoreFaults, AWarningThatThrowsHarmsNothing) {
  const TestFolder folder;
  const auto store = open_store(
      folder.path("t.db"), [](const std::string&) { throw std::runtime_error("no terminal"); });
  SQLite::Database(folder.path("t.db"), SQLite::OPEN_READWRITE).exec("DROP TABLE llm_requests");
  store->record(request_row("lost"));
  store->record(failure_row("lost", "transport"));
  EXPECT_FALSE(store->flush());
  EXPECT_EQ(count_of(folder.path("t.db"), "llm_failures"), 0) << "a batch is stored whole or not";
  EXPECT_EQ(store->dropped(), 2U);
  store->record(failure_row("kept", "transport"));
  store->flush();
  EXPECT_EQ(count_of(folder.path("t.db"), "llm_failures"), 1);
}

}  // namespace
}  // namespace squall::telemetry
