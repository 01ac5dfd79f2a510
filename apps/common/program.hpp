// What surrounds every program: how it talks and how it ends.
#pragma once

#include <fmt/core.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "failure.hpp"
#include "json_types.hpp"
#include "output_file.hpp"

namespace upsweep::apps {

class device_session;

/// What becomes of an unexpected exception: one line, and an exit code.
failure failure_of(const std::exception& error);

/// Runs `body`, turns every failure into one line on stderr, and returns the exit code for main.
int run_program(std::string_view name, const std::function<exit_code()>& body);

/// One line on stderr.
void say_line(std::string_view line);

/// From here on `say` and progress bars say nothing.
void be_quiet();
bool is_quiet();
/// The same while it lives.
class quiet_for_now {
 public:
  quiet_for_now();
  ~quiet_for_now();
  quiet_for_now(const quiet_for_now&) = delete;
  quiet_for_now& operator=(const quiet_for_now&) = delete;

 private:
  bool was_quiet_;
};

/// What is good to know, on stderr.
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  if (!is_quiet()) say_line(fmt::format(format, std::forward<Args>(args)...));
}

/// What has gone wrong, on stderr.
template <class... Args>
void complain(fmt::format_string<Args...> format, Args&&... args) {
  say_line(fmt::format(format, std::forward<Args>(args)...));
}

/// Ends the program with one line where a device does not answer: destructors, which do not run, would wait for it.
[[noreturn]] void give_up(std::string_view line, exit_code code = exit_code::device);

/// What reports begin with: the program, its version, and the device.
ordered_json begun_report(std::string_view program, const device_session& device);

/// What a program did, when it was asked for. The file is created at once, so that one that cannot be written
/// is found before the work.
class report_file {
 public:
  explicit report_file(const std::string& path);
  void write(const ordered_json& report);
  void write_text(std::string_view report);

 private:
  std::optional<output_file> file_;
};

}  // namespace upsweep::apps
