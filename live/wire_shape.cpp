// SPDX-License-Identifier: MIT
#include "live/wire_shape.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/status.hpp>

#include "core/http_date.hpp"
#include "core/json_text.hpp"
#include "live/chat_stream.hpp"
#include "live/message_reply.hpp"

namespace squall::live {
namespace {

using core::Json;

constexpr std::string_view kContentType = "content-type";

bool is_named(const scenarios::Header& header, std::string_view name) {
  return boost::beast::iequals(header.name, {name.data(), name.size()});
}

/// Positions of `ending` kept within a body of `size` bytes.
scenarios::Ending within(scenarios::Ending ending, std::size_t size) {
  const auto limit = static_cast<std::int64_t>(size);
  const auto clamp = [limit](scenarios::BodyOffset& offset) {
    offset.bytes = std::clamp(offset.bytes, -limit, limit);
  };
  if (auto* stalls = std::get_if<scenarios::Stalls>(&ending)) {
    clamp(stalls->after);
  } else if (auto* breaks = std::get_if<scenarios::Breaks>(&ending)) {
    clamp(breaks->after);
  }
  return ending;
}

scenarios::HttpAnswer with_body(const scenarios::HttpAnswer& answer, std::string body) {
  scenarios::HttpAnswer changed = answer;
  changed.ending = within(answer.ending, body.size());
  // An announcement below zero cannot be written.
  changed.content_length_error =
      std::max(answer.content_length_error, -static_cast<std::int64_t>(body.size()));
  changed.body = std::move(body);
  return changed;
}

scenarios::HttpAnswer as_stream(const scenarios::HttpAnswer& answer, std::string body) {
  scenarios::HttpAnswer stream = with_body(answer, std::move(body));
  std::erase_if(stream.headers,
                [](const scenarios::Header& header) { return is_named(header, kContentType); });
  stream.headers.insert(stream.headers.begin(),
                        {.name = std::string(kContentType), .value = "text/event-stream"});
  if (stream.framing == scenarios::Framing::kContentLength && stream.content_length_error == 0) {
    stream.framing = scenarios::Framing::kChunked;
  }
  return stream;
}

/// The id that scenarios render; another one in an answer is meant.
constexpr int kRenderedId = 1;

/// `text` with the caller's id in it; nothing when it is no answer to request 1.
std::optional<std::string> with_rpc_id(std::string_view text, const Json& id) {
  std::optional<Json> message = core::parse_json(text);
  const Json* rendered = message ? core::member(*message, "id") : nullptr;
  if (rendered == nullptr || *rendered != kRenderedId) {
    return std::nullopt;
  }
  (*message)["id"] = id;
  return core::to_text(*message);
}

/// The same for JSON and for the data lines of an event stream; all other bytes stay.
std::optional<std::string> with_rpc_id_anywhere(std::string_view body, const Json& id) {
  if (auto json = with_rpc_id(body, id)) {
    return json;
  }
  constexpr std::string_view kData = "data: ";
  std::string changed;
  bool any = false;
  while (!body.empty()) {
    const std::size_t end = std::min(body.find('\n'), body.size());
    const std::string_view line = body.substr(0, end);
    std::optional<std::string> data;
    if (line.starts_with(kData)) {
      data = with_rpc_id(line.substr(kData.size()), id);
    }
    any = any || data.has_value();
    changed += data ? std::string(kData) + *data : std::string(line);
    if (end < body.size()) {
      changed += '\n';
    }
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  return any ? std::optional(std::move(changed)) : std::nullopt;
}

std::optional<scenarios::HttpAnswer> shaped_tool_answer(const scenarios::HttpAnswer& answer,
                                                        const std::string& rpc_id) {
  const std::optional<Json> id = core::parse_json(rpc_id);
  if (!id || *id == kRenderedId) {
    return std::nullopt;
  }
  auto body = with_rpc_id_anywhere(answer.body, *id);
  return body ? std::optional(with_body(answer, *std::move(body))) : std::nullopt;
}

std::string status_line(int status) {
  const auto known = boost::beast::http::int_to_status(static_cast<unsigned>(status));
  std::string line = "HTTP/1.1 " + std::to_string(status) + " ";
  if (known != boost::beast::http::status::unknown) {
    const auto reason = boost::beast::http::obsolete_reason(known);
    line.append(reason.data(), reason.size());
  }
  return line + "\r\n";
}

void append_header(std::string& head, std::string_view name, std::string_view value) {
  head.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

std::optional<scenarios::HttpAnswer> shaped(const scenarios::HttpAnswer& answer,
                                            const ScriptedCall& call) {
  if (call.form == WireForm::kChat) {
    return std::nullopt;
  }
  if (call.form == WireForm::kToolCall) {
    return shaped_tool_answer(answer, call.rpc_id);
  }
  const bool is_good = answer.status >= 200 && answer.status < 300;
  const Json completion = is_good ? completion_of(answer.body) : Json(nullptr);
  if (completion.is_null()) {
    if (call.form != WireForm::kChatStream && answer.status >= 400 && answer.body.empty()) {
      return with_body(answer, message_error(answer.status));
    }
    return std::nullopt;
  }
  switch (call.form) {
    case WireForm::kChatStream:
      return as_stream(answer, chat_stream(completion, call.include_usage));
    case WireForm::kMessageStream:
      return as_stream(answer, message_stream(completion));
    case WireForm::kMessage:
      return with_body(answer, message_reply(completion));
    case WireForm::kChat:
    case WireForm::kToolCall:
      break;
  }
  return std::nullopt;
}

std::string head_of(const scenarios::HttpAnswer& answer, const HeadFraming& framing,
                    core::WallInstant wall_clock) {
  std::string head = status_line(answer.status);
  const bool is_bodiless = answer.status == 204 || answer.status == 304;
  const bool is_typed =
      std::any_of(answer.headers.begin(), answer.headers.end(),
                  [](const scenarios::Header& header) { return is_named(header, kContentType); });
  if (!is_typed && !is_bodiless) {
    append_header(head, kContentType, "application/json");
  }
  for (const scenarios::Header& header : answer.headers) {
    if (const auto* date = std::get_if<scenarios::RelativeDate>(&header.value)) {
      append_header(
          head, header.name,
          core::format_http_date(core::saturating_add(wall_clock, date->offset), date->form));
    } else {
      append_header(head, header.name, std::get<std::string>(header.value));
    }
  }
  // Neither status has a body, and neither may say how long it is. @source RFC 9110, section 8.6
  if (!is_bodiless) {
    if (framing.framing == scenarios::Framing::kChunked) {
      append_header(head, "transfer-encoding", "chunked");
    } else if (framing.framing == scenarios::Framing::kContentLength && framing.announced_length) {
      append_header(head, "content-length", std::to_string(*framing.announced_length));
    }
  }
  if (framing.announces_close) {
    append_header(head, "connection", "close");
  }
  return head + "\r\n";
}

std::string bytes_of(const ReadyAnswer& answer, bool with_body, bool announces_close) {
  std::string bytes = status_line(answer.status);
  if (!answer.body.empty()) {
    append_header(bytes, kContentType, "application/json");
  }
  if (!answer.allow.empty()) {
    append_header(bytes, "allow", answer.allow);
  }
  append_header(bytes, "content-length", std::to_string(answer.body.size()));
  if (announces_close) {
    append_header(bytes, "connection", "close");
  }
  bytes += "\r\n";
  return with_body ? bytes + answer.body : bytes;
}

}  // namespace squall::live
