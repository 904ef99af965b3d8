// SPDX-License-Identifier: MIT
#include "live/answer_reader.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace squall::live {
namespace {

using core::ConnectionFault;
using testing::HasSubstr;
using testing::StartsWith;

/// What came of an answer, all pieces together, in one line.
class Told {
 public:
  void add(const AnswerNews& news) {
    if (news.head) {
      head_ = std::to_string(news.head->status);
      if (news.head->content_length) {
        head_ += " of " + std::to_string(*news.head->content_length);
      }
      if (news.head->retry_after) {
        head_ += " after " + *news.head->retry_after;
      }
      if (news.head->retry_after_ms) {
        head_ += " ms " + *news.head->retry_after_ms;
      }
    }
    body_ += news.body;
    if (news.complete) {
      end_ = "whole";
    }
    if (news.failure) {
      fault = news.failure->fault;
      end_ = news.failure->detail;
    }
  }
  [[nodiscard]] std::string line() const { return head_ + '|' + body_ + '|' + end_; }
  std::optional<ConnectionFault> fault;

 private:
  std::string head_, body_, end_;
};

/// Reads `raw` in pieces of `size` bytes, then the end of the connection.
Told told(const std::string& raw, std::size_t size, ConnectionEnd end = ConnectionEnd::kClosed) {
  AnswerReader reader;
  Told all;
  for (std::size_t at = 0; at < raw.size() && !reader.is_over(); at += size) {
    all.add(reader.take(std::string_view(raw).substr(at, size)));
  }
  if (!reader.is_over()) {
    all.add(reader.end(end, "words"));
  }
  return all;
}

/// The same, and wants it to be the same however the bytes are cut.
Told told(const std::string& raw, ConnectionEnd end = ConnectionEnd::kClosed) {
  Told at_once = told(raw, raw.size() + 1, end);
  for (const std::size_t size : {1U, 2U, 3U, 7U, 64U}) {
    EXPECT_EQ(told(raw, size, end).line(), at_once.line()) << "in pieces of " << size;
  }
  return at_once;
}

TEST(AnswerReader, ReadsWhatIsAnnounced) {
  EXPECT_EQ(told("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello").line(),
            "200 of 5|hello|whole");
  EXPECT_EQ(told("HTTP/1.0 503 \r\nContent-Length: 0\r\n\r\n").line(), "503 of 0||whole");
  EXPECT_EQ(told("HTTP/1.1 204 No Content\r\n\r\n").line(), "204||whole");
  EXPECT_EQ(told("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more").line(),
            "200 of 5|hello|whole");
}

TEST(AnswerReader, ReadsChunks) {
  EXPECT_EQ(told("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                 "5;note=1\r\nhello\r\n1\r\n!\r\n0\r\nTrailer: x\r\n\r\n")
                .line(),
            "200|hello!|whole");
}

TEST(AnswerReader, TakesTheEndOfTheConnectionForTheEndOfABodyWithoutALength) {
  const std::string raw = "HTTP/1.1 200 OK\r\n\r\nhello";
  EXPECT_EQ(told(raw).line(), "200|hello|whole");
  // Without the TLS goodbye anybody may have cut it.
  EXPECT_EQ(told(raw, ConnectionEnd::kCut).fault, ConnectionFault::kBodyClosed);
  EXPECT_EQ(told(raw, ConnectionEnd::kReset).fault, ConnectionFault::kBodyReset);
}

TEST(AnswerReader, TellsHowFarABrokenAnswerCame) {
  EXPECT_EQ(told("").fault, ConnectionFault::kSend);
  EXPECT_THAT(told("").line(), HasSubstr("closed without an answer"));
  EXPECT_THAT(told("HTTP/1.1 200 OK\r\nContent-").line(), HasSubstr("before the headers were"));
  EXPECT_EQ(told("HTTP/1.1 200 OK\r\n", ConnectionEnd::kReset).fault, ConnectionFault::kReset);

  const std::string half = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello";
  EXPECT_EQ(told(half).line(), "200 of 9|hello|");
  EXPECT_EQ(told(half).fault, ConnectionFault::kBodyClosed);
  EXPECT_EQ(told(half, ConnectionEnd::kReset).fault, ConnectionFault::kBodyReset);
  const std::string chunk = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
  EXPECT_EQ(told(chunk).line(), "200|hello|");
  EXPECT_EQ(told(chunk).fault, ConnectionFault::kBodyClosed);
}

TEST(AnswerReader, SkipsInterimAnswers) {
  const std::string interim = "HTTP/1.1 103 Early Hints\r\nRetry-After: 7\r\n\r\n";
  const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  std::string raw;
  for (int i = 0; i < AnswerReader::kInterimAnswersMax; ++i) {
    raw += interim;
  }
  EXPECT_EQ(told(raw + answer).line(), "200 of 2|ok|whole");
  const Told too_many = told(raw + interim + answer);
  EXPECT_EQ(too_many.fault, ConnectionFault::kSend);
  EXPECT_THAT(too_many.line(), HasSubstr("more than 16 interim answers"));
  EXPECT_THAT(told("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n").line(),
              HasSubstr("switches protocols"));
}

// Which of several values counts is not settled anywhere; the simulated provider takes the first.
TEST(AnswerReader, TakesTheFirstOfSeveralFields) {
  EXPECT_EQ(told("HTTP/1.1 503 Busy\r\nretry-after: 5\r\nRetry-After: 9\r\nRETRY-AFTER-MS: 1\r\n"
                 "Retry-After-Ms: 2\r\nContent-Length: 0\r\n\r\n")
                .line(),
            "503 of 0 after 5 ms 1||whole");
}

TEST(AnswerReader, RefusesWhatIsNotHttp) {
  const std::vector<std::string> garbage = {
      "hello, this is not HTTP at all\r\n\r\n",
      "<html>as HTTP/0.9 would</html>",
      "SSH-2.0-OpenSSH_9.2\r\n",
      "HTTP/2.0 200 OK\r\n\r\n",
      "HTTP/1.1 20 OK\r\n\r\n",
      "HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
      "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxy",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
      "HTTP/1.1 200 OK\r\nname without colon\r\n\r\n",
      std::string("HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n", 27),
      std::string(1'000, '\0'),
      std::string("\x16\x03\x01\x02\x00\x01", 6),
  };
  for (const std::string& raw : garbage) {
    // In small pieces the end may come before the defect is seen: then that is what is told.
    for (const std::size_t size : {raw.size(), std::size_t{7}, std::size_t{1}}) {
      const Told came = told(raw, size);
      EXPECT_EQ(came.fault, ConnectionFault::kSend) << raw;
      EXPECT_THAT(came.line(), StartsWith("||")) << raw;
    }
  }
  EXPECT_THAT(told(garbage[0]).line(), HasSubstr("the answer is not HTTP/1.x"));
  AnswerReader reader;
  EXPECT_TRUE(reader.take("S").failure) << "of a server that waits for us to speak SSH";
}

TEST(AnswerReader, RefusesBrokenChunksInTheBody) {
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const Told came = told(head + "5\r\nhello\r\nXYZ\r\n");
  EXPECT_EQ(came.fault, ConnectionFault::kBodyClosed);
  EXPECT_THAT(came.line(), StartsWith("200|hello|the answer cannot be read"));
}

TEST(AnswerReader, PassesOnWhateverBytesABodyHas) {
  const std::string body("\x1f\x8b\x00\xff\xc3\x28\r\n\r\n", 10);
  EXPECT_EQ(
      told("HTTP/1.1 200 \xff\xfe\r\nContent-Encoding: gzip\r\nContent-Length: 10\r\n\r\n" + body)
          .line(),
      "200 of 10|" + body + "|whole");
}

TEST(AnswerReader, HoldsNoMoreThanAHead) {
  const std::string start = "HTTP/1.1 200 OK\r\n";
  const std::string field = "X-Field: 0123456789\r\n";
  std::string many = start;
  while (many.size() <= AnswerReader::kHeadBytesMax) {
    many += field;
  }
  const std::string one = start + "X: " + std::string(AnswerReader::kHeadBytesMax, 'x');
  const std::string endless_line = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;" +
                                   std::string(AnswerReader::kHeadBytesMax + 1, 'x');
  for (const std::size_t size : {std::size_t{100}, std::size_t{16'384}, one.size()}) {
    for (const std::string& raw : {many, one}) {
      const Told came = told(raw, size);
      EXPECT_EQ(came.fault, ConnectionFault::kSend);
      EXPECT_THAT(came.line(), HasSubstr("head is larger than 65536 bytes"));
    }
    EXPECT_EQ(told(endless_line, size).fault, ConnectionFault::kBodyClosed);
  }
}

}  // namespace
}  // namespace squall::live
