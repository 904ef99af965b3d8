// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "scenarios/chat_reply.hpp"
#include "scenarios/loader_parts.hpp"
#include "scenarios/names.hpp"
#include "scenarios/quantities.hpp"
#include "scenarios/tool_reply.hpp"
#include "scenarios/wording.hpp"

namespace squall::scenarios {
namespace {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char character) {
    return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a')
                                                : character;
  });
  return text;
}

/// More than any HTTP server sends or client takes.
constexpr std::size_t kHeadersMax = 1'000;

std::vector<Header> read_headers(const Node& node) {
  std::vector<Header> headers;
  std::set<std::string> seen;
  if (node.json().size() > kHeadersMax) {
    node.refuse(found_allowed(std::to_string(node.json().size()) + " headers",
                              "at most " + std::to_string(kHeadersMax)));
  }
  for (const auto& member : node.json().items()) {
    const Node value = node[member.key()];
    const std::string name = lower_case(member.key());
    if (name == "content-length" || name == "transfer-encoding" || name == "connection") {
      value.refuse(found_allowed("header " + in_quotes(member.key()),
                                 R"(any header that does not follow from "framing")"));
    }
    if (!seen.insert(name).second) {
      value.refuse(found_allowed("header " + in_quotes(member.key()) + " again",
                                 "each header once, whatever its case"));
    }
    if (value.is_text()) {
      headers.push_back(Header{.name = member.key(), .value = value.text()});
    } else {
      headers.push_back(
          Header{.name = member.key(),
                 .value = RelativeDate{.offset = value["date"].read(parse_signed_duration),
                                       .form = kDateForms.value_of(value.text_or("form", "imf"))}});
    }
  }
  return headers;
}

std::uint64_t read_piece_size(const Node& node) {
  const std::uint64_t bytes = node.read(parse_bytes);
  if (bytes == 0) {
    node.refuse(found_allowed(in_quotes(node.text()), "at least \"1B\""));
  }
  return bytes;
}

Delivery read_delivery(const Node& node) {
  if (node.has("trickle")) {
    const Node trickle = node["trickle"];
    return Trickle{.bytes = read_piece_size(trickle["bytes"]),
                   .every = trickle["every"].read(parse_duration)};
  }
  if (node.has("chunks")) {
    Chunks chunks;
    for (const Node& piece : node["chunks"].elements()) {
      chunks.pieces.push_back(Chunk{.bytes = read_piece_size(piece["bytes"]),
                                    .after = piece["after"].read(parse_duration)});
    }
    return chunks;
  }
  return AtOnce{};
}

BodyOffset read_offset(const Node& node, std::size_t body_size) {
  const std::int64_t bytes = node.read(parse_signed_bytes);
  const auto size = static_cast<std::int64_t>(body_size);
  if (bytes < -size || bytes > size) {
    node.refuse(found_allowed(in_quotes(node.text()),
                              "a position inside the body of " + std::to_string(size) + " bytes"));
  }
  return BodyOffset{bytes};
}

Ending read_ending(const Node& node, std::size_t body_size) {
  if (node.has("stall")) {
    return Stalls{read_offset(node["stall"]["after"], body_size)};
  }
  if (node.has("truncate")) {
    const Node truncate = node["truncate"];
    return Breaks{.after = read_offset(truncate["after"], body_size),
                  .by_reset = truncate.text_or("by", "close") == "reset"};
  }
  return EndsComplete{};
}

std::int64_t read_length_error(const Node& node, Framing framing, std::size_t body_size) {
  const std::int64_t bytes = node.read(parse_signed_bytes);
  const auto size = static_cast<std::int64_t>(body_size);
  if (framing != Framing::kContentLength) {
    node.refuse(found_allowed(
        R"("content_length" beside "framing": )" + in_quotes(kFramings.name_of(framing)),
        R"("framing": "content_length" beside it)"));
  }
  if (bytes == 0) {
    node.refuse(found_allowed(in_quotes(node.text()), "any size but zero"));
  }
  if (bytes < -size || bytes > std::numeric_limits<std::int64_t>::max() - size) {
    node.refuse(found_allowed(in_quotes(node.text()),
                              "an announced length from 0 to 2^63-1, the body "
                              "has " +
                                  std::to_string(size) + " bytes"));
  }
  return bytes;
}

/// Refuses ids of items that the operation does not have.
void check_proposal(const Node& proposal, std::size_t items) {
  const auto check_id = [items](const Node& entry) {
    if (entry["id"].number() >= items) {
      entry["id"].refuse(found_allowed(
          entry["id"].json().dump(), "the id of an item, from 0 to " + std::to_string(items - 1)));
    }
  };
  const auto check_ids = [&check_id](const Node& node, const char* key) {
    for (const Node& entry : node.has(key) ? node[key].elements() : std::vector<Node>()) {
      check_id(entry);
    }
  };
  for (const char* const key : {"groups", "references"}) {
    for (const Node& entry : proposal.has(key) ? proposal[key].elements() : std::vector<Node>()) {
      check_ids(entry, "members");
      if (entry.has("member")) {
        check_id(entry["member"]);
      }
    }
  }
  check_ids(proposal, "ungrouped");
}

