// SPDX-License-Identifier: MIT
//
// A fault server on a thread of its own, and a client that sends and reads bytes as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "live/fault_server.hpp"
#include "scenarios/model.hpp"

namespace squall::live {

/// A scenario, served on 127.0.0.1 until the end of the test.
class Served {
 public:
  explicit Served(scenarios::Scenario scenario, FaultServerOptions options = {});
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;
  ~Served();

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string url() const;
  /// Waits until `count` exchanges have ended; gives them in the order of arrival.
  [[nodiscard]] std::vector<LoggedExchange> exchanges(std::size_t count);
  /// Waits until so many requests were answered outside the script.
  [[nodiscard]] std::vector<OutsideExchange> outside(std::size_t count);
  /// Waits until exactly `count` connections are open.
  void wait_for_connections(std::size_t count);
  void stop();

 private:
  struct Self;
  std::unique_ptr<Self> self_;
  std::uint16_t port_ = 0;
};

/// How a connection ended, as its client sees it.
enum class SocketEnd : std::uint8_t { kOpen, kClosed, kReset };

/// Bytes, and how the connection ended after them.
struct Heard {
  std::string bytes;
  SocketEnd end = SocketEnd::kOpen;

  friend bool operator==(const Heard&, const Heard&) = default;
};
void PrintTo(const Heard& heard, std::ostream* out);

class RawClient {
 public:
  /// @param receive_buffer  bytes that the system takes for it before it reads; 0: as usual.
  explicit RawClient(std::uint16_t port, int receive_buffer = 0);
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient();

  /// Sends all of it, or as much as the server takes before it ends the connection.
  void send(std::string_view bytes) const;
  /// Reads to the end of the connection; an end that does not come within a minute is a failure.
  [[nodiscard]] Heard read_all() const;
  /// Reads until the connection has given `size` bytes, or has ended.
  [[nodiscard]] Heard read(std::size_t size) const;
  /// Reads up to `size` bytes of what is there, without waiting.
  [[nodiscard]] std::string read_some(std::size_t size) const;
  /// Reads until what was read ends with `tail`, or the connection has ended.
  [[nodiscard]] Heard read_until(std::string_view tail) const;
  /// Reads one answer with a Content-Length.
  [[nodiscard]] std::string read_answer() const;
  void close();

 private:
  int socket_ = -1;
};

/// A request for a chat completion with `more` headers, each ended by CRLF.
[[nodiscard]] std::string chat_request(std::string_view more = {},
                                       std::string_view body = R"({"model":"m"})");
/// A POST of `body` to `path`.
[[nodiscard]] std::string post(std::string_view path, std::string_view body,
                               std::string_view more = {});
/// What a new connection hears after it sent `bytes`.
[[nodiscard]] Heard heard(std::uint16_t port, std::string_view bytes);

/// What follows the head.
[[nodiscard]] std::string body_of(const std::string& answer);

}  // namespace squall::live
