#include "splats_run.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "frame_files.hpp"
#include "named_files.hpp"
#include "program.hpp"
#include "progress.hpp"
#include "splat_renderer.hpp"
#include "text.hpp"

namespace upsweep::apps {
namespace {

splat_view view_of(const camera& c, int width, int height) {
  camera_axes axes;
  axes_of(c, axes);
  const auto narrow = [](const vec3& v) {
    return vec3f{static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
  };
  const double focal = height / (2 * std::tan(c.fov_y_degrees * std::numbers::pi / 360));
  return {narrow(c.eye),
          narrow(axes.right),
          narrow({-axes.up[0], -axes.up[1], -axes.up[2]}),
          narrow(axes.forward),
          static_cast<float>(focal),
          static_cast<float>(c.near),
          width,
          height};
}

/// What differs first; empty where the device has drawn what plain loops draw. A pixel may differ by rounding, and by a
/// splat at the very edge of being seen.
std::string first_difference(splat_renderer& drawn, const picture& p, const plain_splats& plain) {
  const std::int64_t seen = drawn.state().seen;
  if (seen != plain.seen) return fmt::format("{} splats are seen, expected {}", seen, plain.seen);
  const auto splats = drawn.sorted_splats();
  if (splats.size() != plain.sorted.size()) {
    return fmt::format("{} pairs of a splat and a tile, expected {}", splats.size(), plain.sorted.size());
  }
  for (std::size_t i = 0; i < splats.size(); ++i) {
    if (splats[i] == plain.sorted[i]) continue;
    return fmt::format("pair {} is splat {}, expected {}", i, splats[i], plain.sorted[i]);
  }
  const auto ends = drawn.tile_ends();
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i] != plain.ends[i]) return fmt::format("tile {} ends at pair {}, expected {}", i, ends[i], plain.ends[i]);
  }
  for (std::size_t i = 0; i < p.bytes().size(); ++i) {
    const int came = p.bytes()[i], expected = plain.drawn.bytes()[i];
    if (std::abs(came - expected) <= 3) continue;
    return fmt::format("pixel {}, {} has {} in channel {}, expected {}", i / 3 % static_cast<std::size_t>(p.width()),
                       i / 3 / static_cast<std::size_t>(p.width()), came, i % 3, expected);
  }
  return {};
}

/// Those that say nothing about splats. In a config they may stand, as --print-config writes all.
void refuse_flags_of_particles(const command_line& line) {
  for (const char* const pointer : {"/renderer", "/method", "/order", "/sort", "/seed", "/scan"}) {
    const std::string origin = line.origin(pointer);
    if (!line.document().contains(json::json_pointer(pointer)) || !origin.starts_with("--")) continue;
    fail(exit_code::usage, "{}: it is for particles; expected none with {}", origin, line.origin("/splats"));
  }
}

}  // namespace

exit_code run_splats(const particles_config& config, const command_line& line) {
  refuse_flags_of_particles(line);
  check_files({{config.splats, line.origin("/splats")}, {line.config_path(), "--config"}},
              {{config.common.report, line.origin("/report"), ".json"}, {config.video, line.origin("/video")}});
  if (tiles_of(config.width) * tiles_of(config.height) > 0xffff) {
    fail(exit_code::usage, "{}: got {} x {}; expected at most 65535 tiles of {} x {} pixels", line.origin("/size"),
         config.width, config.height, splat_tile, splat_tile);
  }
  device_session device(config.common.device);
  report_file report(config.common.report);
  frame_files files(config, line);
  const splat_cloud cloud = read_splats(config.splats);
  const camera seen_from =
      config.has_camera ? config.seen_from : camera_that_fits(cloud, static_cast<double>(config.width) / config.height);
  std::vector<splat_view> path;
  for (const camera& c : camera_path_of(config, seen_from)) path.push_back(view_of(c, config.width, config.height));
  // Room for 24 tiles a splat, where the config says nothing else.
  const auto n = static_cast<std::int64_t>(cloud.place.size());
  const std::int64_t capacity =
      config.has_capacity ? config.how.capacity : std::clamp<std::int64_t>(n * 24, 1 << 20, 1'000'000'000);
  say("device   {}", device.name());
  splat_renderer renderer(device, cloud, path, config.width, config.height, capacity, frame_background);
  std::array<samples, splat_stage_names.size()> stages;
  samples host;
  progress bar("frames", static_cast<std::uint64_t>(config.frames));
  std::int64_t frames = 0;
  for (std::int64_t f = 0; f < config.frames; ++f) {
    stopwatch watch;
    renderer.frame();
    host.add(watch.lap());
    if (!config.common.report.empty()) {
      const splat_times ms = renderer.stage_times();
      for (std::size_t i = 0; i < ms.size(); ++i) stages[i].add(static_cast<double>(ms[i]));
    }
    picture p(config.width, config.height);
    if (files.wants(f) || config.common.verify) renderer.read(p);
    if (config.common.verify) {
      const splat_view& view = path[static_cast<std::size_t>(f) % path.size()];
      const std::string wrong = first_difference(renderer, p, draw_plainly(cloud, view, capacity, frame_background));
      if (!wrong.empty()) {
        complain("upsweep-particles: not verified: frame {}: {}", f, wrong);
        return exit_code::not_verified;
      }
    }
    if (files.wants(f)) files.write(p, f);
    bar.reach(static_cast<std::uint64_t>(f + 1));
    ++frames;
    if (files.is_closed()) break;
  }
  const splat_state last = renderer.state();
  say("frames   {}: in the last, {} of {} splats seen, in {} pairs of a splat and a tile", frames,
      with_commas(static_cast<std::uint64_t>(last.seen)), with_commas(static_cast<std::uint64_t>(n)),
      with_commas(static_cast<std::uint64_t>(last.pairs)));
  if (last.wanted > last.pairs) {
    say("note     {} pairs had no room; a larger --capacity makes room",
        with_commas(static_cast<std::uint64_t>(last.wanted - last.pairs)));
  }
  if (config.common.verify) say("checked  pairs, order and pictures of every frame agree with plain CPU code");
  files.commit();
  ordered_json document = begun_report("upsweep-particles", device);
  document["config"] = config.document;
  document["frames"] = frames;
  document["splats"] = {{"all", n}, {"seen", last.seen}, {"pairs", last.pairs}, {"pairs_wanted", last.wanted}};
  document["verified"] = config.common.verify ? ordered_json(true) : ordered_json(nullptr);
  ordered_json times = ordered_json::object();
  for (std::size_t i = 0; i < stages.size(); ++i) times[std::string(splat_stage_names[i])] = stages[i].to_json();
  times["host_to_enqueue"] = host.to_json();
  document["times_ms"] = times;
  report.write(document);
  return exit_code::ok;
}

}  // namespace upsweep::apps
