// SPDX-License-Identifier: MIT
#include "live/fault_server.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <sys/resource.h>

#include "core/check.hpp"
#include "live/client_scripts.hpp"
#include "live/server_connection.hpp"

namespace squall::live {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::size_t kScratchBytes = std::size_t{64} * 1024;
/// After a connection could not be accepted (too many files are open, say).
constexpr std::chrono::milliseconds kAcceptPause{100};

std::optional<asio::ip::address> parse_address(const std::string& text) {
  error_code failed;
  const auto address = asio::ip::make_address(text == "localhost" ? "127.0.0.1" : text, failed);
  return failed ? std::nullopt : std::optional(address);
}

core::Unexpected<core::Error> cannot_listen(const FaultServerOptions& options,
                                            const std::string& reason) {
  const bool is_v6 = options.address.find(':') != std::string::npos;
  return core::Unexpected<core::Error>(core::Error{
      .file = {},
      .line = 0,
      .pointer = {},
      .message = "cannot listen on " + (is_v6 ? "[" + options.address + "]" : options.address) +
                 ":" + std::to_string(options.port) + ": " + reason});
}

}  // namespace

struct FaultServer::Self final : ConnectionOwner, std::enable_shared_from_this<Self> {
  Self(asio::io_context& context, scenarios::Scenario source, FaultServerOptions wanted,
       FaultServerListener heard_by)
      : ConnectionOwner(own_options, own_router),
        io(context),
        own_options(std::move(wanted)),
        scenario(std::move(source)),
        own_router(scenario.operation),
        playbook(scenario.server),
        listener(std::move(heard_by)),
        acceptor(context),
        pause(context) {
    SQUALL_CHECK(own_options.time_scale >= 1);
  }

  asio::io_context& io;
  FaultServerOptions own_options;
  scenarios::Scenario scenario;
  RequestRouter own_router;
  playback::Playbook playbook;
  FaultServerListener listener;
  tcp::acceptor acceptor;
  Timer pause;
  tcp::endpoint endpoint;
  std::vector<char> scratch_bytes = std::vector<char>(kScratchBytes);
  std::map<std::uint64_t, std::shared_ptr<ServerConnection>> connections;
  std::map<std::string, std::unique_ptr<ClientScript>, std::less<>> clients;
  std::map<std::uint64_t, std::unique_ptr<ClientScript>> of_connections;
  std::uint64_t accepted = 0;
  std::uint64_t arrivals = 0;
  std::uint64_t bodies_bytes = 0;
  bool keeps_exchanges = true;
  std::vector<LoggedExchange> exchanges;
  std::vector<std::uint64_t> arrival_of_exchange;

  // ---- accepting ----
  core::Expected<void, core::Error> listen();
  void accept();
  void take(tcp::socket socket);
  void stop();

  // ---- ConnectionOwner ----
  ClientScript* script_of_connection(ServerConnection& connection) override;
  ClientScript* script_of_request(ServerConnection& connection,
                                  const ReceivedRequest& request) override;
  std::uint64_t next_arrival() override { return arrivals++; }
  void log(std::uint64_t arrival, LoggedExchange exchange) override;
  void log_outside(const OutsideExchange& exchange) override;
  void forget(ServerConnection& connection) override;
  asio::mutable_buffer scratch() override { return asio::buffer(scratch_bytes); }

  bool hold_body(std::uint64_t& held, std::uint64_t bytes) override;

  ClientScript* client(const std::string& name, ClockInstant since);
};

core::Expected<void, core::Error> FaultServer::Self::listen() {
  const auto address = parse_address(own_options.address);
  if (!address) {
    return cannot_listen(own_options, "this is no IP address");
  }
  const tcp::endpoint wanted(*address, own_options.port);
  error_code failed;
  acceptor.open(wanted.protocol(), failed);
  if (!failed) {
    acceptor.set_option(asio::socket_base::reuse_address(true), failed);
    acceptor.bind(wanted, failed);
  }
  if (!failed) {
    acceptor.listen(asio::socket_base::max_listen_connections, failed);
  }
  if (failed) {
    error_code ignored;
    acceptor.close(ignored);
    return cannot_listen(own_options, failed.message());
  }
  endpoint = acceptor.local_endpoint();
  accept();
  return {};
}

void FaultServer::Self::accept() {
  // What was accepted just before the server went is accepted by nobody.
  acceptor.async_accept([held = weak_from_this()](const error_code& failed, tcp::socket socket) {
    const auto self = held.lock();
    if (self == nullptr || !self->acceptor.is_open()) {
      return;
    }
    if (failed) {
      self->pause.expires_after(kAcceptPause);
      self->pause.async_wait([held](const error_code& stopped) {
        const auto still = held.lock();
        if (still != nullptr && !stopped && still->acceptor.is_open()) {
          still->accept();
        }
      });
      return;
    }
    self->take(std::move(socket));
    if (self->acceptor.is_open()) {
      self->accept();
    }
  });
}

