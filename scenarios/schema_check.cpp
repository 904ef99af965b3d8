// SPDX-License-Identifier: MIT
#include "scenarios/schema_check.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <regex>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "scenarios/wording.hpp"

namespace squall::scenarios {
namespace {

constexpr std::string_view kPolicySchemaFile = "policy.schema.json";

/// Member `key` of `object`, or null.
const Json* find(const Json& object, std::string_view key) {
  const auto member = object.find(std::string(key));
  return member == object.end() ? nullptr : &*member;
}

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& member : object.items()) {
    keys.push_back(member.key());
  }
  return keys;
}

std::string show(const Json& value) {
  if (value.is_string()) {
    return in_quotes(value.get_ref<const std::string&>());
  }
  if (value.is_object()) {
    return value.empty()       ? "an empty object"
           : value.size() == 1 ? "an object with 1 key"
                               : "an object with " + std::to_string(value.size()) + " keys";
  }
  if (value.is_array()) {
    return value.empty() ? "an empty list" : "a list of " + std::to_string(value.size());
  }
  return value.dump();
}

bool has_type(const Json& value, const std::string& type) {
  return type == "object"    ? value.is_object()
         : type == "array"   ? value.is_array()
         : type == "string"  ? value.is_string()
         : type == "integer" ? value.is_number_integer()
         : type == "number"  ? value.is_number()
         : type == "boolean" ? value.is_boolean()
                             : type == "null" && value.is_null();
}

bool has_any_type(const Json& value, const Json& types) {
  return types.is_string() ? has_type(value, types.get<std::string>())
                           : std::any_of(types.begin(), types.end(), [&value](const Json& type) {
                               return has_type(value, type.get<std::string>());
                             });
}

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char character) {
    return (static_cast<std::uint8_t>(character) & 0xc0U) != 0x80U;
  }));
}

/// Whether `count` violates the limits `min_key` and `max_key` of `schema`.
bool is_outside(const Json& schema, const char* min_key, const char* max_key, std::size_t count) {
  const Json* minimum = find(schema, min_key);
  const Json* maximum = find(schema, max_key);
  return (minimum && count < minimum->get<std::size_t>()) ||
         (maximum && count > maximum->get<std::size_t>());
}

class Walker {
 public:
  explicit Walker(const Json& root) : root_(root) {}

  using Result = std::optional<Defect>;

  Result check(const Json& reference, const Json& value, const std::string& pointer) {
    const Json& schema = resolved(root_, reference);
    const auto refuse = [&]() -> Result {
      return Defect{.pointer = pointer,
                    .message = found_allowed(show(value), allowed_in_words(schema))};
    };
    if (const Json* type = find(schema, "type"); type && !has_any_type(value, *type)) {
      return refuse();
    }
    if (const Json* values = find(schema, "enum");
        values && std::find(values->begin(), values->end(), value) == values->end()) {
      Result defect = refuse();
      if (value.is_string()) {
        std::vector<std::string> words;
        for (const Json& word : *values) {
          words.push_back(word.get<std::string>());
        }
        defect->message += did_you_mean(value.get<std::string>(), words);
      }
      return defect;
    }
    if (value.is_string() && !is_good_text(schema, value.get_ref<const std::string&>())) {
      return refuse();
    }
    if (value.is_number() && !is_in_range(schema, value.get<double>())) {
      return refuse();
    }
    if (const Json* all = find(schema, "allOf")) {
      for (const Json& part : *all) {
        if (Result defect = check(part, value, pointer)) {
          return defect;
        }
      }
    }
    return value.is_array()    ? check_array(schema, value, pointer)
           : value.is_object() ? check_object(schema, value, pointer)
                               : std::nullopt;
  }

 private:
  bool is_good_text(const Json& schema, const std::string& text) {
    // Length first: std::regex recurses once a character.
    // To the judge a text ends at its first NUL; one that begins with it is empty.
    if (is_outside(schema, "minLength", "maxLength", characters(text.c_str()))) {
      return false;
    }
    const Json* pattern = find(schema, "pattern");
    if (pattern == nullptr) {
      return true;
    }
    const auto& source = pattern->get_ref<const std::string&>();
    auto compiled = patterns_.find(source);
    if (compiled == patterns_.end()) {
      compiled = patterns_.emplace(source, std::regex(source)).first;
    }
    return std::regex_search(text, compiled->second);
  }

