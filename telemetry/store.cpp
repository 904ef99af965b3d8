// SPDX-License-Identifier: MIT
#include "telemetry/store.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include "core/quote.hpp"
#include "telemetry/database.hpp"
#include "telemetry/schema.hpp"
#include "telemetry/timestamp.hpp"

namespace squall::telemetry {
namespace {

using Row = std::variant<core::FailureRow, core::RequestRow>;

constexpr std::size_t kShownBytesMax = 1'000;

constexpr const char* kInsertRequest = R"(
INSERT INTO llm_requests (
  recorded_at, operation_id, purpose, agent_id, role, workspace, ticket_id, model, routing,
  input_tokens, output_tokens, cached_tokens, cache_miss_tokens, cost, upstream_provider,
  system_fingerprint, duration_ms, retry_attempts, finish_reason, failure_class, success)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))";

constexpr const char* kInsertFailure = R"(
INSERT INTO llm_failures (
  recorded_at, operation_id, attempt, class, finish_reason, retry_after_ms, error_chain,
  attempt_duration_ms)
VALUES (?, ?, ?, ?, ?, ?, ?, ?))";

/// Binds the parameters of a statement one after the other.
class Binder {
 public:
  explicit Binder(SQLite::Statement& statement) : statement_(statement) {}

  Binder& text(const std::string& value) {
    statement_.bind(next_++, value);
    return *this;
  }
  Binder& text(const std::optional<std::string>& value) { return value ? text(*value) : null(); }
  Binder& text_or_null(const std::string& value) { return value.empty() ? null() : text(value); }
  Binder& number(std::uint64_t value) {
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    statement_.bind(next_++, static_cast<std::int64_t>(std::min(value, kMax)));
    return *this;
  }
  Binder& number(const std::optional<std::uint64_t>& value) {
    return value ? number(*value) : null();
  }
  Binder& real(const std::optional<double>& value) {
    if (!value) {
      return null();
    }
    statement_.bind(next_++, *value);
    return *this;
  }
  Binder& milliseconds(const std::optional<core::Duration>& value) {
    if (!value) {
      return null();
    }
    const auto whole = std::chrono::floor<std::chrono::milliseconds>(*value).count();
    statement_.bind(next_++, static_cast<std::int64_t>(whole));
    return *this;
  }

 private:
  Binder& null() {
    statement_.bind(next_++);
    return *this;
  }

  SQLite::Statement& statement_;
  int next_ = 1;
};

/// Leaves a statement ready for its next execution, however this one ends.
class Execution {
 public:
  explicit Execution(SQLite::Statement& statement) : statement_(statement) {}
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;
  // The code is the one of the step before, which has been thrown already.
  ~Execution() { statement_.tryReset(); }

 private:
  SQLite::Statement& statement_;
};

void insert(SQLite::Statement& statement, const core::RequestRow& row) {
  const Execution execution(statement);
  const core::RequestMetadata& who = row.metadata;
  const core::AnswerFacts& answer = row.answer;
  Binder(statement)
      .text(timestamp_text(row.recorded_at))
      .text(row.operation_id)
      .text_or_null(who.purpose)
      .text_or_null(who.agent_id)
      .text_or_null(who.role)
      .text_or_null(who.workspace)
      .text_or_null(who.ticket_id)
      .text(row.model)
      .text(who.routing.empty() ? core::RequestMetadata{}.routing : who.routing)
      .number(answer.input_tokens)
      .number(answer.output_tokens)
      .number(answer.cached_tokens)
      .number(answer.cache_miss_tokens)
      .real(answer.cost)
      .text(answer.upstream_provider)
      .text(answer.system_fingerprint)
      .milliseconds(row.duration)
      .number(row.retry_attempts)
      .text(row.finish_reason)
      .text(row.failure_class)
      .number(row.success ? 1U : 0U);
  statement.exec();
}

void insert(SQLite::Statement& statement, const core::FailureRow& row) {
  const Execution execution(statement);
  Binder(statement)
      .text(timestamp_text(row.recorded_at))
      .text(row.operation_id)
      .number(row.attempt)
      .text(row.failure_class)
      .text(row.finish_reason)
      .number(row.retry_after_ms)
      .text(row.error_chain)
      .milliseconds(row.attempt_duration);
  statement.exec();
}

/// Whether the fault lies in the surroundings, which may change, and not in the file.
bool is_of_the_world(const SQLite::Exception& fault) {
  switch (fault.getErrorCode()) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_FULL:
    case SQLITE_IOERR:
      return true;
    default:
      return false;
  }
}

}  // namespace

class Store::Impl {
 public:
  Impl(std::string path, Warn warn) : path_(std::move(path)), warn_(std::move(warn)) {}

  /// Opens the file, or stays closed when the world does not let us write just now.
  ///
  /// @throws SQLite::Exception when the file itself is at fault.
  void open() {
    try {
      database_.emplace(plain_name(path_), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
                        kBusyTimeoutMs);
      begin_recording();
      batch_.reserve(kBatchRows);
    } catch (const SQLite::Exception& fault) {
      insert_request_.reset();
      insert_failure_.reset();
      database_.reset();
      recording_ = 0;
      if (!is_of_the_world(fault)) {
        throw;
      }
      warn_once(fault.what(), "no row is stored");
    }
  }

