// SPDX-License-Identifier: MIT
//
// Carries attempts over real connections: HTTP/1.1, with TLS for https. One attempt, one connection
// of its own. It tells what happened in the core's words and decides nothing: no timeout of its own
// (the wait for a connection, too, ends by the core's wake-up or by what the system says), no
// retry, no redirect, no proxy, no decompression.
//
// What an attempt may meet, and what it is then:
//
//   the name does not resolve                              kDns
//   nothing listens                                        kRefused
//   the system gives up connecting                         kConnectTimeout
//   anything wrong until TLS stands: certificate, name,
//     protocol, a connection that ends                     kTls
//   reset before the head is complete                      kReset
//   closed before that, garbage, a head above 64 KiB,
//     more than 16 interim answers                         kSend
//   reset in the body                                      kBodyReset
//   closed in the body, broken chunks, no TLS goodbye
//     after a body of unknown length                       kBodyClosed
//
// Certificate chain and host name are always verified. The key is in no text that leaves here: what
// a server echoes of it is masked (see live/secret.hpp).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/event.hpp"
#include "core/expected.hpp"
#include "live/endpoint.hpp"
#include "live/http_request.hpp"
#include "live/secret.hpp"
#include "live/transport.hpp"

namespace boost::asio {
class io_context;
}

namespace squall::live {

/// The certificates a connection trusts, and the rules of its TLS (1.2 or newer). Shared by any
/// number of transports.
class TlsSettings {
 public:
  /// @param ca_file  PEM file of the only authorities trusted.
  /// @errors         a file that cannot be read or holds no certificate.
  [[nodiscard]] static core::Expected<TlsSettings, core::Error> trusting(
      const std::string& ca_file);

  /// The system's certificates.
  [[nodiscard]] static TlsSettings system();

  struct Context;
  [[nodiscard]] Context& context() const { return *context_; }

 private:
  explicit TlsSettings(std::shared_ptr<Context> context) : context_(std::move(context)) {}
  std::shared_ptr<Context> context_;
};

class HttpTransport {
 public:
  /// @param context  runs all handlers; must outlive it.
  /// @param tls      looked at for https only; nothing: the system's certificates.
  HttpTransport(boost::asio::io_context& context, Endpoint endpoint, HttpRequest request,
                Secret key, std::optional<TlsSettings> tls);
  ~HttpTransport();
  HttpTransport(const HttpTransport&) = delete;
  HttpTransport& operator=(const HttpTransport&) = delete;

  // ---- see AttemptTransport ----
  void send(core::AttemptId attempt, std::string_view body, OnFact on_fact);
  void close();
  [[nodiscard]] bool request_reached() const;

 private:
  class Connection;
  struct Shared;

  std::shared_ptr<const Shared> shared_;
  std::shared_ptr<Connection> connection_;
};
static_assert(AttemptTransport<HttpTransport>);

}  // namespace squall::live
