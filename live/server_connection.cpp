// SPDX-License-Identifier: MIT
#include "live/server_connection.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <variant>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>

#include "core/check.hpp"
#include "live/wire_shape.hpp"
#include "playback/trace.hpp"

namespace squall::live {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

/// Written at a time; also what a client may send ahead while its call is answered.
constexpr std::size_t kSliceBytes = std::size_t{64} * 1024;
/// How long a closed connection waits for the client to close too, so that what it still sends
/// does not turn the end into a reset.
constexpr std::chrono::seconds kLinger{2};

ClockInstant clock_now() {
  return Clock::now();
}

core::WallInstant calendar_now() {
  return core::WallInstant(std::chrono::duration_cast<core::Duration>(
      std::chrono::system_clock::now().time_since_epoch()));
}

const scenarios::HttpAnswer& http_of(const playback::PreparedRespond& prepared) {
  return std::get<scenarios::HttpAnswer>(prepared.respond.what);
}

/// The bytes that are sent beyond the announced length.
std::string_view surplus_of(const playback::PreparedRespond& prepared) {
  const scenarios::HttpAnswer& answer = http_of(prepared);
  if (answer.content_length_error >= 0) {
    return {};
  }
  auto end = static_cast<std::int64_t>(answer.body.size());
  const scenarios::BodyOffset* cut = nullptr;
  if (const auto* stalls = std::get_if<scenarios::Stalls>(&answer.ending)) {
    cut = &stalls->after;
  } else if (const auto* breaks = std::get_if<scenarios::Breaks>(&answer.ending)) {
    cut = &breaks->after;
  }
  if (cut != nullptr) {
    end = cut->bytes < 0 ? end + cut->bytes : cut->bytes;
  }
  const auto sent = static_cast<std::size_t>(end);
  return std::string_view(answer.body)
      .substr(0, sent)
      .substr(std::min<std::size_t>(prepared.visible_bytes, sent));
}

}  // namespace

ServerConnection::ServerConnection(asio::ip::tcp::socket socket, ConnectionOwner& owner,
                                   std::uint64_t number)
    : socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      owner_(&owner),
      number_(number),
      accepted_at_(clock_now()),
      reader_(owner.options.limits) {}

void ServerConnection::start() {
  error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  ClientScript* const script = owner_->script_of_connection(*this);
  const core::Instant now = script == nullptr ? core::Instant{} : script->clock().at(clock_now());
  if (script != nullptr && script->refuses(now)) {
    begin_exchange(*script, now);
    play(script->next(now), nullptr);
  } else {
    set_deadline(&ServerConnection::on_request_deadline);
  }
  wait_for_bytes();
}

void ServerConnection::stop() {
  if (logged_) {
    end_exchange(ExchangeEnd::kServerStopped);
  }
  owner_->hold_body(held_, 0);
  owner_ = nullptr;
  over();
}

// ---- reading -------------------------------------------------------------------------------

void ServerConnection::wait_for_bytes() {
  if (is_waiting_ || state_ == State::kOver ||
      (state_ == State::kReplying && input_.size() >= kSliceBytes)) {
    return;
  }
  is_waiting_ = true;
  socket_.async_wait(asio::ip::tcp::socket::wait_read,
                     [self = shared_from_this()](const error_code&) {
                       self->is_waiting_ = false;
                       if (self->state_ != State::kOver) {
                         self->on_bytes();
                       }
                     });
}

void ServerConnection::on_bytes() {
  error_code failed;
  const asio::mutable_buffer scratch = owner_->scratch();
  const std::size_t size = socket_.read_some(scratch, failed);
  if (failed && failed != asio::error::would_block && failed != asio::error::try_again) {
    client_left();
    return;
  }
  const bool is_wanted = state_ == State::kReading || state_ == State::kReplying ||
                         (state_ == State::kAnswering && !logged_->method.empty());
  if (is_wanted) {
    input_.append(static_cast<const char*>(scratch.data()), size);
  }
  if (state_ == State::kReading) {
    read_on();
  } else if (state_ == State::kAnswering && input_.size() > kSliceBytes) {
    give_up();
  }
  wait_for_bytes();
}

