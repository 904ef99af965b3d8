// SPDX-License-Identifier: MIT
#include "core/llm/json_answer.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/json_text.hpp"

namespace squall::core::llm {
namespace {

using Json = SortedJson;
using Event = Json::parse_event_t;

constexpr std::string_view kBlanks = " \t\r";

Expected<Json, std::string> parse_strictly(std::string_view text) {
  // The parser takes a NUL byte for the end of its input and would not look at what follows.
  if (text.find('\0') != std::string_view::npos) {
    return Unexpected<std::string>("it is not JSON");
  }
  if (is_nested_too_deeply(text)) {
    return Unexpected<std::string>("it is nested too deeply");
  }
  // Names of the objects that are open, outermost first; arrays have an empty set.
  std::vector<std::set<std::string>> names;
  bool repeated = false;
  const auto watch = [&](int, Event event, Json& value) {
    if (event == Event::object_start || event == Event::array_start) {
      names.emplace_back();
    } else if (event == Event::object_end || event == Event::array_end) {
      names.pop_back();
    } else if (event == Event::key) {
      repeated = repeated || !names.back().insert(value.get_ref<const std::string&>()).second;
    }
    return true;
  };
  Json value = Json::parse(text, watch, /*allow_exceptions=*/false);
  if (value.is_discarded()) {
    return Unexpected<std::string>("it is not JSON");
  }
  if (repeated) {
    return Unexpected<std::string>("an object in it repeats a name");
  }
  return value;
}

/// Takes the first line off `rest`, without its line feed.
std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

/// A line that may open or close a block.
struct FenceLine {
  std::size_t backticks = 0;
  /// What follows the backticks, without blanks around it.
  std::string_view info;
};

std::optional<FenceLine> read_fence_line(std::string_view line) {
  const std::size_t indent = line.find_first_not_of(' ');
  if (indent == std::string_view::npos || indent > 3) {
    return std::nullopt;
  }
  line.remove_prefix(indent);
  FenceLine fence{.backticks = std::min(line.find_first_not_of('`'), line.size()), .info = {}};
  line.remove_prefix(fence.backticks);
  // Backticks later in the line make it inline code.
  if (fence.backticks < 3 || line.find('`') != std::string_view::npos) {
    return std::nullopt;
  }
  if (const std::size_t begin = line.find_first_not_of(kBlanks); begin != std::string_view::npos) {
    fence.info = line.substr(begin, line.find_last_not_of(kBlanks) - begin + 1);
  }
  return fence;
}

bool may_hold_json(std::string_view info) {
  const std::string_view word = info.substr(0, info.find_first_of(" \t"));
  const auto equal_folded = [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  };
  constexpr std::string_view kJson = "json";
  return word.empty() ||
         std::equal(word.begin(), word.end(), kJson.begin(), kJson.end(), equal_folded);
}

/// The content of the block that `opening` opened; takes it and its closing line off `rest`.
std::string_view take_block(std::string_view& rest, const FenceLine& opening) {
  const std::string_view from_here = rest;
  while (!rest.empty()) {
    const std::size_t length = from_here.size() - rest.size();
    const std::optional<FenceLine> line = read_fence_line(take_line(rest));
    if (line && line->backticks >= opening.backticks && line->info.empty()) {
      return from_here.substr(0, length);
    }
  }
  return from_here;
}

}  // namespace

Expected<Json, std::string> parse_json_answer(std::string_view text) {
  std::optional<std::string> first_reason;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::optional<FenceLine> opening = read_fence_line(take_line(rest));
    if (!opening) {
      continue;
    }
    const std::string_view block = take_block(rest, *opening);
    if (!may_hold_json(opening->info)) {
      continue;
    }
    Expected<Json, std::string> value = parse_strictly(block);
    if (value) {
      return value;
    }
    if (!first_reason) {
      first_reason = std::move(value).error();
    }
  }
  // A text with a fence line is not JSON: no line of JSON begins with a backtick, since a string
  // holds no line feed.
  return first_reason ? Unexpected<std::string>(*std::move(first_reason)) : parse_strictly(text);
}

}  // namespace squall::core::llm
