// SPDX-License-Identifier: MIT
//
// One connection of the fault server: reads requests, plays what the script says, notices when the
// client leaves. Internal to the fault server.
//
// At any time there is at most one timer, one write and one wait for bytes. Reading never stops
// while the script's answer is played: that is how a client that leaves is seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "live/client_scripts.hpp"
#include "live/clock.hpp"
#include "live/fault_server.hpp"
#include "live/request_reader.hpp"
#include "live/request_routing.hpp"
#include "playback/exchange.hpp"
#include "playback/playbook.hpp"

namespace squall::live {

class ServerConnection;

/// What connections need of their server.
class ConnectionOwner {
 public:
  ConnectionOwner(const FaultServerOptions& server_options, const RequestRouter& server_router)
      : options(server_options), router(server_router) {}
  ConnectionOwner(const ConnectionOwner&) = delete;
  ConnectionOwner& operator=(const ConnectionOwner&) = delete;
  virtual ~ConnectionOwner() = default;

  /// The script of connection `number`, if that decides it without a request; otherwise null.
  [[nodiscard]] virtual ClientScript* script_of_connection(ServerConnection& connection) = 0;
  /// The script of the client that sent `request`; null when there are too many clients.
  [[nodiscard]] virtual ClientScript* script_of_request(ServerConnection& connection,
                                                        const ReceivedRequest& request) = 0;
  /// Number of an exchange that begins, in the order of arrival.
  [[nodiscard]] virtual std::uint64_t next_arrival() = 0;
  virtual void log(std::uint64_t arrival, LoggedExchange exchange) = 0;
  virtual void log_outside(const OutsideExchange& exchange) = 0;
  virtual void forget(ServerConnection& connection) = 0;
  /// Says that a request's body, so far `held` bytes, is `bytes` now, and sets `held` to it.
  /// @returns false when all bodies together are too large.
  virtual bool hold_body(std::uint64_t& held, std::uint64_t bytes) = 0;
  /// Memory for reading, shared by all connections.
  [[nodiscard]] virtual boost::asio::mutable_buffer scratch() = 0;

  const FaultServerOptions& options;
  const RequestRouter& router;
};

class ServerConnection : public std::enable_shared_from_this<ServerConnection> {
 public:
  /// @param number  1 for the first connection of the server.
  ServerConnection(boost::asio::ip::tcp::socket socket, ConnectionOwner& owner,
                   std::uint64_t number);

  void start();
  /// Closes; what was under way is logged. The owner is not used afterwards.
  void stop();

  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] ClockInstant accepted_at() const { return accepted_at_; }

 private:
  enum class State : std::uint8_t {
    kReading,    ///< waits for a request or reads one
    kAnswering,  ///< plays the script's answer
    kReplying,   ///< writes an answer outside the script
    kLingering,  ///< has closed its side and waits for the client's
    kOver
  };
  /// What follows the bytes that are being written.
  enum class Ending : std::uint8_t { kNone, kKeep, kClose, kReset };

  // ---- reading ----
  void wait_for_bytes();
  void on_bytes();
  void read_on();
  void on_request();
  void client_left();
  void give_up();

  // ---- answering ----
  void begin_exchange(ClientScript& script, core::Instant arrived_at);
  void play(const ScriptedAnswer& answer, const ScriptedCall* call);
  void advance();
  void take_event();
  void take_slice();
  void write_head(const core::ResponseHead& head, core::WallInstant wall_clock);
  void reply(const ReadyAnswer& answer, const std::string& method, const std::string& target,
             bool keeps_alive);
  void write();
  void write_on(std::size_t written);
  void on_write_deadline();
  [[nodiscard]] int unsent();
  void on_write_ended(const boost::system::error_code& failed);
  void on_written();
  void follow_up();

  // ---- ending ----
  void end_exchange(ExchangeEnd end);
  void await_next_request();
  void close_orderly();
  void reset_when_sent();
  void over();

  void set_timer(ClockInstant at, void (ServerConnection::*then)());
  void set_deadline(void (ServerConnection::*then)());
  void stop_timer();
  void on_request_deadline();

  boost::asio::ip::tcp::socket socket_;
  Timer timer_;
  ConnectionOwner* owner_;
  std::uint64_t number_;
  ClockInstant accepted_at_;
  State state_ = State::kReading;
  bool is_waiting_ = false;
  /// When the last bytes of the exchange, or its end, were given to the system.
  std::optional<ClockInstant> sent_at_;
  std::uint64_t timer_epoch_ = 0;

  RequestReader reader_;
  std::string input_;
  std::uint64_t held_ = 0;  ///< as the owner counts the body that is being read

  // The exchange under way.
  ClientScript* script_ = nullptr;
  std::unique_ptr<const playback::PreparedRespond> shaped_;  ///< when the script's own does not fit
  const playback::PreparedRespond* prepared_ = nullptr;
  playback::Exchange exchange_;
  scenarios::Framing framing_ = scenarios::Framing::kContentLength;
  bool request_keeps_alive_ = false;
  bool request_knows_chunks_ = true;
  std::string_view piece_;  ///< of the body, still to be written
  std::string output_;
  int unsent_ = 0;  ///< when the client last took something of it
  Ending ending_ = Ending::kNone;
  ClockInstant reset_by_;
  std::optional<LoggedExchange> logged_;
  std::uint64_t arrival_ = 0;
};

}  // namespace squall::live
