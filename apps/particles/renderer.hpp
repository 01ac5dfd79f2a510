// What draws the particles. One that has them in graphics memory gives that memory to the particle system.
#pragma once

#include <memory>
#include <string>

#include "particle_system.hpp"
#include "picture.hpp"

namespace upsweep::apps {

class renderer {
 public:
  virtual ~renderer() = default;
  virtual std::string name() const = 0;
  /// The memory in which the particles are to lie, of the device's; null for memory of the system's own.
  virtual void* block() { return nullptr; }
  /// Before a frame is enqueued, and behind it: orders the frame and the draw, on the device.
  virtual void begin_frame() {}
  virtual void end_frame() {}
  /// Draws the last frame, and gives its picture where one is wanted.
  virtual void draw(particle_system& system, picture* to) = 0;
};

/// Draws on the host: it copies the particles there.
std::unique_ptr<renderer> make_software_renderer(const std::vector<camera_pose>& path);

/// Draws particles that lie on the host as all renderers do.
void draw_particles(const particle_snapshot& s, const camera_pose& view, picture& to);

}  // namespace upsweep::apps
