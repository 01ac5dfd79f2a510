// What a run leaves of its frames: pictures in a folder, an animation, and the percentiles of their times.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "particles_config.hpp"
#include "video.hpp"

namespace upsweep::apps {

/// The pictures of a config. The folder is made, and the video begun, at once.
class frame_files {
 public:
  frame_files(const particles_config& config, const command_line& line);
  /// Whether a picture of that frame is wanted.
  bool wants(std::int64_t frame) const { return config_.wants_pictures() && frame % config_.output_every == 0; }
  void write(const picture& p, std::int64_t frame);
  /// All have come.
  void commit();

 private:
  const particles_config& config_;
  std::unique_ptr<video_file> video_;
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
    return {{"least", all_.front()}, {"median", at(0.5)}, {"p95", at(0.95)}, {"p99", at(0.99)}, {"most", all_.back()}};
  }

 private:
  std::vector<double> all_;
};

/// What is behind the particles.
inline constexpr rgb frame_background{0.02f, 0.02f, 0.04f};

}  // namespace upsweep::apps
