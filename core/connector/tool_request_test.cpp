// SPDX-License-Identifier: MIT
#include "core/connector/tool_request.hpp"

#include <gtest/gtest.h>

namespace squall::core::connector {
namespace {

TEST(ToolRequest, TheBytesAreOneJsonRpcRequest) {
  EXPECT_EQ(ToolRequest::make(7, "find", R"({ "q": 1.50, "a": [] })")->body(),
            R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"find",)"
            R"("arguments":{ "q": 1.50, "a": [] }}})");
  EXPECT_EQ(ToolRequest::make(18446744073709551615U, "a\"b", "")->body(),
            R"({"jsonrpc":"2.0","id":18446744073709551615,"method":"tools/call",)"
            R"("params":{"name":"a\"b","arguments":{}}})");
  EXPECT_EQ(ToolRequest::make(7, "find", "")->id(), 7U);
}

TEST(ToolRequest, BadInputIsNamed) {
  EXPECT_EQ(to_string(ToolRequest::make(1, "", "{}").error()),
            "the name of a tool must be UTF-8 text that is not empty, found \"\"");
  EXPECT_EQ(to_string(ToolRequest::make(1, "a\xFF", "{}").error()),
            "the name of a tool must be UTF-8 text that is not empty, found \"a?\"");
  for (const std::string_view arguments : {"[]", "1", "{", "{}}", "null", "{},\"x\":{}"}) {
    EXPECT_FALSE(ToolRequest::make(1, "find", arguments)) << arguments;
  }
}

}  // namespace
}  // namespace squall::core::connector
