// SPDX-License-Identifier: MIT
#include "live/served_test_support.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <ostream>
#include <stdexcept>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace squall::live {
namespace {

/// Never reached unless something is broken.
constexpr std::chrono::seconds kDeadline{60};

}  // namespace

struct Served::Self {
  boost::asio::io_context io;
  std::unique_ptr<FaultServer> server;
  std::thread thread;
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t ended = 0;
  std::vector<OutsideExchange> outside;

  /// Calls `look` on the server's thread, again after each change, until it is satisfied.
  void wait_until(const std::function<bool()>& look) {
    const auto deadline = std::chrono::steady_clock::now() + kDeadline;
    bool satisfied = false;
    while (!satisfied && std::chrono::steady_clock::now() < deadline) {
      std::unique_lock lock(mutex);
      bool looked = false;
      boost::asio::post(io, [&] {
        const bool now_satisfied = look();
        const std::lock_guard guard(mutex);
        satisfied = now_satisfied;
        looked = true;
        changed.notify_all();
      });
      changed.wait(lock, [&] { return looked; });
    }
    EXPECT_TRUE(satisfied) << "nothing happened for a minute";
  }
};

Served::Served(scenarios::Scenario scenario, FaultServerOptions options)
    : self_(std::make_unique<Self>()) {
  Self& self = *self_;
  self.server = std::make_unique<FaultServer>(
      self.io, std::move(scenario), std::move(options),
      FaultServerListener{.on_exchange = {},
                          .on_outside = [&self](const OutsideExchange& exchange) {
                            self.outside.push_back(exchange);
                          }});
  const auto started = self.server->start();
  if (!started) {
    throw std::runtime_error(core::to_string(started.error()));
  }
  port_ = self.server->port();
  self.thread = std::thread([&self] {
    const auto work = boost::asio::make_work_guard(self.io);
    self.io.run();
  });
}

Served::~Served() {
  boost::asio::post(self_->io, [this] {
    self_->server.reset();
    self_->io.stop();
  });
  self_->thread.join();
}

std::string Served::url() const {
  return self_->server->url();
}

std::vector<LoggedExchange> Served::exchanges(std::size_t count) {
  std::vector<LoggedExchange> found;
  self_->wait_until([&] {
    found = self_->server->exchanges();
    return found.size() >= count;
  });
  return found;
}

std::vector<OutsideExchange> Served::outside(std::size_t count) {
  std::vector<OutsideExchange> found;
  self_->wait_until([&] {
    found = self_->outside;
    return found.size() >= count;
  });
  return found;
}

void Served::wait_for_connections(std::size_t count) {
  self_->wait_until([&] { return self_->server->connections() == count; });
}

void Served::stop() {
  self_->wait_until([&] {
    self_->server->stop();
    return true;
  });
}

void PrintTo(const Heard& heard, std::ostream* out) {
  *out << testing::PrintToString(heard.bytes) << " and then "
       << (heard.end == SocketEnd::kOpen     ? "open"
           : heard.end == SocketEnd::kClosed ? "closed"
                                             : "reset");
}

RawClient::RawClient(std::uint16_t port, int receive_buffer)
    : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval deadline{.tv_sec = kDeadline.count(), .tv_usec = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &deadline, sizeof deadline);
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &deadline, sizeof deadline);
  if (receive_buffer > 0) {
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  }
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("cannot connect");
  }
}

RawClient::~RawClient() {
  close();
}

void RawClient::close() {
  if (socket_ >= 0) {
    ::close(std::exchange(socket_, -1));
  }
}

void RawClient::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) {
      return;
    }
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string RawClient::read_some(std::size_t size) const {
  std::string bytes(size, '\0');
  const ssize_t got = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return bytes;
}

Heard RawClient::read(std::size_t size) const {
  Heard heard;
  std::vector<char> buffer(std::min<std::size_t>(size, std::size_t{64} * 1024));
  while (heard.bytes.size() < size) {
    const ssize_t got =
        ::recv(socket_, buffer.data(), std::min(buffer.size(), size - heard.bytes.size()), 0);
    if (got > 0) {
      heard.bytes.append(buffer.data(), static_cast<std::size_t>(got));
      continue;
    }
    if (got < 0 && errno != ECONNRESET) {
      ADD_FAILURE() << "the connection does not end after " << heard.bytes.size() << " bytes";
      return heard;
    }
    heard.end = got == 0 ? SocketEnd::kClosed : SocketEnd::kReset;
    break;
  }
  return heard;
}

Heard RawClient::read_all() const {
  return read(std::size_t{1} << 30U);
}

Heard RawClient::read_until(std::string_view tail) const {
  Heard heard;
  while (!heard.bytes.ends_with(tail) && heard.end == SocketEnd::kOpen) {
    const Heard next = read(1);
    heard.bytes += next.bytes;
    heard.end = next.end;
    if (next.bytes.empty()) {
      break;
    }
  }
  return heard;
}

std::string RawClient::read_answer() const {
  std::string answer = read_until("\r\n\r\n").bytes;
  constexpr std::string_view kLength = "content-length: ";
  const std::size_t at = answer.find(kLength);
  if (at == std::string::npos) {
    ADD_FAILURE() << "no length in " << answer;
    return answer;
  }
  return answer + read(std::strtoul(answer.c_str() + at + kLength.size(), nullptr, 10)).bytes;
}

std::string post(std::string_view path, std::string_view body, std::string_view more) {
  return "POST " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(more) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

std::string chat_request(std::string_view more, std::string_view body) {
  return post("/v1/chat/completions", body, more);
}

Heard heard(std::uint16_t port, std::string_view bytes) {
  const RawClient client(port);
  client.send(bytes);
  return client.read_all();
}

std::string body_of(const std::string& answer) {
  const std::size_t end = answer.find("\r\n\r\n");
  return end == std::string::npos ? std::string() : answer.substr(end + 4);
}

}  // namespace squall::live
