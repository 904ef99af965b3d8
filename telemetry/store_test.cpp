// SPDX-License-Identifier: MIT
#include "telemetry/store.hpp"

#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "telemetry/store_test_support.hpp"

namespace squall::telemetry {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Texts = std::vector<std::string>;

Texts columns_of(const std::string& path, const std::string& table) {
  Texts names;
  for (const auto& row : rows_of(path, "SELECT name FROM pragma_table_info('" + table + "')")) {
    names.push_back(row.front().substr(sizeof "text:" - 1));
  }
  return names;
}

TEST(Store, TablesHaveTheSpecifiedColumns) {
  const TestFolder folder;
  open_store(folder.path("t.db"));
  EXPECT_THAT(
      columns_of(folder.path("t.db"), "llm_requests"),
      ElementsAre("recorded_at", "operation_id", "purpose", "agent_id", "role", "workspace",
                  "ticket_id", "model", "routing", "input_tokens", "output_tokens", "cached_tokens",
                  "cache_miss_tokens", "cost", "upstream_provider", "system_fingerprint",
                  "duration_ms", "retry_attempts", "finish_reason", "failure_class", "success"));
  EXPECT_THAT(columns_of(folder.path("t.db"), "llm_failures"),
              ElementsAre("recorded_at", "operation_id", "attempt", "class", "finish_reason",
                          "retry_after_ms", "error_chain", "attempt_duration_ms"));
}

TEST(Store, TheFileSaysWhatItIs) {
  const TestFolder folder;
  open_store(folder.path("t.db"));
  // Read off the header (SQLite file format, section 1.3), where `file` looks too.
  const std::string header = folder.read("t.db").substr(0, 100);
  EXPECT_EQ(header.substr(0, 16), std::string("SQLite format 3\0", 16));
  EXPECT_EQ(header.substr(60, 4), std::string("\0\0\0\x01", 4));  // user_version
  EXPECT_EQ(header.substr(68, 4), "SQUL");                        // application_id
}

TEST(Store, ReadersAreWelcomeWhileItIsOpenAndAFileIsAloneAfterwards) {
  const TestFolder folder;
  const auto mode = [&folder] {
    return rows_of(folder.path("t.db"), "PRAGMA journal_mode").front().front();
  };
  auto first = open_store(folder.path("t.db"));
  auto second = open_store(folder.path("t.db"));
  EXPECT_EQ(mode(), "text:wal");
  first.reset();
  EXPECT_EQ(mode(), "text:wal") << "the other one goes on";
  second->record(request_row("o"));
  second.reset();
  EXPECT_EQ(mode(), "text:delete");
  EXPECT_EQ(count_of(folder.path("t.db"), "llm_requests"), 1);
  EXPECT_THAT(folder.names(), ElementsAre("t.db"));
}

TEST(Store, AFullRequestRowComesBack) {
  const TestFolder folder;
  core::RequestRow row;
  row.recorded_at = core::WallInstant{core::Duration{1'500'000'001}};
  row.operation_id = "1/503-storm/7/41";
  row.metadata = {.purpose = "chat",
                  .agent_id = "a'1",
                  .role = "r\"2\"",
                  .workspace = "Größe; DROP TABLE llm_requests; --",
                  .ticket_id = "T-5",
                  .routing = "fast"};
  row.model = "模型/m:1";
  row.answer = {.input_tokens = 1,
                .output_tokens = 0,
                .cached_tokens = 3,
                .cache_miss_tokens = std::numeric_limits<std::uint64_t>::max(),
                .cost = 0.125,
                .upstream_provider = "",
                .system_fingerprint = "fp_1"};
  row.duration = std::chrono::nanoseconds(1'234'999'999);
  row.retry_attempts = std::numeric_limits<std::uint32_t>::max();
  row.finish_reason = "stop";
  row.success = true;
  open_store(folder.path("t.db"))->record(row);
  EXPECT_THAT(rows_of(folder.path("t.db"), "SELECT * FROM llm_requests"),
              ElementsAre(ElementsAre(
                  "text:1970-01-01T00:00:01.500000001Z", "text:1/503-storm/7/41", "text:chat",
                  "text:a'1", "text:r\"2\"", "text:Größe; DROP TABLE llm_requests; --", "text:T-5",
                  "text:模型/m:1", "text:fast", "integer:1", "integer:0", "integer:3",
                  "integer:9223372036854775807", "real:0.125", "text:", "text:fp_1", "integer:1234",
                  "integer:4294967295", "text:stop", "null:", "integer:1")));
}

TEST(Store, WhatIsAbsentIsNull) {
  const TestFolder folder;
  core::RequestRow row = failed_row("o", "transport", 13);
  row.metadata.routing.clear();
  open_store(folder.path("t.db"))->record(row);
  EXPECT_THAT(rows_of(folder.path("t.db"), "SELECT * FROM llm_requests"),
              ElementsAre(ElementsAre(
                  "text:1970-01-01T00:00:00.000000000Z", "text:o",
                  "null:", "null:", "null:", "null:", "null:", "text:m", "text:default",
                  "null:", "null:", "null:", "null:", "null:", "null:", "null:", "integer:0",
                  "integer:13", "null:", "text:transport", "integer:0")));
}

TEST(Store, FailureRowsComeBack) {
  const TestFolder folder;
  core::FailureRow full = failure_row("o", "parse", 2);
  full.finish_reason = "length";
  full.retry_after_ms = 0;
  full.error_chain = std::string("a\0b: it's \"broken\"\n\xFF", 21);
  full.attempt_duration = std::chrono::microseconds(999);
  {
    const auto store = open_store(folder.path("t.db"));
    store->record(full);
    store->record(failure_row("o", "shutdown", 3));
  }
  EXPECT_THAT(
      rows_of(folder.path("t.db"), "SELECT * FROM llm_failures"),
      ElementsAre(
          ElementsAre("text:1970-01-01T00:00:00.000000000Z", "text:o", "integer:2", "text:parse",
                      "text:length", "integer:0", "text:" + full.error_chain, "integer:0"),
          ElementsAre("text:1970-01-01T00:00:00.000000000Z", "text:o", "integer:3", "text:shutdown",
                      "null:", "null:", "text:it broke", "null:")));
}

TEST(Store, RowsKeepTheirOrderAndAreWrittenByFlush) {
  const TestFolder folder;
  const auto store = open_store(folder.path("t.db"));
  for (const char* id : {"b", "a", "b", "c"}) {
    store->record(request_row(id));
  }
  EXPECT_EQ(count_of(folder.path("t.db"), "llm_requests"), 0);
  EXPECT_TRUE(store->flush());
  EXPECT_THAT(rows_of(folder.path("t.db"), "SELECT operation_id FROM llm_requests ORDER BY rowid"),
              ElementsAre(Texts{"text:b"}, Texts{"text:a"}, Texts{"text:b"}, Texts{"text:c"}));
  EXPECT_EQ(store->dropped(), 0U);
}

TEST(Store, EveryOpeningIsARecordingOfItsOwn) {
  const TestFolder folder;
  const auto first = open_store(folder.path("t.db"));
  const auto second = open_store(folder.path("t.db"));
  EXPECT_EQ(first->recording(), 1);
  EXPECT_EQ(second->recording(), 2);
  first->record(request_row("1"));
  second->record(request_row("2"));
  EXPECT_TRUE(first->flush() && second->flush());
  EXPECT_EQ(open_store(folder.path("t.db"))->recording(), 3);
  EXPECT_EQ(count_of(folder.path("t.db"), "llm_requests"), 2);
}

TEST(Store, IdsOfOperations) {
  EXPECT_EQ(operation_id(3, "503-storm", 7, 41), "3/503-storm/7/41");
  EXPECT_EQ(operation_id_prefix(3, "503-storm", 7), "3/503-storm/7");
  EXPECT_EQ(operation_id(1, "a/1", std::numeric_limits<std::uint64_t>::max(), 0),
            "1/a/1/18446744073709551615/0");
  // Slashes in a name confuse nobody: the outer numbers are found from the ends.
  EXPECT_NE(operation_id(1, "a/1", 2, 3), operation_id(1, "a", 1, 23));
}

TEST(Store, ManyRowsTakeNoTime) {
  const TestFolder folder;
  constexpr int kRows = 50'000;
  {
    const auto store = open_store(folder.path("t.db"));
    for (int i = 0; i < kRows; ++i) {
      const std::string id = operation_id(1, "many", 1, static_cast<std::uint64_t>(i / 2));
      if (i % 2 == 0) {
        store->record(failure_row(id, "transport"));
      } else {
        store->record(request_row(id, 2));
      }
    }
  }
  EXPECT_EQ(count_of(folder.path("t.db"), "llm_requests"), kRows / 2);
  EXPECT_EQ(count_of(folder.path("t.db"), "llm_failures"), kRows / 2);
}

TEST(Store, NamesThatMeanSomethingToSqliteAreFiles) {
  const TestFolder folder;
  for (const char* name : {":memory:", "file:a?mode=memory", "100% #1?.db", "a'b\"c ü"}) {
    open_store(folder.path(name))->record(request_row("o"));
    EXPECT_EQ(open_error(folder.path(name)), "") << name;
    EXPECT_EQ(count_of(folder.path(name), "llm_requests"), 1) << name;
  }
  std::filesystem::current_path(folder.path(""));
  open_store("relative.db");
  EXPECT_TRUE(std::filesystem::exists(folder.path("relative.db")));
}

TEST(Store, AKilledProcessLeavesAWholeDatabase) {
  const TestFolder folder;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto store = open_store(folder.path("t.db"));
    for (std::size_t i = 0; i < 2 * Store::kBatchRows + 1; ++i) {
      store->record(request_row("o"));
    }
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  const auto next = open_store(folder.path("t.db"));
  EXPECT_EQ(next->recording(), 2);
  EXPECT_EQ(integrity_of(folder.path("t.db")), "ok");
  EXPECT_EQ(count_of(folder.path("t.db"), "llm_requests"),
            static_cast<std::int64_t>(2 * Store::kBatchRows));
}

}  // namespace
}  // namespace squall::telemetry
