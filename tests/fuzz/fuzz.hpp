// What the fuzzers share: bytes as a file, and what a reader may do with one.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "failure.hpp"

namespace upsweep::test {

/// Ends the fuzzer, which keeps the bytes that led here.
[[noreturn]] inline void surprise(const std::string& what) {
  std::fprintf(stderr, "surprise: %s\n", what.c_str());
  std::abort();
}

/// A file in memory with these bytes, that has a name.
class file_of_bytes {
 public:
  file_of_bytes(const std::uint8_t* data, std::size_t bytes) : fd_(memfd_create("fuzzed", MFD_CLOEXEC)) {
    if (fd_ < 0 || write(fd_, data, bytes) != static_cast<ssize_t>(bytes)) surprise("no file in memory");
  }
  ~file_of_bytes() { close(fd_); }
  file_of_bytes(const file_of_bytes&) = delete;
  file_of_bytes& operator=(const file_of_bytes&) = delete;

  std::string name() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

/// Calls `read` with the name of a file of these bytes: it reads the file, or refuses it in one line by this code.
template <class Read>
void read_or_refuse(const std::uint8_t* data, std::size_t bytes, apps::exit_code refusal, const Read& read) {
  const file_of_bytes file(data, bytes);
  try {
    read(file.name());
  } catch (const apps::failure& error) {
    const std::string line = error.what();
    if (error.code() != refusal) surprise("another exit code: " + line);
    if (line.find('\n') != std::string::npos) surprise("more than a line: " + line);
    if (!line.starts_with(file.name())) surprise("the file is not named: " + line);
  }
}

}  // namespace upsweep::test
