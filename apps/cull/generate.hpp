// upsweep-cull generate: particle clouds to try things on.
#pragma once

#include <cstdint>

#include "failure.hpp"
#include "particle_table.hpp"

namespace upsweep::apps {

/// The same cloud for the same count and seed, everywhere: position in the cube [-10, 10)^3, velocity in [-1, 1)^3,
/// lifetime in [-1, 3), id from 0 up.
particle_table generate_cloud(std::int64_t count, std::uint64_t seed);

/// The subcommand: `argv` begins with its name.
exit_code generate_main(int argc, const char* const* argv);

}  // namespace upsweep::apps
