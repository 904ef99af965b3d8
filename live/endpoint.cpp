// SPDX-License-Identifier: MIT
#include "live/endpoint.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "core/quote.hpp"

namespace squall::live {
namespace {

constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;
constexpr std::size_t kQuotedUrlBytesMax = 200;

// The URL itself is shown only where it cannot hold a secret.
core::Unexpected<core::Error> refused(std::string_view why) {
  core::Error error;
  error.message = "the URL ";
  error.message += why;
  return core::Unexpected<core::Error>(std::move(error));
}

/// Whether the parser took all that stands between "//" and the path for the authority. It does not
/// where a port is no number, and would go on with the rest as a path.
bool is_whole_authority(const boost::urls::url_view& view, std::string_view url) {
  const std::size_t begin = std::min(url.find("//"), url.size() - 2) + 2;
  const std::size_t end = std::min(url.find_first_of("/?#", begin), url.size());
  const auto authority = view.encoded_authority();
  return std::string_view(authority.data(), authority.size()) == url.substr(begin, end - begin);
}

/// 0 when `digits` is no port.
std::uint16_t port_of(std::string_view digits) {
  std::uint16_t port = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  return failed == std::errc() && end == digits.data() + digits.size() ? port : std::uint16_t{0};
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_';
}

}  // namespace

std::string Endpoint::authority() const {
  std::string text = host.find(':') == std::string::npos ? host : '[' + host + ']';
  if (port != (tls ? kHttpsPort : kHttpPort)) {
    text += ':' + std::to_string(port);
  }
  return text;
}

std::string Endpoint::display() const {
  return (tls ? "https://" : "http://") + authority() + target.substr(0, target.find('?'));
}

core::Expected<Endpoint, core::Error> parse_endpoint(std::string_view url) {
  const auto parsed = boost::urls::parse_uri({url.data(), url.size()});
  if (!parsed || !is_whole_authority(*parsed, url)) {
    std::string why;
    // What stands before a '@' or behind a '?' is where secrets are.
    if (url.find('@') == std::string_view::npos) {
      const std::size_t end = std::min(url.find_first_of("?#"), url.size());
      why = '"';
      core::append_quoted(why, url.substr(0, end), kQuotedUrlBytesMax);
      why += end < url.size() ? "...\" " : "\" ";
    }
    return refused(why + "cannot be read, expected http://HOST[:PORT]/PATH or https://...");
  }
  const boost::urls::url_view& view = *parsed;
  Endpoint endpoint;
  if (view.scheme_id() != boost::urls::scheme::http &&
      view.scheme_id() != boost::urls::scheme::https) {
    std::string why = "has the scheme \"";
    core::append_quoted(why, std::string_view(view.scheme().data(), view.scheme().size()),
                        kQuotedUrlBytesMax);
    return refused(why + "\", allowed: http, https");
  }
  endpoint.tls = view.scheme_id() == boost::urls::scheme::https;
  if (view.has_userinfo()) {
    return refused("holds user information; a key comes from the environment only");
  }
  if (view.has_fragment()) {
    return refused("has a fragment (#...), which no server would see");
  }
  using boost::urls::host_type;
  endpoint.host_is_address =
      view.host_type() == host_type::ipv4 || view.host_type() == host_type::ipv6;
  endpoint.host = view.host_address();
  if (endpoint.host.empty()) {
    return refused("has no host");
  }
  if (!endpoint.host_is_address &&
      (view.host_type() != host_type::name ||
       !std::all_of(endpoint.host.begin(), endpoint.host.end(), is_name_character))) {
    return refused("has a host that is neither a plain host name nor an address");
  }
  endpoint.port = endpoint.tls ? kHttpsPort : kHttpPort;
  if (view.has_port() && !view.port().empty()) {
    // The parser's own number wraps around.
    endpoint.port = port_of({view.port().data(), view.port().size()});
    if (endpoint.port == 0) {
      return refused("has a port that is not within 1 to 65535");
    }
  }
  endpoint.target = std::string(view.encoded_path().data(), view.encoded_path().size());
  if (endpoint.target.empty()) {
    endpoint.target = "/";
  }
  if (view.has_query()) {
    endpoint.target += '?';
    endpoint.target.append(view.encoded_query().data(), view.encoded_query().size());
  }
  return endpoint;
}

}  // namespace squall::live
