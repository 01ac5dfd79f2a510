#include "read_ahead.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

#include "failure.hpp"

namespace upsweep::apps {
namespace {

constexpr std::size_t packed_block_bytes = std::size_t{1} << 18, most_packed_blocks = 4;

}  // namespace

read_ahead::read_ahead(std::string name, std::vector<std::byte> begin, descriptor file)
    : name_(std::move(name)),
      begin_(std::move(begin)),
      file_(std::move(file)),
      blocks_(packed_block_bytes, most_packed_blocks) {
  thread_ = std::thread([this] { run(); });
}

read_ahead::~read_ahead() {
  blocks_.give_up();
  thread_.join();
}

/// A pipe may give nothing for long, while nobody wants any more and waits for this thread.
void read_ahead::wait_for_more() const {
  constexpr int milliseconds = 50;
  pollfd file{file_.get(), POLLIN, 0};
  while (::poll(&file, 1, milliseconds) == 0) {
    if (blocks_.is_given_up()) throw block_queue::given_up();
  }
}

void read_ahead::run() {
  std::exception_ptr failed;
  try {
    std::vector<std::byte> block = std::move(begin_);
    if (block.empty()) {
      block.resize(packed_block_bytes);
    } else {
      blocks_.put(block, block.size());
    }
    for (;;) {
      wait_for_more();
      ssize_t got = 0;
      do got = ::read(file_.get(), block.data(), block.size());
      while (got < 0 && errno == EINTR);
      if (got < 0) fail(exit_code::bad_input, "{}: cannot read it: {}", name_, std::strerror(errno));
      if (got == 0) break;
      blocks_.put(block, static_cast<std::size_t>(got));
    }
  } catch (const block_queue::given_up&) {
    return;
  } catch (...) {
    failed = std::current_exception();
  }
  blocks_.end(failed);
}

}  // namespace upsweep::apps
