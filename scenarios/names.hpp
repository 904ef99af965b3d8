// SPDX-License-Identifier: MIT
//
// How the enumerations of the model are spelled in files; the loader reads and the writer writes by
// the same tables. Internal to the folder.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/check.hpp"
#include "scenarios/model.hpp"

namespace squall::scenarios {

/// A closed list of values and their names.
template <class T, std::size_t N>
struct NameTable {
  struct Entry {
    T value;
    std::string_view name;
  };
  std::array<Entry, N> entries;

  /// The value called `name`, which the schema has checked.
  [[nodiscard]] T value_of(std::string_view name) const {
    for (const Entry& entry : entries) {
      if (entry.name == name) {
        return entry.value;
      }
    }
    SQUALL_CHECK(false, name);
  }
  [[nodiscard]] std::string_view name_of(T value) const {
    for (const Entry& entry : entries) {
      if (entry.value == value) {
        return entry.name;
      }
    }
    SQUALL_CHECK(false, value);
  }
};

inline constexpr NameTable<Framing, 3> kFramings{{{
    {Framing::kContentLength, "content_length"},
    {Framing::kChunked, "chunked"},
    {Framing::kUntilClose, "until_close"},
}}};

inline constexpr NameTable<core::HttpDateForm, 3> kDateForms{{{
    {core::HttpDateForm::kImfFixdate, "imf"},
    {core::HttpDateForm::kRfc850, "rfc850"},
    {core::HttpDateForm::kAsctime, "asctime"},
}}};

/// The faults that a scenario can order: those before any header.
inline constexpr NameTable<core::ConnectionFault, 5> kConnectionFaults{{{
    {core::ConnectionFault::kRefused, "refused"},
    {core::ConnectionFault::kReset, "reset"},
    {core::ConnectionFault::kDns, "dns"},
    {core::ConnectionFault::kTls, "tls"},
    {core::ConnectionFault::kConnectTimeout, "timeout"},
}}};

inline constexpr NameTable<OperationKind, kOperationKinds> kOperationKindNames{{{
    {OperationKind::kAgentChat, "agent_chat"},
    {OperationKind::kExtraction, "extraction"},
    {OperationKind::kComment, "comment"},
    {OperationKind::kSynthesis, "synthesis"},
    {OperationKind::kResearchSynthesis, "research_synthesis"},
    {OperationKind::kContinuation, "continuation"},
    {OperationKind::kToolCall, "tool_call"},
}}};

inline constexpr NameTable<core::tool::Idempotency, 3> kIdempotencies{{{
    {core::tool::Idempotency::kUnspecified, "unspecified"},
    {core::tool::Idempotency::kIdempotent, "idempotent"},
    {core::tool::Idempotency::kNotIdempotent, "not_idempotent"},
}}};

/// The members of a request's metadata.
struct MetadataName {
  const char* name;
  std::string core::RequestMetadata::*member;
};
inline constexpr std::array<MetadataName, 6> kMetadataNames{{
    {"purpose", &core::RequestMetadata::purpose},
    {"agent_id", &core::RequestMetadata::agent_id},
    {"role", &core::RequestMetadata::role},
    {"workspace", &core::RequestMetadata::workspace},
    {"ticket_id", &core::RequestMetadata::ticket_id},
    {"routing", &core::RequestMetadata::routing},
}};

inline constexpr NameTable<Outcome, kOutcomeCount> kOutcomes{{{
    {Outcome::kSuccess, "success"},
    {Outcome::kExhausted, "exhausted"},
    {Outcome::kNonRetryable, "non_retryable"},
    {Outcome::kShutdown, "shutdown"},
    {Outcome::kUnfinished, "unfinished"},
    {Outcome::kDegraded, "degraded"},
}}};

}  // namespace squall::scenarios
