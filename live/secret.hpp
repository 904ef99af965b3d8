// SPDX-License-Identifier: MIT
//
// An API key, and how it is kept out of everything that is shown or stored: where an answer echoes
// the key, its characters are masked in the bytes as they arrive, before anything else sees them.
// Lengths do not change.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/expected.hpp"

namespace squall::live {

class Secret {
 public:
  /// Shortest key. @source chosen: masking shorter ones would mask ordinary text.
  static constexpr std::size_t kBytesMin = 8;
  static constexpr std::size_t kBytesMax = 4'096;

  /// No key.
  Secret() = default;
  /// @param source  where it came from, for errors; the text itself is never in them.
  /// @errors        shorter or longer than allowed; bytes other than visible ASCII.
  [[nodiscard]] static core::Expected<Secret, core::Error> make(std::string text,
                                                                std::string_view source);

  [[nodiscard]] bool empty() const { return text_.empty(); }
  /// The key itself, for the one header that carries it.
  [[nodiscard]] const std::string& reveal() const { return text_; }
  /// The forms in which an answer may echo it: as it is, and as JSON may write it.
  [[nodiscard]] const std::vector<std::string>& forms() const { return forms_; }

 private:
  std::string text_;
  std::vector<std::string> forms_;
};

/// Masks a secret in a text that arrives in pieces. Bytes that may be the beginning of the secret
/// are held back until the next piece shows whether they are.
class Masking {
 public:
  /// `secret` must outlive it.
  explicit Masking(const Secret& secret) : secret_(&secret) {}

  /// @return what can be shown of everything given so far and not returned yet.
  [[nodiscard]] std::string take(std::string_view piece);
  /// The text is over: @return what was held back.
  [[nodiscard]] std::string finish();

 private:
  const Secret* secret_;
  std::string held_;
};

/// `text` with the secret masked, and whatever begins like it for as long as it does, from
/// kBytesMin bytes on: a text may have been cut in the middle of the secret. At a cut ("..." or the
/// end of `text`) half of a short secret is enough. No byte else changes.
[[nodiscard]] std::string masked(const Secret& secret, std::string_view text);

}  // namespace squall::live
