// SPDX-License-Identifier: MIT
#include "scenarios/golden.hpp"

#include <charconv>
#include <utility>

#include "scenarios/document.hpp"
#include "scenarios/files.hpp"
#include "scenarios/json_locator.hpp"
#include "scenarios/wording.hpp"

namespace squall::scenarios {

core::Expected<GoldenDigests, core::Error> parse_golden(std::string_view text,
                                                        const std::string& display_name) {
  const auto document = parse_document(text, display_name);
  if (!document) {
    return core::Unexpected<core::Error>(document.error());
  }
  const auto refuse = [&](const std::string& pointer, std::string message) {
    return core::Unexpected<core::Error>(core::Error{.file = display_name,
                                                     .line = line_of(text, pointer),
                                                     .pointer = on_one_line(pointer),
                                                     .message = std::move(message)});
  };
  if (!document->is_object()) {
    return refuse("", "allowed: an object of names and digests");
  }
  GoldenDigests digests;
  for (const auto& member : document->items()) {
    const std::string digits = member.value().is_string() ? member.value().get<std::string>() : "";
    std::uint64_t digest = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), digest, 16);
    if (format_digest(digest) != digits) {
      return refuse(member_pointer("", member.key()),
                    found_allowed(on_one_line(member.value().dump().substr(0, 48)),
                                  "16 lower-case hex digits"));
    }
    digests.emplace(member.key(), digest);
  }
  return digests;
}

core::Expected<GoldenDigests, core::Error> load_golden(const std::string& path) {
  const auto text = read_file(path);
  if (!text) {
    return core::Unexpected<core::Error>(text.error());
  }
  return parse_golden(*text, path);
}

core::Expected<void, core::Error> save_golden(const std::string& path,
                                              const GoldenDigests& digests) {
  Json document = Json::object();
  for (const auto& [name, digest] : digests) {
    document[name] = format_digest(digest);
  }
  return write_file(path, document.dump(2) + "\n");
}

std::string format_digest(std::uint64_t digest) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string digits(16, '0');
  for (std::size_t i = 0; i < digits.size(); ++i) {
    digits[i] = kHex[(digest >> (60U - 4U * i)) & 0xfU];
  }
  return digits;
}

}  // namespace squall::scenarios
