#include <algorithm>
#include <cmath>

#include "renderer.hpp"

namespace upsweep::apps {

void draw_particles(const particle_snapshot& s, const camera_pose& view, picture& to) {
  const auto width = static_cast<float>(to.width()), height = static_cast<float>(to.height());
  for (std::size_t k = 0; k < s.position.size(); ++k) {
    const std::size_t i = s.order.empty() ? k : s.order[k];
    const vec4f p = s.position[i];
    const auto row = [&](int r) {
      return view.clip[r] * p.x + view.clip[4 + r] * p.y + view.clip[8 + r] * p.z + view.clip[12 + r];
    };
    const float depth = row(3);
    // As a GPU clips points: by their centers.
    if (!(depth >= view.near) || std::abs(row(0)) > depth || std::abs(row(1)) > depth || row(2) > depth) continue;
    const float left = p.w / s.velocity[i].w, diameter = std::max(view.pixels / depth, 1.f);
    const std::uint32_t c = s.color[i];
    const auto channel = [c](int shift) { return static_cast<float>(c >> shift & 255) / 255; };
    to.disc((row(0) / depth + 1) * width / 2, (row(1) / depth + 1) * height / 2, diameter,
            {channel(0), channel(8), channel(16)}, view.alpha * std::min(left, 1.f),
            view.additive != 0 ? picture::blend::add : picture::blend::over);
  }
}

namespace {

class software_renderer final : public renderer {
 public:
  explicit software_renderer(const std::vector<camera_pose>& path) : path_(path) {}
  std::string name() const override { return "software"; }
  void draw(particle_system& system, picture* to) override {
    if (to == nullptr) return;
    const particle_snapshot s = system.snapshot();
    stopwatch watch;
    draw_particles(s, path_[(s.state.frame - 1) % path_.size()], *to);
    draw_ms_ = {watch.lap(), draw_ms_[0]};
  }
  double draw_ms(std::size_t back) override { return draw_ms_[back]; }

 private:
  std::vector<camera_pose> path_;
  std::array<double, 2> draw_ms_ = {};
};

}  // namespace

std::unique_ptr<renderer> make_software_renderer(const std::vector<camera_pose>& path) {
  return std::make_unique<software_renderer>(path);
}

}  // namespace upsweep::apps