  static bool is_in_range(const Json& schema, double value) {
    const Json* minimum = find(schema, "minimum");
    const Json* maximum = find(schema, "maximum");
    return (!minimum || value >= minimum->get<double>()) &&
           (!maximum || value <= maximum->get<double>());
  }

  Result check_array(const Json& schema, const Json& value, const std::string& pointer) {
    if (is_outside(schema, "minItems", "maxItems", value.size())) {
      return Defect{.pointer = pointer,
                    .message = found_allowed(show(value), allowed_in_words(schema))};
    }
    const bool unique = find(schema, "uniqueItems") != nullptr;
    std::set<std::string> seen;
    const Json* items = find(schema, "items");
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string place = element_pointer(pointer, i);
      if (items) {
        if (Result defect = check(*items, value[i], place)) {
          return defect;
        }
      }
      if (unique && !seen.insert(value[i].dump()).second) {
        return Defect{.pointer = place,
                      .message = "found " + show(value[i]) + " again, allowed: each value once"};
      }
    }
    return std::nullopt;
  }

  Result check_object(const Json& schema, const Json& value, const std::string& pointer) {
    const Json* properties = find(schema, "properties");
    const Json* additional = find(schema, "additionalProperties");
    const Json* names = find(schema, "propertyNames");
    for (const auto& member : value.items()) {
      const std::string place = member_pointer(pointer, member.key());
      if (names) {
        if (Result defect = check(*names, Json(member.key()), place)) {
          return defect;
        }
      }
      const Json* property = properties ? find(*properties, member.key()) : nullptr;
      if (!property && additional && additional->is_object()) {
        property = additional;
      }
      if (property) {
        if (Result defect = check(*property, member.value(), place)) {
          return defect;
        }
      } else if (additional && *additional == false) {
        const std::vector<std::string> known = keys_of(*properties);
        return Defect{.pointer = place,
                      .message = "unknown key " + in_quotes(member.key()) +
                                 ", allowed: " + join(known) + did_you_mean(member.key(), known)};
      }
    }
    if (Result defect = check_choice(schema, value, pointer)) {
      return defect;
    }
    if (Result defect = check_dependencies(schema, value, pointer)) {
      return defect;
    }
    if (const Json* required = find(schema, "required")) {
      for (const Json& key : *required) {
        if (!value.contains(key)) {
          return missing(key.get<std::string>(), "", pointer);
        }
      }
    }
    if (is_outside(schema, "minProperties", "maxProperties", value.size())) {
      return Defect{.pointer = pointer,
                    .message = found_allowed(show(value), allowed_in_words(schema))};
    }
    return std::nullopt;
  }

  static Result missing(const std::string& key, const std::string& why,
                        const std::string& pointer) {
    return Defect{.pointer = pointer, .message = "missing key " + in_quotes(key) + why};
  }

  /// `oneOf` as the schemas use it: each branch requires one key.
  static Result check_choice(const Json& schema, const Json& value, const std::string& pointer) {
    const Json* branches = find(schema, "oneOf");
    if (branches == nullptr) {
      return std::nullopt;
    }
    std::vector<std::string> choices;
    for (const Json& branch : *branches) {
      choices.push_back(branch.at("required").at(0).get<std::string>());
    }
    std::vector<std::string> present;
    for (const auto& member : value.items()) {
      if (std::find(choices.begin(), choices.end(), member.key()) != choices.end()) {
        present.push_back(member.key());
      }
    }
    const std::string rule = "exactly one of " + enumerate(choices, "and");
    if (present.empty()) {
      return Defect{.pointer = pointer, .message = found_allowed("none", rule)};
    }
    if (present.size() > 1) {
      return Defect{.pointer = member_pointer(pointer, present[1]),
                    .message = found_allowed(
                        in_quotes(present[1]) + " beside " + in_quotes(present[0]), rule)};
    }
    return std::nullopt;
  }

  /// `dependencies` as the schemas use them: a list of keys that must be there too, `propertyNames`
  /// with all keys that may be there too, or `not` with a key that may not.
  static Result check_dependencies(const Json& schema, const Json& value,
                                   const std::string& pointer) {
    const Json* dependencies = find(schema, "dependencies");
    if (dependencies == nullptr) {
      return std::nullopt;
    }
    for (const auto& dependency : dependencies->items()) {
      if (!value.contains(dependency.key())) {
        continue;
      }
      const Json& rule = dependency.value();
      const std::string beside = " beside " + in_quotes(dependency.key());
      if (rule.is_array()) {
        for (const Json& key : rule) {
          if (!value.contains(key)) {
            return missing(key.get<std::string>(), beside, pointer);
          }
        }
      } else if (const Json* names = find(rule, "propertyNames")) {
        const Json& choices = names->at("enum");
        for (const auto& member : value.items()) {
          if (std::find(choices.begin(), choices.end(), member.key()) == choices.end()) {
            std::vector<std::string> others;
            for (const Json& choice : choices) {
              if (choice != dependency.key()) {
                others.push_back(choice.get<std::string>());
              }
            }
            return Defect{.pointer = member_pointer(pointer, member.key()),
                          .message = found_allowed(
                              in_quotes(member.key()) + beside,
                              others.empty() ? "nothing beside it" : join(others) + " beside it")};
          }
        }
      } else {
        const std::string key = rule.at("not").at("required").at(0).get<std::string>();
        if (value.contains(key)) {
          return Defect{.pointer = member_pointer(pointer, key),
                        .message = found_allowed(in_quotes(key) + beside, "only one of them")};
        }
      }
    }
    return std::nullopt;
  }

  const Json& root_;
  std::map<std::string, std::regex, std::less<>> patterns_;
};

