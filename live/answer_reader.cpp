// SPDX-License-Identifier: MIT
#include "live/answer_reader.hpp"

#include <algorithm>
#include <utility>

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "core/check.hpp"

namespace squall::live {

namespace http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;
using core::ConnectionFault;

namespace {

constexpr int kSwitchingProtocols = 101;

std::string larger_than_a_head(std::string_view what) {
  return std::string(what) + " is larger than " + std::to_string(AnswerReader::kHeadBytesMax) +
         " bytes";
}

/// What Beast found wrong, for people.
std::string words_for(const error_code& error) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return larger_than_a_head("its head");
  }
  if (error == http::error::bad_version) {
    return "it does not begin with HTTP/1.0 or HTTP/1.1";
  }
  if (error == http::error::bad_status) {
    return "its status line is broken";
  }
  if (error == http::error::bad_content_length) {
    return "its Content-Length is broken or contradicts itself";
  }
  if (error == http::error::bad_transfer_encoding) {
    return "its Transfer-Encoding is broken or contradicts its Content-Length";
  }
  if (error == http::error::bad_chunk || error == http::error::bad_chunk_extension) {
    return "its chunks are broken";
  }
  return "its head is broken";
}

}  // namespace

class AnswerReader::Parser final : public http::basic_parser<false> {
 public:
  Parser() {
    header_limit(kHeadBytesMax);
    body_limit(boost::none);  // The core limits what an attempt keeps.
    eager(true);
  }

  AnswerNews::Head head;
  std::string body;

 private:
  void on_request_impl(http::verb, string_view, string_view, int, error_code&) override {}
  void on_response_impl(int status, string_view, int, error_code& error) override {
    constexpr int kStatusMin = 100;
    head.status = status;
    if (status < kStatusMin) {
      error = http::error::bad_status;
    }
  }
  void on_field_impl(http::field field, string_view name, string_view value, error_code&) override {
    std::optional<std::string>* const kept =
        field == http::field::retry_after                            ? &head.retry_after
        : boost::beast::iequals(name, string_view("retry-after-ms")) ? &head.retry_after_ms
                                                                     : nullptr;
    if (kept != nullptr && !*kept) {
      kept->emplace(value.data(), value.size());
    }
  }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(string_view bytes, error_code&) override {
    body.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view bytes, error_code&) override {
    body.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_finish_impl(error_code&) override {}
};

AnswerReader::AnswerReader() : parser_(std::make_unique<Parser>()) {}
AnswerReader::~AnswerReader() = default;

AnswerNews::Failure AnswerReader::broken(std::string_view what) const {
  return head_told_ ? AnswerNews::Failure{ConnectionFault::kBodyClosed,
                                          "the answer cannot be read: " + std::string(what)}
                    : AnswerNews::Failure{ConnectionFault::kSend,
                                          "the answer is not HTTP/1.x: " + std::string(what)};
}

std::optional<AnswerNews::Failure> AnswerReader::on_head(AnswerNews& news) {
  constexpr int kFinalStatusMin = 200;
  const int status = parser_->head.status;
  if (status == kSwitchingProtocols) {
    return broken("it switches protocols, which nobody asked for");
  }
  if (status < kFinalStatusMin) {
    if (++interim_answers_ > kInterimAnswersMax) {
      return broken("there are more than " + std::to_string(kInterimAnswersMax) +
                    " interim answers before it");
    }
    parser_ = std::make_unique<Parser>();
    head_bytes_ = 0;
    return std::nullopt;
  }
  head_told_ = true;
  news.head = parser_->head;
  if (const auto length = parser_->content_length()) {
    news.head->content_length = *length;
  }
  return std::nullopt;
}

// Told before the parser sees enough: whoever says something else may never say more.
bool AnswerReader::begins_like_http() const {
  constexpr std::string_view kStart = "HTTP/1.";
  return head_bytes_ > 0 || kStart.substr(0, std::min(kStart.size(), pending_.size())) ==
                                std::string_view(pending_).substr(0, kStart.size());
}

AnswerNews AnswerReader::take(std::string_view bytes) {
  SQUALL_CHECK(!over_);
  AnswerNews news;
  any_bytes_ = any_bytes_ || !bytes.empty();
  pending_ += bytes;
  if (!begins_like_http() && !head_told_) {
    news.failure = broken(words_for(http::error::bad_version));
    over_ = true;
    return news;
  }
  std::size_t used = 0;
  while (!over_ && used < pending_.size()) {
    error_code error;
    const std::size_t taken = parser_->put(
        boost::asio::const_buffer(pending_.data() + used, pending_.size() - used), error);
    used += taken;
    if (!parser_->is_header_done()) {
      head_bytes_ += taken;
    }
    if (parser_->is_header_done() && !head_told_) {
      news.failure = on_head(news);
      if (!news.failure && !head_told_) {
        continue;  // An interim answer: the real one follows.
      }
    }
    if (error == http::error::need_more) {
      break;
    }
    if (error && !news.failure) {
      news.failure = broken(words_for(error));
    }
    news.complete = !news.failure && parser_->is_done();
    over_ = news.complete || news.failure.has_value();
  }
  pending_.erase(0, used);
  if (!over_ && (pending_.size() > kHeadBytesMax ||
                 (!head_told_ && head_bytes_ + pending_.size() > kHeadBytesMax))) {
    news.failure =
        broken(larger_than_a_head(head_told_ ? "a line between its chunks" : "its head"));
    over_ = true;
  }
  std::swap(news.body, parser_->body);
  return news;
}

AnswerNews AnswerReader::end(ConnectionEnd how, std::string_view words) {
  SQUALL_CHECK(!over_);
  over_ = true;
  AnswerNews news;
  if (how == ConnectionEnd::kClosed && head_told_ && parser_->need_eof()) {
    news.complete = true;
    return news;
  }
  AnswerNews::Failure failure;
  failure.detail = words;
  switch (how) {
    case ConnectionEnd::kReset:
      failure.fault = head_told_ ? ConnectionFault::kBodyReset : ConnectionFault::kReset;
      break;
    case ConnectionEnd::kClosed:
    case ConnectionEnd::kCut:
    case ConnectionEnd::kBroken:
      failure.fault = head_told_ ? ConnectionFault::kBodyClosed : ConnectionFault::kSend;
      if (how == ConnectionEnd::kClosed && !head_told_) {
        failure.detail = any_bytes_ ? "the connection was closed before the headers were complete"
                                    : "the connection was closed without an answer";
      } else if (how == ConnectionEnd::kClosed) {
        failure.detail.clear();  // The fault says it all.
      }
      break;
  }
  news.failure = std::move(failure);
  return news;
}

}  // namespace squall::live
