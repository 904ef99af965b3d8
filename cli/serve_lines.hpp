// SPDX-License-Identifier: MIT
//
// What `squall serve` says: how to call it, one line for each request, a summary. Text is for
// people and rounds; JSON is one object a line.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "live/fault_server.hpp"
#include "live/request_log.hpp"
#include "reports/style.hpp"
#include "scenarios/model.hpp"

namespace squall::cli {

/// The first lines: where it listens, and commands that call it.
[[nodiscard]] std::string greeting_text(const scenarios::Scenario& scenario, const std::string& url,
                                        std::uint64_t time_scale);
[[nodiscard]] std::string greeting_json(const scenarios::Scenario& scenario, const std::string& url,
                                        std::uint64_t time_scale, std::uint64_t seed);

[[nodiscard]] std::string exchange_text(const live::LoggedExchange& exchange,
                                        const reports::Style& style);
[[nodiscard]] std::string exchange_json(const live::LoggedExchange& exchange);

[[nodiscard]] std::string outside_text(const live::OutsideExchange& exchange,
                                       const reports::Style& style);
[[nodiscard]] std::string outside_json(const live::OutsideExchange& exchange);

/// What all the lines come to. Its size does not depend on how many there are.
class ServeSummary {
 public:
  void count(const live::LoggedExchange& exchange);
  void count(const live::OutsideExchange&) { ++outside_; }

  [[nodiscard]] std::uint64_t exchanges() const { return exchanges_; }
  /// "served 13 calls of 1 client: 12 answered, 1 cut".
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string json() const;

 private:
  std::map<live::ExchangeEnd, std::uint64_t> by_end_;
  std::uint64_t exchanges_ = 0;
  std::uint64_t clients_ = 0;
  std::uint64_t outside_ = 0;
};

}  // namespace squall::cli
