// SPDX-License-Identifier: MIT
#include "core/connector/settings.hpp"

#include <string>

#include <gtest/gtest.h>

namespace squall::core::connector {
namespace {

TEST(ConnectorSettings, Labels) {
  const std::string longest(kLabelBytesMax, 'a');
  for (const std::string& good : {std::string("a"), std::string("search"),
                                  std::string("web-search"), std::string("a2_b--c9"), longest}) {
    EXPECT_TRUE(check_label(good)) << good;
  }
  for (const std::string& bad :
       {std::string(), std::string("2fast"), std::string("-a"), std::string("a-"),
        std::string("a_"), std::string("Search"), std::string("a b"), std::string("a.b"),
        std::string("a\n"), std::string("\xC3\xA4"), std::string("a\0b", 3), longest + "a"}) {
    EXPECT_FALSE(check_label(bad)) << bad;
  }
}

TEST(ConnectorSettings, AMalformedLabelIsShownWithWhatIsAllowed) {
  EXPECT_EQ(to_string(check_label("My\tSearch").error()),
            "connector label \"My Search\" is malformed; allowed: 1 to 32 of a-z, 0-9, \"-\" and "
            "\"_\", first a letter, last a letter or a digit");
}

TEST(ConnectorSettings, ResourceUris) {
  for (const std::string_view good :
       {"https://tools.example", "http://localhost:8080/mcp", "HTTPS://Tools.Example/a/b?c=d&e",
        "https://10.0.0.1:/", "https://[2001:db8::1]:443/mcp", "https://[::1]", "https://h?q",
        "https://h:65535/%7Euser/x@y:z;p=1", "https://a_b.example/"}) {
    EXPECT_TRUE(check_resource_uri(good)) << good;
  }
  for (const std::string_view bad : {"",
                                     "tools.example",
                                     "/mcp",
                                     "https:tools.example",
                                     "https://",
                                     "https:///mcp",
                                     "https://:80/",
                                     "ftp://tools.example",
                                     "://h",
                                     "https://h/a b",
                                     "https://h/%2",
                                     "https://h/%zz",
                                     "https://h/#top",
                                     "https://user@h/",
                                     "https://user:pw@h/",
                                     "https://h:65536/",
                                     "https://h:8o/",
                                     "https://h:1:2/",
                                     "https://[::1",
                                     "https://[::g]/",
                                     "https://[]/",
                                     "https://[::1]x/",
                                     "https://h/\"",
                                     "https://h/\xC3\xA4",
                                     "https://h\\x/",
                                     "https://h/[x]",
                                     " https://h"}) {
    EXPECT_FALSE(check_resource_uri(bad)) << bad;
  }
}

TEST(ConnectorSettings, AResourceUriMayBeEightThousandBytesLong) {
  const std::string front = "https://h/";
  const std::string longest = front + std::string(kResourceUriBytesMax - front.size(), 'a');
  EXPECT_TRUE(check_resource_uri(longest));
  EXPECT_FALSE(check_resource_uri(longest + "a"));
}

TEST(ConnectorSettings, ABadUriSaysWhatIsWrong) {
  EXPECT_EQ(
      to_string(check_resource_uri("https://h/#x").error()),
      "resource URI \"https://h/#...\" has a fragment; allowed: an absolute http or https URI "
      "without user information and fragment");
}

TEST(ConnectorSettings, CredentialsInAUriAreNeverRepeated) {
  for (const char* const bad :
       {"https://agent:s3cret@h/mcp", "https://s3cret@h/#x", "agent:s3cret@h/mcp",
        "https://h/mcp?key=s3cret#x", "https://a@s3cret@h/", "https://bob:hunter?s3cret@h/",
        "https://h/#token=s3cret", "ftp://h/?x@s3cret", "ftp://agent:s3cret@h/?p=s3cret"}) {
    const auto checked = check_resource_uri(bad);
    ASSERT_FALSE(checked) << bad;
    EXPECT_EQ(to_string(checked.error()).find("s3cret"), std::string::npos)
        << to_string(checked.error());
  }
  EXPECT_NE(to_string(check_resource_uri("https://agent:pw@h/mcp?k=v").error())
                .find("\"https://...@h/mcp?...\" has user information"),
            std::string::npos);
}

}  // namespace
}  // namespace squall::core::connector
