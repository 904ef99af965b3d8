// SPDX-License-Identifier: MIT
//
// The policies that ship, by name: what a scenario may refer to and what is listed to people. The
// policies themselves stand with what they are for, in core/policy.hpp and core/connector.
#pragma once

#include <array>
#include <string_view>

#include "core/connector/policy.hpp"
#include "core/policy.hpp"

namespace squall::core {

/// A policy known by name.
struct NamedPolicy {
  std::string_view name;
  std::string_view summary;
  RetryPolicy (*make)();
};

/// Every policy that ships, in the order they are listed to people.
inline constexpr std::array<NamedPolicy, 5> kShippedPolicies{{
    {"default",
     "13 calls, 5 s doubling to 60 s; outlasts outages of nearly seven minutes, nine in three "
     "cases of four",
     default_policy},
    {"synthesis", "3 calls, 30 s then 45 s; a proposal and two repair rounds", synthesis_policy},
    {"comment", "3 calls, 5 s then 10 s; for callers that can fall back", comment_policy},
    {"continuation", "3 calls, no sleep between them", continuation_policy},
    {"connector", "2 s for all calls of a tool, 100 ms doubling to 500 ms; 32 s at most",
     connector::connector_policy},
}};

}  // namespace squall::core
