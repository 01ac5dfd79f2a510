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
}

void hide_progress() {
  is_hidden = true;
}

progress::progress(std::string what, std::uint64_t total)
    : what_(std::move(what)),
      total_(total),
      next_draw_(clock::now() + std::chrono::seconds(1)),
      on_terminal_(!is_hidden && isatty(STDERR_FILENO) == 1) {}

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
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

}  // namespace upsweep::apps