void ServerConnection::read_on() {
  const bool was_idle = reader_.state() == RequestReader::State::kIdle;
  reader_.feed(input_);
  if (!owner_->hold_body(held_, reader_.body_bytes())) {
    reader_.refuse(503, "the bodies of all requests are too large together");
    owner_->hold_body(held_, 0);
  }
  switch (reader_.state()) {
    case RequestReader::State::kIdle:
      break;
    case RequestReader::State::kReading:
      if (was_idle) {
        set_deadline(&ServerConnection::on_request_deadline);
      }
      if (reader_.take_continue_wish()) {
        // A client that is not told goes on by itself after a while.
        error_code ignored;
        socket_.write_some(asio::buffer("HTTP/1.1 100 Continue\r\n\r\n", 25), ignored);
      }
      break;
    case RequestReader::State::kComplete:
      on_request();
      break;
    case RequestReader::State::kRefused:
      input_.clear();
      reply(mistake(reader_.refusal().status, reader_.refusal().reason), {}, {}, false);
      break;
  }
}

void ServerConnection::on_request() {
  ReceivedRequest request = reader_.take();
  owner_->hold_body(held_, 0);
  const auto route = owner_->router.route(request);
  if (const auto* ready = std::get_if<ReadyAnswer>(&route)) {
    reply(*ready, request.method, request.target, request.keep_alive);
    return;
  }
  ClientScript* const script = owner_->script_of_request(*this, request);
  if (script == nullptr) {
    reply(mistake(503, "too many clients have called"), request.method, request.target, false);
    return;
  }
  begin_exchange(*script, script->clock().at(clock_now()));
  const auto& call = std::get<ScriptedCall>(route);
  request_keeps_alive_ = request.keep_alive;
  request_knows_chunks_ = request.knows_chunks;
  logged_->form = call.form;
  logged_->rpc_id = call.rpc_id;
  logged_->method = request.method;
  logged_->target = without_query_values(request.target);
  logged_->headers = without_secrets(std::move(request.headers));
  logged_->body_bytes = request.body.size();
  logged_->body_digest = playback::digest_of(request.body);
  if (request.body.size() <= owner_->options.logged_body_max) {
    logged_->body = std::move(request.body);
  }
  play(script->next(logged_->arrived_at), &call);
}

void ServerConnection::client_left() {
  if (logged_) {
    end_exchange(ExchangeEnd::kClientLeft);
  }
  over();
}

void ServerConnection::give_up() {
  if (logged_) {
    end_exchange(ExchangeEnd::kServerGaveUp);
  }
  over();
}

// ---- answering -----------------------------------------------------------------------------

void ServerConnection::begin_exchange(ClientScript& script, core::Instant arrived_at) {
  state_ = State::kAnswering;
  stop_timer();
  script_ = &script;
  arrival_ = owner_->next_arrival();
  logged_.emplace();
  sent_at_.reset();
  logged_->arrived_at = arrived_at;
  logged_->client = script.name();
  piece_ = {};
  ending_ = Ending::kNone;
}

/// @param call  null when the connection fails before there is a request.
void ServerConnection::play(const ScriptedAnswer& answer, const ScriptedCall* call) {
  logged_->call = script_->calls();
  prepared_ = answer.respond;
  const auto* http = std::get_if<scenarios::HttpAnswer>(&prepared_->respond.what);
  if (call != nullptr && http != nullptr) {
    if (auto fitting = shaped(*http, *call)) {
      shaped_ = std::make_unique<const playback::PreparedRespond>(
          scenarios::Respond{.what = *std::move(fitting), .latency = core::Duration{0}});
      prepared_ = shaped_.get();
    }
    framing_ = http_of(*prepared_).framing;
    if (framing_ == scenarios::Framing::kChunked && !request_knows_chunks_) {
      framing_ = scenarios::Framing::kUntilClose;
    }
  }
  constexpr core::AttemptId kAnyAttempt = 1;
  exchange_.open(kAnyAttempt, *prepared_, logged_->arrived_at, answer.latency);
  advance();
}

void ServerConnection::advance() {
  const ClockInstant clock = clock_now();
  const core::Instant now = script_->clock().at(clock);
  while (output_.size() < kSliceBytes && ending_ == Ending::kNone) {
    if (!piece_.empty()) {
      take_slice();
    } else if (exchange_.next() && *exchange_.next() <= now) {
      take_event();
    } else {
      break;
    }
  }
  if (!output_.empty()) {
    write();
  } else if (ending_ != Ending::kNone) {
    sent_at_ = clock;
    follow_up();
  } else if (exchange_.next()) {
    set_timer(script_->clock().when(*exchange_.next(), clock), &ServerConnection::advance);
  } else {
    stop_timer();  // Nothing more will come; the client will leave.
  }
}

