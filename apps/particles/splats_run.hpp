// One run of upsweep-particles over a cloud of splats.
#pragma once

#include "particles_config.hpp"

namespace upsweep::apps {

exit_code run_splats(const particles_config& config, const command_line& line);

}  // namespace upsweep::apps
