// SPDX-License-Identifier: MIT
//
// What the tests of this folder share: a folder of their own, sample rows, and a look into a
// database through a connection that is not the store's.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/fsuid.h>

#include "core/telemetry.hpp"
#include "core/test_folder_test_support.hpp"
#include "telemetry/store.hpp"

namespace squall::telemetry {

using core::TestFolder;

/// Files are touched with nobody's rights, whoever runs the test.
class AsNobody {
 public:
  AsNobody() : before_(setfsuid(kNobody)) {}
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;
  ~AsNobody() { setfsuid(static_cast<uid_t>(before_)); }

 private:
  static constexpr uid_t kNobody = 65'534;
  int before_;
};

/// Opens or fails the test with the error.
inline std::unique_ptr<Store> open_store(const std::string& path, Store::Warn warn = {}) {
  auto store = Store::open(path, std::move(warn));
  if (!store) {
    throw std::runtime_error(core::to_string(store.error()));
  }
  return std::move(*store);
}

/// The error of opening `path`, as one line; empty when it opens.
inline std::string open_error(const std::string& path) {
  const auto store = Store::open(path, {});
  return store ? "" : core::to_string(store.error());
}

inline core::RequestRow request_row(std::string id, std::uint32_t calls = 1) {
  core::RequestRow row;
  row.operation_id = std::move(id);
  row.model = "m";
  row.retry_attempts = calls;
  row.success = true;
  return row;
}

inline core::RequestRow failed_row(std::string id, std::string failure_class,
                                   std::uint32_t calls = 1) {
  core::RequestRow row = request_row(std::move(id), calls);
  row.success = false;
  row.failure_class = std::move(failure_class);
  return row;
}

inline core::FailureRow failure_row(std::string id, std::string failure_class,
                                    std::uint32_t attempt = 1) {
  core::FailureRow row;
  row.operation_id = std::move(id);
  row.failure_class = std::move(failure_class);
  row.attempt = attempt;
  row.error_chain = "it broke";
  return row;
}

/// All rows of a query, each value as SQLite's type and its bytes: "text:m", "null:".
inline std::vector<std::vector<std::string>> rows_of(const std::string& path,
                                                     const std::string& query) {
  SQLite::Database database(path, SQLite::OPEN_READONLY);
  SQLite::Statement statement(database, query);
  std::vector<std::vector<std::string>> rows;
  while (statement.executeStep()) {
    std::vector<std::string> row;
    for (int i = 0; i < statement.getColumnCount(); ++i) {
      const SQLite::Column column = statement.getColumn(i);
      const std::string type = column.isInteger() ? "integer:"
                               : column.isFloat() ? "real:"
                               : column.isText()  ? "text:"
                               : column.isNull()  ? "null:"
                                                  : "blob:";
      row.push_back(type + column.getString());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

inline std::int64_t count_of(const std::string& path, const std::string& table) {
  SQLite::Database database(path, SQLite::OPEN_READONLY);
  return database.execAndGet("SELECT COUNT(*) FROM " + table).getInt64();
}

inline std::string integrity_of(const std::string& path) {
  SQLite::Database database(path, SQLite::OPEN_READONLY);
  return database.execAndGet("PRAGMA integrity_check").getString();
}

}  // namespace squall::telemetry
