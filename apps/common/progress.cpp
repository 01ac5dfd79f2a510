#include "progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <utility>

#include "text.hpp"

namespace upsweep::apps {

namespace {

std::atomic<bool> is_hidden = false;

bool is_shown() {
  return !is_hidden && isatty(STDERR_FILENO) == 1;
}

void wipe_line() {
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

}  // namespace

void hide_progress() {
  is_hidden = true;
}

progress::progress(std::string what, std::uint64_t total)
    : what_(std::move(what)),
      total_(total),
      next_draw_(clock::now() + std::chrono::seconds(1)),
      on_terminal_(is_shown()) {}

void progress::reach(std::uint64_t amount) {
  if (!on_terminal_ || total_ == 0) return;
  const auto now = clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + std::chrono::milliseconds(100);
  drawn_ = true;
  constexpr int width = 30;
  const double share = std::min(1.0, static_cast<double>(amount) / static_cast<double>(total_));
  const int full = static_cast<int>(share * width);
  const double rate = static_cast<double>(amount) / std::chrono::duration<double>(now - begin_).count();
  fmt::print(stderr, "\r[{:=<{}}{: <{}}] {:3.0f} % {}, {}/s\x1b[K", "", full, "", width - full, share * 100, what_,
             bytes_text(static_cast<std::uint64_t>(rate)));
  std::fflush(stderr);
}

void progress::done() {
  if (!drawn_) return;
  drawn_ = false;
  wipe_line();
}

elapsed_time::elapsed_time(std::string what) : what_(std::move(what)) {
  if (is_shown()) thread_ = std::thread([this] { draw(); });
}

elapsed_time::~elapsed_time() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

void elapsed_time::draw() {
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  std::unique_lock lock(mutex_);
  for (auto until = begin + std::chrono::seconds(1); !ended_.wait_until(lock, until, [&] { return is_over_; });
       until += std::chrono::seconds(1)) {
    fmt::print(stderr, "\r{}, {} s\x1b[K", what_,
               std::chrono::duration_cast<std::chrono::seconds>(clock::now() - begin).count());
    std::fflush(stderr);
  }
  if (clock::now() - begin > std::chrono::seconds(1)) wipe_line();
}

}  // namespace upsweep::apps
