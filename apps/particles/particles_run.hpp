// One run of upsweep-particles.
#pragma once

#include "particles_config.hpp"

namespace upsweep::apps {

/// How often nothing is drawn before the first frame.
inline constexpr int rehearsed_draws = 64;

exit_code run_particles(const particles_config& config, const command_line& line);

}  // namespace upsweep::apps
