// SPDX-License-Identifier: MIT
#include "live/secret.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

namespace squall::live {
namespace {

constexpr char kMask = '*';

/// What JSON may put before a character of visible ASCII.
std::string escaped(std::string_view text, std::string_view characters) {
  std::string out;
  for (const char c : text) {
    if (characters.find(c) != std::string_view::npos) {
      out += '\\';
    }
    out += c;
  }
  return out;
}

void mask_in(std::string& text, const std::string& form) {
  for (std::size_t at = text.find(form); at != std::string::npos;
       at = text.find(form, at + form.size())) {
    std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(at), form.size(), kMask);
  }
}

/// How many bytes at the end of `text` may be the beginning of `form`, but not all of it.
std::size_t begun(std::string_view text, std::string_view form) {
  for (std::size_t length = std::min(text.size(), form.size() - 1); length > 0; --length) {
    if (text.ends_with(form.substr(0, length))) {
      return length;
    }
  }
  return 0;
}

/// One character of a text, however it is spelled there.
struct Spelled {
  char character = 0;
  std::size_t bytes = 0;  ///< 0: not visible ASCII spelled by an escape
};

std::optional<char> from_hex(std::string_view digits) {
  unsigned value = 0;
  const auto [end, failed] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return failed == std::errc() && end == digits.data() + digits.size() && value > ' ' &&
                 value <= '~'
             ? std::optional(static_cast<char>(value))
             : std::nullopt;
}

/// The escape that `text` begins with: of JSON ("\u0073", "\/") or of a URL ("%73").
Spelled escape_at(std::string_view text) {
  if (text.starts_with("\\u") && text.size() >= 6) {
    const auto character = from_hex(text.substr(2, 4));
    return {character.value_or(0), character ? 6U : 0U};
  }
  if (text.starts_with('\\') && text.size() >= 2 &&
      std::string_view("\"\\/").find(text[1]) != std::string_view::npos) {
    return {text[1], 2};
  }
  if (text.starts_with('%') && text.size() >= 3) {
    const auto character = from_hex(text.substr(1, 2));
    return {character.value_or(0), character ? 3U : 0U};
  }
  return {};
}

/// How far `text` begins like `secret`, escapes read as what they stand for.
struct Run {
  std::size_t bytes = 0;
  std::size_t characters = 0;
};

Run run_at(std::string_view text, std::string_view secret) {
  Run run;
  while (run.characters < secret.size() && run.bytes < text.size()) {
    const char wanted = secret[run.characters];
    const Spelled escape = escape_at(text.substr(run.bytes));
    if (escape.bytes > 0 && escape.character == wanted) {
      run.bytes += escape.bytes;
    } else if (text[run.bytes] == wanted && wanted != '\\') {
      ++run.bytes;
    } else {
      break;
    }
    ++run.characters;
  }
  return run;
}

/// Whether the `run` first bytes of the secret, which `rest` follows, must not be shown. Where a
/// text was cut, half a secret is enough.
bool shows_much(const Secret& secret, std::size_t run, std::string_view rest) {
  const bool is_cut = rest.empty() || rest.starts_with("...");
  return run >= Secret::kBytesMin || (is_cut && run > 0 && 2 * run >= secret.reveal().size());
}

}  // namespace

core::Expected<Secret, core::Error> Secret::make(std::string text, std::string_view source) {
  const auto bad = [source](const std::string& what) {
    core::Error error;
    error.message = "the API key in " + std::string(source) + ' ' + what;
    return core::Unexpected<core::Error>(std::move(error));
  };
  if (text.size() < kBytesMin || text.size() > kBytesMax) {
    return bad("is too " + std::string(text.size() < kBytesMin ? "short" : "long") + ", allowed: " +
               std::to_string(kBytesMin) + " to " + std::to_string(kBytesMax) + " characters");
  }
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; })) {
    return bad("holds a character that is not visible ASCII (a line break at its end?)");
  }
  Secret secret;
  secret.forms_ = {text};
  for (const std::string_view characters : {"\"\\", "\"\\/", "/"}) {
    std::string form = escaped(text, characters);
    if (std::find(secret.forms_.begin(), secret.forms_.end(), form) == secret.forms_.end()) {
      secret.forms_.push_back(std::move(form));
    }
  }
  secret.text_ = std::move(text);
  return secret;
}

std::string Masking::take(std::string_view piece) {
  if (secret_->empty()) {
    return std::string(piece);
  }
  std::string text = std::exchange(held_, {});
  text += piece;
  std::size_t back = 0;
  for (const std::string& form : secret_->forms()) {
    mask_in(text, form);
  }
  for (const std::string& form : secret_->forms()) {
    back = std::max(back, begun(text, form));
  }
  held_ = text.substr(text.size() - back);
  text.erase(text.size() - back);
  return text;
}

// A text that is cut in the middle of the secret must not show most of it.
std::string Masking::finish() {
  std::string text = std::exchange(held_, {});
  if (shows_much(*secret_, text.size(), {})) {
    std::fill(text.begin(), text.end(), kMask);
  }
  return text;
}

std::string masked(const Secret& secret, std::string_view text) {
  std::string out(text);
  for (const std::string& form : secret.forms()) {
    mask_in(out, form);
  }
  for (std::size_t at = 0; at < out.size();) {
    const Run run = run_at(std::string_view(out).substr(at), secret.reveal());
    if (shows_much(secret, run.characters, std::string_view(out).substr(at + run.bytes))) {
      std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(at), run.bytes, kMask);
      at += run.bytes;
    } else {
      ++at;
    }
  }
  return out;
}

}  // namespace squall::live