  template <class R>
  void add(const R& row) noexcept {
    if (!database_) {
      ++dropped_;
      return;
    }
    try {
      batch_.emplace_back(row);
    } catch (const std::exception& fault) {
      ++dropped_;
      warn_once(fault.what(), kUntilItWorks);
      return;
    }
    if (batch_.size() >= kBatchRows) {
      flush();
    }
  }

  bool flush() noexcept {
    if (!batch_.empty()) {
      const bool written = write_batch();
      dropped_ += written ? 0 : batch_.size();
      batch_.clear();
      if (written != healthy_) {
        healthy_ = written;
        sqlite3_busy_timeout(database_->getHandle(), healthy_ ? kBusyTimeoutMs : 0);
      }
    }
    return dropped_ == 0;
  }

  void close() noexcept {
    flush();
    if (!database_) {
      return;
    }
    // A closed file needs none beside it and can be read from anywhere, a read-only archive
    // included. Where others have it open this fails, and the last of them does it.
    sqlite3_busy_timeout(database_->getHandle(), 0);
    database_->tryExec("PRAGMA journal_mode = DELETE");
  }

  [[nodiscard]] std::int64_t recording() const { return recording_; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  void begin_recording() {
    // Whatever fails in here is rolled back. The tables come before WAL, so that the numbers that
    // identify the file are in the file itself from the start.
    SQLite::Database& database = *database_;
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    if (database.execAndGet("SELECT COUNT(*) FROM sqlite_schema").getInt64() == 0) {
      database.exec(schema_sql());
    }
    insert_request_.emplace(database, kInsertRequest);
    insert_failure_.emplace(database, kInsertFailure);
    database.exec("INSERT INTO recordings DEFAULT VALUES");
    recording_ = database.getLastInsertRowid();
    transaction.commit();
    // Where the file system or another reader does not allow WAL all of this works without it.
    database.tryExec("PRAGMA journal_mode = WAL");
    database.tryExec("PRAGMA synchronous = NORMAL");
  }

  bool write_batch() noexcept {
    try {
      SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
      for (const Row& row : batch_) {
        std::visit([this](const auto& one) { insert(statement_for(one), one); }, row);
      }
      transaction.commit();
      return true;
    } catch (const std::exception& fault) {
      warn_once(fault.what(), kUntilItWorks);
      return false;
    }
  }

  SQLite::Statement& statement_for(const core::RequestRow&) { return *insert_request_; }
  SQLite::Statement& statement_for(const core::FailureRow&) { return *insert_failure_; }

  static constexpr std::string_view kUntilItWorks = "rows are dropped until it works again";

  void warn_once(const char* reason, std::string_view consequence) noexcept {
    if (warned_ || !warn_) {
      return;
    }
    warned_ = true;
    try {
      std::string message = "telemetry: cannot write to ";
      core::append_quoted(message, path_, kShownBytesMax);
      message += ": ";
      core::append_quoted(message, reason, kShownBytesMax);
      message += "; ";
      message += consequence;
      warn_(message);
    } catch (...) {
      // Nobody is left to tell.
    }
  }

  std::string path_;
  Warn warn_;
  std::optional<SQLite::Database> database_;  ///< absent: closed for good
  std::optional<SQLite::Statement> insert_request_;
  std::optional<SQLite::Statement> insert_failure_;
  std::vector<Row> batch_;
  std::int64_t recording_ = 0;
  std::uint64_t dropped_ = 0;
  bool healthy_ = true;
  bool warned_ = false;
};

core::Expected<std::unique_ptr<Store>, core::Error> Store::open(const std::string& path,
                                                                Warn warn) {
  if (const auto kind = inspect(path); !kind) {
    return core::Unexpected<core::Error>(kind.error());
  }
  try {
    auto impl = std::make_unique<Impl>(path, std::move(warn));
    impl->open();
    return std::unique_ptr<Store>(new Store(std::move(impl)));
  } catch (const SQLite::Exception& fault) {
    return refused(path, fault);
  }
}

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::~Store() {
  impl_->close();
}

void Store::record(const core::FailureRow& row) {
  impl_->add(row);
}
void Store::record(const core::RequestRow& row) {
  impl_->add(row);
}
bool Store::flush() {
  return impl_->flush();
}
std::int64_t Store::recording() const {
  return impl_->recording();
}
std::uint64_t Store::dropped() const {
  return impl_->dropped();
}

std::string operation_id(std::int64_t recording, std::string_view scenario, std::uint64_t seed,
                         std::uint64_t run) {
  return operation_id_prefix(recording, scenario, seed) + '/' + std::to_string(run);
}

std::string operation_id_prefix(std::int64_t recording, std::string_view scenario,
                                std::uint64_t seed) {
  std::string prefix = std::to_string(recording);
  prefix += '/';
  prefix += scenario;
  prefix += '/';
  prefix += std::to_string(seed);
  return prefix;
}

}  // namespace squall::telemetry
