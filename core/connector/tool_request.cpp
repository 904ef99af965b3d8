// SPDX-License-Identifier: MIT
#include "core/connector/tool_request.hpp"

#include "core/json_text.hpp"
#include "core/quote.hpp"

namespace squall::core::connector {
namespace {

constexpr std::size_t kQuotedInputBytesMax = 80;

Unexpected<Error> bad(std::string_view what, std::string_view found) {
  Error error;
  error.message = what;
  error.message += ", found \"";
  append_quoted(error.message, found, kQuotedInputBytesMax);
  error.message += '"';
  return Unexpected<Error>(std::move(error));
}

}  // namespace

Expected<ToolRequest, Error> ToolRequest::make(std::uint64_t id, std::string_view name,
                                               std::string_view arguments) {
  const std::string quoted_name = to_text(Json(name));
  // Writing replaces what is not UTF-8; then reading it back gives another name.
  const std::optional<Json> read_back = parse_json(quoted_name);
  if (name.empty() || !read_back || *read_back != Json(name)) {
    return bad("the name of a tool must be UTF-8 text that is not empty", name);
  }
  if (arguments.empty()) {
    arguments = "{}";
  }
  if (const std::optional<Json> parsed = parse_json(arguments); !parsed || !parsed->is_object()) {
    return bad("the arguments of a tool must be a JSON object", arguments);
  }
  std::string body = R"({"jsonrpc":"2.0","id":)";
  body += std::to_string(id);
  body += R"(,"method":"tools/call","params":{"name":)";
  body += quoted_name;
  body += R"(,"arguments":)";
  body += arguments;
  body += "}}";
  return ToolRequest(id, std::move(body));
}

}  // namespace squall::core::connector