void FaultServer::Self::take(tcp::socket socket) {
  if (connections.size() >= own_options.connections_max) {
    error_code ignored;
    socket.set_option(asio::socket_base::linger(true, 0), ignored);
    socket.close(ignored);
    return;
  }
  const std::uint64_t number = ++accepted;
  const auto connection = std::make_shared<ServerConnection>(std::move(socket), *this, number);
  connections.emplace(number, connection);
  connection->start();
}

void FaultServer::Self::stop() {
  error_code ignored;
  acceptor.close(ignored);
  pause.cancel();
  // A listener that hears of the last exchanges may stop again.
  for (const auto& [number, connection] : std::exchange(connections, {})) {
    connection->stop();
  }
}

ClientScript* FaultServer::Self::script_of_connection(ServerConnection& connection) {
  if (own_options.per == Per::kServer) {
    return client("default", connection.accepted_at());
  }
  if (own_options.per == Per::kClient) {
    return nullptr;
  }
  auto& script = of_connections[connection.number()];
  if (script == nullptr) {
    script = std::make_unique<ClientScript>(
        playbook, provider_draws(own_options.seed, connection.number() - 1),
        ScriptClock(connection.accepted_at(), own_options.time_scale),
        "connection-" + std::to_string(connection.number()));
  }
  return script.get();
}

ClientScript* FaultServer::Self::script_of_request(ServerConnection& connection,
                                                   const ReceivedRequest& request) {
  return own_options.per == Per::kClient
             ? client(client_name(request.headers), connection.accepted_at())
             : script_of_connection(connection);
}

ClientScript* FaultServer::Self::client(const std::string& name, ClockInstant since) {
  const auto found = clients.find(name);
  if (found != clients.end()) {
    return found->second.get();
  }
  if (clients.size() >= own_options.clients_max) {
    return nullptr;
  }
  return clients
      .emplace(name,
               std::make_unique<ClientScript>(playbook, provider_draws(own_options.seed, 0),
                                              ScriptClock(since, own_options.time_scale), name))
      .first->second.get();
}

bool FaultServer::Self::hold_body(std::uint64_t& held, std::uint64_t bytes) {
  bodies_bytes = bodies_bytes - held + bytes;
  held = bytes;
  return bodies_bytes <= own_options.bodies_bytes_max;
}

void FaultServer::Self::log(std::uint64_t arrival, LoggedExchange exchange) {
  if (keeps_exchanges) {
    const auto later =
        std::upper_bound(arrival_of_exchange.begin(), arrival_of_exchange.end(), arrival);
    exchanges.insert(exchanges.begin() + (later - arrival_of_exchange.begin()), exchange);
    arrival_of_exchange.insert(later, arrival);
  }
  if (listener.on_exchange) {
    listener.on_exchange(exchange);
  }
}

void FaultServer::Self::log_outside(const OutsideExchange& exchange) {
  if (listener.on_outside) {
    listener.on_outside(exchange);
  }
}

void FaultServer::Self::forget(ServerConnection& connection) {
  of_connections.erase(connection.number());
  connections.erase(connection.number());
}

FaultServer::FaultServer(asio::io_context& io, scenarios::Scenario scenario,
                         FaultServerOptions options, FaultServerListener listener)
    : self_(std::make_shared<Self>(io, std::move(scenario), std::move(options),
                                   std::move(listener))) {}

FaultServer::~FaultServer() {
  self_->listener = {};
  self_->stop();
}

core::Expected<void, core::Error> FaultServer::start() {
  return self_->listen();
}

std::uint16_t FaultServer::port() const {
  return self_->endpoint.port();
}

std::string FaultServer::url() const {
  const std::string address = self_->endpoint.address().to_string();
  return "http://" + (self_->endpoint.address().is_v6() ? "[" + address + "]" : address) + ":" +
         std::to_string(port());
}

void FaultServer::stop() {
  self_->stop();
}

const std::vector<LoggedExchange>& FaultServer::exchanges() const {
  return self_->exchanges;
}

void FaultServer::keep_exchanges(bool keep) {
  self_->keeps_exchanges = keep;
}

std::size_t FaultServer::connections() const {
  return self_->connections.size();
}

void allow_many_connections() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
}

std::optional<bool> is_loopback(const std::string& address) {
  const auto parsed = parse_address(address);
  return parsed ? std::optional(parsed->is_loopback()) : std::nullopt;
}

std::vector<std::string> faults_shown_as_reset(const scenarios::Server& server) {
  std::vector<std::string> names;
  for (const scenarios::Phase& phase : server.phases) {
    for (const scenarios::Step& step : phase.sequence) {
      for (const scenarios::WeightedRespond& entry : step.mix) {
        const auto* failure = std::get_if<scenarios::ConnectionFailure>(&entry.respond.what);
        if (failure == nullptr) {
          continue;
        }
        const core::ConnectionFault fault = failure->fault;
        const std::string name = fault == core::ConnectionFault::kRefused          ? "refused"
                                 : fault == core::ConnectionFault::kDns            ? "dns"
                                 : fault == core::ConnectionFault::kTls            ? "tls"
                                 : fault == core::ConnectionFault::kConnectTimeout ? "timeout"
                                                                                   : "";
        if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
          names.push_back(name);
        }
      }
    }
  }
  return names;
}

}  // namespace squall::live
