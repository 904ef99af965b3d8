// SPDX-License-Identifier: MIT
//
// Telemetry rows in a SQLite file. Only a wrong file is an error. A store that cannot write (disk
// full, locked, read-only) says so once and drops rows: all of them when it could not even be
// opened, else those of the batch at hand, and it tries again with the next one. It never throws
// and waits for a lock no longer than a fifth of a second, and not at all while the last batch
// could not be written, so a lasting fault costs one wait.
//
//   auto store = telemetry::Store::open("telemetry.db", warn);
//   if (!store) ...                             // one line, nothing was changed
//   row.operation_id = telemetry::operation_id((*store)->recording(), scenario, seed, run);
//   (*store)->record(row);
//
// Rows are gathered in memory and written in batches, each in one short transaction: what is stored
// is always whole, and other programs can read the file at any time (WAL while it is open, one
// plain file once it is closed). A killed process loses what it had not flushed. One thread at a
// time; wrap it in a BackgroundSink for many, or where even a slow disk must not be felt.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/expected.hpp"
#include "core/telemetry.hpp"

namespace squall::telemetry {

class Store final : public core::TelemetrySink {
 public:
  /// Told once, in the thread that writes, that rows are being dropped, and why: one line without a
  /// line break that names the file. What it throws is ignored.
  using Warn = std::function<void(const std::string&)>;

  /// Rows written in one transaction. Chosen: 100 000 rows take about a second (most of it SQLite's
  /// own work), and a killed process loses little.
  static constexpr std::size_t kBatchRows = 1'000;

  /// Opens a file for adding to it, or makes it. A file of zero bytes counts as new.
  ///
  /// @param warn  may be empty.
  /// @errors a folder, a missing folder, an unreadable file, no database, a database of another
  ///         application or version (none of which is changed)
  [[nodiscard]] static core::Expected<std::unique_ptr<Store>, core::Error> open(
      const std::string& path, Warn warn);

  /// Writes what is still in memory.
  ~Store() override;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  void record(const core::FailureRow& row) override;
  void record(const core::RequestRow& row) override;

  /// Writes what is in memory. @return whether everything recorded so far was stored.
  bool flush();

  /// The ordinal of this opening: one more than the largest in the file so far, 1 in a new file; 0
  /// when the file could not be opened for writing.
  [[nodiscard]] std::int64_t recording() const;
  /// Rows that could not be stored.
  [[nodiscard]] std::uint64_t dropped() const;

 private:
  class Impl;
  explicit Store(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

/// "3/503-storm/7/41": the id of one simulated operation. Two recordings into one file never share
/// an id, and the numbers at both ends keep ids apart whatever a scenario is called.
[[nodiscard]] std::string operation_id(std::int64_t recording, std::string_view scenario,
                                       std::uint64_t seed, std::uint64_t run);
/// "3/503-storm/7": the same without the number of the run and the slash before it.
[[nodiscard]] std::string operation_id_prefix(std::int64_t recording, std::string_view scenario,
                                              std::uint64_t seed);

}  // namespace squall::telemetry
