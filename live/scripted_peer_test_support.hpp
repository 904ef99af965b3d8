// SPDX-License-Identifier: MIT
//
// A server for tests that does exactly what it is told on real loopback sockets, byte by byte: what
// no honest HTTP library would send. Plain system calls on one thread of its own, so that it shares
// nothing with what it tests.
//
//   Peer peer({[](Peer::Talk& talk) { talk.read_request(); talk.write("HTTP/1.1 200 ..."); }});
//   ... peer.url("/v1")
//
// Connection n is served by step n; the last step stays. A connection is closed in order when its
// step is over. Every wait has a limit of 20 s, which only a broken test reaches.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace squall::live {

/// A key and a certificate that it signed itself.
class Identity {
 public:
  /// @param names  subject alternative names as OpenSSL writes them: "DNS:localhost,IP:127.0.0.1".
  explicit Identity(const std::string& names)
      : key_(EVP_EC_gen("P-256"), EVP_PKEY_free), certificate_(X509_new(), X509_free) {
    X509* const made = certificate_.get();
    X509_set_version(made, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(made), 1);
    X509_gmtime_adj(X509_getm_notBefore(made), -3'600);
    X509_gmtime_adj(X509_getm_notAfter(made), 86'400);
    X509_set_pubkey(made, key_.get());
    X509_NAME* const name = X509_get_subject_name(made);
    const std::string common = "squall test";
    X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(common.data()),
                               static_cast<int>(common.size()), -1, 0);
    X509_set_issuer_name(made, name);
    X509_EXTENSION* const extension =
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, names.c_str());
    X509_add_ext(made, extension, -1);
    X509_EXTENSION_free(extension);
    if (X509_sign(made, key_.get(), EVP_sha256()) == 0) {
      throw std::runtime_error("no certificate could be made");
    }
  }

  [[nodiscard]] std::string certificate_pem() const {
    BIO* const out = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(out, certificate_.get());
    char* text = nullptr;
    const long size = BIO_get_mem_data(out, &text);
    std::string pem(text, static_cast<std::size_t>(size));
    BIO_free(out);
    return pem;
  }
  void use_in(SSL_CTX* context) const {
    SSL_CTX_use_certificate(context, certificate_.get());
    SSL_CTX_use_PrivateKey(context, key_.get());
  }

 private:
  std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key_;
  std::unique_ptr<X509, void (*)(X509*)> certificate_;
};

class Peer {
 public:
  /// One accepted connection.
  class Talk {
   public:
    Talk(int socket, SSL_CTX* tls) : socket_(socket) {
      const timeval limit{.tv_sec = 20, .tv_usec = 0};
      setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
      setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
      if (tls != nullptr) {
        tls_ = SSL_new(tls);
        SSL_set_fd(tls_, socket_);
        is_open_ = SSL_accept(tls_) == 1;
        const char* const name = SSL_get_servername(tls_, TLSEXT_NAMETYPE_host_name);
        server_name_ = name == nullptr ? "" : name;
      }
    }
    Talk(const Talk&) = delete;
    Talk& operator=(const Talk&) = delete;
    ~Talk() { close(); }

    /// Reads head and body, by Content-Length. Empty when the client leaves before they are whole.
    std::string read_request() {
      while (is_open_) {
        const std::size_t head = received_.find("\r\n\r\n");
        if (head != std::string::npos) {
          const std::size_t field = received_.find("Content-Length: ");
          const std::size_t body =
              field < head ? std::strtoull(received_.c_str() + field + 16, nullptr, 10) : 0;
          if (received_.size() >= head + 4 + body) {
            return received_.substr(0, head + 4 + body);
          }
        }
        if (!receive()) {
          return {};
        }
      }
      return {};
    }
    void write(std::string_view bytes) {
      while (is_open_ && !bytes.empty()) {
        const auto sent = tls_ != nullptr
                              ? static_cast<ssize_t>(
                                    SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size())))
                              : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) {
          is_open_ = false;
          return;
        }
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      }
    }
    /// Returns when the client has closed its side.
    void wait_until_left() {
      while (is_open_ && receive()) {
      }
    }
    void close() {
      if (tls_ != nullptr && is_open_) {
        SSL_shutdown(tls_);
      }
      end();
    }
    /// Closes without the TLS goodbye.
    void cut() { end(); }
    void reset() {
      const linger at_once{.l_onoff = 1, .l_linger = 0};
      setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
      end();
    }
    [[nodiscard]] const std::string& server_name() const { return server_name_; }

   private:
    bool receive() {
      char buffer[16'384];
      const auto size = tls_ != nullptr
                            ? static_cast<ssize_t>(SSL_read(tls_, buffer, sizeof buffer))
                            : ::recv(socket_, buffer, sizeof buffer, 0);
      if (size <= 0) {
        is_open_ = false;
        return false;
      }
      received_.append(buffer, static_cast<std::size_t>(size));
      return true;
    }
    void end() {
      if (tls_ != nullptr) {
        SSL_free(std::exchange(tls_, nullptr));
      }
      if (socket_ >= 0) {
        ::close(std::exchange(socket_, -1));
      }
      is_open_ = false;
    }

    int socket_;
    SSL* tls_ = nullptr;
    bool is_open_ = true;
    std::string received_;
    std::string server_name_;
  };
  using Step = std::function<void(Talk&)>;

  /// @param identity  set: speaks TLS; must outlive it.
  explicit Peer(std::vector<Step> steps, const Identity* identity = nullptr)
      : steps_(std::move(steps)) {
    if (identity != nullptr) {
      tls_ = SSL_CTX_new(TLS_server_method());
      identity->use_in(tls_);
    }
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 16) != 0 ||
        ::getsockname(listener_, generic, &size) != 0) {
      throw std::runtime_error("no loopback socket could be made");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() {
    stop();
    if (tls_ != nullptr) {
      SSL_CTX_free(tls_);
    }
  }

  /// Stops listening, when the connection at hand is over.
  void stop() {
    stopping_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    if (thread_.joinable()) {
      thread_.join();
      ::close(listener_);
    }
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string url(const std::string& target = "/",
                                const std::string& host = "127.0.0.1") const {
    return (tls_ != nullptr ? "https://" : "http://") + host + ":" + std::to_string(port_) + target;
  }
  /// Connections accepted so far.
  [[nodiscard]] std::size_t connections() const { return connections_; }

 private:
  void serve() {
    while (!stopping_) {
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) {
        return;
      }
      const std::size_t step = std::min<std::size_t>(connections_++, steps_.size() - 1);
      Talk talk(socket, tls_);
      steps_[step](talk);
    }
  }

  std::vector<Step> steps_;
  SSL_CTX* tls_ = nullptr;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<std::size_t> connections_{0};
  std::thread thread_;
};

/// A whole answer with a true Content-Length.
inline std::string http_answer(const std::string& status, const std::string& body,
                               const std::string& fields = "") {
  return "HTTP/1.1 " + status + "\r\n" + fields + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

/// Reads the request and gives that answer.
inline Peer::Step answering(const std::string& answer) {
  return [answer](Peer::Talk& talk) {
    talk.read_request();
    talk.write(answer);
  };
}

}  // namespace squall::live
