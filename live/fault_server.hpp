// SPDX-License-Identifier: MIT
//
// The fault server: plays the provider of a scenario to any HTTP client, on real sockets and in
// real time. What a call meets, and when, is decided by the playbook that the simulator uses too;
// here it is only carried out.
//
//   boost::asio::io_context io;
//   FaultServer server(io, scenario, {.time_scale = 100});
//   if (auto started = server.start(); !started) { complain(started.error()); }
//   use(server.url());
//   io.run();
//
// On the wire:
//   reset                  the connection is reset (RST), `latency` after the request was read
//   refused, dns, tls,     nothing of these can be said over a connection that stands, as it does
//   timeout                before a server hears of it: it is reset too, `latency` after it was
//                          accepted where the script is one for all (`Per::kServer`) or for the
//                          connection, and `latency` after the request where only that tells the
//                          client
//   stall                  the rest never comes, and the connection stays until the client leaves
//   truncate               FIN after the bytes; with "reset" RST. Of a chunked body the last chunk
//                          is missing
//   content_length         is announced as the scenario says; bytes beyond it are sent all the
//   same,
//                          and the connection ends
//   trickle, chunks        piece by piece at their times, each its own write (and chunk); a piece
//                          above 64 KiB is several
//
// Whose script: calls are counted, and phases timed, for each client (`Per`). A client is the value
// of the header x-squall-client; without one, a digest of its credentials (Authorization, x-api-key
// or api-key); else it is "default". Its clock starts when the connection of its first call was
// accepted; a call is made when its request is complete. Every client meets the very draws of
// `squall run --seed S`; with `Per::kConnection` the nth connection meets those of its nth run.
//
// Which requests are calls: see live/request_routing.hpp. All others are answered at once, are no
// exchanges, and take nothing from the script.
//
// A client that closes its sending side has left, as with most servers: nothing is sent to it any
// more. One that sends more than 64 KiB ahead while a call of it is answered is given up, since it
// could leave unseen.
//
// All members are called from the thread that runs the io_context, which must be one, and which
// must outlive the server.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/expected.hpp"
#include "core/time.hpp"
#include "live/request_log.hpp"
#include "live/request_reader.hpp"
#include "scenarios/model.hpp"

namespace boost::asio {
class io_context;
}

namespace squall::live {

/// Who has a script of their own.
enum class Per : std::uint8_t {
  kClient,      ///< each client, see above
  kConnection,  ///< each connection, named "connection-1", "connection-2", ...
  kServer       ///< all together, as one client "default"
};

struct FaultServerOptions {
  std::string address = "127.0.0.1";  ///< IPv4 or IPv6, without brackets
  std::uint16_t port = 0;             ///< 0: any free one
  /// Script times pass so many times faster than real ones; at least 1.
  std::uint64_t time_scale = 1;
  std::uint64_t seed = 1;
  Per per = Per::kClient;
  /// Calendar time at the start of each client's script, for relative dates in headers. Without it
  /// they are relative to the real time, which is what a client compares them with.
  std::optional<core::WallInstant> wall_clock = std::nullopt;

  // ---- limits; times are those of the clock of live/clock.hpp ----
  RequestLimits limits = {};
  /// For the whole request, from the accepted connection or its first byte; also the longest
  /// silence between two requests. A client whose system takes no byte of an answer for as long is
  /// given up, at the latest after twice the time.
  std::chrono::milliseconds request_deadline{30'000};
  /// One more is reset.
  std::size_t connections_max = 4'096;
  /// Clients that are told apart; a call of one more is answered with 503 outside the script.
  std::size_t clients_max = 65'536;
  /// Bodies of all requests that are being read, together; what exceeds it is answered with 503
  /// outside the script.
  std::uint64_t bodies_bytes_max = std::uint64_t{256} * 1024 * 1024;
  /// Bodies up to this size are logged.
  std::size_t logged_body_max = std::size_t{64} * 1024;
};

/// A request that was answered outside the script.
struct OutsideExchange {
  std::string method;  ///< empty when the request could not be read
  std::string target;
  int status = 0;
  std::string complaint;  ///< what the client did wrong; empty when nothing
};

/// Told as they end. Must not destroy the server; may stop it.
struct FaultServerListener {
  std::function<void(const LoggedExchange&)> on_exchange;
  std::function<void(const OutsideExchange&)> on_outside;
};

class FaultServer {
 public:
  FaultServer(boost::asio::io_context& io, scenarios::Scenario scenario, FaultServerOptions options,
              FaultServerListener listener = {});
  FaultServer(const FaultServer&) = delete;
  FaultServer& operator=(const FaultServer&) = delete;
  /// Stops.
  ~FaultServer();

  /// Listens from now on. @errors no such address, in use, not allowed.
  [[nodiscard]] core::Expected<void, core::Error> start();
  /// The port it listens on; after `start`.
  [[nodiscard]] std::uint16_t port() const;
  /// "http://127.0.0.1:41234"; after `start`.
  [[nodiscard]] std::string url() const;

  /// Takes no more connections and closes all there are; what was under way is logged. The
  /// io_context runs out of work soon after.
  void stop();

  /// The exchanges that have ended, in the order of arrival. Keeps them unless told otherwise.
  [[nodiscard]] const std::vector<LoggedExchange>& exchanges() const;
  /// Whether exchanges are kept; the listener hears of them in any case.
  void keep_exchanges(bool keep);
  /// Connections that are open.
  [[nodiscard]] std::size_t connections() const;

 private:
  struct Self;
  std::shared_ptr<Self> self_;
};

/// Lets this process have as many connections as the system allows it (RLIMIT_NOFILE).
void allow_many_connections();

/// Whether only this machine reaches `address` ("127.0.0.1", "::1", "localhost"); nothing when it
/// is no address.
[[nodiscard]] std::optional<bool> is_loopback(const std::string& address);

/// Names of the faults of `server` that a plain HTTP server can only show as a reset connection
/// ("refused", "dns", "tls", "timeout"), each once.
[[nodiscard]] std::vector<std::string> faults_shown_as_reset(const scenarios::Server& server);

}  // namespace squall::live