void ServerConnection::take_event() {
  const core::Instant at = *exchange_.next();
  const auto& start = owner_->options.wall_clock;
  const core::WallInstant wall_clock =
      start ? core::saturating_add(*start, at.time_since_epoch()) : calendar_now();
  const core::Event event = exchange_.take(wall_clock);
  if (const auto* headers = std::get_if<core::HeadersReceived>(&event)) {
    write_head(headers->head, wall_clock);
  } else if (const auto* bytes = std::get_if<core::BytesReceived>(&event)) {
    piece_ = bytes->bytes;
  } else if (const auto* failed = std::get_if<core::AttemptFailed>(&event)) {
    logged_->fault = failed->fault;
    ending_ = failed->fault == core::ConnectionFault::kBodyClosed ? Ending::kClose : Ending::kReset;
  } else {
    SQUALL_CHECK(std::holds_alternative<core::BodyEnded>(event));
    if (framing_ == scenarios::Framing::kChunked) {
      output_ += "0\r\n\r\n";
    }
    output_ += surplus_of(*prepared_);
    ending_ = request_keeps_alive_ ? Ending::kKeep : Ending::kClose;
  }
}

void ServerConnection::write_head(const core::ResponseHead& head, core::WallInstant wall_clock) {
  const scenarios::HttpAnswer& answer = http_of(*prepared_);
  // A client that would be refused next must come with a new connection to be.
  const bool refuses_next =
      owner_->options.per != Per::kClient && script_->refuses(script_->clock().at(clock_now()));
  if (framing_ == scenarios::Framing::kUntilClose || answer.content_length_error != 0 ||
      refuses_next) {
    request_keeps_alive_ = false;
  }
  const bool is_whole = prepared_->body_end == playback::BodyEnd::kComplete;
  output_ += head_of(answer,
                     {.framing = framing_,
                      .announced_length = prepared_->announced_length,
                      .announces_close = is_whole && !request_keeps_alive_},
                     wall_clock);
  logged_->status = head.status;
  if (head.retry_after) {
    logged_->retry_after = std::string(*head.retry_after);
  }
  if (head.retry_after_ms) {
    logged_->retry_after_ms = std::string(*head.retry_after_ms);
  }
}

void ServerConnection::take_slice() {
  const std::string_view slice = piece_.substr(0, kSliceBytes);
  piece_.remove_prefix(slice.size());
  const bool is_chunk = framing_ == scenarios::Framing::kChunked;
  if (is_chunk) {
    output_ += fmt::format("{:x}\r\n", slice.size());
  }
  output_ += slice;
  if (is_chunk) {
    output_ += "\r\n";
  }
  logged_->answer_bytes += slice.size();
  const std::size_t room = owner_->options.logged_body_max -
                           std::min(owner_->options.logged_body_max, logged_->answer.size());
  logged_->answer += slice.substr(0, room);
}

void ServerConnection::reply(const ReadyAnswer& answer, const std::string& method,
                             const std::string& target, bool keeps_alive) {
  state_ = State::kReplying;
  output_ = bytes_of(answer, method != "HEAD", !keeps_alive);
  ending_ = keeps_alive ? Ending::kKeep : Ending::kClose;
  owner_->log_outside({.method = method,
                       .target = without_query_values(target),
                       .status = answer.status,
                       .complaint = answer.complaint});
  // The listener may have stopped the server.
  if (state_ == State::kReplying) {
    write();
  }
}

void ServerConnection::write() {
  set_deadline(&ServerConnection::on_write_deadline);
  // What the system takes at once is out when this returns, and its reader may act on it before we
  // are told: the time is taken first, so that nobody seems to be back sooner than they were.
  sent_at_ = clock_now();
  error_code failed;
  const std::size_t sent = socket_.write_some(asio::buffer(output_), failed);
  if (!failed && sent == output_.size()) {
    asio::post(socket_.get_executor(),
               [self = shared_from_this()] { self->on_write_ended(error_code()); });
    return;
  }
  unsent_ = unsent();
  write_on(failed ? 0 : sent);
}

void ServerConnection::write_on(std::size_t written) {
  socket_.async_write_some(
      asio::buffer(output_) + written,
      [self = shared_from_this(), written](const error_code& ended, std::size_t more) {
        self->sent_at_ = clock_now();
        if (ended || self->state_ == State::kOver || written + more == self->output_.size()) {
          self->on_write_ended(ended);
          return;
        }
        self->set_deadline(&ServerConnection::on_write_deadline);
        self->unsent_ = self->unsent();
        self->write_on(written + more);
      });
}

