// SPDX-License-Identifier: MIT
#include "live/name_lookup.hpp"

#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

namespace squall::live {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// What the asking thread and the asker share. Only the asker's thread touches `then`, and only
/// with `context` set is there a context to post to.
struct NameLookup::Asked {
  std::mutex guard;
  asio::io_context* context = nullptr;
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> busy;
  Then then;
};

void NameLookup::start(asio::io_context& context, std::string host, std::uint16_t port, Then then,
                       Ask ask, Spawn spawn) {
  cancel();
  asked_ = std::make_shared<Asked>();
  asked_->context = &context;
  asked_->busy.emplace(context.get_executor());
  asked_->then = std::move(then);
  const auto answer = [asked = asked_](const error_code& error, Endpoints found) {
    asio::post(*asked->context, [asked, error, found = std::move(found)] {
      asked->busy.reset();
      if (const Then then_now = std::exchange(asked->then, nullptr)) {
        then_now(error, found);
      }
    });
  };
  const auto ask_and_answer = [asked = asked_, host = std::move(host), port, ask = std::move(ask),
                               answer] {
    error_code error;
    Endpoints found = ask(host, port, error);
    const std::lock_guard<std::mutex> lock(asked->guard);
    if (asked->context != nullptr) {
      answer(error, std::move(found));
    }
  };
  try {
    spawn(ask_and_answer);
  } catch (const std::system_error& failed) {
    answer(failed.code(), {});  // No thread is to be had.
  }
}

void NameLookup::spawn_thread(std::function<void()> work) {
  std::thread(std::move(work)).detach();
}

void NameLookup::cancel() {
  if (asked_ == nullptr) {
    return;
  }
  const std::lock_guard<std::mutex> lock(asked_->guard);
  asked_->context = nullptr;
  asked_->busy.reset();
  asked_->then = nullptr;
}

NameLookup::Endpoints NameLookup::ask_system(const std::string& host, std::uint16_t port,
                                             error_code& error) {
  asio::io_context context;
  tcp::resolver resolver(context);
  Endpoints endpoints;
  for (const auto& entry :
       resolver.resolve(host, std::to_string(port), tcp::resolver::numeric_service, error)) {
    endpoints.push_back(entry.endpoint());
  }
  if (!error && endpoints.empty()) {
    error = asio::error::host_not_found;
  }
  return endpoints;
}

}  // namespace squall::live
