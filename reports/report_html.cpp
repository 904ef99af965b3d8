// SPDX-License-Identifier: MIT
#include "core/check.hpp"
#include "reports/embedded_files.hpp"
#include "reports/reliability_report.hpp"

namespace squall::reports::reliability {

std::string to_html(const Document& document) {
  const auto files = embedded_files();
  SQUALL_CHECK(files.size() == 1);
  return to_html(document, files.front().text);
}

}  // namespace squall::reports::reliability