// The system asks for more only when much of what it holds is gone, which takes a slow reader long.
void ServerConnection::on_write_deadline() {
  const int left = unsent();
  if (left >= unsent_) {
    give_up();
    return;
  }
  unsent_ = left;
  set_deadline(&ServerConnection::on_write_deadline);
}

/// Bytes that the system holds and the client's has not confirmed.
int ServerConnection::unsent() {
  int bytes = 0;
  return ioctl(socket_.native_handle(), SIOCOUTQ, &bytes) == 0 ? bytes : 0;
}

void ServerConnection::on_write_ended(const error_code& failed) {
  if (state_ == State::kOver) {
    return;
  }
  if (failed) {
    client_left();
  } else {
    on_written();
  }
}

void ServerConnection::on_written() {
  stop_timer();
  output_.clear();
  if (ending_ == Ending::kNone) {
    advance();
  } else {
    follow_up();
  }
}

void ServerConnection::follow_up() {
  if (ending_ == Ending::kReset) {
    reset_by_ = clock_now() + owner_->options.request_deadline;
    reset_when_sent();
    return;
  }
  const bool keeps_alive = ending_ == Ending::kKeep;
  if (logged_) {
    end_exchange(logged_->fault ? ExchangeEnd::kCut : ExchangeEnd::kAnswered);
  }
  if (state_ == State::kOver) {
    return;  // Whoever heard of it stopped the server.
  }
  if (keeps_alive) {
    await_next_request();
  } else {
    close_orderly();
  }
}

// ---- ending --------------------------------------------------------------------------------

void ServerConnection::end_exchange(ExchangeEnd end) {
  LoggedExchange exchange = *std::move(logged_);
  logged_.reset();
  exchange_.close();
  const bool by_server = end != ExchangeEnd::kClientLeft && end != ExchangeEnd::kServerGaveUp &&
                         end != ExchangeEnd::kServerStopped;
  exchange.ended_at = script_->clock().at(by_server ? sent_at_.value_or(clock_now()) : clock_now());
  exchange.end = end;
  shaped_.reset();
  prepared_ = nullptr;
  script_ = nullptr;
  owner_->log(arrival_, std::move(exchange));
}

void ServerConnection::await_next_request() {
  state_ = State::kReading;
  set_deadline(&ServerConnection::on_request_deadline);
  if (!input_.empty()) {
    read_on();
  }
  wait_for_bytes();
}

void ServerConnection::close_orderly() {
  state_ = State::kLingering;
  input_.clear();
  error_code ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  set_timer(clock_now() + kLinger, &ServerConnection::over);
  wait_for_bytes();
}

// A reset throws away what has not left yet; what has left arrives before it.
void ServerConnection::reset_when_sent() {
  int not_sent = 0;
  if (ioctl(socket_.native_handle(), SIOCOUTQNSD, &not_sent) == 0 && not_sent > 0 &&
      clock_now() < reset_by_) {
    set_timer(clock_now() + std::chrono::milliseconds(1), &ServerConnection::reset_when_sent);
    return;
  }
  sent_at_ = clock_now();
  error_code ignored;
  socket_.set_option(asio::socket_base::linger(true, 0), ignored);
  socket_.close(ignored);
  const bool is_refusal = logged_->method.empty();
  end_exchange(is_refusal ? ExchangeEnd::kRefused : ExchangeEnd::kCut);
  over();
}

void ServerConnection::over() {
  if (state_ == State::kOver) {
    return;
  }
  state_ = State::kOver;
  stop_timer();
  error_code ignored;
  socket_.close(ignored);
  if (owner_ != nullptr) {
    owner_->hold_body(held_, 0);
    std::exchange(owner_, nullptr)->forget(*this);
  }
}

void ServerConnection::set_timer(ClockInstant at, void (ServerConnection::*then)()) {
  const std::uint64_t epoch = ++timer_epoch_;
  timer_.expires_at(at);
  timer_.async_wait([self = shared_from_this(), then, epoch](const error_code& failed) {
    if (!failed && epoch == self->timer_epoch_ && self->state_ != State::kOver) {
      ((*self).*then)();
    }
  });
}

void ServerConnection::set_deadline(void (ServerConnection::*then)()) {
  set_timer(clock_now() + owner_->options.request_deadline, then);
}

void ServerConnection::stop_timer() {
  ++timer_epoch_;
  timer_.cancel();
}

void ServerConnection::on_request_deadline() {
  if (reader_.state() == RequestReader::State::kReading) {
    reply(mistake(408, "the request did not come in time"), {}, {}, false);
  } else {
    over();
  }
}

}  // namespace squall::live
