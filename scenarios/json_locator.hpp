// SPDX-License-Identifier: MIT
//
// Where in a text a JSON value stands. The JSON library forgets positions, so the text is read a
// second time when, and only when, there is a defect to report.
#pragma once

#include <cstddef>
#include <iterator>
#include <string_view>

namespace squall::scenarios {

/// 1-based line of the value at the JSON pointer `pointer` in the valid JSON `text`: the line of
/// the key for a member of an object, of the first character for an element of an array. When the
/// value does not exist, the line of its nearest enclosing value that does.
[[nodiscard]] std::size_t line_of(std::string_view text, std::string_view pointer);

/// 1-based line of the character at `offset`; a line break belongs to the line it ends.
[[nodiscard]] std::size_t line_at(std::string_view text, std::size_t offset);

/// Iterates over a text and tells an outside observer how far a parser that copies its iterators
/// has come.
class TrackedIterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  TrackedIterator() = default;
  TrackedIterator(const char* position, const char** reached)
      : position_(position), reached_(reached) {}

  reference operator*() const { return *position_; }
  TrackedIterator& operator++() {
    *reached_ = ++position_;
    return *this;
  }
  TrackedIterator operator++(int) {
    const TrackedIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const TrackedIterator& left, const TrackedIterator& right) {
    return left.position_ == right.position_;
  }
  friend bool operator!=(const TrackedIterator& left, const TrackedIterator& right) {
    return !(left == right);
  }

 private:
  const char* position_ = nullptr;
  const char** reached_ = nullptr;
};

}  // namespace squall::scenarios
