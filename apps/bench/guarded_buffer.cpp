#include "guarded_buffer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "counter_random.hpp"
#include "parallel.hpp"

namespace upsweep::apps {
namespace {

constexpr unsigned char canary = 0xc5;

}  // namespace

guarded_buffer::guarded_buffer(device_session& device, std::string what, std::size_t bytes)
    : device_(&device),
      what_(std::move(what)),
      bytes_(bytes),
      used_(bytes),
      image_(guard + bytes + guard),
      memory_(device.allocate(image_.bytes(), what_.c_str())) {}

std::byte* guarded_buffer::canaries(unsigned char between) {
  std::memset(image_.data(), canary, guard);
  std::memset(image_.data() + guard, between, bytes_);
  std::memset(image_.data() + guard + bytes_, canary, guard);
  return image_.data() + guard;
}

void guarded_buffer::upload() {
  device_->copy(memory_.data(), image_.data(), image_.bytes());
}

void guarded_buffer::write(const void* from) {
  std::byte* const to = canaries(canary);
  if (bytes_ > 0) std::memcpy(to, from, bytes_);
  upload();
}

void guarded_buffer::write_canaries() {
  canaries(canary);
  upload();
}

void guarded_buffer::write(content c, std::uint64_t seed) {
  std::byte* const to = canaries(c == content::zeros ? 0x00 : 0xff);
  if (c == content::noise) {
    const random_words words(seed, 2);
    chunks(static_cast<std::int64_t>(bytes_ / 8)).in_parallel([&](std::size_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::uint64_t word = words[i];
        std::memcpy(to + i * 8, &word, 8);
      }
    });
  }
  upload();
}

void guarded_buffer::read() {
  device_->copy(image_.data(), memory_.data(), image_.bytes());
}

std::string guarded_buffer::damage() const {
  const auto is_canary = [](std::byte b) { return b == std::byte{canary}; };
  const std::byte* const data = image_.data() + guard;
  const std::byte* const behind = data + used_;
  const std::byte* const end = data + bytes_ + guard;
  const std::byte* const after = std::find_if_not(behind, end, is_canary);
  if (after != end) return fmt::format("byte {} behind {} was written", after - behind, what_);
  const std::byte* const before = std::find_if_not(image_.data(), data, is_canary);
  if (before != data) return fmt::format("byte {} before {} was written", data - before, what_);
  return {};
}

}  // namespace upsweep::apps
