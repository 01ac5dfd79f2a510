// One run of upsweep-particles.
#pragma once

#include "particles_config.hpp"

namespace upsweep::apps {

exit_code run_particles(const particles_config& config, const command_line& line);

}  // namespace upsweep::apps