/// Makes references into the policy schema references into the own definitions.
void localize(Json& value) {
  if (value.is_object() && value.contains("$ref")) {
    auto& target = value["$ref"].get_ref<std::string&>();
    if (target.starts_with(kPolicySchemaFile)) {
      target.erase(0, kPolicySchemaFile.size());
    }
  }
  if (value.is_structured()) {
    for (Json& inner : value) {
      localize(inner);
    }
  }
}

Json bundle_scenario_schema() {
  Json schema = Json::parse(schema_text(SchemaKind::kScenario));
  localize(schema);
  for (const auto& definition : bundled_schema(SchemaKind::kPolicy)["definitions"].items()) {
    SQUALL_CHECK(!schema["definitions"].contains(definition.key()), definition.key());
    schema["definitions"][definition.key()] = definition.value();
  }
  return schema;
}

}  // namespace

const Json& bundled_schema(SchemaKind kind) {
  if (kind == SchemaKind::kPolicy) {
    static const Json schema = Json::parse(schema_text(SchemaKind::kPolicy));
    return schema;
  }
  static const Json schema = bundle_scenario_schema();
  return schema;
}

const Json& resolved(const Json& root, const Json& schema) {
  constexpr std::string_view kPrefix = "#/definitions/";
  const Json* current = &schema;
  while (const Json* reference = find(*current, "$ref")) {
    const auto& target = reference->get_ref<const std::string&>();
    SQUALL_CHECK(target.starts_with(kPrefix), target);
    const Json* definition = find(root.at("definitions"), target.substr(kPrefix.size()));
    SQUALL_CHECK(definition != nullptr, target);
    current = definition;
  }
  return *current;
}

std::string allowed_in_words(const Json& schema) {
  if (const Json* words = find(schema, "x-allowed")) {
    return words->get<std::string>();
  }
  if (const Json* values = find(schema, "enum")) {
    std::vector<std::string> words;
    std::transform(values->begin(), values->end(), std::back_inserter(words), show);
    return join(words);
  }
  const Json* type = find(schema, "type");
  const std::string name = type != nullptr && type->is_string() ? type->get<std::string>() : "";
  if (name == "integer") {
    const Json* minimum = find(schema, "minimum");
    const Json* maximum = find(schema, "maximum");
    return std::string("an integer") + (minimum ? " from " + minimum->dump() : "") +
           (maximum ? " to " + maximum->dump() : "");
  }
  if (name == "number") {
    return "a number";
  }
  if (name == "string") {
    return find(schema, "minLength") ? "text, not empty" : "text";
  }
  if (name == "array") {
    return find(schema, "minItems") ? "a list, not empty" : "a list";
  }
  if (name == "boolean") {
    return "true or false";
  }
  return find(schema, "minProperties") ? "an object, not empty" : "an object";
}

std::optional<Defect> explain(const Json& root_schema, const Json& document) {
  return Walker(root_schema).check(root_schema, document, "");
}

std::optional<Defect> check_schema(SchemaKind kind, const Json& document) {
  if (std::optional<Defect> defect = explain(bundled_schema(kind), document)) {
    return defect;
  }
  if (!is_accepted(kind, document)) {
    return Defect{.pointer = {}, .message = "does not follow the schema (squall schema prints it)"};
  }
  return std::nullopt;
}

}  // namespace squall::scenarios
