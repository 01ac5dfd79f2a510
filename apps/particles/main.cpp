// upsweep-particles: a particle system whose particles never leave the device, frame after frame.
#include "particles_run.hpp"
#include "program.hpp"
#include "schemas.hpp"

namespace upsweep::apps {
namespace {

constexpr const char* about =
    "Emits, moves, compacts, sorts and draws particles; each frame is one CUDA graph, or runs on the CPU's sim.\n\n"
    "Examples:\n"
    "  upsweep-particles --frames 60 --output frames\n"
    "  upsweep-particles --config configs/particles/galaxy.json --video galaxy.png\n"
    "  upsweep-particles --config configs/particles/fireworks.json --video fireworks.mp4 --report times.json\n"
    "  upsweep-particles --frames 300 --device sim --method hole_filling --order any --sort none --verify\n"
    "  upsweep-particles --renderer none --capacity 1e7 --frames 1000 --report times.json\n\n"
    "How many particles live is known to the device alone. Emitters, forces, a box and the camera come from the "
    "config.\n"
    "Exit status: 0 done, 1 not verified, 2 usage or config, 4 cannot write, 5 GPU, 130 interrupted.\n";

exit_code particles_main(int argc, const char* const* argv) {
  command_line line("upsweep-particles", about, particles_schema);
  add_particles_options(line);
  if (!line.parse(argc, argv)) return exit_code::ok;
  const particles_config config = particles_config_from(line);
  if (line.print_config()) {
    print_config(config.document);
    return exit_code::ok;
  }
  if (config.common.quiet) be_quiet();
  return run_particles(config, line);
}

}  // namespace
}  // namespace upsweep::apps

int main(int argc, char** argv) {
  return upsweep::apps::run_program("upsweep-particles", [&] { return upsweep::apps::particles_main(argc, argv); });
}
