// SPDX-License-Identifier: MIT
#include "live/request_difference.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "core/json_text.hpp"

namespace squall::live {
namespace {

std::map<std::string, std::string> headers_of(const LoggedExchange& exchange) {
  std::map<std::string, std::string> headers;
  for (const LoggedHeader& header : exchange.headers) {
    const auto [at, is_new] = headers.try_emplace(lower_case(header.name), header.value);
    if (!is_new) {
      at->second += ", " + header.value;
    }
  }
  return headers;
}

bool is_kept(const LoggedExchange& exchange) {
  return exchange.body.size() == exchange.body_bytes;
}

}  // namespace

std::string lower_case(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char character) {
    return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a')
                                                : character;
  });
  return lower;
}

std::optional<BodyDifference> body_difference(const LoggedExchange& before,
                                              const LoggedExchange& after) {
  if (before.body_bytes == after.body_bytes && before.body_digest == after.body_digest) {
    return std::nullopt;
  }
  BodyDifference difference;
  if (!is_kept(before) || !is_kept(after)) {
    return difference;
  }
  const auto [ours, theirs] =
      std::mismatch(before.body.begin(), before.body.end(), after.body.begin(), after.body.end());
  difference.byte = static_cast<std::uint64_t>(std::distance(before.body.begin(), ours));
  const auto was = core::parse_json<core::SortedJson>(before.body);
  const auto is = core::parse_json<core::SortedJson>(after.body);
  if (was && is) {
    const core::SortedJson patch = core::SortedJson::diff(*was, *is);
    difference.same_value = patch.empty();
    if (!patch.empty()) {
      difference.pointer = patch.front().at("path").get<std::string>();
    }
  }
  return difference;
}

std::vector<HeaderDifference> header_differences(const LoggedExchange& before,
                                                 const LoggedExchange& after) {
  std::vector<HeaderDifference> differences;
  std::map<std::string, std::string> now = headers_of(after);
  for (auto& [name, value] : headers_of(before)) {
    const auto found = now.find(name);
    if (found == now.end()) {
      differences.push_back({.name = name, .before = value, .after = std::nullopt});
      continue;
    }
    if (found->second != value) {
      differences.push_back({.name = name, .before = value, .after = found->second});
    }
    now.erase(found);
  }
  for (auto& [name, value] : now) {
    differences.push_back({.name = name, .before = std::nullopt, .after = value});
  }
  std::sort(differences.begin(), differences.end(),
            [](const HeaderDifference& one, const HeaderDifference& other) {
              return one.name < other.name;
            });
  return differences;
}

std::optional<std::string> header_value(const LoggedExchange& exchange, std::string_view name) {
  const std::map<std::string, std::string> headers = headers_of(exchange);
  const auto found = headers.find(std::string(name));
  return found == headers.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> idempotency_key(const LoggedExchange& exchange) {
  std::optional<std::string> key = header_value(exchange, "idempotency-key");
  return key ? key : header_value(exchange, "x-idempotency-key");
}

}  // namespace squall::live