/// The body of a chat completion.
std::string read_reply(const Node& node, const OperationSpec& operation) {
  if (node.has("proposal")) {
    if (operation.kind() != OperationKind::kSynthesis) {
      node["proposal"].refuse(
          found_allowed("\"proposal\"" + for_kind(operation.kind()), "text or json"));
    } else {
      check_proposal(node["proposal"], item_count(operation));
    }
  }
  if (node.has("fence") && node.has("tool_calls") && !node.has("text") && !node.has("json") &&
      !node.has("proposal")) {
    node["fence"].refuse(
        found_allowed("\"fence\" without a text", "text, json or proposal beside it"));
  }
  return render_reply(node.json(), operation.model);
}

/// A complete answer with status 200 that says what the operation can read.
void read_good_answer(const Node& node, const OperationSpec& operation, HttpAnswer& answer) {
  if (operation.kind() != OperationKind::kToolCall) {
    answer.body = node.has("reply") ? read_reply(node["reply"], operation)
                                    : render_reply(Json::object(), operation.model);
    return;
  }
  answer.body = render_tool_answer(node.json());
  const bool has_type =
      std::any_of(answer.headers.begin(), answer.headers.end(),
                  [](const Header& header) { return lower_case(header.name) == "content-type"; });
  if (node.json().value("event_stream", false) && !has_type) {
    answer.headers.insert(answer.headers.begin(),
                          Header{.name = "content-type", .value = "text/event-stream"});
  }
}

/// Refuses the words of chat completions in the answers of connectors and the other way round.
void refuse_foreign_words(const Node& node, OperationKind kind) {
  const bool is_tool_call = kind == OperationKind::kToolCall;
  const std::vector<std::string> foreign =
      is_tool_call ? std::vector<std::string>{"reply"}
                   : std::vector<std::string>{"result", "error", "event_stream"};
  for (const std::string& key : foreign) {
    if (node.has(key)) {
      node[key].refuse(found_allowed(in_quotes(key) + for_kind(kind),
                                     is_tool_call ? "result or error" : "reply"));
    }
  }
}

HttpAnswer read_answer(const Node& node, const OperationSpec& operation) {
  HttpAnswer answer;
  if (node.has("headers")) {
    answer.headers = read_headers(node["headers"]);
  }
  refuse_foreign_words(node, operation.kind());
  if (node.has("status")) {
    answer.status = static_cast<int>(node["status"].number());
    if (node.has("body")) {
      const Node body = node["body"];
      answer.body = body.is_text() ? body.text() : body.json().dump();
      if (!answer.body.empty() && (answer.status == 204 || answer.status == 304)) {
        body.refuse(found_allowed(
            "a body", "none, status " + std::to_string(answer.status) + " never has one"));
      }
    }
  } else {
    read_good_answer(node, operation, answer);
  }
  answer.framing = kFramings.value_of(node.text_or("framing", "content_length"));
  if (node.has("content_length")) {
    answer.content_length_error =
        read_length_error(node["content_length"], answer.framing, answer.body.size());
  }
  answer.delivery = read_delivery(node);
  answer.ending = read_ending(node, answer.body.size());
  return answer;
}

}  // namespace

Time read_time(const Node& node) {
  if (node.is_text()) {
    return node.read(parse_duration);
  }
  if (node.has("uniform")) {
    const Node low = node["uniform"].element(0);
    const Node high = node["uniform"].element(1);
    const UniformTime time{.min = low.read(parse_duration), .max = high.read(parse_duration)};
    if (time.max < time.min) {
      high.refuse(found_allowed(in_quotes(high.text()), "not less than " + in_quotes(low.text())));
    }
    return time;
  }
  if (node.has("exponential")) {
    const Node mean = node["exponential"]["mean"];
    const ExponentialTime time{.mean = mean.read(parse_duration)};
    if (time.mean.count() == 0) {
      mean.refuse(found_allowed(in_quotes(mean.text()), "more than \"0s\""));
    }
    return time;
  }
  if (node.has("lognormal")) {
    const Node median = node["lognormal"]["median"];
    const Node p99 = node["lognormal"]["p99"];
    const LognormalTime time{.median = median.read(parse_duration),
                             .p99 = p99.read(parse_duration)};
    if (time.median.count() == 0) {
      median.refuse(found_allowed(in_quotes(median.text()), "more than \"0s\""));
    }
    if (time.p99 < time.median) {
      p99.refuse(found_allowed(in_quotes(p99.text()), "not less than the median"));
    }
    return time;
  }
  EmpiricalTime time;
  for (const Node& value : node["empirical"].elements()) {
    time.values.push_back(value.read(parse_duration));
  }
  return time;
}

Respond read_respond(const Node& node, const OperationSpec& operation) {
  Respond respond;
  if (node.has("latency")) {
    respond.latency = read_time(node["latency"]);
  }
  if (node.has("connection")) {
    respond.what = ConnectionFailure{kConnectionFaults.value_of(node["connection"].text())};
  } else if (node.has("stall") && node["stall"].is_text()) {
    for (const auto& member : node.json().items()) {
      if (member.key() != "stall") {
        node[member.key()].refuse(found_allowed(
            in_quotes(member.key()) + R"( beside "stall": "headers")", "nothing beside it"));
      }
    }
    respond.what = SilentHeaders{};
  } else {
    respond.what = read_answer(node, operation);
  }
  return respond;
}

}  // namespace squall::scenarios
