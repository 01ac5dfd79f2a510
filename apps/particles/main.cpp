// upsweep-particles: a particle system whose particles never leave the device, frame after frame.
#include <string_view>

#include "particles_run.hpp"
#include "program.hpp"
#include "schemas.hpp"
#include "splat_cloud.hpp"
#include "splats_run.hpp"

namespace upsweep::apps {
namespace {

constexpr const char* about =
    "Emits, moves, compacts, sorts and draws particles; each frame is one CUDA graph, or runs on the CPU's sim.\n\n"
    "Examples:\n"
    "  upsweep-particles --config configs/particles/fireworks.json\n"
    "  upsweep-particles --frames 60 --output frames\n"
    "  upsweep-particles --config configs/particles/galaxy.json --video galaxy.png\n"
    "  upsweep-particles --config configs/particles/fireworks.json --video fireworks.mp4 --report times.json\n"
    "  upsweep-particles --frames 300 --device sim --method hole_filling --order any --sort none --verify\n"
    "  upsweep-particles generate-splats --output knot.ply\n"
    "  upsweep-particles --splats knot.ply --orbit 3 --frames 120 --video knot.png\n"
    "  upsweep-particles --renderer none --capacity 1e7 --frames 1000 --report times.json\n\n"
    "Only the device knows how many particles live. Emitters, forces, a box and the camera come from the config.\n"
    "Exit status: 0 done, 1 not verified, 2 usage or config, 3 bad input, 4 cannot write, 5 GPU, 130 interrupted.\n";

exit_code particles_main(int argc, const char* const* argv) {
  if (argc > 1 && std::string_view(argv[1]) == "generate-splats") return generate_splats_main(argc - 1, argv + 1);
  command_line line("upsweep-particles", about, particles_schema);
  add_particles_options(line);
  if (!line.parse(argc, argv)) return exit_code::ok;
  const particles_config config = particles_config_from(line);
  if (line.print_config()) {
    print_config(config.document);
    return exit_code::ok;
  }
  if (config.common.quiet) be_quiet();
  return config.splats.empty() ? run_particles(config, line) : run_splats(config, line);
}

}  // namespace
}  // namespace upsweep::apps

int main(int argc, char** argv) {
  return upsweep::apps::run_program("upsweep-particles", [&] { return upsweep::apps::particles_main(argc, argv); });
}
