// SPDX-License-Identifier: MIT
//
// The JSON value of this folder: members keep the order of the file, because a request is passed on
// in that order and defects are reported in that order. Internal to the folder.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace squall::scenarios {

using Json = nlohmann::ordered_json;

/// `pointer` extended by one member name, escaped as RFC 6901 says ("/a" + "b/c" = "/a/b~1c").
[[nodiscard]] std::string member_pointer(std::string_view pointer, std::string_view key);
/// `pointer` extended by one array index.
[[nodiscard]] std::string element_pointer(std::string_view pointer, std::size_t index);

}  // namespace squall::scenarios
