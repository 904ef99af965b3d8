// SPDX-License-Identifier: MIT
#include "core/connector/model_text.hpp"

#include "core/json_text.hpp"

namespace squall::core::connector {
namespace {

constexpr std::string_view kTransportSentence =
    "This tool is temporarily unavailable because its connector does not answer; it is worth "
    "trying again shortly.";
constexpr std::string_view kAuthSentence =
    "This tool's connector does not accept the credentials it was given; they have to be renewed "
    "before the tool can be used.";
constexpr std::string_view kConfigSentence =
    "This tool's connector is set up wrongly; its configuration has to be corrected before the "
    "tool can be used.";
constexpr std::string_view kApplicationSentence = "The tool failed and did not say why.";

std::string joined_texts(const ToolResult& result) {
  std::string joined;
  for (const std::string& text : result.texts) {
    joined += text;
  }
  return joined;
}

}  // namespace

std::string success_json(const ToolResult& result) {
  if (result.structured) {
    return *result.structured;
  }
  const std::string text = joined_texts(result);
  if (text.empty()) {
    return to_text(Json{{"ok", true}});
  }
  const std::optional<Json> parsed = parse_json(text);
  return to_text(parsed ? *parsed : Json{{"result", text}});
}

std::string failure_json(Kind kind, std::string_view message) {
  return to_text(Json{{"error", message}, {"kind", token(kind)}});
}

std::string result_message(const ToolResult& result) {
  if (result.structured) {
    return *result.structured;
  }
  return call_message(Kind::kApplication, joined_texts(result));
}

std::string call_message(Kind kind, std::string_view own) {
  if (kind != Kind::kApplication) {
    return std::string(dial_message(kind));
  }
  return std::string(own.empty() ? kApplicationSentence : own);
}

std::string_view dial_message(Kind kind) {
  switch (kind) {
    case Kind::kAuth:
      return kAuthSentence;
    case Kind::kConfig:
      return kConfigSentence;
    case Kind::kTransport:
    case Kind::kApplication:
      break;
  }
  return kTransportSentence;
}

}  // namespace squall::core::connector
