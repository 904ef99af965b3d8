// SPDX-License-Identifier: MIT
#include "scenarios/describe.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "scenarios/pretty.hpp"
#include "scenarios/schema_check.hpp"
#include "scenarios/wording.hpp"

namespace squall::scenarios {
namespace {

constexpr std::string_view kIntroduction = R"(# Scenario files

A scenario is one JSON file: an operation, the way the provider behaves, and what must come out. Comments
(`//` and `/* */`) are fine; trailing commas, duplicate keys and unknown keys are not. Every quantity
is text with a unit. A file that is refused is refused with one line that says where, what was found
and what is allowed:

    503-storm.json:17: /client/shutdwon_at: unknown key "shutdwon_at", allowed: shutdown_at,
    wall_clock (did you mean "shutdown_at"?)

The structure is published as JSON Schema (draft 7) in `scenarios/scenario.schema.json` and
`scenarios/policy.schema.json`; a file that names its schema in `$schema` is completed and checked
by most editors. **This page is generated from the schemas** (`squall schema --markdown`).
)";

std::string text_of(const Json& schema, const char* key) {
  return schema.value(key, "");
}

/// GitHub's anchor of a heading.
std::string link(const std::string& title) {
  std::string anchor;
  for (const char character : title) {
    anchor += character == ' '                       ? '-'
              : character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a')
                                                     : character;
  }
  return "[" + title + "](#" + anchor + ")";
}

std::string code(const Json& value) {
  return "`" + value.dump() + "`";
}

/// What a property may be: a link to its section, or words.
std::string cell_value(const Json& root, const Json& property) {
  const Json& schema = resolved(root, property);
  const auto title_or_words = [&root](const Json& reference) {
    const Json& target = resolved(root, reference);
    return target.contains("title") ? link(text_of(target, "title")) : allowed_in_words(target);
  };
  if (schema.contains("title") || schema.contains("x-allowed")) {
    return schema.contains("title") ? link(text_of(schema, "title")) : allowed_in_words(schema);
  }
  if (schema.contains("items")) {
    return "list, each " + title_or_words(schema["items"]);
  }
  if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object()) {
    return "object, each value a " + title_or_words(schema["additionalProperties"]);
  }
  return allowed_in_words(schema);
}

std::string cell_meaning(const Json& root, const Json& property) {
  const Json& schema = resolved(root, property);
  // A description beside a reference is about this use, the one behind it about the type; the first
  // sentence of that is enough where a link leads to the rest.
  std::string text = text_of(property.contains("description") ? property : schema, "description");
  if (!property.contains("description") && schema.contains("title")) {
    text = text.substr(0, text.find(". ")) + (text.find(". ") == std::string::npos ? "" : ".");
  }
  if (property.contains("default")) {
    text += " Default: " + code(property["default"]) + ".";
  }
  if (property.contains("examples")) {
    std::vector<std::string> examples;
    std::transform(property["examples"].begin(), property["examples"].end(),
                   std::back_inserter(examples), code);
    text += " Example: " + join(examples) + ".";
  }
  return text;
}

std::string escaped(std::string text) {
  for (std::size_t i = text.find('|'); i != std::string::npos; i = text.find('|', i + 2)) {
    text.insert(i, 1, '\\');
  }
  return text;
}

bool is_required(const Json& schema, const std::string& key) {
  const Json required = schema.value("required", Json::array());
  return std::find(required.begin(), required.end(), key) != required.end();
}

std::string choice(const Json& schema) {
  std::vector<std::string> keys;
  for (const Json& branch : schema.value("oneOf", Json::array())) {
    keys.push_back("`" + branch["required"][0].get<std::string>() + "`");
  }
  return keys.empty() ? "" : " Exactly one of " + enumerate(keys, "and") + ".";
}

std::string section(const Json& root, const Json& schema, const std::string& title) {
  std::string text = "\n## " + title + "\n\n" + text_of(schema, "description") + choice(schema);
  if (!schema.contains("properties")) {
    return text + "\n";
  }
  text += "\n\n| key | value | meaning |\n|---|---|---|\n";
  for (const auto& property : schema["properties"].items()) {
    text += "| `" + property.key() + "`" + (is_required(schema, property.key()) ? " *" : "") +
            " | " + escaped(cell_value(root, property.value())) + " | " +
            escaped(cell_meaning(root, property.value())) + " |\n";
  }
  return text;
}

std::string quantities(const Json& root) {
  std::string text =
      "\n## Quantities\n\nExact whole numbers; nothing is rounded, and what does not fit is "
      "refused.\n\n| quantity | value | meaning |\n|---|---|---|\n";
  for (const char* const name :
       {"duration", "milliseconds", "size", "offset", "share", "unit_fraction"}) {
    const Json& schema = root["definitions"][name];
    text += "| " + std::string(name) + " | " + escaped(allowed_in_words(schema)) + " | " +
            escaped(cell_meaning(root, schema)) + " |\n";
  }
  return text;
}

}  // namespace

std::string describe_format() {
  const Json& root = bundled_schema(SchemaKind::kScenario);
  const Json& policy_root = bundled_schema(SchemaKind::kPolicy);
  std::string text(kIntroduction);
  text += "\n```json\n" + pretty(root["examples"][0]) + "\n```\n";
  text += "\nKeys marked * are required.\n";
  text += section(root, root, "Scenario");
  for (const auto& definition : root["definitions"].items()) {
    if (definition.value().contains("title")) {
      const std::string title = text_of(definition.value(), "title");
      text += section(root, definition.value(), title);
      if (title == "Policy") {
        text += "\n```json\n" + pretty(policy_root["examples"][0]) + "\n```\n";
      }
    }
  }
  return text + quantities(root);
}

}  // namespace squall::scenarios
