// SPDX-License-Identifier: MIT
//
// Looks a host name up without holding anybody up: the system's lookup cannot be interrupted, so it
// runs on a thread of its own that nobody waits for. Asio's resolver would have its context wait
// for it in the end, and a shutdown with it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace squall::live {

class NameLookup {
 public:
  using Endpoints = std::vector<boost::asio::ip::tcp::endpoint>;
  using Then = std::function<void(const boost::system::error_code&, const Endpoints&)>;
  /// Asks the system; may take as long as it likes.
  using Ask = std::function<Endpoints(const std::string& host, std::uint16_t port,
                                      boost::system::error_code& error)>;
  /// Does the work on a thread of its own. @throws std::system_error when there is none to be had.
  using Spawn = std::function<void(std::function<void()> work)>;

  NameLookup() = default;
  NameLookup(const NameLookup&) = delete;
  NameLookup& operator=(const NameLookup&) = delete;
  ~NameLookup() { cancel(); }

  /// Calls `then` from a handler of `context` once it is known; keeps the context busy until then.
  /// A thread that cannot be had is an error like a name that cannot be found.
  /// @param ask, spawn  replaced by tests only.
  void start(boost::asio::io_context& context, std::string host, std::uint16_t port, Then then,
             Ask ask = ask_system, Spawn spawn = spawn_thread);
  /// `then` is not called any more, and the context is not kept busy.
  void cancel();

  [[nodiscard]] static Endpoints ask_system(const std::string& host, std::uint16_t port,
                                            boost::system::error_code& error);
  static void spawn_thread(std::function<void()> work);

 private:
  struct Asked;
  std::shared_ptr<Asked> asked_;
};

}  // namespace squall::live
