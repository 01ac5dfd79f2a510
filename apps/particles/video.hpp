// An animation of the frames: by ffmpeg, or as an animated PNG without it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "picture.hpp"

namespace upsweep::apps {

class video_file {
 public:
  virtual ~video_file() = default;
  virtual void add(const picture& p) = 0;
  virtual void commit() = 0;
};

/// By the name: .png and .apng are written here, all else by ffmpeg. Fails with exit_code::usage where that is missing.
std::unique_ptr<video_file> make_video(const std::string& path, const std::string& origin, std::uint32_t frames,
                                       std::uint16_t frames_a_second, int width, int height);

}  // namespace upsweep::apps
