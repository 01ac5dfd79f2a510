#include "particles_config.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "camera_config.hpp"

namespace upsweep::apps {
namespace {

vec3f vector_in(const json& of, const char* key, vec3f otherwise) {
  if (!of.contains(key)) return otherwise;
  const json& v = of[key];
  return {v[0].get<float>(), v[1].get<float>(), v[2].get<float>()};
}

/// "#rrggbb", which the schema has checked, as 0xAABBGGRR.
std::uint32_t color_of(const std::string& text) {
  const auto rgb = static_cast<std::uint32_t>(std::stoul(text.substr(1), nullptr, 16));
  return 0xff000000u | (rgb & 255) << 16 | (rgb & 0xff00) | rgb >> 16;
}

emitter emitter_from(const json& e, const std::string& pointer, const command_line& line) {
  emitter made = {};
  made.center = vector_in(e, "center", {0, 0, 0});
  made.extent = vector_in(e, "extent", {0, 0, 0});
  made.velocity = vector_in(e, "velocity", {0, 0, 0});
  made.spread = vector_in(e, "spread", {0, 0, 0});
  const json life = e.value("life", json::array({1.0, 2.0}));
  made.life_least = life[0].get<float>();
  made.life_most = life[1].get<float>();
  if (made.life_most < made.life_least) {
    fail(exit_code::usage, "{}: got {}; expected the least life, then the most", line.origin(pointer + "/life"),
         life.dump());
  }
  made.rate = e.at("rate").get<std::uint32_t>();
  made.from = e.value("from", 0u);
  made.until = e.value("until", 0xffffffffu);
  made.every = e.value("every", 1u);
  const json colors = e.value("colors", json::array({"#ffffff"}));
  made.colors[0] = color_of(colors[0].get<std::string>());
  made.colors[1] = color_of(colors[colors.size() - 1].get<std::string>());
  return made;
}

force_field forces_from(const json& f) {
  const json attractor = f.value("attractor", json::object());
  force_field forces = {};
  forces.gravity = vector_in(f, "gravity", {0, 0, 0});
  forces.wind = vector_in(f, "wind", {0, 0, 0});
  forces.drag = f.value("drag", 0.f);
  forces.center = vector_in(attractor, "center", {0, 0, 0});
  forces.axis = vector_in(attractor, "axis", {0, 1, 0});
  forces.strength = attractor.value("strength", 0.f);
  forces.spin = attractor.value("spin", 0.f);
  forces.softening = attractor.value("softening", 1.f);
  return forces;
}

collision_box box_from(const json& document, const command_line& line) {
  if (!document.contains("box")) return {};
  const json& b = document["box"];
  for (std::size_t i = 0; i < 3; ++i) {
    if (b.at("min")[i].get<float>() < b.at("max")[i].get<float>()) continue;
    fail(exit_code::usage, "{}: got {}; expected less than max, which is {}",
         line.origin(fmt::format("/box/min/{}", i)), b["min"][i].dump(), b["max"][i].dump());
  }
  return {true, vector_in(b, "min", {}), vector_in(b, "max", {}), b.value("bounce", 0.5f)};
}

/// What sees the particles where the config says nothing else.
camera default_camera() {
  camera c;
  c.eye = {0, 3, 12};
  c.target = {0, 2, 0};
  c.fov_y_degrees = 45;
  c.far = 200;
  return c;
}

/// What is emitted where the config names nothing: a fountain.
json fountain() {
  return json::array({{{"center", {0, 0, 0}},
                       {"extent", {0.1, 0, 0.1}},
                       {"velocity", {0, 7, 0}},
                       {"spread", {1.2, 0.8, 1.2}},
                       {"life", {1.2, 2.4}},
                       {"rate", 600},
                       {"colors", {"#ffd27a", "#ff5a1f"}}}});
}

/// The eye, turned by `degrees` around the axis through the target that points upwards.
camera turned(const camera& c, double degrees) {
  const double a = degrees * std::numbers::pi / 180, cosine = std::cos(a), sine = std::sin(a);
  const double length = std::hypot(c.up[0], c.up[1], c.up[2]);
  const vec3 k = {c.up[0] / length, c.up[1] / length, c.up[2] / length};
  const vec3 v = {c.eye[0] - c.target[0], c.eye[1] - c.target[1], c.eye[2] - c.target[2]};
  const vec3 across = {k[1] * v[2] - k[2] * v[1], k[2] * v[0] - k[0] * v[2], k[0] * v[1] - k[1] * v[0]};
  const double along = (k[0] * v[0] + k[1] * v[1] + k[2] * v[2]) * (1 - cosine);
  camera moved = c;
  for (std::size_t i = 0; i < 3; ++i) moved.eye[i] = c.target[i] + v[i] * cosine + across[i] * sine + k[i] * along;
  return moved;
}

camera_pose pose_of(const particles_config& config, const camera& c) {
  camera_axes axes;
  axes_of(c, axes);
  const double scale = 1 / std::tan(c.fov_y_degrees * std::numbers::pi / 360);
  const double stretch = c.far / (c.far - c.near);
  const auto row = [&](const vec3& axis, double by, double add) {
    const double at = -(axis[0] * c.eye[0] + axis[1] * c.eye[1] + axis[2] * c.eye[2]);
    return std::array<double, 4>{axis[0] * by, axis[1] * by, axis[2] * by, at * by + add};
  };
  const double aspect = static_cast<double>(config.width) / config.height;
  const std::array<std::array<double, 4>, 4> rows = {row(axes.right, scale / aspect, 0), row(axes.up, -scale, 0),
                                                     row(axes.forward, stretch, -stretch * c.near),
                                                     row(axes.forward, 1, 0)};
  camera_pose pose = {};
  for (std::size_t r = 0; r < 4; ++r) {
    for (std::size_t column = 0; column < 4; ++column) pose.clip[column * 4 + r] = static_cast<float>(rows[r][column]);
  }
  const auto& d = rows[3];
  pose.depth_plane = {static_cast<float>(d[0]), static_cast<float>(d[1]), static_cast<float>(d[2]),
                      static_cast<float>(d[3])};
  pose.pixels = static_cast<float>(config.diameter * scale * config.height / 2);
  pose.alpha = config.alpha;
  pose.additive = config.how.sorts ? 0.f : 1.f;
  pose.near = static_cast<float>(c.near);
  return pose;
}

bool has_display() {
  const auto is_set = [](const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  return is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
}

/// Whether a window is what a run without any results is for.
bool is_to_be_watched(const particles_config& config, const std::string& renderer) {
  const common_config& c = config.common;
  return has_display() && renderer != "none" && c.output.empty() && config.video.empty() && c.report.empty() &&
         !c.verify;
}

}  // namespace

void add_particles_options(command_line& line) {
  line.add_config();
  line.add_text("--splats FILE.ply", "/splats", "Draw a cloud of Gaussian splats instead of particles");
  line.add_numbers("--orbit DEGREES", {{"/camera/orbit_degrees", 1}}, "Turn the camera around its target, each frame");
  line.add_integer("--frames N", "/frames", "How many frames (default: 240)");
  line.add_text("--output DIR", "/output", "Write each frame as DIR/frame_000000.png and so on");
  line.add_integer("--output-every N", "/output_every", "Draw and write only every Nth frame (default: 1)");
  line.add_text("--video FILE", "/video",
                "Write an animation: FILE.png (animated PNG), or another format by ffmpeg, such as FILE.mp4");
  line.add_switch("--window", "/window",
                  "Show each frame in a window (the default with a display and nothing to write); Escape ends the run");
  line.add_numbers("--size WIDTH HEIGHT", {{"/size", 2}}, "Size of a picture in pixels (default: 960 540)");
  line.add_text(
      "--renderer NAME", "/renderer",
      "vulkan, opengl, software, none (then files are drawn by software), or auto: Vulkan if a GPU supports it");
  line.add_text("--device DEVICE", "/device", "auto (a GPU, else the sim), cuda, cuda:N or sim");
  line.add_integer("--capacity N", "/capacity",
                   "Room for this many particles, or pairs of a splat and a tile (default: 100000 particles, or 24 "
                   "pairs per splat)");
  line.add_text("--method NAME", "/method",
                "fused, vote_scan_compact or hole_filling (default: chosen by the order and the scan)");
  line.add_text("--order ORDER", "/order", "stable or any: whether particles stay in order (default: stable)");
  line.add_text("--sort KEY", "/sort", "depth, so that near particles cover far ones, or none: light is added up");
  line.add_integer("--seed N", "/seed", "Another seed gives other particles (default: 1)");
  line.add_switch("--verify", "/verify", "Compare every frame with plain CPU code");
  line.add_switch("--quiet", "/quiet", "Print errors only");
  line.add_text("--report FILE", "/report", "Write a JSON report of the frames' times");
  line.add_text("--strategy NAME", "/scan/strategy",
                "The scan of vote_scan_compact and hole_filling: a device strategy");
  line.add_text("--scan NAME", "/scan/strategy", "The old name of --strategy");
  line.add_text("--block NAME", "/scan/block", "The scan's block algorithm");
  line.add_integer("--block-threads N", "/scan/block_threads", "The scan's threads of a block");
  line.add_integer("--items-per-thread N", "/scan/items_per_thread", "The scan's items of a thread");
}

particles_config particles_config_from(const command_line& line) {
  const json& document = line.document();
  particles_config config;
  config.common = common_config_from(document, line);
  config.splats = document.value("splats", config.splats);
  config.has_camera = document.contains("camera") && document["camera"].contains("eye");
  config.has_capacity = document.contains("capacity");
  config.video = document.value("video", config.video);
  const std::string renderer = document.value("renderer", "auto");
  config.has_window = document.value("window", is_to_be_watched(config, renderer));
  config.renderer = static_cast<renderer_kind>(std::find(renderer_names.begin(), renderer_names.end(), renderer) -
                                               renderer_names.begin());
  config.frames = document.value("frames", config.frames);
  config.frames_a_second = document.value("frames_per_second", config.frames_a_second);
  config.output_every = document.value("output_every", config.output_every);
  if (document.contains("size")) {
    config.width = document["size"][0].get<int>();
    config.height = document["size"][1].get<int>();
  }
  config.how.capacity = document.value("capacity", config.how.capacity);
  config.how.sorts = document.value("sort", "depth") == "depth";
  config.needs_order = document.value("order", "stable") == "stable";
  config.how.method = compact_method_from(document, config.common.scan, config.needs_order, line);
  config.seen_from = camera_from(document.value("camera", json::object()), "/camera", default_camera(), line);
  config.orbit_degrees = document.value("camera", json::object()).value("orbit_degrees", 0.0);
  const json look = document.value("particle", json::object());
  config.diameter = look.value("diameter", config.diameter);
  config.alpha = look.value("alpha", config.alpha);

  const json emitters = document.value("emitters", fountain());
  for (const json& e : emitters) {
    const std::string pointer = fmt::format("/emitters/{}", config.what.emitter_count);
    config.what.emitters[config.what.emitter_count++] = emitter_from(e, pointer, line);
  }
  const json forces = document.value("forces", json{{"gravity", {0, -6, 0}}, {"drag", 0.1}});
  config.what.forces = forces_from(forces);
  config.what.box = box_from(document, line);
  config.what.step = document.value("step", 1 / 60.f);
  config.what.seed = document.value("seed", 1u);

  config.document = ordered_json::object();
  put_common(config.document, config.common);
  config.document["method"] = name_of(config.how.method.method);
  config.document["order"] = config.needs_order ? "stable" : "any";
  config.document["sort"] = config.how.sorts ? "depth" : "none";
  config.document["renderer"] = renderer;
  config.document["frames"] = config.frames;
  config.document["frames_per_second"] = config.frames_a_second;
  config.document["output_every"] = config.output_every;
  config.document["size"] = {config.width, config.height};
  config.document["capacity"] = config.how.capacity;
  config.document["seed"] = config.what.seed;
  config.document["step"] = document.value("step", 1 / 60.0);
  config.document["camera"] = to_json(config.seen_from);
  config.document["camera"]["orbit_degrees"] = config.orbit_degrees;
  config.document["particle"] = {{"diameter", config.diameter}, {"alpha", config.alpha}};
  config.document["emitters"] = emitters;
  config.document["forces"] = forces;
  if (document.contains("box")) config.document["box"] = document["box"];
  if (!config.splats.empty()) config.document["splats"] = config.splats;
  if (!config.video.empty()) config.document["video"] = config.video;
  if (config.has_window) config.document["window"] = true;
  return config;
}

std::vector<camera> camera_path_of(const particles_config& config, const camera& from) {
  // A path so long that nobody waits for it to begin again.
  const std::int64_t poses = config.orbit_degrees == 0 ? 1 : std::clamp<std::int64_t>(config.frames, 1, 1 << 16);
  std::vector<camera> path;
  for (std::int64_t i = 0; i < poses; ++i) path.push_back(turned(from, config.orbit_degrees * static_cast<double>(i)));
  return path;
}

std::vector<camera_pose> camera_path(const particles_config& config) {
  std::vector<camera_pose> path;
  for (const camera& c : camera_path_of(config, config.seen_from)) path.push_back(pose_of(config, c));
  return path;
}

}  // namespace upsweep::apps
