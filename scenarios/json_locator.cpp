// SPDX-License-Identifier: MIT
#include "scenarios/json_locator.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/json.hpp"

namespace squall::scenarios {
namespace {

std::vector<std::string> tokens_of(std::string_view pointer) {
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      tokens.emplace_back();
    } else if (!tokens.empty() && pointer[i] == '~' && i + 1 < pointer.size()) {
      tokens.back() += pointer[++i] == '1' ? '/' : '~';
    } else if (!tokens.empty()) {
      tokens.back() += pointer[i];
    }
  }
  return tokens;
}

/// Follows the parser down the path that leads to the wanted value and stops it there.
class Locator {
 public:
  Locator(std::string_view text, const char* const* reached, std::vector<std::string> wanted)
      : text_(text), reached_(reached), wanted_(std::move(wanted)) {}

  [[nodiscard]] std::size_t line() const { return line_at(text_, offset_); }

  bool null() { return begin(); }
  bool boolean(bool) { return begin(); }
  bool number_integer(Json::number_integer_t) { return begin(); }
  bool number_unsigned(Json::number_unsigned_t) { return begin(); }
  bool number_float(Json::number_float_t, const Json::string_t&) { return begin(); }
  bool string(Json::string_t&) { return begin(); }
  bool binary(Json::binary_t&) { return begin(); }
  bool start_object(std::size_t) { return open(false); }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(true); }
  bool end_array() { return close(); }
  bool key(Json::string_t& name) {
    const Level& object = levels_.back();
    next_matches_ = object.on_path && name == wanted_[levels_.size() - 1];
    if (next_matches_) {
      mark();
    }
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) {
    return false;
  }

 private:
  struct Level {
    bool is_array = false;
    bool on_path = false;  ///< Whether the wanted value is in this one.
    std::size_t next_index = 0;
  };

  // The parser has taken the token and, after a number, one character more. Looking at the one
  // before the last taken is right for both: a line break counts for what follows it only.
  void mark() { offset_ = static_cast<std::size_t>(*reached_ - text_.data()) - 1; }

  /// A value begins. False (stop) when it is the wanted one.
  bool begin() {
    if (levels_.empty()) {
      next_matches_ = true;
      mark();
    } else if (Level& level = levels_.back(); level.is_array) {
      next_matches_ =
          level.on_path && std::to_string(level.next_index) == wanted_[levels_.size() - 1];
      ++level.next_index;
      if (next_matches_) {
        mark();
      }
    }
    return !(next_matches_ && levels_.size() == wanted_.size());
  }
  bool open(bool is_array) {
    if (!begin()) {
      return false;
    }
    levels_.push_back(Level{.is_array = is_array, .on_path = next_matches_, .next_index = 0});
    return true;
  }
  bool close() {
    const bool was_on_path = levels_.back().on_path;
    levels_.pop_back();
    next_matches_ = false;
    return !was_on_path;  // Not found in it: the mark stays at the nearest value that exists.
  }

  std::string_view text_;
  const char* const* reached_;
  std::vector<std::string> wanted_;
  std::vector<Level> levels_;
  bool next_matches_ = false;
  std::size_t offset_ = 0;
};

}  // namespace

std::size_t line_at(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
}

std::size_t line_of(std::string_view text, std::string_view pointer) {
  const char* reached = text.data();
  Locator locator(text, &reached, tokens_of(pointer));
  Json::sax_parse(TrackedIterator(text.data(), &reached),
                  TrackedIterator(text.data() + text.size(), &reached), &locator,
                  nlohmann::detail::input_format_t::json, true, true);
  return locator.line();
}

}  // namespace squall::scenarios
