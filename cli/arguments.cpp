// SPDX-License-Identifier: MIT
#include "cli/arguments.hpp"

#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "scenarios/wording.hpp"

namespace squall::cli {
namespace {

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc() || stopped != end) {
    return std::nullopt;
  }
  return value;
}

tl::unexpected<core::Error> refused(std::string_view option, std::string_view text,
                                    std::string_view allowed) {
  return tl::unexpected(scenarios::error_of(fmt::format(
      "{}: {}", option, scenarios::found_allowed(scenarios::in_quotes(text), allowed))));
}

}  // namespace

core::Expected<std::uint64_t, core::Error> parse_run_count(std::string_view option,
                                                           std::string_view text) {
  std::uint64_t factor = 1;
  std::string_view digits = text;
  if (text.ends_with('k') || text.ends_with('M')) {
    factor = text.ends_with('k') ? 1'000 : 1'000'000;
    digits.remove_suffix(1);
  }
  const std::optional<std::uint64_t> count = whole_number(digits);
  if (!count || *count == 0 || *count > kRunsMax / factor) {
    return refused(option, text,
                   fmt::format("1 to {}, also in thousands (10k) or millions (1M)", kRunsMax));
  }
  return *count * factor;
}

core::Expected<std::uint64_t, core::Error> parse_number(std::string_view option,
                                                        std::string_view text, std::uint64_t min,
                                                        std::uint64_t max) {
  const std::optional<std::uint64_t> number = whole_number(text);
  if (!number || *number < min || *number > max) {
    return refused(option, text, fmt::format("a whole number from {} to {}", min, max));
  }
  return *number;
}

std::string not_empty(const std::string& value) {
  return value.empty() ? "the value is empty" : "";
}

}  // namespace squall::cli
