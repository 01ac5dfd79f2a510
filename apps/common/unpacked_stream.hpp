// What a compressed file would be, which another thread makes while it is read.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "block_queue.hpp"
#include "compression.hpp"
#include "descriptor.hpp"
#include "read_ahead.hpp"

namespace upsweep::apps {

/// Decompresses a file on a thread of its own, some MiB ahead of what has been read at most; yet another thread reads
/// what is compressed.
class unpacked_stream {
 public:
  /// `begin` has been read of the open file `packed`. Throws std::system_error where there can be no thread.
  unpacked_stream(compression how, std::string name, std::vector<std::byte> begin, descriptor packed);
  ~unpacked_stream();
  unpacked_stream(const unpacked_stream&) = delete;
  unpacked_stream& operator=(const unpacked_stream&) = delete;

  /// Puts the next bytes into a buffer and returns how many; 0 at the end. Fails as decompress does, at the place in
  /// question.
  std::size_t read(std::byte* to, std::size_t bytes);
  /// Whether it decompresses more; not when it is as far ahead as it may be, or at the end.
  bool is_busy() { return blocks_.has_room(); }
  /// How many bytes of the compressed file have been looked at.
  std::uint64_t packed_bytes() const { return packed_bytes_; }

 private:
  void run(compression how);

  const std::string name_;
  std::atomic<std::uint64_t> packed_bytes_ = 0;
  read_ahead packed_;
  block_queue blocks_;
  std::span<const std::byte> current_;  ///< of the reader, who has not read these
  std::thread thread_;
};

}  // namespace upsweep::apps
