#include "python.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "program.hpp"
#include "temporary_file.hpp"
#include "text.hpp"

namespace upsweep::apps {
namespace {

constexpr int no_module = 78;

/// A file without a name, for what the script reads or says: unlike a pipe it is never full.
class talk_file {
 public:
  talk_file() : file_(fdopen(unnamed_file(words), "w+")) {
    if (!file_) cannot_use_temporary_folder(words);
  }
  talk_file(const talk_file&) = delete;
  talk_file& operator=(const talk_file&) = delete;
  ~talk_file() { std::fclose(file_); }

  int fd() const { return fileno(file_); }

  void fill(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size() || std::fflush(file_) != 0) {
      cannot_use_temporary_folder(words);
    }
    std::rewind(file_);
  }

  std::string text() {
    std::string all;
    std::array<char, 65536> block;
    std::rewind(file_);
    while (const std::size_t got = std::fread(block.data(), 1, block.size(), file_)) all.append(block.data(), got);
    return all;
  }

 private:
  static constexpr const char* words = "what python3 reads and says";
  std::FILE* file_;
};

struct answer {
  int status = 0;  ///< 128 + the signal's number when one ended it
  std::string out;
  std::string talk;
};

/// What the interpreter answered; nothing when it cannot be started.
std::optional<answer> ask(const char* interpreter, const std::string& script, const std::string& input) {
  talk_file in, out, talk;
  in.fill(input);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.fd(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.fd(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, talk.fd(), STDERR_FILENO);
  const char* argv[] = {interpreter, "-c", script.c_str(), nullptr};
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, interpreter, &actions, nullptr, const_cast<char* const*>(argv), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return std::nullopt;
  int state = 0;
  while (waitpid(pid, &state, 0) < 0 && errno == EINTR) {
  }
  return answer{WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state), out.text(), talk.text()};
}

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

std::string run_python(const std::string& script, const std::string& input, const std::string& module,
                       const std::string& package) {
  std::string why = "there is no python3";
  for (const char* interpreter : {"python3", "/usr/bin/python3"}) {
    const std::optional<answer> answered = ask(interpreter, script, input);
    if (!answered || answered->status == 127) continue;
    if (answered->status == no_module) {
      why = last_line(answered->talk);
      continue;
    }
    if (answered->status != 0) {
      const std::string last = last_line(answered->talk);
      throw std::runtime_error(fmt::format("{}: status {}: {}", interpreter, answered->status, one_line(last)));
    }
    std::istringstream lines(answered->talk);
    for (std::string line; std::getline(lines, line);) say_line(line);
    return answered->out;
  }
  fail(exit_code::usage, "this needs python3 with {}; install it (Debian: apt-get install {}); {}", module, package,
       one_line(why));
}

}  // namespace upsweep::apps
