// SPDX-License-Identifier: MIT
#include "live/request_reader.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "core/check.hpp"

namespace squall::live {

namespace beast = boost::beast;
namespace http = boost::beast::http;

namespace {

std::string text_of(beast::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

const std::string* ReceivedRequest::header(const char* name) const {
  const auto found =
      std::find_if(headers.begin(), headers.end(), [name](const LoggedHeader& header) {
        return beast::iequals(header.name, beast::string_view(name));
      });
  return found == headers.end() ? nullptr : &found->value;
}

struct RequestReader::Parser {
  http::request_parser<http::string_body> http;
};

RequestReader::RequestReader(RequestLimits limits) : limits_(limits) {}
RequestReader::~RequestReader() = default;

RequestReader::State RequestReader::feed(std::string& input) {
  if (state_ == State::kIdle) {
    // Empty lines before a request are allowed. @source RFC 9112, section 2.2
    input.erase(0, std::min(input.find_first_not_of("\r\n"), input.size()));
    if (input.empty()) {
      return state_;
    }
    parser_ = std::make_unique<Parser>();
    parser_->http.header_limit(limits_.head_bytes);
    parser_->http.body_limit(limits_.body_bytes);
    parser_->http.eager(true);
    state_ = State::kReading;
    wish_told_ = false;
  }
  if (state_ != State::kReading) {
    return state_;
  }
  std::size_t consumed = 0;
  while (consumed < input.size() && !parser_->http.is_done()) {
    beast::error_code failed;
    consumed += parser_->http.put(
        boost::asio::buffer(input.data() + consumed, input.size() - consumed), failed);
    if (failed == http::error::need_more) {
      break;
    }
    if (failed == http::error::header_limit) {
      refuse(431, "the head is larger than " + std::to_string(limits_.head_bytes) + " bytes");
    } else if (failed == http::error::body_limit) {
      refuse(413, "the body is larger than " + std::to_string(limits_.body_bytes) + " bytes");
    } else if (failed) {
      refuse(400, "this is no HTTP/1.1 request: " + failed.message());
    }
    if (failed) {
      return state_;
    }
  }
  input.erase(0, consumed);
  if (parser_->http.is_done()) {
    state_ = State::kComplete;
    // Its end cannot be known: whatever follows must not be taken for the next request.
    if (parser_->http.get().count(http::field::transfer_encoding) > 0 && !parser_->http.chunked()) {
      refuse(400, "a transfer coding other than chunked");
    }
  } else if (input.size() > limits_.head_bytes) {
    // What cannot be read on with so much: a head, or the size line of a chunk.
    refuse(parser_->http.is_header_done() ? 400 : 431, "a line that does not end");
  }
  return state_;
}

std::uint64_t RequestReader::body_bytes() const {
  return parser_ == nullptr ? 0 : parser_->http.get().body().size();
}

bool RequestReader::take_continue_wish() {
  if (wish_told_ || state_ != State::kReading || !parser_->http.is_header_done()) {
    return false;
  }
  wish_told_ = true;
  return beast::iequals(parser_->http.get()[http::field::expect], "100-continue");
}

ReceivedRequest RequestReader::take() {
  SQUALL_CHECK(state_ == State::kComplete);
  auto message = parser_->http.release();
  parser_.reset();
  state_ = State::kIdle;
  ReceivedRequest request;
  request.method = text_of(message.method_string());
  request.target = text_of(message.target());
  for (const auto& field : message) {
    request.headers.push_back(
        {.name = text_of(field.name_string()), .value = text_of(field.value())});
  }
  request.body = std::move(message.body());
  request.knows_chunks = message.version() >= 11;
  request.keep_alive = request.knows_chunks && message.keep_alive();
  return request;
}

void RequestReader::refuse(int status, std::string reason) {
  parser_.reset();
  state_ = State::kRefused;
  refusal_ = {.status = status, .reason = std::move(reason)};
}

}  // namespace squall::live
