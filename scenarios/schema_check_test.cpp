// SPDX-License-Identifier: MIT
#include "scenarios/schema_check.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "scenarios/document.hpp"
#include "scenarios/files.hpp"
#include "scenarios/names.hpp"
#include "scenarios/samples_test_support.hpp"

namespace squall::scenarios {
namespace {

/// Calls `visit` for every schema in `schema`: itself, properties, items, definitions, branches.
template <class Visit>
void for_each_schema(const Json& schema, const std::string& pointer, Visit visit) {
  if (!schema.is_object()) {
    return;
  }
  visit(schema, pointer);
  for (const char* const key : {"properties", "definitions"}) {
    if (schema.contains(key)) {
      for (const auto& member : schema[key].items()) {
        for_each_schema(member.value(), pointer + "/" + key + "/" + member.key(), visit);
      }
    }
  }
  for (const char* const key : {"items", "additionalProperties", "propertyNames"}) {
    if (schema.contains(key)) {
      for_each_schema(schema[key], pointer + "/" + key, visit);
    }
  }
}

const std::vector<SchemaKind> kKinds = {SchemaKind::kScenario, SchemaKind::kPolicy};

TEST(Schemas, UseOnlyKeywordsThatTheWalkerExplains) {
  const std::set<std::string> known = {"$schema",       "$ref",
                                       "title",         "description",
                                       "default",       "examples",
                                       "x-allowed",     "definitions",
                                       "type",          "enum",
                                       "minLength",     "maxLength",
                                       "pattern",       "minimum",
                                       "maximum",       "items",
                                       "minItems",      "maxItems",
                                       "uniqueItems",   "properties",
                                       "required",      "additionalProperties",
                                       "propertyNames", "minProperties",
                                       "oneOf",         "allOf",
                                       "dependencies",  "maxProperties"};
  for (const SchemaKind kind : kKinds) {
    for_each_schema(bundled_schema(kind), "", [&](const Json& schema, const std::string& pointer) {
      for (const auto& member : schema.items()) {
        EXPECT_TRUE(known.contains(member.key())) << pointer << ": " << member.key();
      }
    });
  }
}

TEST(Schemas, PatternsAreBoundedAndPutInWords) {
  for (const SchemaKind kind : kKinds) {
    for_each_schema(bundled_schema(kind), "", [](const Json& schema, const std::string& pointer) {
      if (schema.contains("pattern")) {
        EXPECT_TRUE(schema.contains("maxLength") && schema["maxLength"] <= 1000) << pointer;
        EXPECT_TRUE(schema.contains("x-allowed")) << pointer;
      }
    });
  }
}

TEST(Schemas, EveryPropertyIsDescribed) {
  for (const SchemaKind kind : kKinds) {
    const Json& root = bundled_schema(kind);
    for_each_schema(root, "", [&root](const Json& schema, const std::string& pointer) {
      const Json properties = schema.value("properties", Json::object());
      for (const auto& member : properties.items()) {
        EXPECT_TRUE(member.value().contains("description") ||
                    resolved(root, member.value()).contains("description"))
            << pointer << "/properties/" << member.key();
      }
    });
  }
}

TEST(Schemas, DefaultsAndExamplesAreAllowedThemselves) {
  for (const SchemaKind kind : kKinds) {
    const Json& root = bundled_schema(kind);
    for_each_schema(root, "", [&root](const Json& schema, const std::string& pointer) {
      Json values = schema.value("examples", Json::array());
      if (schema.contains("default")) {
        values.push_back(schema["default"]);
      }
      Json alone = schema;
      alone["definitions"] = root["definitions"];
      for (const Json& value : values) {
        const auto defect = explain(alone, value);
        EXPECT_FALSE(defect) << pointer << ": " << value << ": " << defect->message;
      }
    });
  }
}

template <class Values>
Json labels_of(const Values& values) {
  Json labels = Json::array();
  for (const auto value : values) {
    labels.push_back(label(value));
  }
  return labels;
}

TEST(Schemas, ListEveryLabel) {
  const Json& definitions = bundled_schema(SchemaKind::kScenario)["definitions"];
  const Json& expect = definitions["expect"]["properties"];
  // Of both taxonomies, "transport" once.
  Json labels = labels_of(core::llm::kAllFailureClasses);
  for (const Json& of_connectors : labels_of(core::connector::kAllKinds)) {
    if (std::find(labels.begin(), labels.end(), of_connectors) == labels.end()) {
      labels.push_back(of_connectors);
    }
  }
  std::string alternatives;
  for (const Json& name : labels) {
    alternatives += (alternatives.empty() ? "" : "|") + name.get<std::string>();
  }
  EXPECT_EQ(expect["final_class"]["enum"], labels);
  EXPECT_EQ(expect["trail"]["items"]["pattern"], "^(" + alternatives + ")( x[1-9][0-9]{0,6})?$");
  EXPECT_EQ(expect["tool_class"]["enum"], labels_of(core::tool::kAllFailureClasses));
  EXPECT_EQ(expect["verdict"]["enum"], labels_of(core::tool::kAllVerdicts));

  const Json& operation = definitions["operation"]["properties"];
  Json kinds = Json::array();
  for (const auto& entry : kOperationKindNames.entries) {
    kinds.push_back(entry.name);
  }
  EXPECT_EQ(operation["kind"]["enum"], kinds);
  Json fields = labels_of(core::llm::kAllJsonKinds);
  for (const Json& required : labels_of(core::llm::kAllJsonKinds)) {
    fields.push_back(required.get<std::string>() + "?");
  }
  EXPECT_EQ(operation["target"]["additionalProperties"]["enum"], fields);
}

TEST(SchemaCheck, SamplesFollowTheSchema) {
  for (const std::string& sample : samples()) {
    const Json document = parse_document(sample, "sample").value();
    const auto defect = check_schema(SchemaKind::kScenario, document);
    EXPECT_FALSE(defect) << defect->pointer << ": " << defect->message;
  }
}

TEST(SchemaCheck, WalkerAndLibraryAgreeOnTheRefusedFiles) {
  int judged = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(SQUALL_SOURCE_DIR "/scenarios/invalid")) {
    const auto document = parse_document(read_file(entry.path().string()).value(), "");
    if (document) {
      ++judged;
      EXPECT_EQ(!explain(bundled_schema(SchemaKind::kScenario), *document).has_value(),
                is_accepted(SchemaKind::kScenario, *document))
          << entry.path();
    }
  }
  EXPECT_GT(judged, 80);
}

/// All values in a document, to be changed in place.
void collect(Json& value, std::vector<Json*>& values) {
  values.push_back(&value);
  if (value.is_structured()) {
    for (Json& inner : value) {
      collect(inner, values);
    }
  }
}

/// Changes one place of `document`: another value, a key less, a key more, a key from elsewhere.
void mutate(Json& document, core::RandomStream& stream) {
  static const Json kValues = {nullptr,
                               true,
                               0,
                               1,
                               -1,
                               2.5,
                               "",
                               "5s",
                               "-1B",
                               "7",
                               "full",
                               "x",
                               {},
                               Json::array(),
                               Json::array({"1s", "2s"}),
                               {{"after", "0B"}},
                               "headers",
                               4294967296,
                               std::string(2000, 'a')};
  static const std::vector<std::string> kKeys = {
      "status", "reply",      "stall",  "truncate", "respond", "mix",     "until",
      "body",   "connection", "chunks", "min",      "times",   "weight",  "base",
      "cap",    "name",       "kind",   "unknown",  "phases",  "uniform", "json",
      "text",   "result",     "error",  "target",   "proposal"};
  std::vector<Json*> values;
  collect(document, values);
  Json& place = *values[stream.next_below(values.size())];
  const std::string& key = kKeys[stream.next_below(kKeys.size())];
  switch (stream.next_below(4)) {
    case 0:
      if (place.is_structured() && !place.empty()) {
        auto member = place.begin();
        std::advance(member, static_cast<std::ptrdiff_t>(stream.next_below(place.size())));
        place.erase(member);
      }
      break;
    case 1:
      if (place.is_object()) {
        const Json value = kValues[stream.next_below(kValues.size())];
        place[key] = value;
      }
      break;
    case 2:
      if (place.is_array() && !place.empty()) {
        const Json copy = place[0];
        place.push_back(copy);
      }
      break;
    default:
      place = Json(kValues[stream.next_below(kValues.size())]);
  }
}

TEST(SchemaCheck, WalkerAndLibraryAgreeOnMutatedDocuments) {
  core::RandomStream stream(1);
  const Json policy = bundled_schema(SchemaKind::kPolicy)["examples"][0];
  const auto all = samples();
  int accepted = 0;
  int refused = 0;
  for (int i = 0; i < 2'000; ++i) {
    const SchemaKind kind = i % 4 == 3 ? SchemaKind::kPolicy : SchemaKind::kScenario;
    Json document = kind == SchemaKind::kPolicy
                        ? policy
                        : parse_document(all[static_cast<std::size_t>(i) % all.size()], "").value();
    for (std::uint64_t count = 1 + stream.next_below(2); count > 0; --count) {
      mutate(document, stream);
    }
    const auto defect = explain(bundled_schema(kind), document);
    const bool is_good = is_accepted(kind, document);
    ++(is_good ? accepted : refused);
    ASSERT_EQ(!defect.has_value(), is_good)
        << document.dump() << "\n"
        << (defect ? defect->pointer + ": " + defect->message : "");
  }
  // Both verdicts are really tried.
  EXPECT_GT(accepted, 300);
  EXPECT_GT(refused, 300);
}

TEST(SchemaCheck, LongTextsDoNotExhaustTheStack) {
  Json document = parse_document(samples()[2], "").value();
  document["name"] = std::string(4'000'000, 'a');
  EXPECT_EQ(check_schema(SchemaKind::kScenario, document)->pointer, "/name");
  document = parse_document(samples()[2], "").value();
  document["operation"]["request"]["messages"][0]["content"] = std::string(4'000'000, 'a');
  document["summary"] = std::string(4'000'000, 'a');
  EXPECT_FALSE(check_schema(SchemaKind::kScenario, document));
}

}  // namespace
}  // namespace squall::scenarios
