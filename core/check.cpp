// SPDX-License-Identifier: MIT
#include "core/check.hpp"

namespace squall::core::detail {
namespace {

// Build directories differ between machines; what is printed must not.
std::string_view path_from_repository(std::string_view path) {
  for (const std::string_view folder : {"/core/", "/simulator/", "/scenarios/", "/live/",
                                        "/reports/", "/cli/", "/property_tests/", "/bench/"}) {
    if (const auto at = path.rfind(folder); at != std::string_view::npos) {
      return path.substr(at + 1);
    }
  }
  return path;
}

}  // namespace

void fail_check(const char* file, int line, const char* expression, std::string_view names,
                const std::string& values) {
  std::string text{path_from_repository(file)};
  text += ':';
  text += std::to_string(line);
  text += ": check failed: ";
  text += expression;
  if (!names.empty()) {
    text += " (";
    text += names;
    text += " = ";
    text += values;
    text += ')';
  }
  throw CheckFailed(text);
}

}  // namespace squall::core::detail
