// Clouds of Gaussian splats, as PLY files have them.
#pragma once

#include <string>
#include <vector>

#include "failure.hpp"
#include "frustum.hpp"
#include "splat_scene.hpp"

namespace upsweep::apps {

/// Splats on the host, as splat_arrays has them.
struct splat_cloud {
  std::vector<vec4f> place, rotation, scale;
  std::vector<float> harmonics;
  int coefficients = 1;

  splat_arrays arrays() const {
    return {static_cast<std::int64_t>(place.size()),
            place.data(),
            rotation.data(),
            scale.data(),
            harmonics.data(),
            coefficients};
  }
};

/// Reads the properties x y z, opacity, scale_0..2, rot_0..3, f_dc_0..2, and f_rest_ of 0, 9, 24 or 45 numbers: 62 with
/// the normals, which are not looked at. Opacities are logits and scales logarithms, as trained. Fails with
/// exit_code::bad_input where one is missing.
splat_cloud read_splats(const std::string& path);

/// A camera that sees all of them.
camera camera_that_fits(const splat_cloud& splats, double aspect);

/// The subcommand that writes a cloud to try things on; `argv` begins with its name.
exit_code generate_splats_main(int argc, const char* const* argv);

}  // namespace upsweep::apps
