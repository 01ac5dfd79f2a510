#include "interrupt.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstring>

namespace upsweep::apps {
namespace {

struct slot {
  std::atomic<bool> taken = false;
  std::atomic<bool> armed = false;
  char path[PATH_MAX] = {};
};

std::array<slot, 64> slots;
std::atomic<pid_t> living_child = 0;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free,
              "the handler may only touch lock-free atomics");

extern "C" void remove_and_leave(int) {
  leave_at_once(exit_code::interrupted);
}

void set_handler(int signal_number, void (*handler)(int), bool even_if_ignored) {
  struct sigaction old = {};
  sigaction(signal_number, nullptr, &old);
  if (old.sa_handler == SIG_IGN && !even_if_ignored) return;
  struct sigaction action = {};
  action.sa_handler = handler;
  sigfillset(&action.sa_mask);
  sigaction(signal_number, &action, nullptr);
}

}  // namespace

void handle_interrupts() {
  set_handler(SIGINT, remove_and_leave, false);
  set_handler(SIGHUP, remove_and_leave, false);
  set_handler(SIGTERM, remove_and_leave, false);
  set_handler(SIGPIPE, SIG_IGN, true);
  set_handler(SIGXFSZ, SIG_IGN, true);
}

void leave_at_once(exit_code code) {
  if (const pid_t child = living_child.load(); child > 0) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  for (slot& s : slots) {
    if (s.armed.load()) unlink(s.path);
  }
  _exit(static_cast<int>(code));
}

void doom_child(pid_t child) {
  living_child = child;
}

doomed_file::doomed_file(const std::string& path) {
  if (path.size() >= PATH_MAX) fail(exit_code::cannot_write, "{}: the path is too long", path);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].taken.exchange(true)) continue;
    std::memcpy(slots[i].path, path.c_str(), path.size() + 1);
    slots[i].armed = true;
    slot_ = static_cast<int>(i);
    return;
  }
  fail(exit_code::cannot_write, "{}: more than {} files are being written at once", path, slots.size());
}

void doomed_file::spare() {
  if (slot_ < 0) return;
  slot& s = slots[static_cast<std::size_t>(slot_)];
  s.armed = false;
  s.taken = false;
  slot_ = -1;
}

}  // namespace upsweep::apps
