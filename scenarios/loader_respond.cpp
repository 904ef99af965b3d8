// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "scenarios/chat_reply.hpp"
#include "scenarios/loader_parts.hpp"
#include "scenarios/names.hpp"
#include "scenarios/quantities.hpp"
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

HttpAnswer read_answer(const Node& node, const std::string& model) {
  HttpAnswer answer;
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
    answer.body = render_reply(node.has("reply") ? node["reply"].json() : Json::object(), model);
  }
  if (node.has("headers")) {
    answer.headers = read_headers(node["headers"]);
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

Respond read_respond(const Node& node, const std::string& model) {
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
    respond.what = read_answer(node, model);
  }
  return respond;
}

}  // namespace squall::scenarios
