#include "frame_files.hpp"

#include <filesystem>

#include "program.hpp"

namespace upsweep::apps {

frame_files::frame_files(const particles_config& config, const command_line& line) : config_(config) {
  const std::string& folder = config.common.output;
  if (!folder.empty()) {
    require_png(line.origin("/output"));
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error || !std::filesystem::is_directory(folder)) {
      fail(exit_code::cannot_write, "{}: cannot make the folder{}", folder, error ? ": " + error.message() : "");
    }
  }
  if (config.has_window) window_ = open_window(config.width, config.height);
  if (config.video.empty()) return;
  if (config.frames == 0) {
    fail(exit_code::usage, "{}: got 0; expected at least one, as {} is to be written", line.origin("/frames"),
         config.video);
  }
  const auto pictures = (config.frames + config.output_every - 1) / config.output_every;
  video_ = make_video(config.video, line.origin("/video"), static_cast<std::uint32_t>(pictures), config.frames_a_second,
                      config.width, config.height);
}

void frame_files::write(const picture& p, std::int64_t frame) {
  if (window_) window_->show(p);
  if (!keeps(frame)) return;
  ++pictures_;
  if (video_) video_->add(p);
  if (config_.common.output.empty()) return;
  output_file file(fmt::format("{}/frame_{:06}.png", config_.common.output, frame));
  write_png(file, p);
  file.commit();
}

void frame_files::commit() {
  if (video_) video_->commit();
  if (pictures_ > 0 && !config_.common.output.empty()) {
    say("wrote    {}: {} pictures of {} x {}", config_.common.output, pictures_, config_.width, config_.height);
  }
  if (video_) say("wrote    {}", config_.video);
}

}  // namespace upsweep::apps
