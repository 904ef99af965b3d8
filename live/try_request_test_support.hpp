// SPDX-License-Identifier: MIT
//
// Any bytes through everything that the fault server does with a request before it answers on a
// socket: reading, routing, logging, shaping of the answer. Used by the fuzzer and by the test that
// replays its corpus.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "live/client_scripts.hpp"
#include "live/request_reader.hpp"
#include "live/request_routing.hpp"
#include "live/wire_shape.hpp"
#include "playback/playbook.hpp"
#include "scenarios/model.hpp"

namespace squall::live {

/// What became of the bytes of a connection.
struct TriedRequests {
  std::vector<ReceivedRequest> requests;
  int refused_with = 0;  ///< a status; 0 when nothing was refused
};

/// Feeds `bytes` in pieces of `piece` bytes.
inline TriedRequests read_in_pieces(std::string_view bytes, std::size_t piece) {
  constexpr RequestLimits kSmall{.head_bytes = 2'048, .body_bytes = 4'096};
  RequestReader reader(kSmall);
  TriedRequests tried;
  std::string input;
  do {
    input += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
    while (reader.feed(input) == RequestReader::State::kComplete) {
      tried.requests.push_back(reader.take());
    }
    (void)reader.take_continue_wish();
    if (reader.state() == RequestReader::State::kRefused) {
      tried.refused_with = reader.refusal().status;
      break;
    }
  } while (!bytes.empty());
  return tried;
}

/// Answers that have every part that shaping looks at.
inline std::vector<scenarios::HttpAnswer> answers_to_shape() {
  std::vector<scenarios::HttpAnswer> answers(4);
  answers[0].body =
      R"({"id":"c","model":"m","choices":[{"message":{"content":"a b","reasoning":"r",)"
      R"("tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},)"
      R"("finish_reason":"stop"}],"usage":{"prompt_tokens":3}})";
  answers[0].ending = scenarios::Breaks{.after = {-3}, .by_reset = false};
  answers[1].body = R"({"jsonrpc":"2.0","id":1,"result":{}})";
  answers[1].ending = scenarios::Stalls{{36}};
  answers[2].body = "data: {\"id\":1}\n\ndata: x";
  answers[2].content_length_error = -5;
  answers[3].status = 503;
  return answers;
}

/// Checks what must hold whatever the bytes are; throws core::CheckFailed when it does not.
/// @returns what became of them when they came at once.
inline TriedRequests try_request(std::string_view bytes) {
  TriedRequests whole = read_in_pieces(bytes, std::max<std::size_t>(bytes.size(), 1));
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}}) {
    const TriedRequests pieces = read_in_pieces(bytes, piece);
    SQUALL_CHECK(pieces.requests.size() == whole.requests.size(), piece, pieces.requests.size(),
                 whole.requests.size());
    for (std::size_t index = 0; index < whole.requests.size(); ++index) {
      SQUALL_CHECK(pieces.requests[index].target == whole.requests[index].target, piece, index);
      SQUALL_CHECK(pieces.requests[index].headers == whole.requests[index].headers, piece, index);
      SQUALL_CHECK(pieces.requests[index].body == whole.requests[index].body, piece, index);
    }
  }
  scenarios::OperationSpec tool;
  scenarios::ToolCallWork work;
  work.resource_uri = "https://tools.example/rpc";
  work.tool = "t";
  tool.work = std::move(work);
  for (const RequestRouter& router :
       {RequestRouter(scenarios::OperationSpec{}), RequestRouter(tool)}) {
    for (const ReceivedRequest& request : whole.requests) {
      const std::string name = client_name(request.headers);
      SQUALL_CHECK(!name.empty() && name.size() <= 64, name);
      (void)without_secrets(request.headers);
      (void)without_query_values(request.target);
      const auto route = router.route(request);
      if (const auto* ready = std::get_if<ReadyAnswer>(&route)) {
        SQUALL_CHECK(bytes_of(*ready, true, true).ends_with("\r\n\r\n" + ready->body));
        continue;
      }
      for (const scenarios::HttpAnswer& answer : answers_to_shape()) {
        const auto fitting = shaped(answer, std::get<ScriptedCall>(route));
        const playback::PreparedRespond prepared(
            scenarios::Respond{.what = fitting ? *fitting : answer});
        SQUALL_CHECK(head_of(fitting ? *fitting : answer, {}, {}).ends_with("\r\n\r\n"));
      }
    }
  }
  return whole;
}

}  // namespace squall::live
