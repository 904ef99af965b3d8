// SPDX-License-Identifier: MIT
#include "live/http_transport.hpp"

#include <array>
#include <optional>
#include <utility>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include "live/answer_reader.hpp"
#include "live/name_lookup.hpp"
#include "scenarios/files.hpp"

namespace squall::live {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using core::ConnectionFault;

struct TlsSettings::Context {
  Context() {
    SSL_CTX_set_min_proto_version(ssl.native_handle(), TLS1_2_VERSION);
    ssl.set_verify_mode(asio::ssl::verify_peer);
  }
  asio::ssl::context ssl{asio::ssl::context::tls_client};
};

TlsSettings TlsSettings::system() {
  auto context = std::make_shared<Context>();
  context->ssl.set_default_verify_paths();
  return TlsSettings(std::move(context));
}

core::Expected<TlsSettings, core::Error> TlsSettings::trusting(const std::string& ca_file) {
  auto context = std::make_shared<Context>();
  error_code error;
  constexpr std::uint64_t kCaBytesMax = std::uint64_t{16} << 20;
  const auto text = scenarios::read_file(ca_file, kCaBytesMax);
  if (!text) {
    return tl::unexpected(text.error());
  }
  context->ssl.add_certificate_authority(asio::buffer(*text), error);
  const STACK_OF(X509_OBJECT)* const found =
      X509_STORE_get0_objects(SSL_CTX_get_cert_store(context->ssl.native_handle()));
  if (error || sk_X509_OBJECT_num(found) == 0) {
    return tl::unexpected(core::Error{
        .file = ca_file, .line = 0, .pointer = {}, .message = "holds no certificate in PEM form"});
  }
  return TlsSettings(std::move(context));
}

/// What all attempts of a transport share.
struct HttpTransport::Shared {
  asio::io_context& context;
  Endpoint endpoint;
  HttpRequest request;
  Secret key;
  /// Set when the endpoint wants TLS.
  std::optional<TlsSettings> tls;
};

/// One attempt. Kept alive by its own handlers; after `close` it tells nothing.
class HttpTransport::Connection : public std::enable_shared_from_this<Connection> {
  /// A handler that keeps this alive and does nothing once it is closed.
  template <class Then>
  auto when_open(Then then) {
    return [self = shared_from_this(), then](const error_code& error, auto... rest) {
      if (!self->closed_) {
        then(*self, error, rest...);
      }
    };
  }

 public:
  Connection(std::shared_ptr<const Shared> shared, core::AttemptId attempt, std::string_view body,
             OnFact on_fact)
      : shared_(std::move(shared)),
        attempt_(attempt),
        head_(shared_->request.head(body.size())),
        body_(body),
        on_fact_(std::move(on_fact)),
        masking_(shared_->key),
        socket_(shared_->context) {}

  /// Begins connecting; everything else follows in handlers.
  void start() {
    const Endpoint& to = shared_->endpoint;
    error_code no_address;
    if (const auto address = asio::ip::make_address(to.host, no_address); !no_address) {
      socket_.async_connect(
          tcp::endpoint(address, to.port),
          when_open([](Connection& self, const error_code& error) { self.on_connected(error); }));
      return;
    }
    lookup_.start(
        shared_->context, to.host, to.port,
        [self = shared_from_this()](const error_code& error, const NameLookup::Endpoints& found) {
          self->on_found(error, found);
        });
  }

  void close() {
    closed_ = true;
    on_fact_ = nullptr;
    lookup_.cancel();
    error_code ignored;
    socket_.close(ignored);
  }

  [[nodiscard]] bool request_reached() const { return reached_; }

 private:
  void on_found(const error_code& error, const NameLookup::Endpoints& found) {
    if (error) {
      fail(ConnectionFault::kDns, shared_->endpoint.host + ": " + error.message());
      return;
    }
    // `found` is copied by what connects.
    asio::async_connect(socket_, found,
                        when_open([](Connection& self, const error_code& refused,
                                     const tcp::endpoint&) { self.on_connected(refused); }));
  }

  void on_connected(const error_code& error) {
    if (error) {
      const Endpoint& to = shared_->endpoint;
      std::string detail = to.authority();
      ConnectionFault fault = ConnectionFault::kSend;
      if (error == asio::error::connection_refused) {
        fault = ConnectionFault::kRefused;
      } else if (error == asio::error::timed_out) {
        fault = ConnectionFault::kConnectTimeout;
      } else {
        fault = error == asio::error::connection_reset ? ConnectionFault::kReset : fault;
        detail += ": " + error.message();
      }
      fail(fault, detail);
      return;
    }
    error_code ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    if (shared_->endpoint.tls) {
      shake_hands();
    } else {
      exchange(socket_);
    }
  }

  void shake_hands() {
    const Endpoint& to = shared_->endpoint;
    tls_.emplace(socket_, shared_->tls->context().ssl);
    SSL* const ssl = tls_->native_handle();
    X509_VERIFY_PARAM* const wanted = SSL_get0_param(ssl);
    // An address has no place in the name indication (RFC 6066, section 3).
    const bool named =
        to.host_is_address
            ? X509_VERIFY_PARAM_set1_ip_asc(wanted, to.host.c_str()) == 1
            : X509_VERIFY_PARAM_set1_host(wanted, to.host.data(), to.host.size()) == 1 &&
                  SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                           const_cast<char*>(to.host.c_str())) == 1;
    X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    static constexpr std::array<unsigned char, 9> kHttp11{8,   'h', 't', 't', 'p',
                                                          '/', '1', '.', '1'};
    SSL_set_alpn_protos(ssl, kHttp11.data(), kHttp11.size());
    if (!named) {
      fail(ConnectionFault::kTls, to.host + ": cannot be asked for by name");
      return;
    }
    tls_->async_handshake(asio::ssl::stream_base::client,
                          when_open([](Connection& self, const error_code& error) {
                            if (error) {
                              self.fail(ConnectionFault::kTls, self.words_for_tls(error));
                            } else {
                              self.exchange(*self.tls_);
                            }
                          }));
  }

