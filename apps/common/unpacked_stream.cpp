#include "unpacked_stream.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

namespace upsweep::apps {
namespace {

/// Twice what is read at a time, so that it goes on while that is looked at.
constexpr std::size_t most_blocks = 16;

}  // namespace

unpacked_stream::unpacked_stream(compression how, std::string name, std::vector<std::byte> begin, descriptor packed)
    : name_(std::move(name)),
      packed_(name_, std::move(begin), std::move(packed)),
      blocks_(unpacked_block_bytes, most_blocks) {
  thread_ = std::thread([this, how] { run(how); });
}

unpacked_stream::~unpacked_stream() {
  // The thread may wait for either.
  blocks_.give_up();
  packed_.give_up();
  thread_.join();
}

void unpacked_stream::run(compression how) {
  std::exception_ptr failed;
  try {
    const auto source = [this] {
      const std::span<const std::byte> more = packed_.next();
      packed_bytes_ += more.size();
      return more;
    };
    decompress(how, name_, source,
               [this](std::vector<std::byte>& block, std::size_t bytes) { blocks_.put(block, bytes); });
  } catch (const block_queue::given_up&) {
    return;
  } catch (...) {
    failed = std::current_exception();
  }
  blocks_.end(failed);
}

std::size_t unpacked_stream::read(std::byte* to, std::size_t bytes) {
  if (current_.empty()) current_ = blocks_.next();
  const std::size_t got = std::min(current_.size(), bytes);
  if (got > 0) std::memcpy(to, current_.data(), got);
  current_ = current_.subspan(got);
  return got;
}

}  // namespace upsweep::apps
