// Device memory between canaries, to see what a call writes that is not its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "byte_array.hpp"
#include "device_session.hpp"

namespace upsweep::apps {

/// What a workspace holds when a call begins.
enum class content { zeros, ones, noise };
inline constexpr std::string_view content_names[] = {"zeros", "ones", "noise"};

/// `bytes` of device memory, aligned to 256 bytes, with as many canaries on both sides as a tile is long.
class guarded_buffer {
 public:
  /// `what` names it in what is said: "the output".
  guarded_buffer(device_session& device, std::string what, std::size_t bytes);

  void* data() const { return memory_.as<std::byte>() + guard; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data());
  }
  workspace as_workspace() const { return {data(), bytes_}; }

  /// The canaries, and in between a copy of `from`, canaries too, or what a workspace holds.
  void write(const void* from);
  void write_canaries();
  void write(content c, std::uint64_t seed);

  /// Only the first `bytes` may be written; the canaries after them must stay, too.
  void use_front(std::size_t bytes) { used_ = bytes; }

  /// Copies all of it to the host.
  void read();
  /// As it was read last.
  const void* host() const { return image_.data() + guard; }
  std::span<const std::byte> host_bytes() const { return {image_.data() + guard, bytes_}; }
  /// "" when all canaries are as they were, else a sentence that names the first that is not.
  std::string damage() const;

 private:
  static constexpr std::size_t guard = std::size_t{32} << 10;

  std::byte* canaries(unsigned char between);
  void upload();

  device_session* device_;
  std::string what_;
  std::size_t bytes_;
  std::size_t used_;
  byte_array image_;
  runtime::buffer memory_;
};

}  // namespace upsweep::apps
