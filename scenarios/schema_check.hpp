// SPDX-License-Identifier: MIT
//
// Whether a document has the structure that the published schemas ask for, and if not, its first
// defect in the order of the document, explained in one line out of the schema itself.
//
// A JSON Schema library judges; a walker over the few keywords the schemas use explains. A document
// passes only when both find nothing. Internal to the folder.
#pragma once

#include <optional>
#include <string>

#include "scenarios/catalogue.hpp"
#include "scenarios/json.hpp"

namespace squall::scenarios {

/// One defect of a document: where, and found/allowed in words.
struct Defect {
  std::string pointer;
  std::string message;
  friend bool operator==(const Defect&, const Defect&) = default;
};

/// The first defect of `document`, or nothing when it follows the schema.
[[nodiscard]] std::optional<Defect> check_schema(SchemaKind kind, const Json& document);

// ---- the two halves, apart only for tests and for the reference ------------------------------

/// The schema with everything it refers to in its own `definitions`.
[[nodiscard]] const Json& bundled_schema(SchemaKind kind);
/// The schema that `schema` means: itself, or what its `$ref` names in `root`.
[[nodiscard]] const Json& resolved(const Json& root, const Json& schema);
/// What `schema` (without `$ref`) allows: its `x-allowed`, or words made of its keywords.
[[nodiscard]] std::string allowed_in_words(const Json& schema);
/// What the walker makes of `document`. Knows the keywords that the schemas use and no others.
[[nodiscard]] std::optional<Defect> explain(const Json& root_schema, const Json& document);
/// Whether the schema library accepts `document`. Requires that `explain` finds no pattern applied
/// to a text longer than its maxLength: std::regex recurses once a character.
[[nodiscard]] bool is_accepted(SchemaKind kind, const Json& document);

}  // namespace squall::scenarios
