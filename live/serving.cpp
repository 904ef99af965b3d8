// SPDX-License-Identifier: MIT
#include "live/serving.hpp"

#include <chrono>
#include <utility>

#include <boost/asio/io_context.hpp>

namespace squall::live {
namespace {

/// How long a wish to end may wait. It can come from a signal handler, which can wake nobody.
constexpr std::chrono::milliseconds kGlance{50};

}  // namespace

core::Expected<void, core::Error> serve(scenarios::Scenario scenario, FaultServerOptions options,
                                        Serving serving) {
  boost::asio::io_context io;
  FaultServer* running = nullptr;
  FaultServer server(io, std::move(scenario), std::move(options),
                     {.on_exchange =
                          [&](const LoggedExchange& exchange) {
                            serving.on_exchange(exchange);
                            if (serving.is_over()) {
                              running->stop();
                            }
                          },
                      .on_outside = serving.on_outside});
  running = &server;
  server.keep_exchanges(false);
  if (auto started = server.start(); !started) {
    return started;
  }
  serving.on_listening(server);
  while (!io.stopped()) {
    io.run_for(kGlance);
    if (!io.stopped() && serving.is_over()) {
      server.stop();
      io.run();
    }
  }
  return {};
}

}  // namespace squall::live
