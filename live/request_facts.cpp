// SPDX-License-Identifier: MIT
#include "live/request_facts.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/json_text.hpp"

namespace squall::live {
namespace {

/// Called by the parser for each token; false ends the reading.
class FactCollector {
 public:
  using Value = nlohmann::json;

  bool null() { return value(); }
  bool boolean(bool truth) {
    if (at("stream")) {
      facts.stream = truth;
    } else if (at("stream_options", "include_usage")) {
      facts.include_usage = truth;
    }
    return value();
  }
  bool number_integer(Value::number_integer_t number) { return id(std::to_string(number)); }
  bool number_unsigned(Value::number_unsigned_t number) { return id(std::to_string(number)); }
  bool number_float(Value::number_float_t, const Value::string_t& text) { return id(text); }
  bool string(Value::string_t& text) {
    if (at("method")) {
      facts.rpc_method = text;
    } else if (at("params", "protocolVersion")) {
      facts.protocol_version = text;
    } else if (at("id")) {
      facts.rpc_id = core::to_text(core::Json(text));
    }
    return value();
  }
  bool binary(Value::binary_t&) { return value(); }
  bool start_object(std::size_t) { return open(); }
  bool start_array(std::size_t) { return depth_ > 0 && open(); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(Value::string_t& name) {
    if (depth_ == 1) {
      outer_ = std::move(name);
    } else if (depth_ == 2) {
      inner_ = std::move(name);
    }
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const std::exception&) { return false; }

  RequestFacts facts;

 private:
  [[nodiscard]] bool at(std::string_view outer) const { return depth_ == 1 && outer_ == outer; }
  [[nodiscard]] bool at(std::string_view outer, std::string_view inner) const {
    return depth_ == 2 && outer_ == outer && inner_ == inner;
  }
  bool id(std::string text) {
    if (at("id")) {
      facts.rpc_id = std::move(text);
    }
    return value();
  }
  /// A lone value is no object.
  [[nodiscard]] bool value() const { return depth_ > 0; }
  bool open() {
    ++depth_;
    inner_.clear();
    return true;
  }
  bool close() {
    --depth_;
    return true;
  }

  std::size_t depth_ = 0;
  std::string outer_, inner_;
};

}  // namespace

std::optional<RequestFacts> facts_of(std::string_view body) {
  FactCollector collector;
  if (!nlohmann::json::sax_parse(body, &collector)) {
    return std::nullopt;
  }
  return std::move(collector.facts);
}

}  // namespace squall::live
