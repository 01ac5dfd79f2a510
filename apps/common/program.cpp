#include "program.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "device_session.hpp"
#include "interrupt.hpp"
#include "json_file.hpp"
#include "progress.hpp"
#include "text.hpp"
#include "upsweep/version.hpp"

namespace upsweep::apps {

void say_line(std::string_view line) {
  const std::string text = one_line(line) + '\n';
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

namespace {
std::atomic<bool> quiet = false;
}

void be_quiet() {
  quiet = true;
  hide_progress();
}

bool is_quiet() {
  return quiet;
}

quiet_for_now::quiet_for_now() : was_quiet_(quiet.exchange(true)) {}
quiet_for_now::~quiet_for_now() {
  quiet = was_quiet_;
}

namespace {

/// For what is said from deep inside of it.
std::string program_name;

/// A file that is opened must not become a standard stream that was closed. What is there then can be read where it
/// should be written, and the other way around, so that a use of it fails; what is said goes nowhere.
void hold_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest number that is free is that of the stream.
    static_cast<void>(::open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY));
  }
}

}  // namespace

failure failure_of(const std::exception& error) {
  if (const auto* const known = dynamic_cast<const failure*>(&error)) return *known;
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return {exit_code::device, "out of host memory"};
  const auto* const of_system = dynamic_cast<const std::system_error*>(&error);
  if (of_system != nullptr && of_system->code() == std::errc::resource_unavailable_try_again) {
    return {exit_code::device, "the system lets this program start no more threads (ulimit -u shows the limit)"};
  }
  return {exit_code::device, fmt::format("internal error: {}", error.what())};
}

int run_program(std::string_view name, const std::function<exit_code()>& body) {
  program_name = name;
  hold_closed_streams();
  handle_interrupts();
  try {
    return static_cast<int>(body());
  } catch (const std::exception& error) {
    const failure why = failure_of(error);
    if (*why.what() != '\0') complain("{}: {}", name, why.what());  // else another process has said it
    return static_cast<int>(why.code());
  }
}

void give_up(std::string_view line, exit_code code) {
  complain("{}: {}", program_name, line);
  leave_at_once(code);
}

ordered_json begun_report(std::string_view program, const device_session& device) {
  return {{"program", program},
          {"version", version_string},
          {"device", device.name()},
          {"backend", device.where() == runtime::backend::cuda ? "cuda" : "sim"}};
}

report_file::report_file(const std::string& path) {
  if (!path.empty()) file_.emplace(path);
}

void report_file::write(const ordered_json& report) {
  if (file_) write_text(report.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n");
}

void report_file::write_text(std::string_view report) {
  if (!file_) return;
  file_->write(report);
  file_->commit();
}

}  // namespace upsweep::apps
