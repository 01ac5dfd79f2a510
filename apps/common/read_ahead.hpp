// A file that another thread reads.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "block_queue.hpp"
#include "descriptor.hpp"

namespace upsweep::apps {

/// Reads an open file, or a pipe, on a thread of its own, a MiB ahead of what has been taken at most.
class read_ahead {
 public:
  /// `begin` has been read already. Throws std::system_error where there can be no thread.
  read_ahead(std::string name, std::vector<std::byte> begin, descriptor file);
  ~read_ahead();
  read_ahead(const read_ahead&) = delete;
  read_ahead& operator=(const read_ahead&) = delete;

  /// The next bytes, valid until the next call; none at the end. Fails with exit_code::bad_input, and names the file.
  std::span<const std::byte> next() { return blocks_.next(); }
  /// Who waits for more, in another thread, ends with block_queue::given_up.
  void give_up() { blocks_.give_up(); }

 private:
  void run();
  void wait_for_more() const;

  const std::string name_;
  std::vector<std::byte> begin_;
  const descriptor file_;
  block_queue blocks_;
  std::thread thread_;
};

}  // namespace upsweep::apps
