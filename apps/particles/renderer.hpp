// What draws the particles. One that has them in graphics memory gives that memory to the particle system.
#pragma once

#include <limits>
#include <memory>
#include <string>

#include "particle_system.hpp"
#include "picture.hpp"

namespace upsweep::apps {

struct renderer_options {
  std::int64_t capacity;
  int width, height;
  bool sorts;
  rgb background;
};

class renderer {
 public:
  virtual ~renderer() = default;
  virtual std::string name() const = 0;
  /// The most pixels of a particle's diameter: larger ones are drawn as large as this.
  virtual float largest_point() const { return std::numeric_limits<float>::infinity(); }
  /// The memory in which the particles are to lie, of the device's; null for memory of the system's own.
  virtual void* block() { return nullptr; }
  /// Before a frame is enqueued, and after it: orders the frame and the draws, on the device.
  virtual void begin_frame() {}
  virtual void end_frame() {}
  /// Draws the last frame, and gives its picture where one is wanted, which has the background already.
  virtual void draw(particle_system& system, picture* to) = 0;
  /// Waits for the draws so far. One that does not end in ten seconds, and a lost device, end the program at once, with
  /// exit_code::device: the device is not waited for in other ways while it may wait for a draw.
  virtual void finish() {}
  /// The same for those who have failed otherwise: it says nothing, and leaves the program running. False where the
  /// device must not be waited for.
  virtual bool ends() { return true; }
  /// Milliseconds of the last draw (back = 0) or of that before it (1), without what brings its picture to the host;
  /// waits for that draw alone, as finish does.
  virtual double draw_ms(std::size_t back) = 0;
};

/// Draws on the host: it copies the particles there.
std::unique_ptr<renderer> make_software_renderer(const std::vector<camera_pose>& path);

/// Draws particles that lie on the host as all renderers do.
void draw_particles(const particle_snapshot& s, const camera_pose& view, picture& to);

/// Draws by Vulkan, without a window: on a GPU from memory that CUDA shares, on the sim from mapped memory.
std::unique_ptr<renderer> make_vulkan_renderer(device_session& session, const renderer_options& o);
/// The same by OpenGL.
std::unique_ptr<renderer> make_opengl_renderer(device_session& session, const renderer_options& o);

}  // namespace upsweep::apps
