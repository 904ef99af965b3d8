// SPDX-License-Identifier: MIT
#include "core/llm/synthesis_text.hpp"

#include <algorithm>
#include <string_view>

#include "core/llm/judge_attempt.hpp"
#include "core/quote.hpp"

namespace squall::core::llm {
namespace {

std::string_view describe_end(RoundEnd end) {
  switch (end) {
    case RoundEnd::kUnreadable:
      return "Your last answer could not be read as a proposal.";
    case RoundEnd::kRejected:
      return "Nothing of your last proposal was accepted.";
    case RoundEnd::kPartlyAccepted:
      return "Your last proposal was accepted in part.";
    case RoundEnd::kAccepted:
      return "Your last proposal was accepted; some items are still in no group.";
  }
  return {};
}

void append_reasons(std::string& out, const std::vector<std::string>& reasons) {
  if (reasons.empty()) {
    return;
  }
  out += "\nTo be mended:\n";
  const std::size_t listed = std::min(reasons.size(), kReasonsListedMax);
  for (std::size_t i = 0; i < listed; ++i) {
    out += "- ";
    append_quoted(out, reasons[i], kQuotedBodyBytesMax);
    out += '\n';
  }
  if (listed < reasons.size()) {
    out += "- and " + std::to_string(reasons.size() - listed) + " more\n";
  }
}

void append_groups(std::string& out, const Board& board) {
  out += "\nAccepted groups. They are final: never propose their items again.\n";
  if (board.groups().empty()) {
    out += "- none\n";
  }
  for (std::size_t i = 0; i < board.groups().size(); ++i) {
    const FrozenGroup& group = board.groups()[i];
    out += "- group " + std::to_string(i) + ", \"";
    append_quoted(out, group.heading, kQuotedBodyBytesMax);
    out += '"';
    out += group.contradiction ? ", a contradiction, items" : ", items";
    for (const std::size_t id : group.members) {
      out += " " + std::to_string(id) + " (agent " + std::to_string(board.items()[id].agent) + ")";
    }
    out += '\n';
  }
}

void append_remainder(std::string& out, const Board& board) {
  out +=
      "\nItems left. Put each one into a new group or list it under \"ungrouped\"; keep pinned "
      "ones "
      "out of every group.\n";
  for (const std::size_t id : board.remainder()) {
    const BoardItem& item = board.items()[id];
    out += "- " + std::to_string(id) + " (agent " + std::to_string(item.agent) +
           (board.is_pinned(id) ? ", pinned): " : "): ") + item.text + "\n";
  }
}

constexpr std::string_view kDeltaForm =
    R"(
Answer with one JSON object and nothing else; other fields are refused:
{"summary": "...", "groups": [{"heading": "...", "contradiction": false, "members": [{"id": 0}]}], "ungrouped": [{"id": 1}], "references": [{"group": 0, "member": {"id": 1}}]}
A reference says that an item left contradicts an accepted group; list that item under "ungrouped" too.
)";

}  // namespace

std::string list_items(const std::vector<BoardItem>& items) {
  std::string out;
  for (std::size_t id = 0; id < items.size(); ++id) {
    if (id == 0 || items[id].agent != items[id - 1].agent) {
      out += "Agent " + std::to_string(items[id].agent) + ":\n";
    }
    out += "- " + std::to_string(id) + ": " + items[id].text + "\n";
  }
  return out;
}

std::string repair_instructions(AttemptId round, const Board& board, RoundEnd end,
                                const std::vector<std::string>& reasons) {
  std::string out = "Round " + std::to_string(round) +
                    ". This message replaces what earlier messages say is left to do.\n";
  out += describe_end(end);
  out += '\n';
  append_reasons(out, reasons);
  append_groups(out, board);
  append_remainder(out, board);
  out += board.summary() ? "\nThe summary is accepted; leave it out.\n"
                         : "\nThe summary is still missing.\n";
  out += kDeltaForm;
  return out;
}

}  // namespace squall::core::llm
