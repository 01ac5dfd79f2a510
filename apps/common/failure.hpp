// How a program ends when it cannot go on: an exit code and one line.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "text.hpp"

namespace upsweep::apps {

/// What the programs answer to the shell.
enum class exit_code : int {
  ok = 0,
  not_verified = 1,
  usage = 2,
  bad_input = 3,
  cannot_write = 4,
  device = 5,
  interrupted = 130,
};

/// The end of a program: `what()` is one line that names the file, JSON path or flag, what was expected and what came.
class failure : public std::runtime_error {
 public:
  failure(exit_code code, std::string_view line) : std::runtime_error(one_line(line)), code_(code) {}
  exit_code code() const { return code_; }

 private:
  exit_code code_;
};

/// Less would have gone well.
class out_of_memory : public failure {
 public:
  explicit out_of_memory(const std::string& line) : failure(exit_code::device, line) {}
};

/// Throws a failure with a formatted line.
template <class... Args>
[[noreturn]] void fail(exit_code code, fmt::format_string<Args...> format, Args&&... args) {
  throw failure(code, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace upsweep::apps
