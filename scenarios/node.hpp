// SPDX-License-Identifier: MIT
//
// Reading a document whose structure is already checked: values with their place, and one list of
// findings of which only the first counts. A reader that meets a defect notes it and goes on with
// any value of the right type, so that reading code is a plain walk through the document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/expected.hpp"
#include "scenarios/json.hpp"

namespace squall::scenarios {

/// Collects defects; keeps the first. An error without a file belongs to the document itself.
class Findings {
 public:
  void add(core::Error error) {
    if (!first_) {
      first_ = std::move(error);
    }
  }
  [[nodiscard]] const std::optional<core::Error>& first() const { return first_; }

 private:
  std::optional<core::Error> first_;
};

/// A value in a document, knowing its place. Cheap to copy; refers to document and findings.
class Node {
 public:
  Node(const Json& value, std::string pointer, Findings& findings)
      : value_(&value), pointer_(std::move(pointer)), findings_(&findings) {}

  [[nodiscard]] const Json& json() const { return *value_; }
  [[nodiscard]] const std::string& pointer() const { return pointer_; }

  [[nodiscard]] bool has(std::string_view key) const {
    return value_->is_object() && value_->contains(std::string(key));
  }
  /// The member `key`, which must exist.
  [[nodiscard]] Node operator[](const std::string& key) const {
    return {value_->at(key), member_pointer(pointer_, key), *findings_};
  }
  /// The element `index`, which must exist.
  [[nodiscard]] Node element(std::size_t index) const {
    return {value_->at(index), element_pointer(pointer_, index), *findings_};
  }
  /// All elements of a list.
  [[nodiscard]] std::vector<Node> elements() const {
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < value_->size(); ++i) {
      nodes.push_back(element(i));
    }
    return nodes;
  }

  [[nodiscard]] bool is_text() const { return value_->is_string(); }
  [[nodiscard]] bool is_object() const { return value_->is_object(); }
  [[nodiscard]] const std::string& text() const { return value_->get_ref<const std::string&>(); }
  /// The text of the member `key`, or `otherwise`.
  [[nodiscard]] std::string text_or(const std::string& key, std::string_view otherwise) const {
    return has(key) ? (*this)[key].text() : std::string(otherwise);
  }
  [[nodiscard]] std::uint64_t number() const { return value_->get<std::uint64_t>(); }
  [[nodiscard]] std::uint64_t number_or(const std::string& key, std::uint64_t otherwise) const {
    return has(key) ? (*this)[key].number() : otherwise;
  }

  /// The text as a quantity: `node.read(parse_duration)`. What does not parse is refused and reads
  /// as a default value.
  template <class T>
  [[nodiscard]] T read(core::Expected<T, core::Error> (*parse)(std::string_view)) const {
    core::Expected<T, core::Error> parsed = parse(text());
    if (!parsed) {
      refuse(parsed.error().message);
      return T{};
    }
    return *parsed;
  }
  /// The member `key` as a quantity, if there is one.
  template <class T>
  [[nodiscard]] std::optional<T> read_optional(
      const std::string& key, core::Expected<T, core::Error> (*parse)(std::string_view)) const {
    return has(key) ? std::optional<T>((*this)[key].read(parse)) : std::nullopt;
  }

  /// Notes a defect of this value.
  void refuse(std::string message) const {
    findings_->add(
        core::Error{.file = {}, .line = 0, .pointer = pointer_, .message = std::move(message)});
  }
  /// Notes a defect in another file, or, without a file, of this value.
  void refuse(core::Error error) const {
    if (error.file.empty()) {
      error.pointer = pointer_;
    }
    findings_->add(std::move(error));
  }

 private:
  const Json* value_;
  std::string pointer_;
  Findings* findings_;
};

}  // namespace squall::scenarios