  [[nodiscard]] std::string words_for_tls(const error_code& error) {
    const long verdict = SSL_get_verify_result(tls_->native_handle());
    std::string words = shared_->endpoint.authority() + ": ";
    if (verdict != X509_V_OK) {
      return words + "the certificate was refused: " + X509_verify_cert_error_string(verdict);
    }
    if (error == asio::error::eof || error == asio::ssl::error::stream_truncated) {
      return words + "the connection was closed";
    }
    return words + error.message();
  }

  /// Sends and reads at once: a server may answer before it has read everything. What the sending
  /// came to shows in the reading.
  template <class Stream>
  void exchange(Stream& stream) {
    reached_ = true;
    const std::array<asio::const_buffer, 2> request{asio::buffer(head_), asio::buffer(body_)};
    asio::async_write(stream, request,
                      [self = shared_from_this()](const error_code&, std::size_t) {});
    read(stream);
  }

  template <class Stream>
  void read(Stream& stream) {
    stream.async_read_some(
        asio::buffer(received_),
        when_open([&stream](Connection& self, const error_code& error, std::size_t bytes) {
          if (bytes > 0) {
            self.tell(self.reader_.take({self.received_.data(), bytes}));
          }
          if (self.closed_ || self.reader_.is_over()) {
            return;
          }
          if (error) {
            self.tell(self.reader_.end(end_of(error), error.message()));
          } else {
            self.read(stream);
          }
        }));
  }

  static ConnectionEnd end_of(const error_code& error) {
    if (error == asio::error::eof) {
      return ConnectionEnd::kClosed;
    }
    if (error == asio::ssl::error::stream_truncated) {
      return ConnectionEnd::kCut;
    }
    return error == asio::error::connection_reset || error == asio::error::broken_pipe
               ? ConnectionEnd::kReset
               : ConnectionEnd::kBroken;
  }

  /// Tells what the answer brought, as long as anyone wants to hear it.
  void tell(AnswerNews news) {
    if (news.head) {
      const AnswerNews::Head& head = *news.head;
      tell_fact(core::HeadersReceived{.attempt = attempt_,
                                      .head = {.status = head.status,
                                               .content_length = head.content_length,
                                               .retry_after = head.retry_after,
                                               .retry_after_ms = head.retry_after_ms},
                                      .received_at = {}});
    }
    std::string shown = masking_.take(news.body);
    if (news.complete || news.failure) {
      shown += masking_.finish();
    }
    // What is held back has come all the same: the wait for more begins anew.
    if (!shown.empty() || !news.body.empty()) {
      tell_fact(core::BytesReceived{.attempt = attempt_, .bytes = shown});
    }
    if (news.failure) {
      fail(news.failure->fault, news.failure->detail);
    } else if (news.complete) {
      end_with(core::BodyEnded{attempt_});
    }
  }

  void fail(ConnectionFault fault, std::string_view detail) {
    const std::string words = masked(shared_->key, detail);
    end_with(core::AttemptFailed{.attempt = attempt_, .fault = fault, .detail = words});
  }

  void tell_fact(const core::Event& fact) {
    if (!closed_) {
      const OnFact on_fact = on_fact_;  // It may close this.
      on_fact(fact);
    }
  }

  /// The last fact: nothing more is wanted of the connection.
  void end_with(const core::Event& fact) {
    if (!closed_) {
      const OnFact on_fact = std::exchange(on_fact_, nullptr);
      close();
      on_fact(fact);
    }
  }

  std::shared_ptr<const Shared> shared_;
  core::AttemptId attempt_;
  std::string head_;
  std::string body_;
  OnFact on_fact_;
  Masking masking_;
  AnswerReader reader_;
  NameLookup lookup_;
  tcp::socket socket_;
  std::optional<asio::ssl::stream<tcp::socket&>> tls_;
  std::array<char, std::size_t{16} << 10> received_{};
  bool reached_ = false;
  bool closed_ = false;
};

HttpTransport::HttpTransport(asio::io_context& context, Endpoint endpoint, HttpRequest request,
                             Secret key, std::optional<TlsSettings> tls) {
  if (endpoint.tls && !tls) {
    tls = TlsSettings::system();
  }
  shared_ = std::make_shared<const Shared>(Shared{.context = context,
                                                  .endpoint = std::move(endpoint),
                                                  .request = std::move(request),
                                                  .key = std::move(key),
                                                  .tls = std::move(tls)});
}

HttpTransport::~HttpTransport() {
  close();
}

void HttpTransport::send(core::AttemptId attempt, std::string_view body, OnFact on_fact) {
  close();
  connection_ = std::make_shared<Connection>(shared_, attempt, body, std::move(on_fact));
  connection_->start();
}

void HttpTransport::close() {
  if (connection_ != nullptr) {
    connection_->close();
  }
}

bool HttpTransport::request_reached() const {
  return connection_ != nullptr && connection_->request_reached();
}

}  // namespace squall::live
