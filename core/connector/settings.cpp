// SPDX-License-Identifier: MIT
#include "core/connector/settings.hpp"

#include <algorithm>
#include <string>

#include "core/quote.hpp"

namespace squall::core::connector {
namespace {

constexpr std::size_t kQuotedInputBytesMax = 80;

constexpr bool is_lower(char character) {
  return character >= 'a' && character <= 'z';
}
constexpr bool is_digit(char character) {
  return character >= '0' && character <= '9';
}
constexpr char to_lower(char character) {
  return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a')
                                              : character;
}
constexpr bool is_hex(char character) {
  return is_digit(character) || (to_lower(character) >= 'a' && to_lower(character) <= 'f');
}
constexpr bool is_one_of(char character, std::string_view set) {
  return set.find(character) != std::string_view::npos;
}
constexpr bool is_unreserved_or_sub_delim(char character) {
  return is_lower(to_lower(character)) || is_digit(character) ||
         is_one_of(character, "-._~!$&'()*+,;=");
}

/// Whether `text` consists of unreserved characters, sub-delims, percent triples and `others`.
bool is_uri_text(std::string_view text, std::string_view others) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (text.size() - i < 3 || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) {
        return false;
      }
      i += 2;
    } else if (!is_unreserved_or_sub_delim(text[i]) && !is_one_of(text[i], others)) {
      return false;
    }
  }
  return true;
}

bool is_port(std::string_view port) {
  unsigned value = 0;
  for (const char digit : port) {
    if (!is_digit(digit)) {
      return false;
    }
    value = value * 10 + static_cast<unsigned>(digit - '0');
    if (value > 65'535) {
      return false;
    }
  }
  return true;
}

/// An IP literal in brackets, by its characters: which addresses exist is the resolver's business.
bool is_bracketed_address(std::string_view host) {
  return host.size() >= 4 && host.front() == '[' && host.back() == ']' &&
         std::count(host.begin(), host.end(), ':') >= 2 &&
         std::all_of(host.begin() + 1, host.end() - 1, [](char character) {
           return is_hex(character) || character == ':' || character == '.';
         });
}

/// "" when the URI can be used, else what is wrong with it.
std::string_view defect_of(std::string_view uri) {
  if (uri.size() > kResourceUriBytesMax) {
    return "is longer than 8000 bytes";
  }
  const std::size_t scheme_end = uri.find("://");
  if (scheme_end == std::string_view::npos) {
    return "is not an absolute URI (https://host/path)";
  }
  std::string scheme(uri.substr(0, scheme_end));
  std::transform(scheme.begin(), scheme.end(), scheme.begin(), to_lower);
  if (scheme != "http" && scheme != "https") {
    return "has a scheme other than http and https";
  }
  std::string_view rest = uri.substr(scheme_end + 3);
  if (rest.find('#') != std::string_view::npos) {
    return "has a fragment";
  }
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?"));
  rest.remove_prefix(authority.size());
  if (authority.find('@') != std::string_view::npos) {
    return "has user information";
  }
  const bool bracketed = !authority.empty() && authority.front() == '[';
  const std::size_t colon = authority.find(':', bracketed ? authority.find(']') : 0);
  const std::string_view host = authority.substr(0, colon);
  if (colon != std::string_view::npos && !is_port(authority.substr(colon + 1))) {
    return "has a port that is no number from 0 to 65535";
  }
  if (host.empty() || !(bracketed ? is_bracketed_address(host) : is_uri_text(host, ""))) {
    return "has no valid host";
  }
  return is_uri_text(rest, ":@/?") ? "" : "has a character that must be percent-encoded";
}

/// The URI as it may be shown: user information, query and fragment, where credentials are put by
/// those who should not, stand as "...".
std::string without_secrets(std::string_view uri) {
  constexpr std::string_view kMask = "...";
  std::string shown(uri);
  const std::size_t at = shown.rfind('@');
  const std::size_t extra = shown.find_first_of("?#");
  if (at != std::string::npos) {
    const std::size_t scheme_end = shown.find("://");
    const std::size_t begin = scheme_end < at ? scheme_end + 3 : 0;
    // Where a query seems to begin before the user information ends, nobody knows which is which.
    const std::size_t end = extra < at ? shown.size() : at;
    shown.replace(begin, end - begin, kMask);
  }
  if (const std::size_t rest = shown.find_first_of("?#"); rest != std::string::npos) {
    shown.replace(rest + 1, std::string::npos, kMask);
  }
  return shown;
}

Unexpected<Error> bad(std::string_view what, std::string_view found, std::string_view defect,
                      std::string_view allowed) {
  Error error;
  error.message = what;
  error.message += " \"";
  append_quoted(error.message, found, kQuotedInputBytesMax);
  error.message += "\" ";
  error.message += defect;
  error.message += "; allowed: ";
  error.message += allowed;
  return Unexpected<Error>(std::move(error));
}

}  // namespace

Expected<void, Error> check_label(std::string_view label) {
  const bool fits =
      !label.empty() && label.size() <= kLabelBytesMax && is_lower(label.front()) &&
      (is_lower(label.back()) || is_digit(label.back())) &&
      std::all_of(label.begin(), label.end(), [](char character) {
        return is_lower(character) || is_digit(character) || is_one_of(character, "-_");
      });
  if (!fits) {
    return bad("connector label", label, "is malformed",
               "1 to 32 of a-z, 0-9, \"-\" and \"_\", first a letter, last a letter or a digit");
  }
  return {};
}

Expected<void, Error> check_resource_uri(std::string_view uri) {
  if (const std::string_view defect = defect_of(uri); !defect.empty()) {
    return bad("resource URI", without_secrets(uri), defect,
               "an absolute http or https URI without user information and fragment");
  }
  return {};
}

Expected<void, Error> check_settings(const ConnectorSettings& settings) {
  const Expected<void, Error> label = check_label(settings.label);
  return label ? check_resource_uri(settings.resource_uri) : label;
}

}  // namespace squall::core::connector
