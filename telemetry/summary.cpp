// SPDX-License-Identifier: MIT
#include "telemetry/summary.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>
#include <tuple>

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include "telemetry/database.hpp"

namespace squall::telemetry {
namespace {

/// Rows of one operation follow each other, its own row last. The index has this order.
constexpr const char* kSelectRequests = R"(
SELECT operation_id, purpose, model, duration_ms, retry_attempts, failure_class, success,
       input_tokens, output_tokens, cached_tokens, cache_miss_tokens, cost
FROM llm_requests ORDER BY operation_id, rowid)";
constexpr const char* kSelectFailures =
    "SELECT class, COUNT(*) FROM llm_failures GROUP BY class ORDER BY COUNT(*) DESC, class";
constexpr const char* kCountUnfinished = R"(
SELECT COUNT(DISTINCT operation_id) FROM llm_failures AS failed
WHERE NOT EXISTS (SELECT 1 FROM llm_requests WHERE operation_id = failed.operation_id))";
constexpr const char* kCountRecordings = "SELECT COUNT(*) FROM recordings";

/// One row of `kSelectRequests`.
struct Request {
  std::string operation_id;
  std::string purpose;
  std::string model;
  std::uint64_t duration_ms = 0;
  std::uint64_t calls = 0;
  std::string outcome;
  bool success = false;
  bool degraded = false;
  Usage usage;
};

/// Hands may have edited the file: nothing we write is negative.
std::uint64_t count_in(const SQLite::Column& column) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(column.getInt64(), 0));
}

std::optional<std::uint64_t> count_or_null(const SQLite::Column& column) {
  return column.isNull() ? std::nullopt : std::optional(count_in(column));
}

Request read_request(SQLite::Statement& row) {
  Request request;
  request.operation_id = row.getColumn(0).getString();
  request.purpose = row.getColumn(1).getString();
  request.model = row.getColumn(2).getString();
  request.duration_ms = count_in(row.getColumn(3));
  request.calls = count_in(row.getColumn(4));
  request.success = row.getColumn(6).getInt64() != 0;
  const SQLite::Column failure_class = row.getColumn(5);
  request.degraded = request.success && !failure_class.isNull();
  if (request.success) {
    request.outcome = request.degraded ? "degraded" : "success";
  } else {
    request.outcome = failure_class.isNull() ? "unknown" : failure_class.getString();
  }
  request.usage.input_tokens = count_or_null(row.getColumn(7));
  request.usage.output_tokens = count_or_null(row.getColumn(8));
  request.usage.cached_tokens = count_or_null(row.getColumn(9));
  request.usage.cache_miss_tokens = count_or_null(row.getColumn(10));
  if (!row.getColumn(11).isNull()) {
    request.usage.cost = row.getColumn(11).getDouble();
  }
  return request;
}

void add_to(std::uint64_t& sum, std::uint64_t value) {
  sum = value > std::numeric_limits<std::uint64_t>::max() - sum
            ? std::numeric_limits<std::uint64_t>::max()
            : sum + value;
}

void add_to(std::optional<std::uint64_t>& sum, const std::optional<std::uint64_t>& value) {
  if (value) {
    std::uint64_t total = sum.value_or(0);
    add_to(total, *value);
    sum = total;
  }
}

void add_to(Usage& sum, const Usage& value) {
  add_to(sum.input_tokens, value.input_tokens);
  add_to(sum.output_tokens, value.output_tokens);
  add_to(sum.cached_tokens, value.cached_tokens);
  add_to(sum.cache_miss_tokens, value.cache_miss_tokens);
  if (value.cost) {
    sum.cost = sum.cost.value_or(0) + *value.cost;
  }
}

class Collector {
 public:
  /// Takes the rows in the order of `kSelectRequests`.
  void add(Request row) {
    if (last_ && last_->operation_id == row.operation_id) {
      ++summary_.accepted_rounds;
      if (last_->usage != Usage{}) {
        Usage so_far = rounds_usage_.value_or(Usage{});
        add_to(so_far, last_->usage);
        rounds_usage_ = so_far;
      }
    } else {
      close_operation();
    }
    last_ = std::move(row);
  }

