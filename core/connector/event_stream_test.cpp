// SPDX-License-Identifier: MIT
#include "core/connector/event_stream.hpp"

#include <gtest/gtest.h>

namespace squall::core::connector {
namespace {

using Events = std::vector<std::string>;

TEST(EventStream, LinesOfOneEventAreJoined) {
  EXPECT_EQ(read_event_data("data: a\ndata:b\n\ndata:  c\n\n", true), (Events{"a\nb", " c"}));
}

TEST(EventStream, EveryLineEndIsUnderstood) {
  EXPECT_EQ(read_event_data("data: a\r\rdata: b\r\n\r\ndata: c\n\n", true),
            (Events{"a", "b", "c"}));
}

TEST(EventStream, OtherFieldsAndCommentsAreSkipped) {
  EXPECT_EQ(read_event_data(": hello\nevent: message\nid: 7\nretry: 10\ndata: x\ndatum: y\n\n"
                            "event: ping\n\n",
                            true),
            (Events{"x"}));
}

TEST(EventStream, AByteOrderMarkIsNoPartOfTheFirstField) {
  EXPECT_EQ(read_event_data("\xEF\xBB\xBF"
                            "data: x\n\n",
                            true),
            (Events{"x"}));
}

TEST(EventStream, AnEventWithoutABlankLineCountsOnlyWhenTheStreamIsComplete) {
  for (const std::string_view stream : {"data: a\n\ndata: b\n", "data: a\n\ndata: b"}) {
    EXPECT_EQ(read_event_data(stream, true), (Events{"a", "b"})) << stream;
    EXPECT_EQ(read_event_data(stream, false), (Events{"a"})) << stream;
  }
}

TEST(EventStream, EmptyDataIsData) {
  EXPECT_EQ(read_event_data("data\n\ndata:\ndata:\n\n", true), (Events{"", "\n"}));
  EXPECT_EQ(read_event_data("", true), Events{});
}

}  // namespace
}  // namespace squall::core::connector
