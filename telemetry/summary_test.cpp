// SPDX-License-Identifier: MIT
#include "telemetry/summary.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "telemetry/store_test_support.hpp"

namespace squall::telemetry {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

Summary summary_of(const std::string& path) {
  const auto summary = summarize(path);
  if (!summary) {
    throw std::runtime_error(core::to_string(summary.error()));
  }
  return *summary;
}

std::string summary_error(const std::string& path) {
  const auto summary = summarize(path);
  return summary ? "" : core::to_string(summary.error());
}

TEST(Summary, CountsOperationsByHowTheyEnded) {
  const TestFolder folder;
  {
    const auto store = open_store(folder.path("t.db"));
    store->record(request_row("1", 1));
    store->record(failure_row("2", "transport", 1));
    store->record(failure_row("2", "parse", 2));
    store->record(request_row("2", 3));
    store->record(failure_row("3", "transport", 1));
    store->record(failed_row("3", "transport", 2));
    store->record(failure_row("4", "non_retryable", 1));
    store->record(failed_row("4", "non_retryable", 1));
    store->record(failure_row("5", "transport", 1));  // cut off before it ended
    store->record(failure_row("5", "transport", 2));
  }
  const Summary summary = summary_of(folder.path("t.db"));
  EXPECT_EQ(summary.recordings, 1U);
  EXPECT_EQ(summary.operations, 4U);
  EXPECT_EQ(summary.successes, 2U);
  EXPECT_EQ(summary.degraded, 0U);
  EXPECT_EQ(summary.retried, 2U);
  EXPECT_EQ(summary.retried_successes, 1U);
  EXPECT_EQ(summary.unfinished, 1U);
  EXPECT_EQ(summary.accepted_rounds, 0U);
  EXPECT_EQ(summary.calls, 7U);
  EXPECT_EQ(summary.failures, 6U);
  EXPECT_THAT(summary.outcomes,
              ElementsAre(Count{"success", 2}, Count{"non_retryable", 1}, Count{"transport", 1}));
  EXPECT_THAT(summary.failure_classes,
              ElementsAre(Count{"transport", 4}, Count{"non_retryable", 1}, Count{"parse", 1}));
  EXPECT_THAT(summary.calls_histogram, ElementsAre(Pair(1, 2), Pair(2, 1), Pair(3, 1)));
  EXPECT_EQ(summary.usage, Usage{});
}

TEST(Summary, AnOperationIsItsLastRow) {
  const TestFolder folder;
  {
    const auto store = open_store(folder.path("t.db"));
    // Two accepted rounds of one synthesis with another operation's row between them.
    core::RequestRow round = request_row("s", 1);
    round.answer.input_tokens = 100;
    round.answer.cost = 0.5;
    round.duration = std::chrono::seconds(9);
    store->record(round);
    core::RequestRow other = request_row("t");
    other.answer.input_tokens = 7;
    store->record(other);
    round.retry_attempts = 3;
    round.answer.input_tokens = 20;
    store->record(round);
    // Its own row repeats what the last answer said; that is no second answer.
    core::RequestRow own = failed_row("s", "completeness", 3);
    own.answer.input_tokens = 20;
    own.duration = std::chrono::seconds(8);
    store->record(own);
  }
  const Summary summary = summary_of(folder.path("t.db"));
  EXPECT_EQ(summary.operations, 2U);
  EXPECT_EQ(summary.accepted_rounds, 2U);
  EXPECT_EQ(summary.calls, 4U);
  EXPECT_EQ(summary.usage.input_tokens, 127U);
  EXPECT_EQ(summary.usage.cost, 1.0);
  EXPECT_THAT(summary.outcomes, ElementsAre(Count{"completeness", 1}, Count{"success", 1}));
  EXPECT_EQ(summary.slowest.front(), (OperationLine{"s", 8'000, 3, "completeness"}));
}

TEST(Summary, SilentRoundsLeaveTheUsageToTheOperation) {
  const TestFolder folder;
  {
    const auto store = open_store(folder.path("t.db"));
    store->record(request_row("s", 1));
    core::RequestRow own = request_row("s", 2);
    own.answer.output_tokens = 5;
    store->record(own);
  }
  const Summary summary = summary_of(folder.path("t.db"));
  EXPECT_EQ(summary.accepted_rounds, 1U);
  EXPECT_EQ(summary.usage.output_tokens, 5U);
}

TEST(Summary, ASuccessThatNamesAClassIsDegraded) {
  const TestFolder folder;
  {
    const auto store = open_store(folder.path("t.db"));
    core::RequestRow row = failed_row("1", "parse", 3);
    row.success = true;
    store->record(row);
    row = failed_row("2", "", 3);
    row.failure_class.reset();
    store->record(row);
  }
  const Summary summary = summary_of(folder.path("t.db"));
  EXPECT_EQ(summary.successes, 1U);
  EXPECT_THAT(summary.outcomes, ElementsAre(Count{"degraded", 1}, Count{"unknown", 1}));
  EXPECT_EQ(summary.successes, 1U);
  EXPECT_EQ(summary.degraded, 1U);
  EXPECT_EQ(summary.shares.begin()->second.degraded, 1U);
}

TEST(Summary, SharesByPurposeAndModel) {
  const TestFolder folder;
  {
    const auto store = open_store(folder.path("t.db"));
    core::RequestRow row = request_row("1", 2);
    row.metadata.purpose = "chat";
    row.answer.input_tokens = 10;
    row.answer.output_tokens = 1;
    row.answer.cost = 0.25;
    store->record(row);
    row.operation_id = "2";
    row.answer = {};
    row.answer.input_tokens = 5;
    row.answer.cached_tokens = 4;
    row.answer.cache_miss_tokens = 1;
    store->record(row);
    row = failed_row("3", "parse");
    store->record(row);
  }
  const Summary summary = summary_of(folder.path("t.db"));
  const Usage usage{.input_tokens = 15,
                    .output_tokens = 1,
                    .cached_tokens = 4,
                    .cache_miss_tokens = 1,
                    .cost = 0.25};
  using Key = std::pair<std::string, std::string>;
  EXPECT_THAT(summary.shares, ElementsAre(Pair(Key("", "m"), Share{1, 0, 0, 1, {}}),
                                          Pair(Key("chat", "m"), Share{2, 2, 0, 4, usage})));
  EXPECT_EQ(summary.usage, usage);
}

TEST(Summary, SlowestFirstThenById) {
  const TestFolder folder;
  {
    const auto store = open_store(folder.path("t.db"));
    // Ids "00" to "24"; 0, 1, 2, 3, 4 s over and over.
    for (int i = 24; i >= 0; --i) {
      core::RequestRow row = request_row((i < 10 ? "0" : "") + std::to_string(i));
      row.duration = std::chrono::seconds(i % 5);
      store->record(row);
    }
  }
  std::vector<std::string> ids;
  for (const OperationLine& line : summary_of(folder.path("t.db")).slowest) {
    ids.push_back(line.operation_id);
  }
  EXPECT_THAT(ids, ElementsAre("04", "09", "14", "19", "24", "03", "08", "13", "18", "23"));
}

TEST(Summary, TokensSaturate) {
  const TestFolder folder;
  {
    const auto store = open_store(folder.path("t.db"));
    for (const char* id : {"1", "2", "3"}) {
      core::RequestRow row = request_row(id);
      row.answer.input_tokens = UINT64_MAX;  // stored as 2^63-1
      store->record(row);
    }
  }
  EXPECT_EQ(summary_of(folder.path("t.db")).usage.input_tokens, UINT64_MAX);
}

TEST(Summary, OfNothing) {
  const TestFolder folder;
  open_store(folder.path("t.db"));
  const std::string before = folder.read("t.db");
  const Summary summary = summary_of(folder.path("t.db"));
  EXPECT_EQ(summary.recordings, 1U);
  EXPECT_EQ(summary.operations, 0U);
  EXPECT_THAT(summary.slowest, IsEmpty());
  EXPECT_EQ(folder.read("t.db"), before);
  EXPECT_THAT(folder.names(), ElementsAre("t.db"));
}

TEST(Summary, ReadsWhatIsBeingRecorded) {
  const TestFolder folder;
  const auto store = open_store(folder.path("t.db"));
  store->record(request_row("1"));
  store->flush();
  SQLite::Database writer(folder.path("t.db"), SQLite::OPEN_READWRITE);
  const SQLite::Transaction writing(writer, SQLite::TransactionBehavior::IMMEDIATE);
  EXPECT_EQ(summary_of(folder.path("t.db")).operations, 1U);
}

TEST(Summary, ReadsAnArchiveNobodyMayWrite) {
  const TestFolder folder;
  open_store(folder.path("t.db"))->record(request_row("1"));
  // As it is when taken away from under an open recording.
  SQLite::Database(folder.path("t.db"), SQLite::OPEN_READWRITE).exec("PRAGMA journal_mode = WAL");
  const std::string before = folder.read("t.db");
  // The file that readers of a WAL database share cannot be made.
  ASSERT_EQ(chmod(folder.path("").c_str(), 0555), 0);
  {
    const AsNobody nobody;
    EXPECT_EQ(summary_of(folder.path("t.db")).operations, 1U);
  }
  ASSERT_EQ(chmod(folder.path("").c_str(), 0755), 0);
  EXPECT_EQ(folder.read("t.db"), before);
}

TEST(Summary, RefusesWhatIsNotOurs) {
  const TestFolder folder;
  folder.write("empty.db", "");
  folder.write("text.db", "hello");
  {
    SQLite::Database foreign(folder.path("foreign.db"),
                             SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    foreign.exec("CREATE TABLE llm_requests (x)");
  }
  open_store(folder.path("newer.db"));
  SQLite::Database(folder.path("newer.db"), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 9");
  EXPECT_THAT(summary_error(folder.path("none.db")), EndsWith("none.db: there is no such file"));
  EXPECT_THAT(summary_error(folder.path("empty.db")), HasSubstr("found an empty file"));
  EXPECT_THAT(summary_error(folder.path("text.db")), HasSubstr("no SQLite database"));
  EXPECT_THAT(summary_error(folder.path("foreign.db")), HasSubstr("another application"));
  EXPECT_THAT(summary_error(folder.path("newer.db")), HasSubstr("found version 9"));
  EXPECT_THAT(summary_error(folder.path("")), HasSubstr("found a folder"));
}

TEST(Summary, ADamagedFileIsAnError) {
  const TestFolder folder;
  {
    const auto store = open_store(folder.path("t.db"));
    for (int i = 0; i < 1'000; ++i) {
      store->record(request_row(std::to_string(i)));
    }
  }
  const std::string whole = folder.read("t.db");
  folder.write("cut.db", whole.substr(0, whole.size() / 2));
  EXPECT_THAT(summary_error(folder.path("cut.db")), HasSubstr("malformed"));
  std::string scribbled = whole;
  std::fill(scribbled.begin() + 4'096, scribbled.end(), '#');
  folder.write("scribbled.db", scribbled);
  EXPECT_THAT(summary_error(folder.path("scribbled.db")), HasSubstr("malformed"));
}

}  // namespace
}  // namespace squall::telemetry