  Summary finish() {
    close_operation();
    for (const auto& [name, count] : outcomes_) {
      summary_.outcomes.push_back({name, count});
    }
    std::stable_sort(summary_.outcomes.begin(), summary_.outcomes.end(),
                     [](const Count& a, const Count& b) { return a.count > b.count; });
    return std::move(summary_);
  }

 private:
  void close_operation() {
    if (!last_) {
      return;
    }
    const Request& own = *last_;
    const Usage usage = rounds_usage_.value_or(own.usage);
    const std::uint64_t success = own.success ? 1 : 0;
    const std::uint64_t degraded = own.degraded ? 1 : 0;
    const std::uint64_t retried = own.calls > 1 ? 1 : 0;
    ++summary_.operations;
    summary_.successes += success;
    summary_.degraded += degraded;
    summary_.retried += retried;
    summary_.retried_successes += retried * success;
    add_to(summary_.calls, own.calls);
    add_to(summary_.usage, usage);
    ++outcomes_[own.outcome];
    ++summary_.calls_histogram[own.calls];
    Share& share = summary_.shares[{own.purpose, own.model}];
    ++share.operations;
    share.successes += success;
    share.degraded += degraded;
    add_to(share.calls, own.calls);
    add_to(share.usage, usage);
    consider_slow(own);
    last_.reset();
    rounds_usage_.reset();
  }

  void consider_slow(const Request& own) {
    // Rows come by id: of equally long ones the first stays in front.
    std::vector<OperationLine>& slowest = summary_.slowest;
    const auto place = std::find_if(
        slowest.begin(), slowest.end(),
        [&own](const OperationLine& line) { return line.duration_ms < own.duration_ms; });
    if (place == slowest.end() && slowest.size() == kSlowestMax) {
      return;
    }
    slowest.insert(place, {own.operation_id, own.duration_ms, own.calls, own.outcome});
    slowest.resize(std::min(slowest.size(), kSlowestMax));
  }

  Summary summary_;
  std::map<std::string, std::uint64_t> outcomes_;
  std::optional<Request> last_;
  /// Of the accepted rounds of the operation at hand, if they say anything.
  std::optional<Usage> rounds_usage_;
};

Summary read_all(SQLite::Database& database) {
  // All questions are put to one state of the file.
  const SQLite::Transaction transaction(database);
  Collector collector;
  SQLite::Statement requests(database, kSelectRequests);
  while (requests.executeStep()) {
    collector.add(read_request(requests));
  }
  Summary summary = collector.finish();
  SQLite::Statement failures(database, kSelectFailures);
  while (failures.executeStep()) {
    summary.failure_classes.push_back(
        {failures.getColumn(0).getString(), count_in(failures.getColumn(1))});
    summary.failures += summary.failure_classes.back().count;
  }
  summary.unfinished = count_in(database.execAndGet(kCountUnfinished));
  summary.recordings = count_in(database.execAndGet(kCountRecordings));
  return summary;
}

Summary read_file(const std::string& path) {
  try {
    SQLite::Database database(plain_name(path), SQLite::OPEN_READONLY, kBusyTimeoutMs);
    return read_all(database);
  } catch (const SQLite::Exception& fault) {
    // A WAL database needs files beside it even to be read. Where none can be made and none is
    // left, nobody can be writing.
    std::error_code ignored;
    const bool alone = !std::filesystem::exists(path + "-wal", ignored);
    const int code = fault.getErrorCode();
    if (!alone || (code != SQLITE_CANTOPEN && code != SQLITE_READONLY)) {
      throw;
    }
    SQLite::Database database(immutable_uri(path), SQLite::OPEN_READONLY | SQLite::OPEN_URI);
    return read_all(database);
  }
}

}  // namespace

core::Expected<Summary, core::Error> summarize(const std::string& path) {
  const auto kind = inspect(path);
  if (!kind) {
    return core::Unexpected<core::Error>(kind.error());
  }
  if (*kind == FileKind::kAbsent) {
    return refused(path, "there is no such file");
  }
  if (*kind == FileKind::kEmpty) {
    return refused(path, "found an empty file, allowed: a database that squall recorded");
  }
  try {
    return read_file(path);
  } catch (const SQLite::Exception& fault) {
    return refused(path, fault);
  }
}

}  // namespace squall::telemetry
