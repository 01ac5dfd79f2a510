#include "video.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "failure.hpp"
#include "interrupt.hpp"

namespace upsweep::apps {
namespace {

class png_video final : public video_file {
 public:
  png_video(const std::string& path, std::uint32_t frames, std::uint16_t rate) : file_(path, frames, rate) {}
  void add(const picture& p) override { file_.add(p); }
  void commit() override { file_.commit(); }

 private:
  animated_png file_;
};

/// The program of that name on PATH; empty when there is none.
std::string on_path(const std::string& name) {
  const char* const all = std::getenv("PATH");
  std::string_view rest = all == nullptr ? "" : all;
  while (!rest.empty()) {
    const std::string file = std::string(rest.substr(0, rest.find(':'))) + "/" + name;
    if (::access(file.c_str(), X_OK) == 0) return file;
    rest = rest.find(':') == rest.npos ? "" : rest.substr(rest.find(':') + 1);
  }
  return {};
}

/// ffmpeg reads raw pixels from a pipe, and writes beside the target.
class ffmpeg_video final : public video_file {
 public:
  ffmpeg_video(const std::string& program, const std::string& path, std::uint16_t rate, int width, int height)
      : path_(path), beside_(beside(path)), doomed_(beside_) {
    int ends[2];
    if (::pipe(ends) != 0) fail(exit_code::cannot_write, "{}: no pipe to ffmpeg", path_);
    const std::string size = fmt::format("{}x{}", width, height), frames = std::to_string(rate);
    const std::string output = "file:" + beside_;  // else a name with a colon would be read as a protocol
    // No signal between the child's begin and its registration.
    sigset_t all, before;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, &before);
    child_ = ::fork();
    if (child_ == 0) {
      ::sigprocmask(SIG_SETMASK, &before, nullptr);
      ::dup2(ends[0], STDIN_FILENO);
      ::close(ends[0]);
      ::close(ends[1]);
      ::execl(program.c_str(), "ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pixel_format", "rgb24",
              "-video_size", size.c_str(), "-framerate", frames.c_str(), "-i", "-", "-pix_fmt", "yuv420p", "-vf",
              "crop=trunc(iw/2)*2:trunc(ih/2)*2", output.c_str(), static_cast<char*>(nullptr));
      ::_exit(127);
    }
    doom_child(child_);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    ::close(ends[0]);
    if (child_ < 0) fail(exit_code::cannot_write, "{}: ffmpeg cannot be started", path_);
    pixels_ = ::fdopen(ends[1], "wb");
  }
  ~ffmpeg_video() override {
    if (pixels_ != nullptr) static_cast<void>(ends_well());
    ::unlink(beside_.c_str());
  }

  void add(const picture& p) override {
    if (std::fwrite(p.bytes().data(), 1, p.bytes().size(), pixels_) != p.bytes().size()) {
      fail(exit_code::cannot_write, "{}: ffmpeg accepts no more pictures", path_);
    }
  }
  void commit() override {
    if (!ends_well() || std::rename(beside_.c_str(), path_.c_str()) != 0) {
      fail(exit_code::cannot_write, "{}: ffmpeg has not written it", path_);
    }
    doomed_.spare();
  }
  /// Whether ffmpeg has written the pictures so far beside the target; it takes no more.
  bool ends_well() {
    const bool flushed = std::fclose(pixels_) == 0;
    pixels_ = nullptr;
    return wait_for_child() && flushed;
  }

 private:
  /// Whether it has ended well. Its number is free for others only when it is no longer registered.
  bool wait_for_child() {
    siginfo_t how = {};
    ::waitid(P_PID, static_cast<id_t>(child_), &how, WEXITED | WNOWAIT);
    doom_child(0);
    return ::waitpid(child_, nullptr, 0) == child_ && how.si_code == CLD_EXITED && how.si_status == 0;
  }
  static std::string beside(const std::string& path) {
    const std::filesystem::path p(path);
    return (p.parent_path() / ("." + p.stem().string() + ".part" + p.extension().string())).string();
  }

  std::string path_, beside_;
  doomed_file doomed_;
  pid_t child_ = -1;
  std::FILE* pixels_ = nullptr;
};

/// Fails where ffmpeg does not write one picture of that size, beside the target, which goes again.
void try_ffmpeg(const std::string& program, const std::string& path, const std::string& origin, std::uint16_t rate,
                int width, int height) {
  const std::string folder = std::filesystem::path(path).parent_path();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK) != 0) {
    fail(exit_code::cannot_write, "{}: ffmpeg cannot write there: {}", path, std::strerror(errno));
  }
  ffmpeg_video trial(program, path, rate, width, height);
  try {
    trial.add(picture(width, height));
  } catch (const failure&) {  // it has ended before it took all; how is seen below
  }
  if (trial.ends_well()) return;
  fail(exit_code::usage, "{}: got {} of {} x {}; expected an ending and a size that ffmpeg knows, such as FILE.mp4",
       origin, path, width, height);
}

}  // namespace

std::unique_ptr<video_file> make_video(const std::string& path, const std::string& origin, std::uint32_t frames,
                                       std::uint16_t frames_a_second, int width, int height) {
  const std::string ending = std::filesystem::path(path).extension();
  if (ending == ".png" || ending == ".apng") {
    require_png(origin);
    return std::make_unique<png_video>(path, frames, frames_a_second);
  }
  const std::string program = on_path("ffmpeg");
  if (program.empty()) {
    fail(exit_code::usage, "{}: got {}; expected FILE.png, an animated PNG: there is no ffmpeg on PATH for others",
         origin, path);
  }
  try_ffmpeg(program, path, origin, frames_a_second, width, height);
  return std::make_unique<ffmpeg_video>(program, path, frames_a_second, width, height);
}

}  // namespace upsweep::apps
