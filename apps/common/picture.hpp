// A picture in memory, drawn on by the CPU, and PNG files of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "output_file.hpp"

namespace upsweep::apps {

/// A color whose channels are 0 to 1.
struct rgb {
  float r = 0, g = 0, b = 0;
};

class picture {
 public:
  picture(int width, int height, rgb background = {});

  int width() const { return width_; }
  int height() const { return height_; }
  /// Three bytes a pixel, rows from the top.
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  std::vector<std::uint8_t>& bytes() { return bytes_; }

  void set(int x, int y, rgb color);
  /// How a disc meets what is there: it covers it, or its light is added.
  enum class blend { over, add };
  /// Draws a disc that fades towards its edge, over the pixels whose centers are in its square, as a point of a GPU is.
  void disc(float x, float y, float diameter, rgb color, float alpha, blend how);
  /// Copies a picture to where its upper left corner is to be; what is outside is left out.
  void put(const picture& from, int left, int top);

 private:
  int width_, height_;
  std::vector<std::uint8_t> bytes_;
};

/// The opacity of a disc at this distance from its center, as a share of its radius: 1 inside, 0 from the edge on.
inline float disc_opacity(float square_of_distance) {
  const float rest = 1 - square_of_distance;
  return rest <= 0 ? 0 : rest;
}

/// Whether this program was built with libpng.
bool has_png();
/// Fails with exit_code::usage, and names `flag`, where PNG files cannot be written.
void require_png(const std::string& flag);

/// Writes a PNG file, not yet committed.
void write_png(output_file& file, const picture& p);

/// Writes pictures of one size as an animation that PNG readers show (APNG). Where fewer come than were announced,
/// the file has to be a regular one.
class animated_png {
 public:
  animated_png(const std::string& path, std::uint32_t frames, std::uint16_t frames_a_second);
  void add(const picture& p);
  void commit();
  const std::string& name() const { return file_.name(); }

 private:
  void chunk(const char* type, const std::vector<std::uint8_t>& data);

  output_file file_;
  std::uint32_t frames_;
  std::uint16_t frames_a_second_;
  std::uint32_t sequence_ = 0, added_ = 0;
};

}  // namespace upsweep::apps
