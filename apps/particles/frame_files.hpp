// What a run shows and leaves of its frames: a window, pictures in a folder, an animation, the percentiles of their
// times.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "particles_config.hpp"
#include "video.hpp"
#include "window.hpp"

namespace upsweep::apps {

/// The pictures of a config. The folder is made, the video begun, and the window opened at once.
class frame_files {
 public:
  frame_files(const particles_config& config, const command_line& line);
  /// Whether a picture of that frame is wanted.
  bool wants(std::int64_t frame) const { return window_ || keeps(frame); }
  void write(const picture& p, std::int64_t frame);
  /// Whether somebody has closed the window, and no frame is wanted any more.
  bool is_closed() const { return window_ && window_->is_closed(); }
  /// All have arrived.
  void commit();

 private:
  bool keeps(std::int64_t frame) const {
    return (video_ || !config_.common.output.empty()) && frame % config_.output_every == 0;
  }

  const particles_config& config_;
  std::unique_ptr<video_file> video_;
  std::unique_ptr<window> window_;
  std::int64_t pictures_ = 0;
};

/// Times of all frames, of one kind.
class samples {
 public:
  void add(double ms) { all_.push_back(ms); }
  ordered_json to_json() {
    if (all_.empty()) return nullptr;
    std::sort(all_.begin(), all_.end());
    const auto at = [&](double share) {
      return all_[static_cast<std::size_t>(share * static_cast<double>(all_.size() - 1) + 0.5)];
    };
    const double sum = std::accumulate(all_.begin(), all_.end(), 0.0);
    return {{"least", all_.front()}, {"mean", sum / static_cast<double>(all_.size())},
            {"median", at(0.5)},     {"p95", at(0.95)},
            {"p99", at(0.99)},       {"most", all_.back()}};
  }

 private:
  std::vector<double> all_;
};

/// What is behind the particles.
inline constexpr rgb frame_background{0.02f, 0.02f, 0.04f};

}  // namespace upsweep::apps
